"""A fixed small number of atoms a component, by cyclic matching: non-convex, often very good."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Matching(Coder):
    """At most k atoms a component, found by cyclic matching and least squares.

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
    the lasso on the atoms found. Needs nothing of a group but `match`.

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
    def is_convex(self) -> bool:
        return False

    def solve(self, problem: Problem, warm: Atoms | None, n_jobs: int | None) -> Atoms:
        representation, Y, A, alpha = problem
        slots = np.repeat(np.arange(len(A)), self.n_atoms)

        def solve_chunk(chunk: slice) -> Atoms:
            known = warm.take(chunk) if warm else None
            c, g = self._start(representation, len(Y[chunk]), slots, known)
            c, g = self._cycle(representation, Y[chunk], A[slots], alpha, c, g)
            sample, slot = np.nonzero(c)
            offsets = np.concatenate([[0], np.cumsum((c != 0).sum(axis=1))]).astype(np.intp)
            return Atoms(len(A), offsets, slots[slot], c[sample, slot], g[sample, slot])

        return in_chunks(solve_chunk, len(Y), n_jobs)

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

    def _cycle(
        self,
        representation: Representation,
        Y: Blocks,
        A: Blocks,
        alpha: float,
        c: Floats,
        g: Floats,
    ) -> tuple[Floats, Floats]:
        """Cycle over the atoms of every sample until its objective stands still."""
        active, last = np.arange(len(Y)), np.full(len(Y), np.inf)
        for _ in range(self.max_iter):
            part = sweep(representation, Y[active], A, alpha, c[active], g[active])
            c[active], g[active], value = part
            falling = value < last * (1 - self.improvement)
            active, last = active[falling], value[falling]
            if len(active) == 0:
                break
        return c, g


def sweep(
    representation: Representation, Y: Blocks, A: Blocks, alpha: float, c: Floats, g: Floats
) -> tuple[Floats, Floats, Floats]:
    """Place every atom anew, refit all coefficients; return c, g and the objectives (n,)."""
    moved = representation.represent(g) @ A
    R = Y - combine(c, moved)
    for k in np.flatnonzero(inner(A, A)):
        R = R + combine(c[:, k : k + 1], moved[:, k : k + 1])
        value, element = representation.match(correlate(R, A[k : k + 1]))
        g[:, k] = element[:, 0]
        c[:, k] = soft(value[:, 0], alpha) / inner(A[k], A[k])
        moved[:, k] = representation.represent(g[:, k]) @ A[k]
        R = R - combine(c[:, k : k + 1], moved[:, k : k + 1])
    c = refit(Y, moved, alpha, c)
    R = Y - combine(c, moved)
    return c, g, 0.5 * inner(R, R) + alpha * np.abs(c).sum(axis=1)


def combine(c: Floats, moved: Blocks) -> Blocks:
    """Return ``sum_k c_k b_k``: (n, K) and (n, K, F, d, m) to (n, F, d, m)."""
    result: Blocks = np.einsum("nk,nkfdm->nfdm", c, moved)
    return result


def soft(x: Floats, threshold: float) -> Floats:
    """Return the soft threshold ``sign(x) max(|x| - threshold, 0)``."""
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0.0)


def refit(Y: Blocks, moved: Blocks, alpha: float, c: Floats, sweeps: int = 20) -> Floats:
    """Improve ``1/2 ||y - sum_k c_k b_k||^2 + alpha ||c||_1`` by coordinate descent.

    Y has shape (n, F, d, m), the moved components b shape (n, K, F, d, m), c shape (n, K).
    """
    flat = as_real(moved.reshape(-1, *moved.shape[2:])).reshape(*moved.shape[:2], -1)
    gram = flat @ flat.swapaxes(1, 2)
    b = (flat @ as_real(Y)[:, :, None])[:, :, 0]
    for _ in range(sweeps):
        before = c.copy()
        for k in range(c.shape[1]):
            own = np.maximum(gram[:, k, k], 1e-300)
            rest = b[:, k] - np.einsum("nl,nl->n", gram[:, k], c) + gram[:, k, k] * c[:, k]
            c[:, k] = soft(rest, alpha) / own
        if np.all(np.abs(c - before) <= 1e-12 * np.abs(c).max(initial=1e-300)):
            break
    return c
