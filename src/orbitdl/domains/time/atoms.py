"""Atoms ``c_k a_{j_k}(t - tau_k)`` of one recording: operations on their times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.blocks import Integers
from orbitdl.coding.atoms import Atoms


def at_times(component: Integers, time: ArrayLike, coefficient: ArrayLike, q: int) -> Atoms:
    """Return atoms of q waveforms that begin at these times, (K,) each."""
    offsets = np.array([0, len(component)], dtype=np.intp)
    element = np.asarray(time, dtype=np.float64)[:, None]
    c = np.asarray(coefficient, dtype=np.float64)
    return Atoms(q, offsets, np.asarray(component, dtype=np.intp), c, element)


def no_atoms(q: int) -> Atoms:
    """Return no atoms of q waveforms."""
    return Atoms.none(1, q, 1)


def joined(parts: Iterable[Atoms]) -> Atoms:
    """Return all atoms as those of one recording."""
    every = list(parts)
    together, q = Atoms.concatenate(every), max(part.n_components for part in every)
    return replace(together, n_components=q, offsets=together.offsets[[0, -1]])


def between(atoms: Atoms, first: float, last: float) -> Atoms:
    """Return those that begin from `first` up to `last`."""
    return atoms.select((atoms.time >= first) & (atoms.time < last))


def outside(atoms: Atoms, first: float, last: float) -> Atoms:
    """Return the others."""
    return atoms.select((atoms.time < first) | (atoms.time >= last))


def range_of(atoms: Atoms, first: float, last: float) -> slice:
    """Return where those are that begin from `first` up to `last`, of sorted atoms."""
    begin, end = np.searchsorted(atoms.time, [first, last])
    return slice(int(begin), int(end))


def later(atoms: Atoms, by: float) -> Atoms:
    """Return the same atoms, later by so many samples."""
    return replace(atoms, element=atoms.element + by)


def in_order(atoms: Atoms) -> Atoms:
    """Return them sorted by time."""
    return atoms.select(np.argsort(atoms.time, kind="stable"))
