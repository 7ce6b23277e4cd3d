"""Matching with few atoms in all: every slot goes to the component that fits best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.coordinate_descent import combine, refit_lasso, soft_threshold
from orbitdl.coding.problem import Problem
from orbitdl.groups.base import Floats, Integers, correlate, inner


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
