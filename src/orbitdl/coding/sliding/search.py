"""The outer loop of the sliding coder: where does the certificate exceed alpha?

A code is optimal when ``|eta_j(t)| <= alpha`` everywhere. A grid shows the peaks; those that
matter are refined by Newton's method on eta itself; new atoms go where it is too high.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.sliding.newton import merge_close, settle_coefficients, solve_inner
from orbitdl.coding.sliding.peaks import exact_peak, find_peaks
from orbitdl.coding.sliding.state import MINUS_ONE, ZERO, put, value
from orbitdl.coding.sliding.tables import gram_at, tables_for
from orbitdl.compiled import fast, internal, part
from orbitdl.groups.base import Floats

NEAR = 0.8
"""Atoms with a larger inner product do not enter in the same round."""
SAME = 1e-13
"""Moved copies of one component that differ less are the same: it is constant, say."""


class Samples(NamedTuple):
    """Data points as the search sees them.

    Attributes
    ----------
    C : ndarray of shape (n, q, 2, F)
        Real and imaginary parts of ``b``, a trigonometric polynomial.
    on_grid : float32 ndarray of shape (n, q, M)
        Its values on the certificate grid.
    energy : ndarray of shape (n,)
        ``||y||^2``.
    density, reach : ndarray of shape (n,)
        How each uses the `Tables`.
    """

    C: Floats
    on_grid: NDArray[np.float32]
    energy: Floats
    density: Floats
    reach: Floats

    def take(self, samples: slice | NDArray[np.bool_]) -> Samples:
        """Return some of them."""
        return Samples._make(column[samples] for column in self)


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
def solve_one(st, count, peaks, C, on_grid, tables, energy, alpha, tol, max_iter):  # type: ignore[no-untyped-def]
    """Code one sample from the `count` atoms given; return how many it ends with, and if full.

    It stops when it fills the state, to be continued in a larger one.
    """
    excess, last, stuck, allowed, objective = np.inf, np.inf, False, 0.0, 0.0
    close = (0.1 * tol) ** (1.0 / 3.0)
    full, room = False, st.c.shape[0]
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
        most = 1 if stuck else room
        before = count
        count = insert(st, count, peaks, found, tables, alpha + 0.5 * excess, most)
        full = count == room
        if count > before:
            count = settle_coefficients(st, before, count, C, tables, alpha)
        if full:
            break
    count = merge_close(st, count, C, None, tables, energy, alpha, 0.01 * tol * objective)
    return count, full


@fast
def solve_all(st, peaks, samples, tables, alpha, tol, max_iter, warm, found):  # type: ignore[no-untyped-def]
    """Code every sample from earlier codes `warm`, and fill `found`.

    `warm` holds offsets (n + 1,), components, shifts and coefficients one after the other;
    `found` counts (n,), components, shifts and coefficients (n, capacity), and who is full (n,).
    """
    start, warm_component, warm_shift, warm_c = warm
    counts, component, shift, c, full = found
    for i in range(counts.shape[0]):
        count = ZERO
        for k in range(start[i], min(start[i + 1], start[i] + c.shape[1])):
            if warm_c[k] != 0.0:
                sign = 1.0 if warm_c[k] > 0.0 else -1.0
                count = put(st, count, warm_component[k], warm_shift[k], warm_c[k], sign)
        count, full[i] = solve_one(
            st, count, peaks, samples.C[i], samples.on_grid[i],
            tables_for(tables, samples.density[i], samples.reach[i]),
            samples.energy[i], alpha, tol, max_iter,
        )  # fmt: skip
        counts[i] = count
        for k in range(count):
            component[i, k], shift[i, k], c[i, k] = st.component[k], st.shift[k], st.c[k]
