"""The lasso on orbits, one sample at a time: an active set with a small Cholesky factor.

Atoms are numbered, and their inner products looked up, as in `orbits.py`.

Missing entries are further atoms (`missing_entries.py`). Kernels are told of them by `missing`,
which is None for samples without: they are compiled for either.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.missing_entries import (
    drop_removed,
    fit_missing,
    missing_values_of,
    product_at_missing,
)
from orbitdl.kernels import allocating, internal
from orbitdl.kernels.lasso import HALFWAY, insertion, solve_lasso
from orbitdl.kernels.linear_algebra import max_abs

ROUNDING = 1e-14
"""Relative excess over alpha that is none."""


class Active(NamedTuple):
    """The active set of one sample, filled up to a count passed along, and its workspace."""

    atoms: NDArray[np.int64]
    c: NDArray[np.float64]
    sign: NDArray[np.float64]
    gram: NDArray[np.float64]
    factor: NDArray[np.float64]
    step: NDArray[np.float64]


@internal
def subtract_gram_rows(orbits, count, atoms, c, out):  # type: ignore[no-untyped-def]
    """Subtract c times the Gram rows of all active atoms from all correlations."""
    products, row, divisor, shift, element, component, run = orbits
    for r in range(count):
        a = atoms[r]
        for first in range(0, out.shape[0], run):
            position = row[a] + shift[divisor[a], element[first]] + component[first]
            gram_row, block = products[position : position + run], out[first : first + run]
            for k in range(run):
                block[k] -= c[r] * gram_row[k]


@internal
def fill_gram(first, count, atoms, gram, orbits, missing):  # type: ignore[no-untyped-def]
    """Fill in the inner products of the atoms from `first` on with all before them."""
    products, row, divisor, shift, element, component, _ = orbits
    for r in range(first, count):
        a = atoms[r]
        if missing is not None:
            look_up_missing(missing, a, r, orbits)
        for s in range(r + 1):
            b = atoms[s]
            product = products[row[a] + shift[divisor[a], element[b]] + component[b]]
            if missing is not None:
                product -= product_at_missing(missing, r, s)
            gram[r, s] = gram[s, r] = product


@internal
def look_up_missing(missing, b, k, orbits):  # type: ignore[no-untyped-def]
    """Look up the values of atom b, the k-th, at the missing entries."""
    products, row, divisor, shift, element, component, _ = orbits
    entries, values = missing.source, missing.values[k]
    missing.owner[k] = b
    for m in range(entries.shape[0]):
        a = entries[m]
        values[m] = products[row[a] + shift[divisor[a], element[b]] + component[b]]


@internal
def objective_and_gap(b, eta, energy, alpha, count, atoms, c, peak):  # type: ignore[no-untyped-def]
    """Return objective and duality gap, given correlations with the residual and the largest."""
    fit, norm, weight = 0.0, 0.0, 0.0
    for r in range(count):
        fit += c[r] * b[atoms[r]]
        norm += c[r] * (b[atoms[r]] - eta[atoms[r]])
        weight += abs(c[r])
    residual = max(energy - 2.0 * fit + norm, 0.0)
    objective = 0.5 * residual + alpha * weight
    scale = (energy - fit) / residual if residual > 0.0 else 0.0
    if peak > 0.0:
        scale = min(scale, alpha / peak)
    return objective, objective - scale * (energy - fit) + 0.5 * scale * scale * residual


@internal
def product_of_candidates(atoms, a, b):  # type: ignore[no-untyped-def]
    """Return the inner product of atoms a and b."""
    products, row, divisor, shift, element, component, _ = atoms[1]
    return products[row[a] + shift[divisor[a], element[b]] + component[b]]


@internal
def admit_candidate(atoms, a, entered):  # type: ignore[no-untyped-def]
    """Append atom a to the active set, with the sign of its correlation, unless it is there."""
    (numbers, c, sign, _, _, _), _, eta, n_active = atoms
    for r in range(n_active):
        if numbers[r] == a:
            return False
    k = n_active + entered
    numbers[k], c[k], sign[k] = a, 0.0, 1.0 if eta[a] > 0.0 else -1.0
    return True


insert_atoms = insertion(product_of_candidates, admit_candidate)


@internal
def solve_one(b, energy, alpha, tol, max_iter, count, active, orbits, eta, waiting, missing):  # type: ignore[no-untyped-def]
    """Code one sample from the `count` atoms given; return how many it ends with."""
    atoms, c, sign, gram, factor, step = active
    last = np.inf
    first_new = np.int64(0)
    for _ in range(max_iter):
        fill_gram(first_new, count, atoms, gram, orbits, missing)
        count = solve_lasso(b, alpha, count, first_new, atoms, c, sign, gram, factor, step)
        for k in range(eta.shape[0]):
            eta[k] = b[k]
        subtract_gram_rows(orbits, count, atoms, c, eta)
        if missing is not None:
            drop_removed(missing, atoms, count)
            fit_missing(missing, c, count)
            entries = missing.source
            subtract_gram_rows(orbits, entries.shape[0], entries, missing.weights, eta)
        peak = max_abs(eta)
        objective, gap = objective_and_gap(b, eta, energy, alpha, count, atoms, c, peak)
        if gap <= tol * objective or peak <= alpha * (1.0 + ROUNDING):
            break
        threshold = alpha + HALFWAY * (peak - alpha)
        most = 1 if objective >= last else atoms.shape[0]
        last = objective
        first_new, most = count, min(most, atoms.shape[0] - count)
        count += insert_atoms(eta, waiting, threshold, most, (active, orbits, eta, count))
        if count == first_new:
            break
    return count


@internal
def load_warm_start(first, last, warm_atom, warm_c, active):  # type: ignore[no-untyped-def]
    """Start the active set from the atoms of an earlier code; return how many there are."""
    atoms, c, sign, _, _, _ = active
    count = np.int64(0)
    for k in range(first, min(last, first + atoms.shape[0])):
        is_new = warm_c[k] != 0.0
        for r in range(count):
            is_new &= atoms[r] != warm_atom[k]
        if is_new:
            atoms[count], c[count] = warm_atom[k], warm_c[k]
            sign[count] = 1.0 if warm_c[k] > 0.0 else -1.0
            count += 1
    return count


@allocating
def solve_orbit_lassos(B, energy, alpha, tol, max_iter, orbits, missing, warm, found):  # type: ignore[no-untyped-def]
    """Code every row of B, and fill `found`: counts (n,), atoms and coefficients (n, capacity).

    `missing` lists the missing entries; None: there are none. `warm` holds earlier codes: offsets
    (n + 1,), atoms and coefficients one after the other.
    """
    (start, warm_atom, warm_c), (counts, atom, c) = warm, found
    capacity = atom.shape[1]
    square = (capacity, capacity)
    active = Active(
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(square),
        np.empty(square),
        np.empty(capacity),
    )
    eta, waiting = np.empty(B.shape[1]), np.empty(B.shape[1], np.int64)
    for i in range(B.shape[0]):
        count = load_warm_start(start[i], start[i + 1], warm_atom, warm_c, active)
        own = missing_values_of(missing, i, capacity)  # type: ignore[no-untyped-call]
        count = solve_one(
            B[i], energy[i], alpha, tol, max_iter, count, active, orbits, eta, waiting, own
        )
        counts[i] = count
        for r in range(count):
            atom[i, r], c[i, r] = active.atoms[r], active.c[r]
