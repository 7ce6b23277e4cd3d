"""What groups that list their elements share: all follows from correlations with each of them."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers, correlate
from orbitdl.groups.base import Combination, Representation

ORTHOGONAL = 1e-9
"""Inner products of unit vectors up to this are rounding."""
NOTHING = 1e-13
"""Coefficients up to this fraction of the largest are rounding."""


class Entries(NamedTuple):
    """Every entry of a data point, in the order of the flat array, as one of a few that is moved.

    Attributes
    ----------
    first : ndarray of shape (p,)
        The few.
    source : ndarray of shape (entries,)
        Which one of them is moved to the entry, as a unit vector.
    number : ndarray of shape (entries,)
        By the element of which number.
    """

    first: Integers
    source: Integers
    number: Integers


def translated_entries(shape: tuple[int, ...], places: int, step: int = 1) -> Entries:
    """Return entries of shape (places, channels): whole translations move the first place to all.

    Every `step`-th element is such a translation.
    """
    channels = int(np.prod(shape)) // places
    place, channel = np.divmod(np.arange(places * channels), channels)
    return Entries(np.arange(channels), channel, step * place)


class ListedRepresentation(Representation):
    """Action of a group that can be listed: elements from 0 to size - 1, the identity first.

    Attributes
    ----------
    size : int
        Number of elements.
    cycles : tuple of int
        Sizes of the cyclic groups whose product this is, in the order of elements: the last one
        runs fastest. Empty where it is not known to be one: then there is a table of quotients.
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
        """Return the number of each element, parameters (..., p) to (...)."""

    def entries(self) -> Entries:
        """Say which entries are moved to which ones; here, each is left where it is."""
        every = np.arange(int(np.prod(self.shape)))
        return Entries(every, every, np.zeros_like(every))

    @cached_property
    def quotient(self) -> Integers:
        """Index of ``g^-1 h`` for the elements numbered g and h, shape (size, size)."""
        everything = self.elements
        left = (np.broadcast_to(g, everything.shape) for g in self.inverse(everything))
        return np.stack([self.index(self.compose(g, everything)) for g in left])

    def divide(self, g: Integers, h: Integers) -> Integers:
        """Return the numbers of ``g^-1 h`` for the elements numbered g and h."""
        if not self.cycles:
            return self.quotient[g, h]
        places = (np.unravel_index(number, self.cycles) for number in (g, h))
        away = [there - here for here, there in zip(*places, strict=True)]
        return np.asarray(np.ravel_multi_index(tuple(away), self.cycles, mode="wrap"))

    @cached_property
    def is_free(self) -> bool:
        """Whether the matrices ``rho(g)`` are orthogonal in the metric, so that codes are unique.

        Then ``Z = sum_g c_g rho(g)`` has exactly one solution, the gauge is ``sum |c_g|`` and the
        prox is a soft threshold on c. Since ``<rho(g), rho(h)> = <I, rho(g^-1 h)>``, it is enough
        that the identity is orthogonal to all others.
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

    def cover(self) -> Floats:
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
    def knows_gauge(self) -> bool:
        return self.is_free

    def decompose(self, Z: Blocks) -> Combination:
        if not self.is_free:
            return super().decompose(Z)
        c = self._free_coefficients(Z)[0]
        size = np.abs(c)
        row, number = np.nonzero(size > NOTHING * size.max(axis=-1, keepdims=True))
        return Combination(row, c[row, number], self.elements[number])

    def _free_coefficients(self, Z: Blocks) -> tuple[Floats, float]:
        """Return the unique coefficients (..., size), and the squared norm of an element."""
        norm = float(self.metric.sum() * self.block_shape[1])
        return self.correlations(self.metric[:, None, None] * Z) / norm, norm
