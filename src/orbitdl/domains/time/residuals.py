"""A recording at work: its residual and correlations, and how atoms go in and out of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.domains.time.oracles import Cut, Shapes, Uncut
from orbitdl.domains.time.splines import four_weights
from orbitdl.domains.time.waveforms import add_products, add_waveform
from orbitdl.groups.base import Floats, Integers
from orbitdl.kernels import ZERO, internal
from orbitdl.kernels.linear_algebra import dot

EDGE = 1e-6
"""How far before the end of a window its atoms stay: more than rounding moves a time by."""


class Line(NamedTuple):
    """A recording at work.

    Attributes
    ----------
    e : ndarray of shape (q, places)
        Correlations with the residual.
    r : ndarray of shape (T, channels)
        The residual, zero where nothing was observed.
    observed : ndarray of shape (T,)
        One or zero.
    is_uncut : bool ndarray of shape (places,)
        Whether all samples of an atom at this place were observed.
    shapes : Shapes
    offset : int
        The place of sample 0.
    excess : ndarray of shape (q, places) or None
        Taps of ``alpha (p_j - 1)`` where a penalty field p is given; None: the penalty is alpha.
    """

    e: Floats
    r: Floats
    observed: Floats
    is_uncut: NDArray[np.bool_]
    shapes: Shapes
    offset: int
    excess: Floats | None = None


class Room(NamedTuple):
    """Scratch space of one thread.

    Attributes
    ----------
    weights : ndarray of shape (capacity, 3, 4)
        Of the atoms of a window.
    missing, ranges, values, fitted : ndarray of shape (n,), (capacity, 2), (3, capacity, n, \
        channels) and (n, channels)
        Of a truncated window: positions of unobserved samples, which of them atoms cover, the atoms
        there, and their sum.
    left : ndarray of shape (q, places of a window and 8)
        Correlations that its atoms leave, from two places before it on.
    height, place, component : ndarray of shape (peaks,)
        Peaks of the certificate.
    waiting : ndarray of shape (peaks,)
        Numbers of the peaks that may enter.
    before : ndarray of shape (q, places)
        Correlations before a window changed them, near it.
    work : ndarray of shape (1,)
        Multiplications since the kernel was called, about.
    next : ndarray of shape (2,)
        Where it goes on when it is called again: turn and block.
    """

    weights: Floats
    missing: Integers
    ranges: Integers
    values: Floats
    fitted: Floats
    left: Floats
    height: Floats
    place: Floats
    component: Integers
    waiting: Integers
    before: Floats
    work: Floats
    next: Integers


@internal
def add_atom(line, j, place, c, is_cut):  # type: ignore[no-untyped-def]
    """Add c times an atom to the residual, and to its correlations unless it is cut."""
    if is_cut:
        add_cut_waveform(line, j, place, c)
        return
    add_waveform(j, place, c, line.shapes.u, line.offset, line.r)
    m = int(place)
    w = four_weights(place - m)
    for l in range(line.e.shape[0]):  # noqa: E741
        add_products(line.shapes.products[l, j], m, w, c, ZERO, line.e[l])


@internal
def add_cut_waveform(line, j, place, c):  # type: ignore[no-untyped-def]
    """Add c times an atom to the residual at observed samples."""
    m, u = int(place), line.shapes.u
    w = four_weights(place - m)
    for i in range(4):
        start = m + i - 1 - line.offset
        for k in range(max(-start, 0), min(u.shape[1], line.r.shape[0] - start)):
            for ch in range(u.shape[2]):
                line.r[start + k, ch] += c * w[i] * u[j, k, ch] * line.observed[start + k]


@internal
def correlate_again(line, first, last):  # type: ignore[no-untyped-def]
    """Compute the correlations at places from `first` up to `last` from the residual."""
    u, n = line.shapes.u, line.r.shape[0]
    for j in range(u.shape[0]):
        for p in range(max(first, 0), min(last, line.e.shape[1])):
            total = 0.0
            start = p - line.offset
            for k in range(max(-start, 0), min(u.shape[1], n - start)):
                for ch in range(u.shape[2]):
                    total += u[j, k, ch] * line.r[start + k, ch]
            line.e[j, p] = total


@internal
def energy_of(line, lo, hi):  # type: ignore[no-untyped-def]
    """Return the energy of what is left where atoms of a window may be."""
    first, last = lo - 2 - line.offset, hi + line.shapes.u.shape[1] + 3 - line.offset
    there = line.r[max(first, 0) : max(last, 0)].reshape(-1)
    return dot(there, there)


@internal
def uncut_window(line, room, lo, hi):  # type: ignore[no-untyped-def]
    """Return what is asked about a window whose atoms are all within observed samples."""
    energy = energy_of(line, lo, hi)
    return Uncut(line.e, line.shapes, energy, float(lo), hi - EDGE, room.weights, line.excess)


@internal
def cut_window(line, room, lo, hi):  # type: ignore[no-untyped-def]
    """Return what is asked about a window with atoms that are truncated."""
    n = ZERO
    for place in range(lo - 2, hi + line.shapes.u.shape[1] + 3):
        sample = place - line.offset
        is_inside = 0 <= sample < line.observed.shape[0]
        if not is_inside or line.observed[sample] == 0.0:
            room.missing[n] = place
            n += 1
    return Cut(
        line.e, line.shapes, energy_of(line, lo, hi), float(lo), hi - EDGE, room.weights,
        line.excess, room.missing[:n], room.ranges, room.values,
    )  # fmt: skip
