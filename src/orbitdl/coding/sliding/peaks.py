"""Peaks of the certificate of one sample: found on a grid, then refined by Newton's method."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.coding.sliding.tables import ORDER, gram_at, signed_distance, subtract_rows, wrap
from orbitdl.groups.maxima.polynomials import expand, horner
from orbitdl.kernels import ZERO, internal
from orbitdl.kernels.records import shared

FLOOR, DOUBT = 0.88, 0.97
"""Fractions of alpha below which grid values, and parabolas through them, are not looked at.

The grid shows 0.878 of a peak at least: one of alpha that falls between two points in the worst way
is missed up to 1.002 alpha. No code is taken for optimal by that: the certificate that counts does
not use this grid, and sends the sample back with an atom there. A parabola through three values of
the shortest wave falls short of its peak by 2.2 %, and rows between phases by 0.2 %.
"""
SURE = 1.03
"""Where half the grid shows more than this times alpha, there are atoms to add, and the other half
can wait: it is looked at in the last rounds only."""
ATOM = 0.1
"""A peak this near to an atom of its sign, in cells, is the atom's own: it lies in the same wave,
of half length 1, and a stationary atom is nearer to its peak."""
CAREFUL, FARTHEST, UPHILL = 0.3, 0.7, 0.1
"""Longest Newton step to a peak, and longest way in all, in cells: the peak lies within a cell of
the grid, 0.32, and beyond two of them it is another one. The step where curvature is of no use."""
ATTEMPTS = 8
"""Newton steps to a peak at most: from so near, a few are enough."""


@shared
class CertificatePeaks(NamedTuple):
    """Positions where the certificate peaks, and workspace to find them.

    `eights` is `is_peak` in groups of eight, most of which are zero.
    """

    grid: NDArray[np.float32]
    is_peak: NDArray[np.bool_]
    eights: NDArray[np.uint64]
    indices: Integers
    component: Integers
    shift: Floats
    height: Floats
    expansion: Floats


def make_peaks(q: int, size: int) -> CertificatePeaks:
    """Allocate a workspace for all peaks of a grid with halves of this size, a multiple of 8."""
    most = 2 * q * size + 1
    is_peak = np.zeros((2, q * size), dtype=np.bool_)
    return CertificatePeaks(
        grid=np.zeros((2, q * size), dtype=np.float32),
        is_peak=is_peak,
        eights=is_peak.reshape(-1).view(np.uint64),
        indices=np.zeros(most, dtype=np.int64),
        component=np.zeros(most, dtype=np.int64),
        shift=np.zeros(most),
        height=np.zeros(most),
        expansion=np.zeros(ORDER),
    )


@internal
def find_certificate_peaks(st, count, peaks, on_grid, tables, alpha, stalled):  # type: ignore[no-untyped-def]
    """List the peaks of ``|eta|`` that matter, to second order; return how many."""
    grid, is_peak, floor = peaks.grid, peaks.is_peak, np.float32(FLOOR * alpha)
    q = tables.taylor.shape[1]
    fill_half(st, count, on_grid, tables, ZERO, grid)
    if not stalled and any_above(grid[0], np.float32(SURE * alpha)):
        mark_peaks(grid[0], grid[0], -q, q, floor, is_peak[0])
        return list_marked_peaks(peaks, ZERO + 1, q, alpha, tables.length)
    fill_half(st, count, on_grid, tables, ZERO + 1, grid)
    mark_peaks(grid[0], grid[1], -q, ZERO, floor, is_peak[0])
    mark_peaks(grid[1], grid[0], ZERO, q, floor, is_peak[1])
    return list_marked_peaks(peaks, ZERO + 2, q, alpha, tables.length)


@internal
def fill_half(st, count, on_grid, tables, h, grid):  # type: ignore[no-untyped-def]
    """Fill half h of the grid with the values of eta."""
    here, complete = grid[h], on_grid[h]
    for m in range(here.shape[0]):
        here[m] = complete[m]
    for k in range(0, count, 2):
        subtract_rows(tables, st.component, st.shift, st.c, k, min(k + 1, count - 1), h, grid)


@internal
def any_above(values, threshold):  # type: ignore[no-untyped-def]
    """Return whether an absolute value exceeds a threshold."""
    many = np.int32(0)
    for m in range(values.shape[0]):  # counted, which is done for many at once
        many += np.int32(abs(values[m]) > threshold)
    return many > 0


@internal
def mark_peaks(here, neighbours, back, ahead, floor, is_peak):  # type: ignore[no-untyped-def]
    """Mark local maxima of the absolute value on the circle that reach `floor`.

    The neighbours of value m are the values ``m + back`` and ``m + ahead`` of `neighbours`. On a
    plateau every point counts: a component may be constant.
    """
    size, q = here.shape[0], ahead - back if ahead * back == 0 else ahead
    before, middle, after, marks = (
        neighbours[q + back :],
        here[q:],
        neighbours[q + ahead :],
        is_peak[q:],
    )
    for m in range(size - 2 * q):  # without branches, which nobody could foresee
        marks[m] = is_local_maximum(before[m], middle[m], after[m], floor)
    for m in range(q):
        end = size - q + m
        is_peak[m] = is_local_maximum(
            neighbours[m + back + size * (back < 0)], here[m], neighbours[m + ahead], floor
        )
        is_peak[end] = is_local_maximum(
            neighbours[end + back], here[end], neighbours[end + ahead - size * (ahead > 0)], floor
        )


@internal
def is_local_maximum(left, here, right, floor):  # type: ignore[no-untyped-def]
    """Return whether a value is at least `floor` and its neighbours, all with its sign."""
    sign = np.float32(1.0) if here > 0.0 else np.float32(-1.0)
    height = sign * here
    return (height >= floor) & (height >= sign * left) & (height >= sign * right)


@internal
def list_marked_peaks(peaks, halves, q, alpha, length):  # type: ignore[no-untyped-def]
    """List the marked peaks of one half of the grid or of both; return how many.

    Low ones only when there are no high ones.
    """
    flat, marks = peaks.grid.reshape(-1), peaks.is_peak.reshape(-1)
    marked, height = ZERO, np.float32(0.0)
    for word in range(halves * peaks.eights.shape[0] // 2):
        if peaks.eights[word] != 0:
            for m in range(8 * word, 8 * word + 8):
                if marks[m]:
                    peaks.indices[marked], height = m, max(height, abs(flat[m]))
                    marked += 1
    floor = FLOOR * (alpha + 0.5 * max(height - 1.1 * alpha, 0.0))
    found = ZERO
    for p in range(marked):
        index = peaks.indices[p]
        if abs(flat[index]) >= floor:
            found = add_peak(peaks, halves, q, found, index, length)
    return found


@internal
def add_peak(peaks, halves, q, found, index, length):  # type: ignore[no-untyped-def]
    """Record the vertex of the parabola through a grid value and its neighbours."""
    grid, size = peaks.grid, peaks.grid.shape[1]
    h, k = index // size, index % size
    neighbours, step = (grid[h], q) if halves == 1 else (grid[1 - h], h * q)
    before, after = k - q * (halves == 1 or h == 0), k + step
    left, here = float(neighbours[before]), float(grid[h, k])
    right = float(neighbours[after - size * (after >= size)])
    second = left - 2.0 * here + right
    offset = 0.5 * (left - right) / second if second * here < 0.0 else 0.0
    offset = min(max(offset, -0.5), 0.5)
    peaks.component[found] = k % q
    peaks.shift[found] = wrap((k // q + 0.5 * h + offset / halves) * length * q / size, length)
    peaks.height[found] = here - 0.25 * (left - right) * offset
    return found + 1


@internal
def belongs_to_atom(st, count, peaks, p, length):  # type: ignore[no-untyped-def]
    """Return whether a peak is that of an atom, whose height is known."""
    for k in range(count):
        if st.component[k] == peaks.component[p] and st.sign[k] * peaks.height[p] > 0.0:
            apart = signed_distance(st.shift[k], peaks.shift[p], length)
            if abs(apart) < ATOM and st.sign[k] * st.eta[2, k] < 0.0:
                return True
    return False


@internal
def refine(st, count, peaks, p, oracle, close):  # type: ignore[no-untyped-def]
    """Move one peak to the maximum nearby; steps shorter than `close` are only predicted."""
    tables, j, start = oracle.tables, peaks.component[p], peaks.shift[p]
    sign = 1.0 if peaks.height[p] > 0.0 else -1.0
    shift, centre, best = start, np.inf, -np.inf
    for _ in range(ATTEMPTS):
        if not abs(shift - centre) <= tables.radius:
            centre = shift
            angle = 2.0 * np.pi * shift / tables.length
            expand(
                oracle.C[j], tables.derivative, angle, st.rotated[0], st.rotated[1], peaks.expansion
            )
        eta, slope, second = horner(peaks.expansion, shift - centre)
        for k in range(count):
            apart = wrap(shift - st.shift[k], tables.length)
            g, g1, g2 = gram_at(tables, st.component[k], j, apart)
            eta -= st.c[k] * g
            slope -= st.c[k] * g1
            second -= st.c[k] * g2
        step = -slope / second if sign * second < 0.0 else UPHILL * np.sign(sign * slope)
        step = min(max(step, -CAREFUL), CAREFUL)
        height = eta + 0.5 * slope * step if abs(step) < close else eta
        if sign * height > best:
            best = sign * height
            peaks.height[p], peaks.shift[p] = height, wrap(shift, tables.length)
        if abs(step) < close or abs(shift + step - start) > FARTHEST:
            break
        shift += step


@internal
def exact_peak(st, count, peaks, found, oracle, alpha, close):  # type: ignore[no-untyped-def]
    """Refine the peaks that can exceed alpha; return the largest."""
    peak = 0.0
    for k in range(count):
        slope, second = st.eta[1, k], abs(st.eta[2, k])
        rise = min(0.5 * slope * slope / max(second, 1e-300), CAREFUL * abs(slope))
        peak = max(peak, abs(st.eta[0, k]) + rise)
    for p in range(found):
        if abs(peaks.height[p]) > DOUBT * alpha:
            if belongs_to_atom(st, count, peaks, p, oracle.tables.length):
                peaks.height[p] = 0.0
            else:
                refine(st, count, peaks, p, oracle, close)
        peak = max(peak, abs(peaks.height[p]))
    return peak
