"""Events as annotations in PhysioNet's format WFDB."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.io.wfdb_records import import_wfdb

if TYPE_CHECKING:
    import pandas as pd

NOTE = '"'
"""Annotation code of a comment, which is not a diagnosis."""
LARGEST = 127
"""Largest value of the field `num` of an annotation."""
EMPTY = b"\x00\x00"
"""Content of a file without annotations: the end mark."""


def to_wfdb(
    events: pd.DataFrame,
    path: str | PathLike[str],
    sfreq: float | None = None,
    symbols: Mapping[int, str] | None = None,
) -> Path:
    """Write events as an annotation file of a WFDB record, such as ``100.ann``.

    Parameters
    ----------
    events : DataFrame
        With the columns `sample` and `component`.
    path : path-like
        Its name is that of the record, its suffix the annotator: ``wfdb.rdann("100", "ann")``.
    sfreq, symbols
        As in `annotation_file`: components that have no symbol are comments, which claim no
        diagnosis.

    Returns
    -------
    Path
        The file written.
    """
    place = Path(path)
    content = annotation_file(events["sample"], events["component"], sfreq, symbols)
    place.write_bytes(content)
    return place


def annotation_file(
    time: ArrayLike,
    component: ArrayLike,
    sfreq: float | None = None,
    symbols: Mapping[int, str] | None = None,
) -> bytes:
    """Return the content of an annotation file for ``wfdb.rdann``.

    Parameters
    ----------
    time : array-like of shape (K,)
        Sorted times in samples from the start of the record. They are rounded to integers, and
        negative ones are dropped.
    component : array-like of shape (K,)
        Component of each event, from 0: stored in `num` and `aux_note`.
    sfreq : float, optional
        Sampling rate in Hz, stored in the file.
    symbols : mapping of int to str, optional
        WFDB annotation codes of components, such as ``{0: "N", 1: "V"}``. Other components have the
        code of a comment (``"``), which is not a diagnosis.

    Returns
    -------
    bytes
        Write it to a file whose suffix is the annotator: ``100.ann``.

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
    """Raise ValueError for unknown annotation codes or components."""
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
