"""The lasso on orbits, one sample at a time: an active set with a small Cholesky factor.

Atom number ``h * q + l`` is component l moved by the element numbered h. The Gram matrix is a
look-up, ``<g a_j, h a_l> = table[j, g^-1 h, l]``. For a product of cyclic groups the table holds
two periods (`unrolled.py`), so that the row of one atom against all others is made of contiguous
slices: of one, if the group is cyclic.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.small_lasso import settle
from orbitdl.compiled import fast, inner_loop, internal, internal_finite
from orbitdl.compiled.shared import shared

NEAR = 0.8
"""Atoms at an angle of a larger cosine do not enter in the same round: they explain the same, and
all but one would leave again."""
HALFWAY = 0.5
"""Atoms enter from this part of the way between alpha and the highest correlation: the lower ones
mostly vanish when the higher ones are explained."""
ROUNDING = 1e-14
"""Relative excess over alpha that is none."""


@shared
class Orbits(NamedTuple):
    """Inner products of all moved components.

    Attributes
    ----------
    table : ndarray of shape (q, K, q)
        ``table[j, k, l] = <a_j, h_k a_l>``, h_k the element at place k.
    quotient : ndarray of shape (size, size)
        The place of ``g^-1 h``; empty for a product of cyclic groups.
    place : ndarray of shape (size,)
        For a product of cyclic groups, the place of ``g^-1 h`` is
        ``place[h] - place[g] + origin``; else empty.
    origin : int
    run : int
        So many consecutive elements have consecutive places.
    """

    table: NDArray[np.float64]
    quotient: NDArray[np.intp]
    place: NDArray[np.intp]
    origin: int
    run: int


@shared
class Active(NamedTuple):
    """The active set of one sample, filled up to a count that is passed along, and scratch.

    `rest` holds correlations of all atoms with the residual, `waiting` atoms that may enter.
    """

    atoms: NDArray[np.int64]
    c: NDArray[np.float64]
    sign: NDArray[np.float64]
    gram: NDArray[np.float64]
    factor: NDArray[np.float64]
    step: NDArray[np.float64]
    rest: NDArray[np.float64]
    waiting: NDArray[np.int64]


def make_active(capacity: int, size: int) -> Active:
    """Allocate room for `capacity` active atoms out of `size`."""
    square = capacity, capacity
    return Active(
        atoms=np.empty(capacity, np.int64),
        c=np.empty(capacity),
        sign=np.empty(capacity),
        gram=np.empty(square),
        factor=np.empty(square),
        step=np.empty(capacity),
        rest=np.empty(size),
        waiting=np.empty(size, np.int64),
    )


@internal
def place_of(orbits, g, h):  # type: ignore[no-untyped-def]
    """Return where the table holds g^-1 h."""
    if orbits.quotient.shape[0] == 0:
        return orbits.place[h] - orbits.place[g] + orbits.origin
    return orbits.quotient[g, h]


@internal
def subtract_row(orbits, atom, c, out):  # type: ignore[no-untyped-def]
    """Subtract c times the Gram row of one atom from all correlations."""
    table, run = orbits.table, orbits.run
    q = table.shape[0]
    g, j = atom // q, atom % q
    if orbits.quotient.shape[0] == 0:
        flat = table[j].reshape(-1)
        for h in range(0, orbits.place.shape[0], run):
            first = place_of(orbits, g, h) * q
            row, part = flat[first : first + run * q], out[h * q : (h + run) * q]
            for k in range(part.shape[0]):
                part[k] -= c * row[k]
    else:
        for h in range(orbits.quotient.shape[0]):
            for k in range(q):
                out[h * q + k] -= c * table[j, orbits.quotient[g, h], k]


@internal
def append(atom, value, sign, count, active, orbits):  # type: ignore[no-untyped-def]
    """Put an atom at the end of the active set."""
    table = orbits.table
    q, atoms, gram = table.shape[0], active.atoms, active.gram
    atoms[count], active.c[count], active.sign[count] = atom, value, sign
    for r in range(count + 1):
        place = place_of(orbits, atoms[r] // q, atom // q)
        gram[r, count] = gram[count, r] = table[atoms[r] % q, place, atom % q]
    return count + 1


@internal_finite
def largest(values):  # type: ignore[no-untyped-def]
    """Return the largest absolute value."""
    top = 0.0
    for k in range(values.shape[0]):
        top = max(top, abs(values[k]))
    return top


@internal
def measure(b, energy, alpha, count, atoms, c, gram, peak):  # type: ignore[no-untyped-def]
    """Return objective and duality gap, given the largest correlation with the residual."""
    fit, norm, weight = 0.0, 0.0, 0.0
    for r in range(count):
        fit += c[r] * b[atoms[r]]
        weight += abs(c[r])
        for s in range(count):
            norm += c[r] * gram[r, s] * c[s]
    residual = max(energy - 2.0 * fit + norm, 0.0)
    objective = 0.5 * residual + alpha * weight
    scale = (energy - fit) / residual if residual > 0.0 else 0.0
    if peak > 0.0:
        scale = min(scale, alpha / peak)
    return objective, objective - scale * (energy - fit) + 0.5 * scale * scale * residual


@internal
def is_near(atom, first, count, active, orbits):  # type: ignore[no-untyped-def]
    """Tell whether an atom is active, or close to one that entered in this round."""
    table = orbits.table
    q, atoms, gram = table.shape[0], active.atoms, active.gram
    h, j = atom // q, atom % q
    norm = table[j, place_of(orbits, h, h), j]
    for r in range(count):
        if atoms[r] == atom:
            return True
        if r >= first:
            place = place_of(orbits, atoms[r] // q, h)
            if table[atoms[r] % q, place, j] ** 2 > NEAR**2 * norm * gram[r, r]:
                return True
    return False


@internal
def enlarge(level, most, count, active, orbits):  # type: ignore[no-untyped-def]
    """Let atoms with correlation above `level` in, largest first, near ones one at a time."""
    rest, waiting = active.rest, active.waiting
    first, n_waiting = count, np.int64(0)
    for k in range(rest.shape[0]):
        if abs(rest[k]) >= level:
            waiting[n_waiting] = k
            n_waiting += 1
    while n_waiting > 0 and count < active.atoms.shape[0] and count - first < most:
        best = 0
        for k in range(1, n_waiting):
            if abs(rest[waiting[k]]) > abs(rest[waiting[best]]):
                best = k
        atom = waiting[best]
        n_waiting -= 1
        waiting[best] = waiting[n_waiting]
        if not is_near(atom, first, count, active, orbits):
            sign = 1.0 if rest[atom] > 0.0 else -1.0
            count = append(atom, 0.0, sign, count, active, orbits)
    return count


@inner_loop
def solve_one(b, energy, alpha, tol, max_iter, count, active, orbits):  # type: ignore[no-untyped-def]
    """Code one sample from the `count` atoms given; return how many it ends with."""
    atoms, c, gram, rest = active.atoms, active.c, active.gram, active.rest
    last = np.inf
    fresh = np.int64(0)
    for _ in range(max_iter):
        count = settle(
            b, alpha, count, fresh, atoms, c, active.sign, gram, active.factor, active.step
        )
        for k in range(rest.shape[0]):
            rest[k] = b[k]
        for r in range(count):
            subtract_row(orbits, atoms[r], c[r], rest)
        peak = largest(rest)
        objective, gap = measure(b, energy, alpha, count, atoms, c, gram, peak)
        if gap <= tol * objective or peak <= alpha * (1.0 + ROUNDING):
            break
        level = alpha + HALFWAY * (peak - alpha)
        most = 1 if objective >= last else atoms.shape[0]
        last = objective
        fresh = count
        count = enlarge(level, most, count, active, orbits)
        if count == fresh:
            break
    return count


@internal
def recall(first, last, warm_atom, warm_c, active, orbits):  # type: ignore[no-untyped-def]
    """Start the active set from the atoms of an earlier code; return how many there are."""
    count = np.int64(0)
    for k in range(first, min(last, first + active.atoms.shape[0])):
        if warm_c[k] != 0.0 and not is_near(warm_atom[k], count, count, active, orbits):
            sign = 1.0 if warm_c[k] > 0.0 else -1.0
            count = append(warm_atom[k], warm_c[k], sign, count, active, orbits)
    return count


@fast
def solve_all(active, B, energy, alpha, tol, max_iter, orbits, warm, counts, found, values):  # type: ignore[no-untyped-def]
    """Code every row of B; fill counts (n,), and atoms and coefficients (n, capacity).

    `warm` holds earlier codes: offsets (n + 1,), atoms and coefficients one after the other.
    """
    start, warm_atom, warm_c = warm
    for i in range(B.shape[0]):
        count = recall(start[i], start[i + 1], warm_atom, warm_c, active, orbits)
        count = solve_one(B[i], energy[i], alpha, tol, max_iter, count, active, orbits)
        counts[i] = count
        for r in range(count):
            found[i, r], values[i, r] = active.atoms[r], active.c[r]
