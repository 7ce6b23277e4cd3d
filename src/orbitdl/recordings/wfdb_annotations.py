"""Events as annotations of PhysioNet's format WFDB, which other programs lay over a record."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.recordings.wfdb_records import import_wfdb

FIRST, OTHER = "N", "Q"
"""Codes of beats: those of component 0 are N, others Q, which claims nothing of their kind."""
LARGEST = 127
"""The largest number that an annotation holds; its text holds any."""
EMPTY = b"\x00\x00"
"""A file that holds no annotation: the mark of its end."""


def annotation_file(time: ArrayLike, component: ArrayLike, rate: float | None = None) -> bytes:
    """Return the content of an annotation file, as ``wfdb.rdann`` reads it.

    Parameters
    ----------
    time : array-like of shape (K,)
        In samples from the start of the record, in order. An annotation is at a whole sample:
        times are rounded, and those before the start are left out.
    component : array-like of shape (K,)
        Which component each event is of, from 0: the `num` of its annotation, and in words its
        `aux_note`.
    rate : float, optional
        Samples per second, kept in the file.
    """
    wfdb = import_wfdb()
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
            symbol=[OTHER if k else FIRST for k in number],
            num=np.minimum(number, LARGEST),
            aux_note=[f"component {k}" for k in number],
            fs=rate,
            write_dir=folder,
        )
        return Path(folder, "record.atr").read_bytes()
