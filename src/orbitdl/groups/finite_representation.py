"""Representations of finite groups whose elements are enumerated."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Blocks, Combination, Floats, Integers, correlate
from orbitdl.groups.base import Representation

ORTHOGONAL = 1e-9
"""Inner products of unit vectors below this are rounding errors."""
NOTHING = 1e-13
"""Coefficients below this fraction of the largest are rounding errors."""


class Entries(NamedTuple):
    """Orbits of the entries of a data point (in C order) under a group that permutes them.

    Attributes
    ----------
    first : ndarray of shape (p,)
        One representative of every orbit.
    source : ndarray of shape (entries,)
        Orbit of each entry.
    number : ndarray of shape (entries,)
        Index of a group element that maps the representative to the entry.
    """

    first: Integers
    source: Integers
    number: Integers


def translated_entries(shape: tuple[int, ...], positions: int, step: int = 1) -> Entries:
    """Return the orbits of entries (positions, channels) under translations: one per channel.

    Every `step`-th element is a translation by an integer.
    """
    channels = int(np.prod(shape)) // positions
    position, channel = np.divmod(np.arange(positions * channels), channels)
    return Entries(np.arange(channels), channel, step * position)


class FiniteRepresentation(Representation):
    """Representation of a finite group with elements 0 .. size - 1, the identity first.

    Attributes
    ----------
    size : int
        Number of elements.
    cycles : tuple of int
        Orders of the cyclic groups whose direct product this is; the index of the last one runs
        fastest. Empty for other groups, which use a table of quotients.
    """

    size: int
    cycles: tuple[int, ...] = ()

    @property
    @abstractmethod
    def elements(self) -> Floats:
        """Parameters of all elements, shape (size, p)."""

    @abstractmethod
    def correlations(self, C: Blocks) -> Floats:
        """Return ``<C, rho(g)>`` for all g: (..., F, d, d) to (..., size)."""

    def products(self, Y: Blocks, A: Blocks) -> Floats:
        """Return ``<Y_i, rho(g) A_j>`` as rows over ``g * q + j``, shape (n, size * q)."""
        values = self.correlations(correlate(Y, A))
        return np.ascontiguousarray(values.swapaxes(1, 2)).reshape(len(Y), self.size * len(A))

    @abstractmethod
    def index(self, element: Floats) -> Integers:
        """Return the index of each element, (..., p) to (...)."""

    def entries(self) -> Entries:
        """Return the orbits of entries; here: each entry by itself, under the identity."""
        every = np.arange(int(np.prod(self.shape)))
        return Entries(every, every, np.zeros_like(every))

    @cached_property
    def quotient(self) -> Integers:
        """Index of ``g^-1 h`` for elements of index g and h, shape (size, size)."""
        everything = self.elements
        left = (np.broadcast_to(g, everything.shape) for g in self.inverse(everything))
        return np.stack([self.index(self.compose(g, everything)) for g in left])

    def divide(self, g: Integers, h: Integers) -> Integers:
        """Return the indices of ``g^-1 h`` for elements of index g and h."""
        if not self.cycles:
            return self.quotient[g, h]
        coordinates = (np.unravel_index(index, self.cycles) for index in (g, h))
        difference = tuple(b - a for a, b in zip(*coordinates, strict=True))
        return np.asarray(np.ravel_multi_index(difference, self.cycles, mode="wrap"))

    @cached_property
    def is_free(self) -> bool:
        """Whether the matrices ``rho(g)`` are orthogonal to each other in the metric.

        Then ``Z = sum_g c_g rho(g)`` determines c, the gauge is ``sum |c_g|`` and the prox is a
        soft threshold on c. Since ``<rho(g), rho(h)> = <I, rho(g^-1 h)>``, it suffices that the
        identity is orthogonal to all others.
        """
        products, _ = self._free_coefficients(self.represent(self.elements[0]))
        return bool(np.all(np.abs(products[1:]) < ORTHOGONAL))

    @property
    def has_prox(self) -> bool:
        return self.is_free

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return self.elements[rng.integers(self.size, size=n)]

    def contains(self, element: Floats) -> bool:
        number = self.index(element) if super().contains(element) else np.array([-1])
        return bool(np.all((number >= 0) & (number < self.size)))

    def spanning_elements(self) -> Floats:
        return self.elements

    def examples(self, most: int) -> Floats:
        every = self.elements
        if len(every) <= most:
            return every
        return every[np.linspace(0, len(every) - 1, most).astype(np.intp)]

    def polar(self, correlation: Blocks) -> Floats:
        result: Floats = np.abs(self.correlations(correlation)).max(axis=-1)
        return result

    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        values = self.correlations(correlation)
        best = np.abs(values).argmax(axis=-1)
        return np.take_along_axis(values, best[..., None], -1)[..., 0], self.elements[best]

    def prox(self, Z: Blocks, step: float) -> Blocks:
        if not self.is_free:
            return super().prox(Z, step)
        c, norm = self._free_coefficients(Z)
        c = np.sign(c) * np.maximum(np.abs(c) - step / norm, 0.0)
        return np.tensordot(c, self.represent(self.elements), 1)

    @property
    def has_gauge(self) -> bool:
        return self.is_free

    def decompose(self, Z: Blocks) -> Combination:
        if not self.is_free:
            return super().decompose(Z)
        c = self._free_coefficients(Z)[0]
        size = np.abs(c)
        row, number = np.nonzero(size > NOTHING * size.max(axis=-1, keepdims=True))
        return Combination(row, c[row, number], self.elements[number])

    def _free_coefficients(self, Z: Blocks) -> tuple[Floats, float]:
        """Return the unique coefficients (..., size), and the squared norm of ``rho(g)``."""
        norm = float(self.metric.sum() * self.block_shape[1])
        return self.correlations(self.metric[:, None, None] * Z) / norm, norm
