"""The lasso on orbits, one sample at a time: an active set with a small Cholesky factor.

Atoms are numbered, and their inner products looked up, as in `orbits.py`.

Missing entries are further atoms (`missing_entries.py`). Kernels are told of them by `unseen`,
which is None for samples without: they are compiled for either.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.missing_entries import fit_unseen, follow, product_unseen, unseen_of
from orbitdl.kernels import allocating, internal, internal_finite
from orbitdl.kernels.lasso import HALFWAY, insertion, solve_lasso

ROUNDING = 1e-14
"""Relative excess over alpha that is none."""


class Active(NamedTuple):
    """The active set of one sample, filled up to a count that is passed along, and scratch."""

    atoms: NDArray[np.int64]
    c: NDArray[np.float64]
    sign: NDArray[np.float64]
    gram: NDArray[np.float64]
    factor: NDArray[np.float64]
    step: NDArray[np.float64]


@internal
def subtract_rows(orbits, count, atoms, c, out):  # type: ignore[no-untyped-def]
    """Subtract c times the Gram rows of all active atoms from all correlations."""
    products, row, turn, shift, element, component, run = orbits
    for r in range(count):
        a = atoms[r]
        for first in range(0, out.shape[0], run):
            place = row[a] + shift[turn[a], element[first]] + component[first]
            line, some = products[place : place + run], out[first : first + run]
            for k in range(run):
                some[k] -= c[r] * line[k]


@internal
def look_up(first, count, atoms, gram, orbits, unseen):  # type: ignore[no-untyped-def]
    """Fill in the inner products of the atoms from `first` on with all before them."""
    products, row, turn, shift, element, component, _ = orbits
    for r in range(first, count):
        a = atoms[r]
        if unseen is not None:
            look_at_unseen(unseen, a, r, orbits)
        for s in range(r + 1):
            b = atoms[s]
            product = products[row[a] + shift[turn[a], element[b]] + component[b]]
            if unseen is not None:
                product -= product_unseen(unseen, r, s)
            gram[r, s] = gram[s, r] = product


@internal
def look_at_unseen(unseen, b, k, orbits):  # type: ignore[no-untyped-def]
    """Look up what atom b, the k-th, says of the missing entries."""
    products, row, turn, shift, element, component, _ = orbits
    entries, values = unseen.source, unseen.values[k]
    unseen.owner[k] = b
    for m in range(entries.shape[0]):
        a = entries[m]
        values[m] = products[row[a] + shift[turn[a], element[b]] + component[b]]


@internal_finite
def largest(values):  # type: ignore[no-untyped-def]
    """Return the largest absolute value: of four lists, so that none waits for another."""
    one, two, three, four = 0.0, 0.0, 0.0, 0.0
    whole = values.shape[0] // 4 * 4
    for k in range(0, whole, 4):
        one, two = max(one, abs(values[k])), max(two, abs(values[k + 1]))
        three, four = max(three, abs(values[k + 2])), max(four, abs(values[k + 3]))
    for k in range(whole, values.shape[0]):
        one = max(one, abs(values[k]))
    return max(max(one, two), max(three, four))


@internal
def measure(b, rest, energy, alpha, count, atoms, c, peak):  # type: ignore[no-untyped-def]
    """Return objective and duality gap, given correlations with the residual and the largest."""
    fit, norm, weight = 0.0, 0.0, 0.0
    for r in range(count):
        fit += c[r] * b[atoms[r]]
        norm += c[r] * (b[atoms[r]] - rest[atoms[r]])
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
    products, row, turn, shift, element, component, _ = atoms[1]
    return products[row[a] + shift[turn[a], element[b]] + component[b]]


@internal
def admit_candidate(atoms, a, entered):  # type: ignore[no-untyped-def]
    """Append atom a to the active set, with the sign of its correlation, unless it is there."""
    (numbers, c, sign, _, _, _), _, rest, n_active = atoms
    for r in range(n_active):
        if numbers[r] == a:
            return False
    k = n_active + entered
    numbers[k], c[k], sign[k] = a, 0.0, 1.0 if rest[a] > 0.0 else -1.0
    return True


insert_atoms = insertion(product_of_candidates, admit_candidate)


@internal
def solve_one(b, energy, alpha, tol, max_iter, count, active, orbits, rest, waiting, unseen):  # type: ignore[no-untyped-def]
    """Code one sample from the `count` atoms given; return how many it ends with."""
    atoms, c, sign, gram, factor, step = active
    last = np.inf
    fresh = np.int64(0)
    for _ in range(max_iter):
        look_up(fresh, count, atoms, gram, orbits, unseen)
        count = solve_lasso(b, alpha, count, fresh, atoms, c, sign, gram, factor, step)
        for k in range(rest.shape[0]):
            rest[k] = b[k]
        subtract_rows(orbits, count, atoms, c, rest)
        if unseen is not None:
            follow(unseen, atoms, count)
            fit_unseen(unseen, c, count)
            entries = unseen.source
            subtract_rows(orbits, entries.shape[0], entries, unseen.weights, rest)
        peak = largest(rest)
        objective, gap = measure(b, rest, energy, alpha, count, atoms, c, peak)
        if gap <= tol * objective or peak <= alpha * (1.0 + ROUNDING):
            break
        threshold = alpha + HALFWAY * (peak - alpha)
        most = 1 if objective >= last else atoms.shape[0]
        last = objective
        fresh, most = count, min(most, atoms.shape[0] - count)
        count += insert_atoms(rest, waiting, threshold, most, (active, orbits, rest, count))
        if count == fresh:
            break
    return count


@internal
def recall(first, last, warm_atom, warm_c, active):  # type: ignore[no-untyped-def]
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
def solve_all(B, energy, alpha, tol, max_iter, orbits, missing, warm, counts, found, values):  # type: ignore[no-untyped-def]
    """Code every row of B; fill counts (n,), and atoms and coefficients (n, capacity).

    `missing` says which entries are, or None. `warm` holds earlier codes: offsets (n + 1,), atoms
    and coefficients one after the other.
    """
    start, warm_atom, warm_c = warm
    capacity = found.shape[1]
    square = (capacity, capacity)
    active = Active(
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(square),
        np.empty(square),
        np.empty(capacity),
    )
    rest, waiting = np.empty(B.shape[1]), np.empty(B.shape[1], np.int64)
    for i in range(B.shape[0]):
        count = recall(start[i], start[i + 1], warm_atom, warm_c, active)
        unseen = unseen_of(missing, i, capacity)  # type: ignore[no-untyped-call]
        count = solve_one(
            B[i], energy[i], alpha, tol, max_iter, count, active, orbits, rest, waiting, unseen
        )
        counts[i] = count
        for r in range(count):
            found[i, r], values[i, r] = active.atoms[r], active.c[r]
