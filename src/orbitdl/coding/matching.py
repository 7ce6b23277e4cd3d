"""A fixed small number of atoms per component, by cyclic matching: non-convex, often very good.

Atoms of data with missing entries are matched by cycles, too: each atom in turn moves to where it
fits the residual best.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats, Integers, as_real_rows, correlate, inner
from orbitdl.arrays.validation import require_count
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import Coder
from orbitdl.coding.dual_newton import per_sample
from orbitdl.coding.memory import block_bytes, correlation_bytes
from orbitdl.coding.problem import Problem
from orbitdl.groups.base import Representation
from orbitdl.kernels import fast

SIGNALS = 3
"""Copies of the atoms of a sample as signals at most: in blocks, as real rows, and observed."""


@dataclass(frozen=True, eq=False)
class AtomSlots:
    """The atoms of n samples, K slots each; a slot of coefficient 0 is empty.

    Attributes
    ----------
    component : ndarray of shape (n, K)
    c : ndarray of shape (n, K)
    g : ndarray of shape (n, K, p)
    """

    component: Integers
    c: Floats
    g: Floats

    @classmethod
    def of(cls, problem: Problem, count: int, warm: Atoms | None) -> AtomSlots:
        """Return as many slots in every sample, filled with earlier atoms."""
        n, p = len(problem.Y), len(problem.representation.parameters)
        slots = cls(np.zeros((n, count), np.intp), np.zeros((n, count)), np.zeros((n, count, p)))
        if warm is not None:
            own = warm.sample, np.arange(len(warm.sample)) - warm.offsets[warm.sample]
            slots.component[own], slots.c[own] = warm.component, warm.coefficient
            slots.g[own] = warm.element
        return slots

    def take(self, samples: Integers) -> AtomSlots:
        """Return those of some samples."""
        return AtomSlots(self.component[samples], self.c[samples], self.g[samples])

    def put(self, samples: Integers, other: AtomSlots) -> None:
        """Replace those of some samples."""
        self.component[samples], self.c[samples] = other.component, other.c
        self.g[samples] = other.g

    def atoms(self, q: int) -> Atoms:
        """Return the atoms in slots that are not empty."""
        sample, k = np.nonzero(self.c)
        offsets = np.concatenate([[0], np.cumsum((self.c != 0).sum(axis=1))]).astype(np.intp)
        return Atoms(q, offsets, self.component[sample, k], self.c[sample, k], self.g[sample, k])


@dataclass(frozen=True)
class LimitedMatching:
    """At most `of_each` atoms of a component and `in_all` of all of them, in every sample."""

    of_each: int
    in_all: int
    max_iter: int
    improvement: float

    def match(self, problem: Problem, warm: Atoms | None) -> Atoms:
        """Return the atoms of every sample, starting from earlier ones if there are any."""
        if warm is not None:
            pair = warm.sample * warm.n_components + warm.component // problem.n_copies
            warm = largest_atoms(warm, pair, self.of_each)
            warm = largest_atoms(warm, warm.sample, self.in_all)
        slots = AtomSlots.of(problem, self.in_all, warm)
        active, last = np.arange(len(slots.c)), np.full(len(slots.c), np.inf)
        for _ in range(self.max_iter):
            better, value = self.cycle(problem.take(active), slots.take(active))
            slots.put(active, better)
            falling = value < last * (1 - self.improvement)
            active, last = active[falling], value[falling]
            if len(active) == 0:
                break
        return slots.atoms(len(problem.A))

    def cycle(self, problem: Problem, slots: AtomSlots) -> tuple[AtomSlots, Floats]:
        """Fill every slot anew, refitting all after each; return them and the objectives (n,)."""
        representation, A, alpha = problem.representation, problem.A, problem.alpha
        component, c, g, every = slots.component, slots.c, slots.g, np.arange(len(slots.c))
        transformed = representation.represent(g) @ A[component]
        transformed[c == 0] = 0  # an empty slot takes no part in a fit
        square = inner(A, A)
        for k in range(self.in_all):
            without = problem.residual(combine(c, transformed)) + combine(
                c[:, [k]], transformed[:, [k]]
            )
            value, element = representation.match(correlate(without, A))
            coefficient = soft_threshold(value, alpha) / np.where(square > 0, square, 1.0)
            free = self._free(component // problem.n_copies, c, k, len(A) // problem.n_copies)
            free = np.repeat(free, problem.n_copies, axis=1)
            gain = np.where(free, coefficient**2 * square, -1.0)
            best = gain.argmax(axis=1)
            component[:, k], g[:, k] = best, element[every, best]
            c[:, k] = np.where(gain[every, best] > 0, coefficient[every, best], 0.0)
            transformed[:, k] = representation.represent(g[:, k]) @ A[best]
            transformed[c == 0] = 0
            c = refit_lasso(problem, transformed, c)
            transformed[c == 0] = 0
        energy = problem.misfit(combine(c, transformed)).energy
        return AtomSlots(component, c, g), 0.5 * energy + alpha * np.abs(c).sum(axis=1)

    def _free(self, component: Integers, c: Floats, k: int, q: int) -> NDArray[np.bool_]:
        """Return which components (n, q) may have one more atom than those outside slot k."""
        used = (component[:, :, None] == np.arange(q)) & (c != 0)[:, :, None]
        used[:, k] = False
        return np.asarray(used.sum(axis=1) < self.of_each)


def largest_atoms(atoms: Atoms, row: Integers, most: int) -> Atoms:
    """Keep, of the atoms of every row, the largest."""
    order = np.lexsort((-np.abs(atoms.coefficient), row))
    rank = np.empty(len(row), dtype=np.intp)
    rank[order] = np.arange(len(row)) - np.searchsorted(row[order], row[order])
    return atoms.updated(np.where(rank < most, atoms.coefficient, 0.0), atoms.element)


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
    max_atoms : int or None
        Atoms in one sample at most, of all components together; None: no such limit.

    Notes
    -----
    Each atom in turn is taken out, and put back where it fits the rest best: for a unit-norm
    component, ``max_{g,c} c <r, g a> - c^2/2 - alpha |c|`` is solved by ``g = match(r a^H)`` and
    the soft threshold of its value. After every cycle all coefficients are refitted together by
    the lasso on the atoms found. Needs nothing of a group but `match`. Missing entries are filled
    with the values of the other atoms and of this one where it was: then too no step goes uphill.

    With `max_atoms` the choice is among all components that have atoms left: the first cycle is
    greedy (matching pursuit), taking the atom that lowers the objective most, by
    ``(|<r, g a_j>| - alpha)_+^2 / (2 ||a_j||^2)``, and all coefficients are refitted after each.
    Later cycles take every atom out in turn and replace it by the best one of any component.

    Examples
    --------
    >>> Matching(n_atoms=2)
    Matching(n_atoms=2, tol=0.0001, max_iter=100, improvement=1e-06, max_atoms=None)
    """

    n_atoms: int = 1
    tol: float = 1e-4
    max_iter: int = 100
    improvement: float = 1e-6
    max_atoms: int | None = None
    largest_batch: ClassVar[int] = 2048
    codes_masked: ClassVar[bool] = True
    is_convex: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_atoms is not None:
            count = require_count(self.max_atoms, "max_atoms of Matching")
            object.__setattr__(self, "max_atoms", count)

    def serves(self, representation: Representation) -> bool:
        return True

    def most_atoms(self, q: int) -> int:
        """Return how many atoms of q components a sample has at most."""
        every = q * self.n_atoms
        return every if self.max_atoms is None else min(every, self.max_atoms)

    def workspace(self, representation: Representation, q: int) -> int:
        """Return how many bytes a sample needs: for its atoms, as signals, and their products."""
        most = self.most_atoms(q)
        atoms = most * (8 * most + SIGNALS * block_bytes(representation))
        return correlation_bytes(representation, q) + atoms

    def solve(self, problem: Problem, warm: Atoms | None) -> Atoms:
        most = self.most_atoms(len(problem.A) // problem.n_copies)
        if most == len(problem.A) * self.n_atoms:
            return self._match(problem, warm)
        return self._limited(most).match(problem, warm)

    def _limited(self, most: int) -> LimitedMatching:
        return LimitedMatching(self.n_atoms, most, self.max_iter, self.improvement)

    def _match(self, problem: Problem, warm: Atoms | None) -> Atoms:
        """Give every component its own atoms."""
        q = len(problem.A)
        slots = np.repeat(np.arange(q), self.n_atoms)
        c, g = self._start(problem.representation, len(problem.Y), slots, warm)
        c, g = self._cycle(replace(problem, A=problem.A[slots]), c, g)
        sample, slot = np.nonzero(c)
        offsets = np.concatenate([[0], np.cumsum((c != 0).sum(axis=1))]).astype(np.intp)
        return Atoms(q, offsets, slots[slot], c[sample, slot], g[sample, slot])

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
            selected = rank < self.n_atoms
            slot = sample[selected], component[selected] * self.n_atoms + rank[selected]
            c[slot], g[slot] = warm.coefficient[order][selected], warm.element[order][selected]
        return c, g

    def _cycle(self, problem: Problem, c: Floats, g: Floats) -> tuple[Floats, Floats]:
        """Cycle over the atoms of every sample until its objective stands still."""
        active, last = np.arange(len(c)), np.full(len(c), np.inf)
        for _ in range(self.max_iter):
            c[active], g[active], value = match_cycle(problem.take(active), c[active], g[active])
            falling = value < last * (1 - self.improvement)
            active, last = active[falling], value[falling]
            if len(active) == 0:
                break
        return c, g


def match_cycle(problem: Problem, c: Floats, g: Floats) -> tuple[Floats, Floats, Floats]:
    """Replace every atom, refit all coefficients; return c, g and the objectives (n,)."""
    representation, A, alpha = problem.representation, problem.A, problem.alpha
    transformed, norms = representation.act_on_blocks(g, A), inner(A, A)
    R = problem.residual(combine(c, transformed))
    for k in np.flatnonzero(norms):
        R += per_sample(c[:, k], R) * transformed[:, k]
        value, element = representation.match(correlate(R, A[k : k + 1]))
        g[:, k] = element[:, 0]
        c[:, k] = soft_threshold(value[:, 0], alpha) / norms[k]
        transformed[:, k] = representation.act_on_blocks(g[:, k], A[k])
        if problem.masked is None:
            R -= per_sample(c[:, k], R) * transformed[:, k]
        else:
            R = problem.residual(combine(c, transformed))
    c = refit_lasso(problem, transformed, c)
    data_residual = problem.data_residual(combine(c, transformed))
    energy = inner(data_residual, data_residual, data_residual.ndim - 1)
    return c, g, 0.5 * energy + alpha * np.abs(c).sum(axis=1)


def combine(c: Floats, transformed: Blocks) -> Blocks:
    """Return ``sum_k c_k b_k``: (n, K) and (n, K, F, d, m) to (n, F, d, m)."""
    result: Blocks = np.einsum("nk,nkfdm->nfdm", c, transformed)
    return result


def soft_threshold(x: Floats, threshold: float) -> Floats:
    """Return the soft threshold ``sign(x) max(|x| - threshold, 0)``."""
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0.0)


