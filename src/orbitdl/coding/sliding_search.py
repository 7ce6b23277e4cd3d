"""The outer loop of the sliding coder: where does the certificate exceed alpha?

A code is optimal when ``|eta_j(t)| <= alpha`` everywhere. A grid shows the peaks; those that
matter are refined by Newton's method on eta itself; new atoms go where it is too high.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.sliding_newton import (
    State,
    certificate_at_atoms,
    first_order_error,
    put,
    refresh,
    settle_coefficients,
    solve_inner,
    value,
)
from orbitdl.coding.sliding_tables import ORDER, REACH, add_row, expand, fast, gram_at, taylor_at
from orbitdl.groups.base import Floats, Integers

NEAR = 0.8
"""Atoms with a larger inner product do not enter in the same round."""


class Peaks(NamedTuple):
    """Places where the certificate peaks, and scratch space to find them."""

    grid: NDArray[np.float32]
    component: Integers
    shift: Floats
    height: Floats
    expansion: Floats


def make_peaks(q: int, size: int) -> Peaks:
    """Allocate room for all peaks that a grid of this size can have."""
    most = q * (size // 2 + 2)
    return Peaks(
        grid=np.zeros((q, size), dtype=np.float32),
        component=np.zeros(most, dtype=np.int64),
        shift=np.zeros(most),
        height=np.zeros(most),
        expansion=np.zeros(ORDER),
    )


@fast
def find_peaks(st, count, peaks, on_grid, tables, floor):  # type: ignore[no-untyped-def]
    """List the peaks of ``|eta|`` above `floor`, to second order; return how many."""
    grid = peaks.grid
    q, size = grid.shape
    grid[:] = on_grid
    for k in range(count):
        add_row(tables, st.component[k], st.shift[k], -st.c[k], grid)
    found, spacing = 0, tables.length / size
    for j in range(q):
        here = grid[j]
        top = 0
        for m in range(size):
            if abs(here[m]) > abs(here[top]):
                top = m
            left, right = here[m - 1], here[m + 1 - size * (m + 1 == size)]
            sign = 1.0 if here[m] > 0.0 else -1.0
            if not (sign * here[m] > floor and sign * (here[m] - left) >= 0.0):
                continue
            if sign * (here[m] - right) > 0.0:
                found = add_peak(peaks, found, j, m, left, here[m], right, spacing, tables.length)
        if found == 0 or peaks.component[found - 1] != j:  # flat: no strict peak
            found = add_peak(peaks, found, j, top, here[top], here[top], here[top], spacing, tables.length)
    return found


@fast
def add_peak(peaks, found, j, m, left, here, right, spacing, length):  # type: ignore[no-untyped-def]
    """Record the vertex of the parabola through three grid values."""
    bend = left - 2.0 * here + right
    offset = 0.5 * (left - right) / bend if bend != 0.0 else 0.0
    peaks.component[found] = j
    peaks.shift[found] = ((m + offset) * spacing) % length
    peaks.height[found] = here - 0.25 * (left - right) * offset
    return found + 1


@fast
def refine(st, count, peaks, p, C, tables):  # type: ignore[no-untyped-def]
    """Move one peak to the exact maximum nearby, and correct its height."""
    j, start = peaks.component[p], peaks.shift[p]
    sign = 1.0 if peaks.height[p] > 0.0 else -1.0
    shift, centre, best = start, np.inf, -np.inf
    for _ in range(8):
        if not abs(shift - centre) <= REACH:
            centre = shift
            angle = 2.0 * np.pi * shift / tables.length
            expand(C[j], tables.derivative, angle, st.phases[0], st.phases[1], peaks.expansion)
        eta, slope, bend = taylor_at(peaks.expansion, shift - centre)
        for k in range(count):
            apart = (shift - st.shift[k]) % tables.length
            g, g1, g2 = gram_at(tables, st.component[k], j, apart)
            eta -= st.c[k] * g
            slope -= st.c[k] * g1
            bend -= st.c[k] * g2
        if sign * eta > best:
            best = sign * eta
            peaks.height[p], peaks.shift[p] = eta, shift % tables.length
        step = -slope / bend if sign * bend < 0.0 else 0.1 * np.sign(sign * slope)
        step = min(max(step, -0.3), 0.3)
        if abs(step) < 1e-9 or abs(shift + step - start) > 0.7:
            break
        shift += step


@fast
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


@fast
def insert(st, count, peaks, found, tables, level, most):  # type: ignore[no-untyped-def]
    """Put atoms at peaks above `level`, largest first, near ones one at a time."""
    first = count
    while count < st.c.shape[0] and count - first < most:
        best, height = -1, level
        for p in range(found):
            if abs(peaks.height[p]) > height:
                best, height = p, abs(peaks.height[p])
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


@fast
def solve_one(st, count, peaks, C, on_grid, tables, energy, alpha, tol, max_iter):  # type: ignore[no-untyped-def]
    """Code one sample from the `count` atoms given; return how many it ends with."""
    excess, last, stuck = np.inf, np.inf, False
    allowed = 0.0
    if count > 0:
        count = settle_coefficients(st, count, C, tables, alpha)
    for _ in range(max_iter):
        wanted = 0.3 * tol * alpha if stuck else max(0.3 * tol * alpha, 0.1 * excess)
        count = solve_inner(st, count, C, tables, energy, alpha, wanted, allowed)
        found = find_peaks(st, count, peaks, on_grid, tables, 0.9 * alpha)
        peak = 0.0
        for p in range(found):
            peak = max(peak, abs(peaks.height[p]))
        objective, gap = gap_of(st, count, energy, alpha, peak)
        if gap <= 5.0 * tol * objective or stuck or peak < 1.05 * alpha:
            peak = 0.0
            for p in range(found):
                if abs(peaks.height[p]) > 0.97 * alpha:
                    refine(st, count, peaks, p, C, tables)
                peak = max(peak, abs(peaks.height[p]))
            for k in range(count):
                peak = max(peak, abs(st.eta[0, k]))
            objective, gap = gap_of(st, count, energy, alpha, peak)
            if gap <= tol * objective:
                break
        stuck = objective >= last - 1e-3 * gap
        last, excess = objective, max(peak - alpha, 0.0)
        allowed = 0.01 * tol * objective
        before = count
        most = 1 if stuck else st.c.shape[0]
        count = insert(st, count, peaks, found, tables, alpha + 0.5 * excess, most)
        if count > before:
            count = settle_coefficients(st, count, C, tables, alpha)
    return count


@fast
def solve_all(st, peaks, C, on_grid, tables, energy, alpha, tol, max_iter, start, warm_component, warm_shift, warm_c, counts, component, shift, c):  # type: ignore[no-untyped-def]
    """Code every sample; fill counts (n,) and atoms (n, capacity)."""
    capacity = c.shape[1]
    for i in range(C.shape[0]):
        count = 0
        for k in range(start[i], min(start[i + 1], start[i] + capacity)):
            if warm_c[k] != 0.0:
                sign = 1.0 if warm_c[k] > 0.0 else -1.0
                count = put(st, count, warm_component[k], warm_shift[k], warm_c[k], sign)
        count = solve_one(
            st, count, peaks, C[i], on_grid[i], tables, energy[i], alpha, tol, max_iter
        )
        counts[i] = count
        for k in range(count):
            component[i, k], shift[i, k], c[i, k] = st.component[k], st.shift[k], st.c[k]
