"""Coding with missing entries: a working set of atoms, grown where the certificate is too high.

With the residual ``r = M (y - sum_k c_k b_k)`` on the observed entries, a code is optimal when
``|<r, g a_j>| <= alpha`` for every atom. Masked atoms have no common table of inner products: those
of the few at work are computed from the atoms themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.certificate import relative_gap
from orbitdl.coding.codes import Atoms
from orbitdl.coding.column_generation import Round, generate
from orbitdl.coding.parallel import in_chunks
from orbitdl.coding.problem import Problem
from orbitdl.coding.small_lasso import dot, settle
from orbitdl.groups.base import Blocks, Combination, Floats, Representation, correlate
from orbitdl.kernels import allocating, fast

NEAR = 0.8
"""Atoms at an angle of a larger cosine do not enter in the same round."""

Refine = Callable[[Problem, Atoms], Atoms]
"""Brings the atoms of every sample to a stationary point; those that vanish leave."""


def grow(
    problem: Problem,
    warm: Atoms | None,
    refine: Refine,
    *,
    tol: float,
    max_iter: int,
    n_jobs: int | None,
) -> Atoms:
    """Add atoms where the certificate exceeds alpha and refine, until gaps are within tol."""
    n, q, p = len(problem.Y), len(problem.A), len(problem.representation.parameters)
    known = warm or Atoms.none(n, q, p)

    def solve_chunk(chunk: slice) -> Atoms:
        solve_and_look = partial(_round, problem.take(chunk), refine, tol)
        return generate(solve_and_look, known.take(chunk), max_iter + 1)

    return in_chunks(solve_chunk, n, n_jobs)


def _round(
    problem: Problem, refine: Refine, tol: float, chosen: NDArray[np.bool_], atoms: Atoms
) -> Round:
    rest = problem.take(chosen)
    refined = refine(rest, atoms)
    gap, fresh = look_for_atoms(rest, refined, tol)
    return Round(refined, gap > tol, fresh)


def look_for_atoms(problem: Problem, atoms: Atoms, tol: float) -> tuple[Floats, Combination]:
    """Return the relative gaps, and atoms at the peaks of the certificate, with next to no weight.

    Peaks less than half as much above alpha as the highest one of a sample wait: most of them
    vanish when the highest are explained. Those within 0.1 tol of alpha change the gap by less.
    """
    representation, A, alpha = problem.representation, problem.A, problem.alpha
    misfit = problem.misfit(atoms.superpose(representation, A))
    C = correlate(misfit.residual, A)
    found = representation.peaks(C.reshape(-1, *C.shape[2:]), alpha * (1.0 + 0.1 * tol))
    height, sample = np.abs(found.coefficient), found.row // len(A)
    top = np.full(len(C), alpha)
    np.maximum.at(top, sample, height)
    penalty = alpha * atoms.invariants().sum(axis=1)
    gap = relative_gap(misfit, top, alpha, penalty)[1]
    fresh = apart(problem, found.take(height >= 0.5 * (alpha + top[sample])))
    return gap, with_next_to_no_weight(problem, fresh)


def apart(problem: Problem, atoms: Combination) -> Combination:
    """Leave out atoms that nearly agree with a higher one: they say the same, and would leave."""
    atoms = atoms.take(np.lexsort((-np.abs(atoms.coefficient), atoms.row // len(problem.A))))
    sample, component = np.divmod(atoms.row, len(problem.A))
    moved = problem.representation.act_on_blocks(atoms.element, problem.A[component])
    rows, kept = problem.rows(sample, moved), np.ones(len(sample), np.bool_)
    leave_out_near(sample, rows, np.linalg.norm(rows, axis=1), kept)
    return atoms.take(kept)


def with_next_to_no_weight(problem: Problem, atoms: Combination) -> Combination:
    """Give atoms coefficients that change nothing yet, with the signs they have."""
    weight = problem.next_to_nothing(atoms.row % len(problem.A)) * np.sign(atoms.coefficient)
    return atoms._replace(coefficient=weight)


def settle_coefficients(problem: Problem, atoms: Atoms) -> Atoms:
    """Solve the lasso on the atoms of every sample, which stay where they are."""
    rows = problem.rows(atoms.sample, moved_atoms(problem, atoms))
    return settle_rows(problem, atoms, rows)


def settle_rows(problem: Problem, atoms: Atoms, rows: Floats) -> Atoms:
    """Do as `settle_coefficients`, given what is seen of every atom, (K, entries)."""
    c, most = atoms.coefficient.copy(), int(atoms.counts.max(initial=0))
    settle_all(atoms.offsets, rows, problem.targets, problem.alpha, most, c)
    return atoms.moved(c, atoms.element)


def moved_atoms(problem: Problem, atoms: Atoms) -> Blocks:
    """Return ``rho(g_k) A_k`` for every atom, shape (K, F, d, m)."""
    return problem.representation.act_on_blocks(atoms.element, problem.A[atoms.component])


def moved_signals(representation: Representation, A: Blocks, atoms: Atoms) -> Floats:
    """Return ``g_k a_k`` for every atom as a row, shape (K, entries of a data point)."""
    moved = representation.synthesize(
        representation.act_on_blocks(atoms.element, A[atoms.component])
    )
    return moved.reshape(len(moved), int(np.prod(representation.shape)))


@fast
def leave_out_near(sample, rows, norm, kept):  # type: ignore[no-untyped-def]
    """Unmark every atom at a small angle to one of its sample before it that is kept."""
    first = 0
    for k in range(len(sample)):
        if sample[k] != sample[first]:
            first = k
        for r in range(first, k):
            if kept[r] and abs(dot(rows[k], rows[r])) > NEAR * norm[k] * norm[r]:
                kept[k] = False
                break


@allocating
def settle_all(offsets, signals, targets, alpha, most, c):  # type: ignore[no-untyped-def]
    """Replace c by the minimiser, with the signs it has, of the lasso on each sample's atoms."""
    gram, factor = np.empty((most, most)), np.empty((most, most))
    b, own, sign, step = np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    ids = np.empty(most, dtype=np.int64)
    for i in range(len(offsets) - 1):
        first, count = offsets[i], offsets[i + 1] - offsets[i]
        for k in range(count):
            row = signals[first + k]
            b[k], own[k], sign[k] = dot(row, targets[i]), c[first + k], np.sign(c[first + k])
            ids[k], c[first + k] = k, 0.0
            for r in range(k + 1):
                gram[k, r] = dot(row, signals[first + r])
                gram[r, k] = gram[k, r]
        kept = settle(b, alpha, count, 0, ids, own, sign, gram, factor, step)
        for r in range(kept):
            c[first + ids[r]] = own[r]
