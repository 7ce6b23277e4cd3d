"""The times by which signals of vectors may be shifted, on a grid: what a `Product` asks of them.

With correlations C (n, F, d, d), ``X(tau) = Re sum_f C_f exp(2 pi i f tau / N)`` is a matrix for
every shift tau, and ``max_h |<C, rho(tau, h)>|`` is the fibre's polar at X(tau): a function of
time alone, whose largest value and peaks are looked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.maxima.grids import grid_peaks, on_grid
from orbitdl.groups.vectors.matrix_group import Fibre


class Places(NamedTuple):
    """Places in time of some rows of C.

    Attributes
    ----------
    row : ndarray of shape (K,)
    shift : ndarray of shape (K,)
    X : ndarray of shape (K, d, d)
        The matrices ``X(tau)`` there.
    """

    row: Integers
    shift: Floats
    X: Floats


class Times(ABC):
    """Shifts of signals of N samples.

    Attributes
    ----------
    length : int
        N: a whole turn.
    size : int
        Points of the finest grid of times that is used.
    keep_nyquist : bool
        Whether the alternating signal, which an even length has, can be moved.
    dimension : int
        1 if shifts have neighbours, else 0.
    moves : str
        How far signals may be shifted, in words.
    decimals : int
        Decimal places of a shift in words.
    step : float
        Of the grid of shifts, in samples; 0: there is none.
    """

    length: int
    size: int
    keep_nyquist: bool
    dimension: int
    moves: str
    decimals: int
    step: float

    @abstractmethod
    def spread(self, most: int) -> Floats:
        """Return shifts spread over all of them, at most so many."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw n shifts, all equally likely."""

    @abstractmethod
    def best(self, fibre: Fibre, C: Blocks) -> Places:
        """Return where the polar at X(tau) is largest, one place per row."""

    @abstractmethod
    def bound(self, fibre: Fibre, C: Blocks, eps: float) -> Floats:
        """Return the largest polar over all shifts and q, (n, q, F, d, d) to (n,).

        Never less, and more by a factor of at most 1 + eps.
        """

    @abstractmethod
    def peaks(self, fibre: Fibre, C: Blocks, level: float) -> Places:
        """Return the peaks of the polar that reach a level, or nearly so."""

    @abstractmethod
    def highest(self, C: Blocks) -> Floats:
        """Return the shifts (n,) where ``sum_c x_c(tau)^2`` is largest, of interpolants (n, c, F).

        They are such that ``x_c(tau) = Re sum_f C_cf exp(2 pi i f tau / N)``.
        """


class TimesOnGrid(Times):
    """Shifts by k / K samples, k = 0 .. K N - 1: all are looked at."""

    dimension = 0

    def __init__(self, length: int, subdivisions: int, moves: str, decimals: int) -> None:
        self.length, self.size, self.step = length, length * subdivisions, 1 / subdivisions
        self.keep_nyquist = subdivisions == 1
        self.moves, self.decimals = moves, decimals

    def spread(self, most: int) -> Floats:
        return self._shift(np.unique(np.linspace(0, self.size - 1, most).astype(np.intp)))

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return self._shift(rng.integers(self.size, size=n))

    def best(self, fibre: Fibre, C: Blocks) -> Places:
        X = on_grid(C, self.size, axis=-3)
        return self._places(X, np.arange(len(C)), high_values(fibre, X).argmax(axis=1))

    def bound(self, fibre: Fibre, C: Blocks, eps: float) -> Floats:
        heights = high_values(fibre, on_grid(C, self.size, axis=-3))
        return np.asarray(heights.max(axis=(1, 2)))

    def peaks(self, fibre: Fibre, C: Blocks, level: float) -> Places:
        X = on_grid(C, self.size, axis=-3)
        return self._places(X, *grid_peaks(values_above(fibre, X, level), level))

    def highest(self, C: Blocks) -> Floats:
        return self._shift(np.sum(on_grid(C, self.size) ** 2, axis=1).argmax(axis=1))

    def _places(self, X: Floats, row: Integers, k: Integers) -> Places:
        return Places(row, self._shift(k), X[row, k])

    def _shift(self, k: Integers) -> Floats:
        return np.asarray(k * self.step, dtype=np.float64)


def joined(*parts: Places) -> Places:
    """Return all places, in the order of rows."""
    row, shift, X = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(row, kind="stable")
    return Places(row[order], shift[order], X[order])


def high_values(fibre: Fibre, X: Floats, share: float = 1.0) -> Floats:
    """Return polars of matrices (n, ..., d, d) that are at least a share of the largest of n.

    Of the others, an upper bound.
    """
    bound = fibre.bound(X).reshape(len(X), -1)
    likely = bound.argmax(axis=1)
    reached = fibre.polar(X.reshape(*bound.shape, *X.shape[-2:])[np.arange(len(X)), likely])
    return _evaluate(fibre, X, bound, share * reached[:, None]).reshape(X.shape[:-2])


def values_above(fibre: Fibre, X: Floats, level: float) -> Floats:
    """Return polars of matrices (..., d, d) that are at least a level; of others, a bound."""
    bound = fibre.bound(X)
    return _evaluate(fibre, X, bound, np.asarray(level))


def _evaluate(fibre: Fibre, X: Floats, bound: Floats, least: Floats) -> Floats:
    """Put polars in place of the bounds that are at least so large."""
    chosen = bound >= least
    bound[chosen] = fibre.polar(X.reshape(*bound.shape, *X.shape[-2:])[chosen])
    return bound
