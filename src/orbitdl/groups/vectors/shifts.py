"""Shifts as the first factor of a `Product`, and their grids.

With correlations C (n, F, d, d), ``X(tau) = Re sum_f C_f exp(2 pi i f tau / N)`` is a matrix for
every shift tau, and ``max_h |<C, rho(tau, h)>|`` is the polar of the matrix group at X(tau): a
function of the shift alone, of which maximum and peaks are computed.

Neighbouring atoms merge to one event, by single-linkage clustering in time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.maxima.grids import grid_peaks, on_grid
from orbitdl.groups.vectors.matrix_group import MatrixGroup


class ShiftPeaks(NamedTuple):
    """Shifts at maxima of rows of C.

    Attributes
    ----------
    row : ndarray of shape (K,)
    shift : ndarray of shape (K,)
    X : ndarray of shape (K, d, d)
        The matrices ``X(tau)``.
    """

    row: Integers
    shift: Floats
    X: Floats


class Shifts(ABC):
    """Shifts of signals of N samples.

    Attributes
    ----------
    length : int
        The period N.
    size : int
        Points of the finest grid.
    keep_nyquist : bool
        Whether the Nyquist frequency of an even length can be shifted.
    dimension : int
        1 for continuous shifts, 0 on a grid.
    description : str
        Admissible shifts, such as "by integer samples".
    decimals : int
        Decimal places of a shift in labels.
    step : float
        Step of the grid of shifts, in samples; 0: continuous.
    """

    length: int
    size: int
    keep_nyquist: bool
    dimension: int
    description: str
    decimals: int
    step: float

    @abstractmethod
    def spread(self, most: int) -> Floats:
        """Return at most `most` equally spaced shifts."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw n shifts from the uniform distribution."""

    @abstractmethod
    def best(self, matrix_group: MatrixGroup, C: Blocks) -> ShiftPeaks:
        """Return the shift that maximises the polar at X(tau), one per row."""

    @abstractmethod
    def bound(self, matrix_group: MatrixGroup, C: Blocks, eps: float) -> Floats:
        """Return an upper bound of the polar over all shifts and q, (n, q, F, d, d) to (n,).

        It exceeds the maximum by a factor of at most 1 + eps.
        """

    @abstractmethod
    def peaks(self, matrix_group: MatrixGroup, C: Blocks, threshold: float) -> ShiftPeaks:
        """Return the peaks of the polar above about a threshold."""

    @abstractmethod
    def highest(self, C: Blocks) -> Floats:
        """Return the shifts (n,) that maximise ``sum_c x_c(tau)^2``, for interpolants C (n, c, F).

        These are ``x_c(tau) = Re sum_f C_cf exp(2 pi i f tau / N)``.
        """


class GridShifts(Shifts):
    """Shifts by k / K samples, k = 0 .. K N - 1, by exhaustive search."""

    dimension = 0

    def __init__(self, length: int, subdivisions: int, description: str, decimals: int) -> None:
        self.length, self.size, self.step = length, length * subdivisions, 1 / subdivisions
        self.keep_nyquist = subdivisions == 1
        self.description, self.decimals = description, decimals

    def spread(self, most: int) -> Floats:
        return self._shift(np.unique(np.linspace(0, self.size - 1, most).astype(np.intp)))

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return self._shift(rng.integers(self.size, size=n))

    def best(self, matrix_group: MatrixGroup, C: Blocks) -> ShiftPeaks:
        X = on_grid(C, self.size, axis=-3)
        return self._peaks_at(X, np.arange(len(C)), high_values(matrix_group, X).argmax(axis=1))

    def bound(self, matrix_group: MatrixGroup, C: Blocks, eps: float) -> Floats:
        heights = high_values(matrix_group, on_grid(C, self.size, axis=-3))
        return np.asarray(heights.max(axis=(1, 2)))

    def peaks(self, matrix_group: MatrixGroup, C: Blocks, threshold: float) -> ShiftPeaks:
        X = on_grid(C, self.size, axis=-3)
        return self._peaks_at(X, *grid_peaks(values_above(matrix_group, X, threshold), threshold))

    def highest(self, C: Blocks) -> Floats:
        return self._shift(np.sum(on_grid(C, self.size) ** 2, axis=1).argmax(axis=1))

    def _peaks_at(self, X: Floats, row: Integers, k: Integers) -> ShiftPeaks:
        return ShiftPeaks(row, self._shift(k), X[row, k])

    def _shift(self, k: Integers) -> Floats:
        return np.asarray(k * self.step, dtype=np.float64)


