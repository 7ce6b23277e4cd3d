"""The outer loop of the sliding coder: where does the certificate exceed alpha?

A code is optimal when ``|eta_j(t)| <= alpha`` everywhere. A grid shows the peaks; those that
matter are refined by Newton's method on eta itself; new atoms go where it is too high.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.sliding_newton import merge_close, settle_coefficients, solve_inner
from orbitdl.coding.sliding_state import MINUS_ONE, ZERO, certificate_at_atoms, put, value
from orbitdl.coding.sliding_tables import (
    ORDER,
    gram_at,
    signed_distance,
    subtract_rows,
    wrap,
)
from orbitdl.compiled import fast, internal
from orbitdl.groups.base import Floats, Integers
from orbitdl.groups.extrema import STRETCH, largest_of_stretches
from orbitdl.groups.trigonometric import expand, horner

FLOOR, DOUBT = 0.88, 0.97
"""Fractions of alpha below which grid values, and parabolas through them, cannot exceed it."""
NEAR = 0.8
"""Atoms with a larger inner product do not enter in the same round."""


class Peaks(NamedTuple):
    """Places where the certificate peaks, and scratch space to find them."""

    grid: NDArray[np.float32]
    tops: NDArray[np.float32]
    places: Integers
    component: Integers
    shift: Floats
    height: Floats
    expansion: Floats


def make_peaks(q: int, size: int) -> Peaks:
    """Allocate room for all peaks that a grid of this size can have."""
    most = q * size + 1
    return Peaks(
        grid=np.zeros((q, size), dtype=np.float32),
        tops=np.zeros(q * (size // STRETCH), dtype=np.float32),
        places=np.zeros(STRETCH + 1, dtype=np.int64),
        component=np.zeros(most, dtype=np.int64),
        shift=np.zeros(most),
        height=np.zeros(most),
        expansion=np.zeros(ORDER),
    )


@internal
def find_peaks(st, count, peaks, on_grid, tables, alpha):  # type: ignore[no-untyped-def]
    """List the peaks of ``|eta|`` that matter, to second order; return how many."""
    grid, tops = peaks.grid, peaks.tops
    q, size = grid.shape
    for j in range(q):
        for m in range(size):
            grid[j, m] = on_grid[j, m]
    for k in range(0, count, 2):
        subtract_rows(tables, st.component, st.shift, st.c, k, min(k + 1, count - 1), grid)
    height, at = largest_of_stretches(grid, tops)
    floor = FLOOR * (alpha + 0.5 * max(height - 1.1 * alpha, 0.0))
    found = ZERO
    for s in range(tops.shape[0]):
        if tops[s] > floor or s == at:
            found = peaks_between(peaks, found, s * STRETCH, min(floor, tops[s]), tables.length)
    return found


@internal
def peaks_between(peaks, found, start, floor, length):  # type: ignore[no-untyped-def]
    """Add the local maxima of one stretch of the grid that reach `floor`."""
    size = peaks.grid.shape[1]
    j, first = start // size, start % size
    here = peaks.grid[j]
    count = ZERO
    for m in range(first, first + STRETCH):  # without branches, which nobody could foresee
        sign = np.float32(1.0) if here[m] > 0.0 else np.float32(-1.0)
        height, before = sign * here[m], sign * here[m - 1]
        after = sign * here[m + 1 - size * (m + 1 == size)]
        peaks.places[count] = m
        # on a plateau every point counts: a component may be constant
        count += (height >= floor) & (height >= before) & (height >= after)
    for r in range(count):
        found = add_peak(peaks, found, j, peaks.places[r], length)
    return found


@internal
def add_peak(peaks, found, j, m, length):  # type: ignore[no-untyped-def]
    """Record the vertex of the parabola through a grid value and its neighbours."""
    size = peaks.grid.shape[1]
    left, here = float(peaks.grid[j, m - 1]), float(peaks.grid[j, m])
    right = float(peaks.grid[j, m + 1 - size * (m + 1 == size)])
    bend = left - 2.0 * here + right
    offset = 0.5 * (left - right) / bend if bend * here < 0.0 else 0.0
    offset = min(max(offset, -0.5), 0.5)
    peaks.component[found] = j
    peaks.shift[found] = wrap((m + offset) * length / size, length)
    peaks.height[found] = here - 0.25 * (left - right) * offset
    return found + 1


@internal
def belongs_to_atom(st, count, peaks, p, length):  # type: ignore[no-untyped-def]
    """Tell whether a peak is that of an atom, whose height is known."""
    for k in range(count):
        if st.component[k] == peaks.component[p] and st.sign[k] * peaks.height[p] > 0.0:
            apart = signed_distance(st.shift[k], peaks.shift[p], length)
            if abs(apart) < 0.1 and st.sign[k] * st.eta[2, k] < 0.0:
                return True
    return False


@internal
def refine(st, count, peaks, p, C, tables, close):  # type: ignore[no-untyped-def]
    """Move one peak to the maximum nearby; steps shorter than `close` are only predicted."""
    j, start = peaks.component[p], peaks.shift[p]
    sign = 1.0 if peaks.height[p] > 0.0 else -1.0
    shift, centre, best = start, np.inf, -np.inf
    for _ in range(8):
        if not abs(shift - centre) <= tables.reach:
            centre = shift
            angle = 2.0 * np.pi * shift / tables.length
            expand(C[j], tables.derivative, angle, st.phases[0], st.phases[1], peaks.expansion)
        eta, slope, bend = horner(peaks.expansion, shift - centre)
        for k in range(count):
            apart = wrap(shift - st.shift[k], tables.length)
            g, g1, g2 = gram_at(tables, st.component[k], j, apart)
            eta -= st.c[k] * g
            slope -= st.c[k] * g1
            bend -= st.c[k] * g2
        step = -slope / bend if sign * bend < 0.0 else 0.1 * np.sign(sign * slope)
        step = min(max(step, -0.3), 0.3)
        height = eta + 0.5 * slope * step if abs(step) < close else eta
        if sign * height > best:
            best = sign * height
            peaks.height[p], peaks.shift[p] = height, wrap(shift, tables.length)
        if abs(step) < close or abs(shift + step - start) > 0.7:
            break
        shift += step


@internal
def exact_peak(st, count, peaks, found, C, tables, alpha, close):  # type: ignore[no-untyped-def]
    """Refine the peaks that can exceed alpha; return the largest."""
    peak = 0.0
    for k in range(count):
        slope, bend = st.eta[1, k], abs(st.eta[2, k])
        rise = min(0.5 * slope * slope / max(bend, 1e-300), 0.3 * abs(slope))
        peak = max(peak, abs(st.eta[0, k]) + rise)
    for p in range(found):
        if abs(peaks.height[p]) > DOUBT * alpha:
            if belongs_to_atom(st, count, peaks, p, tables.length):
                peaks.height[p] = 0.0
            else:
                refine(st, count, peaks, p, C, tables, close)
        peak = max(peak, abs(peaks.height[p]))
    return peak


@internal
def gap_of(st, count, energy, alpha, peak):  # type: ignore[no-untyped-def]
    """Return objective and duality gap, given the largest value of the certificate."""
    objective = value(st, count, energy, alpha)
    fit, weight = 0.0, 0.0
    for k in range(count):
        fit += st.c[k] * st.b[0, k]
        weight += abs(st.c[k])
    residual = max(2.0 * (objective - alpha * weight), 0.0)
    scale = (energy - fit) / residual if residual > 0.0 else 0.0
    if peak > 0.0:
        scale = min(scale, alpha / peak)
    return objective, objective - scale * (energy - fit) + 0.5 * scale * scale * residual


@internal
def insert(st, count, peaks, found, tables, level, most):  # type: ignore[no-untyped-def]
    """Put atoms at peaks above `level`, largest first, near ones one at a time."""
    first = count
    while count < st.c.shape[0] and count - first < most:
        best, height = MINUS_ONE, level
        for p in range(found):
            if abs(peaks.height[p]) > height:
                best, height = ZERO + p, abs(peaks.height[p])
        if best < 0:
            break
        j, shift = peaks.component[best], peaks.shift[best]
        sign = 1.0 if peaks.height[best] > 0.0 else -1.0
        peaks.height[best] = 0.0
        near = 0.0
        for r in range(first, count):
            near = max(near, abs(gram_at(tables, st.component[r], j, shift - st.shift[r])[0]))
        if near <= NEAR * tables.taylor[j, j, 0, 0]:
            count = put(st, count, j, shift, 0.0, sign)
    return count


@internal
def solve_one(st, count, peaks, C, on_grid, tables, energy, alpha, tol, max_iter):  # type: ignore[no-untyped-def]
    """Code one sample from the `count` atoms given; return how many it ends with."""
    excess, last, stuck, allowed, objective = np.inf, np.inf, False, 0.0, 0.0
    close = (0.1 * tol) ** (1.0 / 3.0)
    count = settle_coefficients(st, ZERO, count, C, tables, alpha)
    for _ in range(max_iter):
        wanted = 0.3 * tol * alpha if stuck else max(0.3 * tol * alpha, 0.1 * excess)
        count = solve_inner(st, count, C, tables, energy, alpha, wanted, allowed)
        found = find_peaks(st, count, peaks, on_grid, tables, alpha)
        peak = 0.0
        for p in range(found):
            peak = max(peak, abs(peaks.height[p]))
        objective, gap = gap_of(st, count, energy, alpha, peak)
        if gap <= 2.0 * tol * objective or stuck or peak <= alpha:
            peak = exact_peak(st, count, peaks, found, C, tables, alpha, close)
            objective, gap = gap_of(st, count, energy, alpha, peak)
            if gap <= tol * objective:
                break
        stuck = objective >= last - 1e-3 * gap
        last, excess, allowed = objective, max(peak - alpha, 0.0), 0.01 * tol * objective
        most = 1 if stuck else st.c.shape[0]
        before = count
        count = insert(st, count, peaks, found, tables, alpha + 0.5 * excess, most)
        if count > before:
            count = settle_coefficients(st, before, count, C, tables, alpha)
            certificate_at_atoms(st, count)
    return merge_close(st, count, C, tables, energy, alpha, 0.01 * tol * objective)


@fast
def solve_all(st, peaks, C, on_grid, tables, energy, alpha, tol, max_iter, warm, found):  # type: ignore[no-untyped-def]
    """Code every sample from earlier codes `warm`, and fill `found`.

    `warm` holds offsets (n + 1,), components, shifts and coefficients one after the other;
    `found` counts (n,), components, shifts and coefficients (n, capacity).
    """
    start, warm_component, warm_shift, warm_c = warm
    counts, component, shift, c = found
    for i in range(C.shape[0]):
        count = ZERO
        for k in range(start[i], min(start[i + 1], start[i] + c.shape[1])):
            if warm_c[k] != 0.0:
                sign = 1.0 if warm_c[k] > 0.0 else -1.0
                count = put(st, count, warm_component[k], warm_shift[k], warm_c[k], sign)
        count = solve_one(
            st, count, peaks, C[i], on_grid[i], tables, energy[i], alpha, tol, max_iter
        )
        counts[i] = count
        for k in range(count):
            component[i, k], shift[i, k], c[i, k] = st.component[k], st.shift[k], st.c[k]
