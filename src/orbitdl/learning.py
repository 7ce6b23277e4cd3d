"""Algorithm 1 of the paper: code, accumulate, update, normalise."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from orbitdl.codes import Atoms, Codes
from orbitdl.coding.base import Coder
from orbitdl.coding.certificate import reconstruct
from orbitdl.coding.problem import Masked, Problem
from orbitdl.dictionary import (
    Statistics,
    constrained_least_squares,
    least_squares,
    normalise,
    replace_unused,
)
from orbitdl.groups.base import Blocks, Floats, Representation, correlate, inner
from orbitdl.masked_dictionary import masked_constrained_least_squares, masked_least_squares

LOOSEST, FALL = 3e-2, 0.7
"""Gap asked for in the first iteration, and its factor from one iteration to the next."""
PATIENCE = 3
"""Iterations without progress that a replaced component is given to find a use."""


@dataclass(frozen=True)
class Iteration:
    """What one iteration of `learn` ended with.

    Attributes
    ----------
    number : int
        Dictionary steps done so far.
    objective : float
        The learning objective, summed over samples, of these components and codes.
    gap : float
        Largest certified relative gap of a sample.
    atoms : float
        Atoms a sample, on average.
    unused : int
        Components that no sample used and that were replaced in this iteration.
    seconds : float
    components : ndarray of shape (q, F, d, m)
    codes : Codes
    """

    number: int
    objective: float
    gap: float
    atoms: float
    unused: int
    seconds: float
    components: Blocks
    codes: Codes


def learn(
    representation: Representation,
    Y: Blocks,
    A: Blocks,
    *,
    alpha: float,
    coder: Coder,
    max_iter: int,
    tol: float,
    normalise_after: bool = False,
    n_jobs: int | None = None,
    masked: Masked | None = None,
) -> Iterator[Iteration]:
    """Alternate between codes and components; yield the start and then every iteration.

    Parameters
    ----------
    representation : Representation
    Y : ndarray of shape (n, F, d, m)
        Data in block coordinates.
    A : ndarray of shape (q, F, d, m)
        Components to start from, unit norm.
    masked : Masked, optional
        The data as signals, where entries are missing; Y then has zeros for them.
    alpha, coder, max_iter, tol, normalise_after, n_jobs
        As in `OrbitDictionaryLearning`.

    Notes
    -----
    Early codes need not be exact: the gap asked for falls from 3e-2 to the coder's tolerance,
    which the last iteration always meets. Codes start from the last ones and are never worse, and
    the default dictionary step does not raise the objective: neither does an iteration.
    """
    atoms, unused, last, loosest, stalled = None, 0, np.inf, LOOSEST, 0
    for number in range(max_iter + 1):
        began = time.perf_counter()
        asked = max(coder.tol, loosest * FALL**number) if number < max_iter else coder.tol
        inexact = replace(coder, tol=asked)  # type: ignore[type-var]
        codes = inexact.code(
            representation, Y, A, alpha, atoms, masked=masked, n_jobs=n_jobs, warn=False
        )
        objective = float(codes.objective.sum())
        still = last - objective <= tol * objective
        stalled = stalled + 1 if still else 0
        settled = unused == 0 or stalled > PATIENCE
        finished = number == max_iter or (still and asked == coder.tol and settled)
        if still:
            loosest = 0.0
        last, record = objective, (A, codes, unused)
        if not finished:
            A, atoms, unused = step(representation, Y, A, codes.atoms, normalise_after, masked)
        yield _iteration(number, *record, seconds=time.perf_counter() - began)
        if finished:
            return


def step(
    representation: Representation,
    Y: Blocks,
    A: Blocks,
    atoms: Atoms,
    normalise_after: bool,
    masked: Masked | None = None,
) -> tuple[Blocks, Atoms, int]:
    """Return new components of unit norm, codes that go with them, and how many were unused."""
    statistics = Statistics.of(representation, Y, atoms)
    if masked is None:
        solve = least_squares if normalise_after else constrained_least_squares
        new = solve(statistics, A.shape)
    else:
        fill = masked_least_squares if normalise_after else masked_constrained_least_squares
        new = fill(representation, masked, atoms, statistics, A)
    new, atoms = normalise(new, atoms)
    unused = statistics.usage == 0
    new[unused] = A[unused]
    if unused.any():
        problem = Problem(representation, Y, new, 0.0, masked)
        residual = problem.residual(reconstruct(representation, atoms, new))
        new, _ = replace_unused(new, residual, statistics.usage)
    return new, atoms, int(unused.sum())


def start_from_data(
    representation: Representation, Y: Blocks, q: int, rng: np.random.Generator, most: int = 1000
) -> Blocks:
    """Choose q samples that lie far from each other's orbits, scaled to unit norm.

    As k-means++: the next one is drawn with probability proportional to the energy
    ``||y||^2 - max_{j,g} <y, g a_j>^2`` that no single atom explains so far.
    """
    pool = Y if len(Y) <= most else Y[rng.choice(len(Y), most, replace=False)]
    energy = inner(pool, pool)
    left = energy.copy()
    A = start_from_noise(representation, q, rng)
    for j in range(q):
        left = np.where(left > 1e-12 * energy.max(initial=0.0), left, 0.0)
        if left.sum() == 0:
            break
        i = rng.choice(len(pool), p=left / left.sum())
        A[j] = pool[i] / np.sqrt(energy[i])
        explained = representation.polar(correlate(pool, A[j : j + 1]))[:, 0] ** 2
        left = np.minimum(left, energy - explained)
    return A


def start_from_noise(representation: Representation, q: int, rng: np.random.Generator) -> Blocks:
    """Draw q components from the uniform measure on the unit sphere."""
    return unit_norm(representation.analyze(rng.standard_normal((q, *representation.shape))))


def unit_norm(A: Blocks) -> Blocks:
    """Scale every component to unit norm."""
    norms: Floats = np.sqrt(inner(A, A))
    return A / np.where(norms > 0, norms, 1.0)[:, None, None, None]


def _iteration(
    number: int, components: Blocks, codes: Codes, unused: int, *, seconds: float
) -> Iteration:
    return Iteration(
        number=number,
        objective=float(codes.objective.sum()),
        gap=float(codes.gap.max()),
        atoms=len(codes.atoms.coefficient) / len(codes),
        unused=unused,
        seconds=seconds,
        components=components,
        codes=codes,
    )
