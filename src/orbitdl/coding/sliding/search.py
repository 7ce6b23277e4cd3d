"""The outer loop of the sliding coder: where does the certificate exceed alpha?

A code is optimal when ``|eta_j(t)| <= alpha`` everywhere. A grid shows the peaks; those that
matter are refined by Newton's method on eta itself; new atoms go where it is too high.
"""

from __future__ import annotations

import numpy as np

from orbitdl.coding.sliding.newton import settle_coefficients, solve_inner
from orbitdl.coding.sliding.oracle import oracle_for, put_behind
from orbitdl.coding.sliding.peaks import exact_peak, find_peaks
from orbitdl.coding.sliding.state import put
from orbitdl.coding.sliding.tables import gram_at, tables_for
from orbitdl.kernels import ZERO, fast, internal
from orbitdl.kernels.lasso import HALFWAY, insertion

EXACT, ROUGH = 0.3, 0.1
"""First-order errors asked of the inner solve: as a part of tol, which leaves most of the gap to
the certificate, and of what it exceeded alpha by in the round before, for to solve exactly while
violators remain wastes most of the time."""
PROGRESS = 1e-3
"""A fall of the objective by less than this part of the gap is none: the round went in circles."""
UNNOTICED = 0.01
"""What a merger of atoms may cost, in parts of tol; where rounds go in circles, nothing."""
NEGLIGIBLE = 0.1
"""Error, in parts of tol, of a peak's height that a last Newton step only predicts: it grows with
the third power of the step, in cells."""
SAME = 1e-13
"""Moved copies of one component that differ less are the same: it is constant, say."""


@internal
def gap_of(st, seen, energy, alpha, peak):  # type: ignore[no-untyped-def]
    """Return the duality gap, given the largest value of the certificate."""
    objective, fit, weight = seen.objective, 0.0, 0.0
    for k in range(seen.n_atoms):
        fit += st.c[k] * st.b[0, k]
        weight += abs(st.c[k])
    residual = max(2.0 * (objective - alpha * weight), 0.0)
    scale = (energy - fit) / residual if residual > 0.0 else 0.0
    if peak > 0.0:
        scale = min(scale, alpha / peak)
    return objective - scale * (energy - fit) + 0.5 * scale * scale * residual


@internal
def product_of_peaks(atoms, a, b):  # type: ignore[no-untyped-def]
    """Return the inner product of the atoms at two peaks."""
    _, peaks, tables, _ = atoms
    apart = peaks.shift[b] - peaks.shift[a]
    return gram_at(tables, peaks.component[a], peaks.component[b], apart)[0]


@internal
def admit_peak(atoms, a, entered):  # type: ignore[no-untyped-def]
    """Append an atom at a peak, unless the same copy of the same component is there."""
    st, peaks, tables, count = atoms
    j, shift, norm = (
        peaks.component[a],
        peaks.shift[a],
        tables.taylor[peaks.component[a], peaks.component[a], 0, 0],
    )
    for r in range(count):
        if st.component[r] == j:
            g = abs(gram_at(tables, j, j, shift - st.shift[r])[0])
            if g >= (1.0 - SAME) * norm:
                return False
    put(st, count + entered, j, shift, 0.0, 1.0 if peaks.height[a] > 0.0 else -1.0)
    return True


insert_peaks = insertion(product_of_peaks, admit_peak)


@internal
def solve_one(st, count, peaks, on_grid, oracle, alpha, tol, max_iter):  # type: ignore[no-untyped-def]
    """Code one sample from the `count` atoms given; return how many it ends with, and if full.

    It stops when it fills the state, to be continued in a larger one.
    """
    excess, last = np.inf, np.inf
    stuck = full = count < 0  # false, but no literal: kernels would compile for it alone
    capacity = st.gram.shape[1]
    close = (NEGLIGIBLE * tol) ** (1.0 / 3.0)
    seen = settle_coefficients(st, ZERO, count, oracle, alpha)
    for _ in range(max_iter):
        wanted = EXACT * tol * alpha if stuck else max(EXACT * tol * alpha, ROUGH * excess)
        allowed = 0.0 if stuck else UNNOTICED * tol * seen.objective
        seen = solve_inner(st, seen, oracle, alpha, wanted, allowed)
        total = put_behind(st, seen.n_atoms, oracle)  # type: ignore[no-untyped-call]
        found = find_peaks(st, total, peaks, on_grid, oracle.tables, alpha, stuck)
        peak = 0.0
        for p in range(found):
            peak = max(peak, abs(peaks.height[p]))
        gap = gap_of(st, seen, oracle.energy, alpha, peak)
        if gap <= 2.0 * tol * seen.objective or stuck or peak <= alpha:  # refining may matter
            peak = exact_peak(st, total, peaks, found, oracle, alpha, close)
            gap = gap_of(st, seen, oracle.energy, alpha, peak)
            if gap <= tol * seen.objective:
                break
        stuck = seen.objective >= last - PROGRESS * gap
        last, excess = seen.objective, max(peak - alpha, 0.0)
        before, most = seen.n_atoms, min(1 if stuck else capacity, capacity - seen.n_atoms)
        threshold = alpha + HALFWAY * excess
        atoms = st, peaks, oracle.tables, before
        count = before + insert_peaks(peaks.height[:found], peaks.places, threshold, most, atoms)
        full = count == capacity
        if count > before:
            seen = settle_coefficients(st, before, count, oracle, alpha)
        if full:
            break
    return seen.n_atoms, full


@fast
def solve_all(st, peaks, samples, missing, tables, alpha, tol, max_iter, warm, found):  # type: ignore[no-untyped-def]
    """Code every sample from earlier codes `warm`, and fill `found`.

    `missing` is the `MissingRoom` of samples with missing entries, None for whole ones.
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
        own = tables_for(tables, samples.density[i], samples.reach[i])
        oracle = oracle_for(samples.C[i], own, samples.energy[i], missing, i)  # type: ignore[no-untyped-call]
        count, full[i] = solve_one(
            st, count, peaks, samples.on_grid[i], oracle, alpha, tol, max_iter
        )
        counts[i] = count
        for k in range(count):
            component[i, k], shift[i, k], c[i, k] = st.component[k], st.shift[k], st.c[k]
