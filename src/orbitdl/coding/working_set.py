"""Coding with missing entries: a working set of atoms, grown where the certificate is too high.

With the residual ``r = M (y - sum_k c_k b_k)`` on the observed entries, a code is optimal when
``|<r, g a_j>| <= alpha`` for every atom. Masked atoms have no common table of inner products: those
of the few at work are computed from the atoms themselves.

A program over infinitely many atoms is solved over a few of them at a time (`generate_columns`):
solve on the current atoms, evaluate the certificate, add atoms where it is too high: until it
nowhere is. The kernels of `orbit_lasso` and `sliding.search` do the same for one sample at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Combination, Floats, correlate
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import relative_gap
from orbitdl.coding.memory import batches, block_bytes
from orbitdl.coding.problem import Problem
from orbitdl.groups.base import Representation
from orbitdl.kernels import allocating, fast, internal
from orbitdl.kernels.lasso import HALFWAY, insertion, solve_lasso
from orbitdl.kernels.linear_algebra import dot


class ColumnRound(NamedTuple):
    """The result of one round, of n samples.

    Attributes
    ----------
    atoms : Atoms
        Optimal among the known atoms.
    unconverged : bool ndarray of shape (n,)
        Who is not done.
    candidates : Combination
        Atoms where the certificate is too high; rows number the pairs (sample, component).
    """

    atoms: Atoms
    unconverged: NDArray[np.bool_]
    candidates: Combination

    @classmethod
    def concatenate(cls, rounds: list[ColumnRound]) -> ColumnRound:
        """Return the rounds of samples one after the other; rows number all their pairs."""
        atoms, unconverged, candidates = zip(*rounds, strict=True)
        columns = (np.concatenate(column) for column in zip(*candidates, strict=True))
        return cls(
            Atoms.concatenate(list(atoms)), np.concatenate(unconverged), Combination(*columns)
        )


MakeRound = Callable[[NDArray[np.bool_], Atoms], ColumnRound]
"""Makes a round of the chosen samples (n,), of which the atoms are known."""


def generate_columns(make_round: MakeRound, atoms: Atoms, max_rounds: int) -> Atoms:
    """Return atoms that are optimal among all, or as good as so many rounds make them.

    `atoms` are those of every sample to begin with. A sample that is not converged, but has no atom
    to add, stays as it is.
    """
    result, active = atoms, np.ones(len(atoms), dtype=np.bool_)
    for _ in range(max_rounds):
        solved, unconverged, candidates = make_round(active, atoms)
        result = result.replace(active, solved)
        has_candidates = (
            np.bincount(candidates.row // atoms.n_components, minlength=len(solved)) > 0
        )
        continuing = unconverged & has_candidates
        if not continuing.any():
            break
        active[active] = continuing
        atoms = solved.add(candidates).take(continuing)
    return result


Refine = Callable[[Problem, Atoms], Atoms]
"""Brings the atoms of every sample to a stationary point; those that vanish leave."""


def solve_by_columns(
    problem: Problem, warm: Atoms | None, refine: Refine, tol: float, max_iter: int
) -> Atoms:
    """Add atoms where the certificate exceeds alpha and refine, until gaps are within tol."""
    n, q, p = len(problem.Y), len(problem.A), len(problem.representation.parameters)
    make_round = partial(_make_round, problem, refine, tol)
    return generate_columns(make_round, warm or Atoms.none(n, q, p), max_iter + 1)


def _make_round(
    problem: Problem, refine: Refine, tol: float, chosen: NDArray[np.bool_], atoms: Atoms
) -> ColumnRound:
    """Refine and look for atoms, as many samples at a time as the workspace has bytes for."""
    remaining, q, rounds = problem.take(chosen), len(problem.A), []
    for batch in batches(atom_bytes(problem) * (1 + atoms.counts)):
        some = remaining.take(batch)
        refined = refine(some, atoms.take(batch))
        gap, candidates = look_for_atoms(some, refined, tol)
        rounds.append(
            ColumnRound(
                refined, gap > tol, candidates._replace(row=candidates.row + q * batch.start)
            )
        )
    return ColumnRound.concatenate(rounds)


def atom_bytes(problem: Problem) -> int:
    """Return the bytes of an atom with its tangents, in block coordinates and as observed."""
    each = block_bytes(problem.representation) + int(problem.data[0].nbytes)
    return 3 * (1 + problem.representation.dimension) * each


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
    candidates = found.take(height >= alpha + HALFWAY * (top[sample] - alpha))
    return gap, with_tiny_coefficients(problem, without_near(problem, candidates))


def without_near(problem: Problem, atoms: Combination) -> Combination:
    """Leave out atoms at a small angle to a higher one: they explain the same."""
    atoms = atoms.take(np.argsort(atoms.row // len(problem.A), kind="stable"))
    sample, component = np.divmod(atoms.row, len(problem.A))
    selected, counts = (
        np.zeros(len(sample), np.bool_),
        np.bincount(sample, minlength=len(problem.Y)),
    )
    ends = np.concatenate([[0], np.cumsum(counts)])
    for batch in batches(atom_bytes(problem) * counts):
        k = slice(ends[batch.start], ends[batch.stop])
        transformed = problem.representation.act_on_blocks(
            atoms.element[k], problem.A[component[k]]
        )
        rows, waiting = problem.rows(sample[k], transformed), np.empty(len(transformed), np.intp)
        select_apart(sample[k], rows, atoms.coefficient[k], waiting, selected[k])
    return atoms.take(selected)


def with_tiny_coefficients(problem: Problem, atoms: Combination) -> Combination:
    """Give atoms negligible coefficients, with the signs they have."""
    weight = problem.tiny_coefficients(atoms.row % len(problem.A)) * np.sign(atoms.coefficient)
    return atoms._replace(coefficient=weight)


def refit_coefficients(problem: Problem, atoms: Atoms) -> Atoms:
    """Solve the lasso on the atoms of every sample, which stay where they are."""
    rows = problem.rows(atoms.sample, transformed_atoms(problem, atoms))
    return settle_rows(problem, atoms, rows)


def settle_rows(problem: Problem, atoms: Atoms, rows: Floats) -> Atoms:
    """Do as `refit_coefficients`, given what is observed of every atom, (K, entries)."""
    c, most = atoms.coefficient.copy(), int(atoms.counts.max(initial=0))
    solve_lassos(atoms.offsets, rows, problem.targets, problem.alpha, most, c)
    return atoms.updated(c, atoms.element)


def transformed_atoms(problem: Problem, atoms: Atoms) -> Blocks:
    """Return ``rho(g_k) A_k`` for every atom, shape (K, F, d, m)."""
    return problem.representation.act_on_blocks(atoms.element, problem.A[atoms.component])


def transformed_signals(representation: Representation, A: Blocks, atoms: Atoms) -> Floats:
    """Return ``g_k a_k`` for every atom as a row, shape (K, entries of a data point)."""
    transformed = representation.synthesize(
        representation.act_on_blocks(atoms.element, A[atoms.component])
    )
    return transformed.reshape(len(transformed), int(np.prod(representation.shape)))


@internal
def product_of_rows(atoms, a, b):  # type: ignore[no-untyped-def]
    """Return the inner product of two rows."""
    return dot(atoms[0][a], atoms[0][b])


@internal
def select_row(atoms, a, entered):  # type: ignore[no-untyped-def]
    """Mark a row as selected."""
    atoms[1][a] = True
    return True


insert_rows = insertion(product_of_rows, select_row)


@fast
def select_apart(sample, rows, height, waiting, selected):  # type: ignore[no-untyped-def]
    """Mark the rows of every sample that the insertion rule lets in; rows follow the samples."""
    first = 0
    for last in range(1, len(sample) + 1):
        if last == len(sample) or sample[last] != sample[first]:
            coefficient = rows[first:last], selected[first:last]
            insert_rows(height[first:last], waiting, 0.0, last - first, coefficient)
            first = last


@allocating
def solve_lassos(offsets, signals, targets, alpha, most, c):  # type: ignore[no-untyped-def]
    """Replace c by the minimiser, with the signs it has, of the lasso on each sample's atoms."""
    gram, factor = np.empty((most, most)), np.empty((most, most))
    b, coefficient, sign, step = np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    ids = np.empty(most, dtype=np.int64)
    for i in range(len(offsets) - 1):
        first, count = offsets[i], offsets[i + 1] - offsets[i]
        for k in range(count):
            row = signals[first + k]
            b[k], coefficient[k], sign[k] = (
                dot(row, targets[i]),
                c[first + k],
                np.sign(c[first + k]),
            )
            ids[k], c[first + k] = k, 0.0
            for r in range(k + 1):
                gram[k, r] = dot(row, signals[first + r])
                gram[r, k] = gram[k, r]
        count = solve_lasso(b, alpha, count, 0, ids, coefficient, sign, gram, factor, step)
        for r in range(count):
            c[first + ids[r]] = coefficient[r]
