"""The outer loop of the sliding coder: where does the certificate exceed alpha?

A code is optimal when ``|eta_j(t)| <= alpha`` everywhere. A grid shows the peaks; those that
matter are refined by Newton's method on eta itself; new atoms go where it is too high.
"""

from __future__ import annotations

import numpy as np

from orbitdl.coding.sliding_newton import merge_close, settle_coefficients, solve_inner
from orbitdl.coding.sliding_peaks import exact_peak, find_peaks
from orbitdl.coding.sliding_state import MINUS_ONE, ZERO, make_state, put, value, with_room
from orbitdl.coding.sliding_tables import gram_at, tables_for
from orbitdl.compiled import fast, internal, part

NEAR = 0.8
"""Atoms with a larger inner product do not enter in the same round."""
SAME = 1e-13
"""Moved copies of one component that differ less are the same: it is constant, say."""


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
    """Put atoms at peaks above `level`, largest first, near ones one at a time, none twice."""
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
        near, room = 0.0, tables.taylor[j, j, 0, 0]
        for r in range(count):
            g = abs(gram_at(tables, st.component[r], j, shift - st.shift[r])[0])
            if r >= first or (st.component[r] == j and g >= (1.0 - SAME) * room):
                near = max(near, g)
        if near <= NEAR * room:
            count = put(st, count, j, shift, 0.0, sign)
    return count


@part
def solve_one(st, count, peaks, C, on_grid, tables, energy, alpha, tol, max_iter, most):  # type: ignore[no-untyped-def]
    """Code one sample from the `count` atoms given; return its atoms, and how many they are.

    A state that is full is exchanged for one of twice the room, up to `most`: memory is
    proportional to the square of the atoms there are, not of those there could be.
    """
    excess, last, stuck, allowed, objective = np.inf, np.inf, False, 0.0, 0.0
    close = (0.1 * tol) ** (1.0 / 3.0)
    count = settle_coefficients(st, ZERO, count, C, tables, alpha)
    for _ in range(max_iter):
        wanted = 0.3 * tol * alpha if stuck else max(0.3 * tol * alpha, 0.1 * excess)
        count = solve_inner(st, count, C, None, tables, energy, alpha, wanted, allowed)
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
        before, new = count, 1 if stuck else st.c.shape[0]
        count = insert(st, count, peaks, found, tables, alpha + 0.5 * excess, new)
        if count > before:
            if count == st.c.shape[0]:
                st, before = with_room(st, count, min(2 * count, most)), ZERO
            count = settle_coefficients(st, before, count, C, tables, alpha)
    count = merge_close(st, count, C, None, tables, energy, alpha, 0.01 * tol * objective)
    return st, count


@internal
def append(found, used, st, count):  # type: ignore[no-untyped-def]
    """Write atoms behind the `used` ones of a list, twice as long if it must be; return it."""
    if used + count > found.shape[0]:
        longer = np.empty((2 * (used + count), 3))
        longer[:used] = found[:used]
        found = longer
    for k in range(count):
        found[used + k, 0] = st.component[k]
        found[used + k, 1], found[used + k, 2] = st.shift[k], st.c[k]
    return found


@internal
def recall(st, warm, i):  # type: ignore[no-untyped-def]
    """Return a state with the atoms of an earlier code, and how many they are."""
    start, component, shift, c = warm
    st, count = with_room(st, ZERO, start[i + 1] - start[i]), ZERO
    for k in range(start[i], start[i + 1]):
        if c[k] != 0.0:
            sign = 1.0 if c[k] > 0.0 else -1.0
            count = put(st, count, component[k], shift[k], c[k], sign)
    return st, count


@fast
def solve_all(room, most, peaks, C, on_grid, tables, trust, energy, alpha, tol, max_iter, warm):  # type: ignore[no-untyped-def]
    """Code every sample from earlier codes `warm`; return counts (n,) and a list of all atoms.

    Both begin with room for `room` atoms per sample, of which one may have up to `most`. `warm`
    holds offsets (n + 1,), components, shifts and coefficients one after the other; the list has
    a row (component, shift, coefficient) per atom.
    """
    n = C.shape[0]
    st = make_state(room, tables.derivative.shape[1])
    counts, found, used = np.empty(n, np.int64), np.empty((n, 3)), ZERO
    for i in range(n):
        own, count = recall(st, warm, i)
        own, count = solve_one(
            own, count, peaks, C[i], on_grid[i], tables_for(tables, trust, i),
            energy[i], alpha, tol, max_iter, most,
        )  # fmt: skip
        found = append(found, used, own, count)
        counts[i], used = count, used + count
    return counts, found[:used]
