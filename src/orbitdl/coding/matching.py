"""A fixed small number of atoms per component, by cyclic matching: non-convex, often very good."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from orbitdl.codes import Atoms
from orbitdl.coding.base import Coder
from orbitdl.coding.parallel import in_chunks
from orbitdl.coding.problem import Problem
from orbitdl.groups.base import (
    Blocks,
    Floats,
    Integers,
    Representation,
    as_real,
    correlate,
    inner,
)

VALUES = 2**25
"""Values of moved components and of their Gram matrices kept at a time: 256 MB."""


@dataclass(frozen=True)
class Matching(Coder):
    """At most k atoms per component, found by cyclic matching and least squares.

    Parameters
    ----------
    n_atoms : int
        Atoms a component may use in one sample; 1 is synchronisation.
    tol : float
        Relative duality gap below which a code counts as optimal. The problem solved here is not
        convex: the gap tells how far the code is from the best one without the limit.
    max_iter : int
        Cycles over all atoms.
    improvement : float
        Stop when a cycle lowers the objective by less than this fraction.

    Notes
    -----
    Each atom in turn is taken out, and put back where it fits the rest best: for a unit-norm
    component, ``max_{g,c} c <r, g a> - c^2/2 - alpha |c|`` is solved by ``g = match(r a^H)`` and
    the soft threshold of its value. After every cycle all coefficients are refitted together by
    the lasso on the atoms found. Needs nothing of a group but `match`. Missing entries are filled
    with what the other atoms and the last place of this one say: then too no step goes uphill.

    Examples
    --------
    >>> Matching(n_atoms=2)
    Matching(n_atoms=2, tol=0.0001, max_iter=100, improvement=1e-06)
    """

    n_atoms: int = 1
    tol: float = 1e-4
    max_iter: int = 100
    improvement: float = 1e-6

    def serves(self, representation: Representation) -> bool:
        return True

    @property
    def codes_masked(self) -> bool:
        return True

    @property
    def is_convex(self) -> bool:
        return False

    def solve(self, problem: Problem, warm: Atoms | None, n_jobs: int | None) -> Atoms:
        q = len(problem.A)
        slots = np.repeat(np.arange(q), self.n_atoms)

        def solve_chunk(chunk: slice) -> Atoms:
            known, part = warm.take(chunk) if warm else None, problem.take(chunk)
            c, g = self._start(problem.representation, len(part.Y), slots, known)
            c, g = self._cycle(replace(part, A=problem.A[slots]), c, g)
            sample, slot = np.nonzero(c)
            offsets = np.concatenate([[0], np.cumsum((c != 0).sum(axis=1))]).astype(np.intp)
            return Atoms(q, offsets, slots[slot], c[sample, slot], g[sample, slot])

        each = len(slots) * (len(slots) + 2 * problem.Y[0].size)
        return in_chunks(solve_chunk, len(problem.Y), n_jobs, max(min(VALUES // each, 512), 1))

    def _start(
        self, representation: Representation, n: int, slots: Integers, warm: Atoms | None
    ) -> tuple[Floats, Floats]:
        """Return coefficients (n, slots) and elements (n, slots, p), from earlier codes if any."""
        c = np.zeros((n, len(slots)))
        g = np.zeros((n, len(slots), len(representation.parameters)))
        if warm is not None:
            order = np.lexsort((-np.abs(warm.coefficient), warm.component, warm.sample))
            sample, component = warm.sample[order], warm.component[order]
            pair = sample * warm.n_components + component
            rank = np.arange(len(pair)) - np.searchsorted(pair, pair)
            kept = rank < self.n_atoms
            place = sample[kept], component[kept] * self.n_atoms + rank[kept]
            c[place], g[place] = warm.coefficient[order][kept], warm.element[order][kept]
        return c, g

    def _cycle(self, problem: Problem, c: Floats, g: Floats) -> tuple[Floats, Floats]:
        """Cycle over the atoms of every sample until its objective stands still."""
        active, last = np.arange(len(c)), np.full(len(c), np.inf)
        for _ in range(self.max_iter):
            c[active], g[active], value = sweep(problem.take(active), c[active], g[active])
            falling = value < last * (1 - self.improvement)
            active, last = active[falling], value[falling]
            if len(active) == 0:
                break
        return c, g


def sweep(problem: Problem, c: Floats, g: Floats) -> tuple[Floats, Floats, Floats]:
    """Place every atom anew, refit all coefficients; return c, g and the objectives (n,)."""
    representation, A, alpha = problem.representation, problem.A, problem.alpha
    moved = representation.represent(g) @ A
    R = problem.residual(combine(c, moved))
    for k in np.flatnonzero(inner(A, A)):
        without = R + combine(c[:, k : k + 1], moved[:, k : k + 1])
        value, element = representation.match(correlate(without, A[k : k + 1]))
        g[:, k] = element[:, 0]
        c[:, k] = soft(value[:, 0], alpha) / inner(A[k], A[k])
        moved[:, k] = representation.represent(g[:, k]) @ A[k]
        if problem.masked is None:
            R = without - combine(c[:, k : k + 1], moved[:, k : k + 1])
        else:
            R = problem.residual(combine(c, moved))
    c = refit(problem, moved, c)
    energy = problem.misfit(combine(c, moved)).energy
    return c, g, 0.5 * energy + alpha * np.abs(c).sum(axis=1)


def combine(c: Floats, moved: Blocks) -> Blocks:
    """Return ``sum_k c_k b_k``: (n, K) and (n, K, F, d, m) to (n, F, d, m)."""
    result: Blocks = np.einsum("nk,nkfdm->nfdm", c, moved)
    return result


def soft(x: Floats, threshold: float) -> Floats:
    """Return the soft threshold ``sign(x) max(|x| - threshold, 0)``."""
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0.0)


def refit(problem: Problem, moved: Blocks, c: Floats, sweeps: int = 20) -> Floats:
    """Improve ``1/2 ||M (y - sum_k c_k b_k)||^2 + alpha ||c||_1`` by coordinate descent.

    The moved components b have shape (n, K, F, d, m), c has shape (n, K).
    """
    b, gram = normal_equations(problem, moved)
    for _ in range(sweeps):
        before = c.copy()
        for k in range(c.shape[1]):
            own = np.maximum(gram[:, k, k], 1e-300)
            rest = b[:, k] - np.einsum("nl,nl->n", gram[:, k], c) + gram[:, k, k] * c[:, k]
            c[:, k] = np.where(gram[:, k, k] > 0, soft(rest, problem.alpha) / own, 0.0)
        if np.all(np.abs(c - before) <= 1e-12 * np.abs(c).max(axis=1, keepdims=True)):
            break
    return c


def normal_equations(problem: Problem, moved: Blocks) -> tuple[Floats, Floats]:
    """Return ``<y, b_k>``, (n, K), and ``<M b_k, M b_l>``, (n, K, K), of atoms (n, K, F, d, m)."""
    n, K = moved.shape[:2]
    if problem.masked is None:
        flat, y = as_real(moved.reshape(-1, *moved.shape[2:])), as_real(problem.Y)
    else:
        observed, y = problem.masked.observed, problem.masked.signal
        flat = problem.representation.synthesize(moved) * observed[:, None]
    flat = flat.reshape(n, K, -1)
    return (flat @ y.reshape(n, -1, 1))[:, :, 0], flat @ flat.swapaxes(1, 2)
