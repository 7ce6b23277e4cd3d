"""The outer loop of the sliding coder: where does the certificate exceed alpha?

A code is optimal when ``|eta_j(t)| <= alpha`` everywhere. A grid shows the peaks; those that
matter are refined by Newton's method on eta itself; new atoms go where it is too high.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Floats, pairs
from orbitdl.coding.sliding.missing import oracle_for
from orbitdl.coding.sliding.newton import solve_coefficients, solve_inner
from orbitdl.coding.sliding.oracle import append_missing
from orbitdl.coding.sliding.peaks import exact_peak, find_certificate_peaks
from orbitdl.coding.sliding.state import append_atom
from orbitdl.coding.sliding.tables import gram_at, tables_for
from orbitdl.kernels import ZERO, fast, internal
from orbitdl.kernels.lasso import HALFWAY, insertion

EXACT, ROUGH = 0.3, 0.1
"""Target first-order errors of the inner solve: as a part of tol, which leaves most of the gap to
the certificate, and of what it exceeded alpha by in the round before, for to solve exactly while
violators remain wastes most of the time."""
PROGRESS = 1e-3
"""A fall of the objective by less than this part of the gap is none: the round went in circles."""
UNNOTICED = 0.01
"""What a merger of atoms may cost, in parts of tol; where rounds make no progress, nothing."""
NEGLIGIBLE = 0.1
"""Error, in parts of tol, of a peak's height that a last Newton step only predicts: it grows with
the third power of the step, in cells."""
SAME = 1e-13
"""Relative difference up to which shifted copies are the same: a component may be constant."""


class Targets(NamedTuple):
    """Data points as the search sees them.

    Attributes
    ----------
    C : ndarray of shape (n, q, 2, F')
        Real and imaginary parts of ``b``, a trigonometric polynomial; F' is a multiple of 8.
    on_grid : float32 ndarray of shape (n, 2, H q)
        Its values on both halves of the certificate grid. Point m of the second lies between the
        points m and m + 1 of the first; component j at this point is at ``m q + j``.
    energy : ndarray of shape (n,)
        ``||y||^2``.
    density, radius : ndarray of shape (n,)
        How each uses the `Tables`.
    """

    C: Floats
    on_grid: NDArray[np.float32]
    energy: Floats
    density: Floats
    radius: Floats

    def take(self, samples: slice | NDArray[Any]) -> Targets:
        """Return some of them."""
        return Targets._make(column[samples] for column in self)


def targets_of(
    Y: Blocks, A: Blocks, half: int, energy: Floats, density: Floats, radius: Floats
) -> Targets:
    """Correlate data Y (n, F, 1, m) with components A (q, F, 1, m); the grid has 2 `half` points.

    ``b_j(tau) = Re sum_f C_jf exp(2 pi i f tau / N)`` with ``C_jf = sum_m Y_fm conj(A_jfm)``.
    """
    (n, n_blocks), q = Y.shape[:2], len(A)
    parts = np.zeros((n, q, 2, -(-n_blocks // 8) * 8))
    spectrum = np.zeros((n, 2, half // 2 + 1, q), np.complex64)
    between = np.exp(1j * np.pi / half * np.arange(n_blocks)).astype(np.complex64)
    columns = (pairs(blocks[:, :, 0].astype(np.complex128, copy=False)) for blocks in (Y, A))
    fill_targets(*columns, pairs(between), parts, pairs(spectrum))
    values: NDArray[np.float32] = fft.irfft(spectrum, n=half, axis=2, norm="forward")
    return Targets(parts, values.reshape(n, 2, half * q), energy, density, radius)


@fast
def fill_targets(Y, A, between, parts, spectrum):  # type: ignore[no-untyped-def]
    """Fill the parts of all C, and the halves of which irfft makes their values on both grids.

    Complex numbers are pairs here, the last axis of all but `parts`.
    """
    for i in range(Y.shape[0]):
        for j in range(A.shape[0]):
            for f in range(Y.shape[1]):
                real, imag = 0.0, 0.0
                for m in range(Y.shape[2]):
                    y, z, a, b = Y[i, f, m, 0], Y[i, f, m, 1], A[j, f, m, 0], A[j, f, m, 1]
                    real += y * a + z * b
                    imag += z * a - y * b
                parts[i, j, 0, f], parts[i, j, 1, f] = real, imag
                half = 1.0 if f == 0 else 0.5
                x, y, c, s = half * real, half * imag, between[f, 0], between[f, 1]
                spectrum[i, 0, f, j, 0], spectrum[i, 0, f, j, 1] = x, y
                spectrum[i, 1, f, j, 0] = x * c - y * s
                spectrum[i, 1, f, j, 1] = x * s + y * c


@internal
def gap_of(st, current, energy, alpha, peak):  # type: ignore[no-untyped-def]
    """Return the duality gap, given the largest value of the certificate."""
    objective, fit, weight = current.objective, 0.0, 0.0
    for k in range(current.n_atoms):
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
    append_atom(st, count + entered, j, shift, 0.0, 1.0 if peaks.height[a] > 0.0 else -1.0)
    return True


insert_peaks = insertion(product_of_peaks, admit_peak)


@internal
def search_sample(st, count, peaks, on_grid, oracle, alpha, tol, max_iter):  # type: ignore[no-untyped-def]
    """Code one sample from the `count` atoms given; return how many it ends with, and if full.

    It stops when it fills the state, to be continued in a larger one.
    """
    excess, last = np.inf, np.inf
    stalled = full = count < 0  # false, but no literal: kernels would compile for it alone
    capacity = st.gram.shape[1]
    close = (NEGLIGIBLE * tol) ** (1.0 / 3.0)
    current = solve_coefficients(st, ZERO, count, oracle, alpha)
    for _ in range(max_iter):
        target = EXACT * tol * alpha if stalled else max(EXACT * tol * alpha, ROUGH * excess)
        allowed = 0.0 if stalled else UNNOTICED * tol * current.objective
        current = solve_inner(st, current, oracle, alpha, target, allowed)
        total = append_missing(st, current.n_atoms, oracle)  # type: ignore[no-untyped-call]
        found = find_certificate_peaks(st, total, peaks, on_grid, oracle.tables, alpha, stalled)
        peak = 0.0
        for p in range(found):
            peak = max(peak, abs(peaks.height[p]))
        gap = gap_of(st, current, oracle.energy, alpha, peak)
        if gap <= 2.0 * tol * current.objective or stalled or peak <= alpha:  # refining may matter
            peak = exact_peak(st, total, peaks, found, oracle, alpha, close)
            gap = gap_of(st, current, oracle.energy, alpha, peak)
            if gap <= tol * current.objective:
                break
        stalled = current.objective >= last - PROGRESS * gap
        last, excess = current.objective, max(peak - alpha, 0.0)
        before, most = current.n_atoms, min(1 if stalled else capacity, capacity - current.n_atoms)
        threshold = alpha + HALFWAY * excess
        atoms = st, peaks, oracle.tables, before
        count = before + insert_peaks(peaks.height[:found], peaks.indices, threshold, most, atoms)
        full = count == capacity
        if count > before:
            current = solve_coefficients(st, before, count, oracle, alpha)
        if full:
            break
    return current.n_atoms, full


@fast
def search_samples(st, peaks, samples, missing, tables, alpha, tol, max_iter, warm, found):  # type: ignore[no-untyped-def]
    """Code every sample from earlier codes `warm`, and fill `found`.

    `missing` is the `MissingWorkspace` of samples with missing entries, None for whole ones.
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
                count = append_atom(st, count, warm_component[k], warm_shift[k], warm_c[k], sign)
        own = tables_for(tables, samples.density[i], samples.radius[i])
        oracle = oracle_for(samples.C[i], own, samples.energy[i], missing, i)  # type: ignore[no-untyped-call]
        count, full[i] = search_sample(
            st, count, peaks, samples.on_grid[i], oracle, alpha, tol, max_iter
        )
        counts[i] = count
        for k in range(count):
            component[i, k], shift[i, k], c[i, k] = st.component[k], st.shift[k], st.c[k]
