"""Residual and correlations of a recording, with updates for single atoms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.domains.time.oracles import CompleteOracle, TruncatedOracle, WaveformTables
from orbitdl.domains.time.splines import four_weights
from orbitdl.domains.time.waveforms import add_products, add_waveform
from orbitdl.kernels import ZERO, internal
from orbitdl.kernels.linear_algebra import dot

EDGE = 1e-6
"""Distance of atoms from the end of a window, above the rounding errors of times."""


class Residual(NamedTuple):
    """Residual and correlations of a recording.

    Attributes
    ----------
    e : ndarray of shape (q, places)
        Correlations with the residual.
    r : ndarray of shape (T, channels)
        The residual, zero where nothing was observed.
    observed : ndarray of shape (T,)
        One or zero.
    is_complete : bool ndarray of shape (places,)
        Whether all samples of an atom at this position were observed.
    shapes : Shapes
    offset : int
        Position of sample 0.
    excess : ndarray of shape (q, places) or None
        Taps of ``alpha (p_j - 1)`` for a penalty field p; None: the penalty is alpha.
    """

    e: Floats
    r: Floats
    observed: Floats
    is_complete: NDArray[np.bool_]
    shapes: WaveformTables
    offset: int
    excess: Floats | None = None


class Workspace(NamedTuple):
    """Workspace of one thread.

    Attributes
    ----------
    weights : ndarray of shape (capacity, 3, 4)
        Weights of the atoms of a window.
    missing, ranges, values, fitted : ndarray of shape (n,), (capacity, 2), (3, capacity, n, \
        channels) and (n, channels)
        For truncated windows: positions of unobserved samples, the range that each atom covers, the
        atoms there, and their sum.
    left : ndarray of shape (q, places of a window and 8)
        Correlations with the residual of the window, from two positions before it.
    height, position, component : ndarray of shape (peaks,)
        Peaks of the certificate.
    waiting : ndarray of shape (peaks,)
        Numbers of the peaks that may enter.
    before : ndarray of shape (q, places)
        Correlations before the window was solved.
    work : ndarray of shape (1,)
        Approximate number of multiplications in this call of the kernel.
    next : ndarray of shape (2,)
        Sweep and block at which the next call resumes.
    """

    weights: Floats
    missing: Integers
    ranges: Integers
    values: Floats
    fitted: Floats
    left: Floats
    height: Floats
    position: Floats
    component: Integers
    waiting: Integers
    before: Floats
    work: Floats
    next: Integers


@internal
def add_atom(residual, j, position, c, is_truncated):  # type: ignore[no-untyped-def]
    """Add c times an atom to the residual, and to its correlations unless it is truncated."""
    if is_truncated:
        add_truncated_waveform(residual, j, position, c)
        return
    add_waveform(j, position, c, residual.shapes.u, residual.offset, residual.r)
    m = int(position)
    w = four_weights(position - m)
    for l in range(residual.e.shape[0]):  # noqa: E741
        add_products(residual.shapes.products[l, j], m, w, c, ZERO, residual.e[l])


@internal
def add_truncated_waveform(residual, j, position, c):  # type: ignore[no-untyped-def]
    """Add c times an atom to the residual at observed samples."""
    m, u = int(position), residual.shapes.u
    w = four_weights(position - m)
    for i in range(4):
        start = m + i - 1 - residual.offset
        for k in range(max(-start, 0), min(u.shape[1], residual.r.shape[0] - start)):
            for ch in range(u.shape[2]):
                residual.r[start + k, ch] += c * w[i] * u[j, k, ch] * residual.observed[start + k]


@internal
def correlate_again(residual, first, last):  # type: ignore[no-untyped-def]
    """Compute the correlations at positions in ``[first, last)`` from the residual."""
    u, n = residual.shapes.u, residual.r.shape[0]
    for j in range(u.shape[0]):
        for p in range(max(first, 0), min(last, residual.e.shape[1])):
            total = 0.0
            start = p - residual.offset
            for k in range(max(-start, 0), min(u.shape[1], n - start)):
                for ch in range(u.shape[2]):
                    total += u[j, k, ch] * residual.r[start + k, ch]
            residual.e[j, p] = total


@internal
def energy_in(residual, lo, hi):  # type: ignore[no-untyped-def]
    """Return the energy of the residual in the supports of the atoms of a window."""
    first, last = lo - 2 - residual.offset, hi + residual.shapes.u.shape[1] + 3 - residual.offset
    there = residual.r[max(first, 0) : max(last, 0)].reshape(-1)
    return dot(there, there)


@internal
def complete_window(residual, workspace, lo, hi):  # type: ignore[no-untyped-def]
    """Return the oracle of a window whose atoms are completely observed."""
    energy = energy_in(residual, lo, hi)
    return CompleteOracle(
        residual.e,
        residual.shapes,
        energy,
        float(lo),
        hi - EDGE,
        workspace.weights,
        residual.excess,
    )


@internal
def truncated_window(residual, workspace, lo, hi):  # type: ignore[no-untyped-def]
    """Return the oracle of a window with truncated atoms."""
    n = ZERO
    for position in range(lo - 2, hi + residual.shapes.u.shape[1] + 3):
        sample = position - residual.offset
        is_inside = 0 <= sample < residual.observed.shape[0]
        if not is_inside or residual.observed[sample] == 0.0:
            workspace.missing[n] = position
            n += 1
    weights, excess = workspace.weights, residual.excess
    return TruncatedOracle(
        residual.e, residual.shapes, energy_in(residual, lo, hi), float(lo), hi - EDGE, weights,
        excess, workspace.missing[:n], workspace.ranges, workspace.values,
    )  # fmt: skip
