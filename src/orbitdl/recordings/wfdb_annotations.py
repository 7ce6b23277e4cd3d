"""Events as annotations of PhysioNet's format WFDB, which other programs lay over a record."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.recordings.wfdb_records import import_wfdb

NOTE = '"'
"""The symbol of a comment, which claims no diagnosis: what is said is in its text."""
LARGEST = 127
"""The largest number that an annotation holds; its text holds any."""
EMPTY = b"\x00\x00"
"""A file that holds no annotation: the mark of its end."""


def annotation_file(
    time: ArrayLike,
    component: ArrayLike,
    sfreq: float | None = None,
    symbols: Mapping[int, str] | None = None,
) -> bytes:
    """Return the content of an annotation file, as ``wfdb.rdann`` reads it.

    Parameters
    ----------
    time : array-like of shape (K,)
        In samples from the start of the record, in order. An annotation is at a whole sample:
        times are rounded, and those before the start are left out.
    component : array-like of shape (K,)
        Which component each event is of, from 0: the `num` of its annotation, and in words its
        `aux_note`.
    sfreq : float, optional
        Sampling rate in Hz, stored in the file.
    symbols : mapping of int to str, optional
        WFDB annotation codes of components, such as ``{0: "N", 1: "V"}``. By default, and for
        components that it lacks, the code of a comment (``"``), which claims no diagnosis.

    Returns
    -------
    bytes
        To be written to a file whose suffix names the annotator: ``100.ann``.

    Examples
    --------
    >>> content = annotation_file([10.2, 95.0], [0, 1], symbols={0: "N"})
    >>> b"component 0" in content, b"component 1" in content
    (True, True)
    >>> annotation_file([10.2], [0], symbols={0: "normal"})
    Traceback (most recent call last):
    ValueError: 'normal' is no annotation code of WFDB; choose one of N L R ...
    """
    wfdb, codes = import_wfdb(), dict(symbols or {})
    require_symbols(codes)
    sample = np.rint(np.asarray(time, dtype=np.float64)).astype(np.int64)
    number = np.asarray(component, dtype=np.int64)
    sample, number = sample[sample >= 0], number[sample >= 0]
    if not len(sample):
        return EMPTY
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # wfdb 4.3 uses what pandas 4 will drop
        wfdb.wrann(
            "record",
            "atr",
            sample,
            symbol=[codes.get(int(k), NOTE) for k in number],
            num=np.minimum(number, LARGEST),
            aux_note=[f"component {k}" for k in number],
            fs=sfreq,
            write_dir=folder,
        )
        return Path(folder, "record.atr").read_bytes()


def require_symbols(symbols: Mapping[int, str], n_components: int | None = None) -> None:
    """Refuse what is no annotation code of WFDB, or belongs to a component that is not there."""
    import_wfdb()
    from wfdb.io.annotation import ann_labels

    known = [label.symbol for label in ann_labels if label.symbol.strip()]
    for component, symbol in symbols.items():
        if symbol not in known:
            raise ValueError(
                f"{symbol!r} is no annotation code of WFDB; choose one of {' '.join(known)}"
            )
        if n_components is not None and component >= n_components:
            raise ValueError(
                f"there is no component {component} to be annotated as {symbol}; the model has "
                f"components 0 to {n_components - 1}."
            )