def refit_lasso(problem: Problem, transformed: Blocks, c: Floats, sweeps: int = 20) -> Floats:
    """Improve ``1/2 ||M (y - sum_k c_k b_k)||^2 + alpha ||c||_1`` by coordinate descent.

    The transformed components b have shape (n, K, F, d, m), c has shape (n, K).
    """
    b, gram = normal_equations(problem, transformed)
    c = np.ascontiguousarray(c)
    descend_all(b, gram, problem.alpha, sweeps, c)
    return c


@fast
def descend_all(b, gram, alpha, sweeps, c):  # type: ignore[no-untyped-def]
    """Minimise over one coefficient after the other, in place, until none changes any more."""
    for i in range(len(c)):
        for _ in range(sweeps):
            step, largest = 0.0, 0.0
            for k in range(c.shape[1]):
                own, rest = gram[i, k, k], b[i, k]
                for l in range(c.shape[1]):
                    rest -= gram[i, k, l] * c[i, l] if l != k else 0.0
                best = np.sign(rest) * max(abs(rest) - alpha, 0.0)
                best = best / max(own, 1e-300) if own > 0 else 0.0
                step, largest = max(step, abs(best - c[i, k])), max(largest, abs(best))
                c[i, k] = best
            if step <= 1e-12 * largest:
                break


def normal_equations(problem: Problem, transformed: Blocks) -> tuple[Floats, Floats]:
    """Return ``<y, b_k>``, (n, K), and ``<M b_k, M b_l>``, (n, K, K), of atoms (n, K, F, d, m)."""
    n, K = transformed.shape[:2]
    if problem.masked is None:
        flat, y = as_real_rows(transformed, 3), as_real_rows(problem.Y, 3)
    else:
        observed, y = problem.masked.observed, problem.masked.signal
        flat = problem.representation.synthesize(transformed) * observed[:, None]
    flat = flat.reshape(n, K, -1)
    return (flat @ y.reshape(n, -1, 1)).reshape(n, K), flat @ flat.swapaxes(1, 2)