def concatenate_peaks(*parts: ShiftPeaks) -> ShiftPeaks:
    """Concatenate peaks, sorted by row."""
    row, shift, X = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(row, kind="stable")
    return ShiftPeaks(row[order], shift[order], X[order])


def high_values(matrix_group: MatrixGroup, X: Floats, share: float = 1.0) -> Floats:
    """Return the polars of matrices (n, ..., d, d) that exceed a share of the maximum of their row.

    For the others, an upper bound below it.
    """
    bound = matrix_group.bound(X).reshape(len(X), -1)
    likely = bound.argmax(axis=1)
    attained = matrix_group.polar(X.reshape(*bound.shape, *X.shape[-2:])[np.arange(len(X)), likely])
    return _evaluate(matrix_group, X, bound, share * attained[:, None]).reshape(X.shape[:-2])


def values_above(matrix_group: MatrixGroup, X: Floats, threshold: float) -> Floats:
    """Return the polars of matrices (..., d, d) above a threshold; upper bounds of the others."""
    bound = matrix_group.bound(X)
    return _evaluate(matrix_group, X, bound, np.asarray(threshold))


def _evaluate(matrix_group: MatrixGroup, X: Floats, bound: Floats, least: Floats) -> Floats:
    """Replace bounds of at least `least` by the polars."""
    chosen = bound >= least
    bound[chosen] = matrix_group.polar(X.reshape(*bound.shape, *X.shape[-2:])[chosen])
    return bound


class MergedEvents(NamedTuple):
    """E events of K atoms.

    Attributes
    ----------
    event : ndarray of shape (K,)
        Event of each atom.
    main : ndarray of shape (E,)
        Largest atom of each event.
    total : ndarray of shape (E,)
        ``sum |c|`` of its atoms.
    time : ndarray of shape (E,)
        Their mean time, weighted by ``|c|``.
    """

    event: Integers
    main: Integers
    total: Floats
    time: Floats


def merge_atoms(
    row: Integers, c: Floats, time: Floats, period: float, within: float
) -> MergedEvents:
    """Merge atoms of the same row linked by a chain of distances of at most `within`.

    Time is periodic; events are sorted by row, then by time.
    """
    event, size = _linked(row, time, period, within), np.abs(c)
    order = np.lexsort((-size, event))
    main = order[np.unique(event[order], return_index=True)[1]]
    total: Floats = np.bincount(event, size, len(main)).astype(np.float64, copy=False)
    apart = time - time[main][event]
    apart -= period * np.round(apart / period)
    mean = time[main] + np.bincount(event, size * apart, len(main)) / total
    return MergedEvents(event, main, total, np.mod(mean, period))


def _linked(row: Integers, time: Floats, period: float, within: float) -> Integers:
    """Return the event of each atom (K,); a gap in time or a new row separates events."""
    order = np.lexsort((time, row))
    own, when = row[order], time[order]
    new_row = np.diff(own, prepend=-1) != 0
    number = np.cumsum(new_row | (np.diff(when, prepend=-np.inf) > within)) - 1
    first = np.flatnonzero(new_row)
    last = np.append(first, len(own))[1:] - 1
    # the last event of a period may continue in the first one
    round_about = when[first] + period - when[last] <= within
    number = _renamed(number, number[last][round_about], number[first][round_about])
    event = np.empty_like(number)
    event[order] = number
    return event


def _renamed(number: Integers, old: Integers, new: Integers) -> Integers:
    """Replace old numbers by new ones, and renumber without gaps."""
    name = np.arange(number.max(initial=-1) + 1)
    name[old] = new
    return np.asarray(np.unique(name[number], return_inverse=True)[1])
