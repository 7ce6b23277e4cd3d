"""A recording that is read a part at a time, wherever it is, with or without what is slow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats
from orbitdl.coding.parallel import chunks_of, in_threads
from orbitdl.discovery.background import Background
from orbitdl.domains.time.penalty import PenaltyField
from orbitdl.domains.time.splines import weights_at

Part = tuple[Floats, NDArray[np.bool_]]
REACH = 2
"""Blocks on either side that count for the trend of one."""
SMALL = 2**24
"""Values of a recording in memory that is freed from its trend once and for all."""
AT_A_TIME = 2**16
"""Samples that are freed from their trend together: what that takes stays in the cache."""


def name_of(number: int | None) -> str:
    """Return what a recording is called in messages: the only one, or one of several."""
    return "the recording" if number is None else f"recording {number}"


@dataclass(frozen=True, eq=False)
class Signal:
    """Anything of shape (T,) or (T, channels) that can be sliced; NaN means missing.

    Attributes
    ----------
    values : array-like
        An array in memory or on disk. Only slices of it are ever taken.
    span : int
        Samples of the blocks whose medians make up the trend that is subtracted; 0: nothing is.
    sfreq : float or None
        Sampling rate in Hz, where it is known.
    first_sample : int
        Samples before `values` in the recording that it is an excerpt of.
    noise : Background or None
        The noise model whose filter whitens what is read, once it is free of its trend.
    penalty : PenaltyField or None
        Weights of the penalty, relative to alpha, where it depends on position and component;
        positions count from the first of `values`. None: the penalty is alpha everywhere.
    number : int or None
        Of one of several recordings, from 0.
    """

    values: Any
    span: int = 0
    sfreq: float | None = None
    first_sample: int = 0
    noise: Background | None = None
    penalty: PenaltyField | None = None
    number: int | None = None

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return name_of(self.number)

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def channels(self) -> int:
        """How many there are."""
        return 1 if len(self.values.shape) == 1 else int(self.values.shape[1])

    def raw(self, first: int, last: int) -> Floats:
        """Return the samples from `first` up to `last` as they are, (n, channels)."""
        wanted = self.values[max(first, 0) : min(last, len(self))]
        part = np.asarray(wanted, dtype=np.float64, order="C")  # as kernels take it
        return part.reshape(len(part), -1)

    def read(self, first: int, last: int) -> Part:
        """Return samples (n, channels), zero where one is missing, and which are there (n,).

        A sample is missing where one of its channels is; of a whitened recording also where its
        filter reaches one that is.
        """
        first, last = max(first, 0), min(last, len(self))
        if self.noise is None:
            return self._unfiltered(first, last)
        begin = max(first - self.noise.order, 0)
        y, known = self.noise.filtered(*self._unfiltered(begin, last))
        return y[first - begin :], known[first - begin :]

    def _unfiltered(self, first: int, last: int) -> Part:
        """Return samples free of their trend."""
        part = self.raw(first, last)
        observed = complete_samples(part)
        if self.span > 0:
            part = part - self._joined(first, last)[0]
        return np.where(observed[:, None], part, 0.0), observed

    def trend(self, first: int, last: int) -> Floats:
        """Return what is taken off the samples from `first` up to `last`, (n, channels).

        The medians m_b of what was observed in blocks of `span` samples, w_b of them, joined by
        cubic B-splines: ``sum_b w_b m_b B(t / span - b) / sum_b w_b B(t / span - b)``. Waveforms
        that fill less than half of the time leave it alone. Straight lines bridge long gaps.
        """
        first, last = max(first, 0), min(last, len(self))
        if self.span == 0 or first >= last:
            return np.zeros((max(last - first, 0), self.channels))
        begin, end = first, last
        while True:  # in a gap, look twice as far for what is known on either side
            trend, known = self._joined(begin, end)
            before, after = (
                begin > 0 and not known[0].all(),
                end < len(self) and not known[-1].all(),
            )
            if not (before or after):
                return bridged(trend, known)[first - begin : last - begin]
            reach = end - begin
            begin, end = max(begin - before * reach, 0), min(end + after * reach, len(self))

    def _joined(self, first: int, last: int) -> tuple[Floats, NDArray[np.bool_]]:
        """Return medians joined by splines, zero where none is near, and where one is."""
        begin, end = first // self.span, -(-last // self.span)
        median, weight = self._medians(begin - REACH, end + REACH)
        shares = shares_of(self.span)  # of the blocks around one, within it
        above, below = (
            sliding_window_view(known, len(shares), axis=0) @ shares
            for known in (weight * median, weight)
        )  # (blocks, channels, span)
        known = np.broadcast_to(below > 0, above.shape)
        np.divide(above, below, out=above, where=known)
        start = first - begin * self.span
        own = slice(start, start + last - first)
        trend = above.swapaxes(1, 2).reshape(-1, self.channels)[own]
        return trend, known.swapaxes(1, 2).reshape(-1, self.channels)[own]

    def _medians(self, begin: int, end: int) -> tuple[Floats, Floats]:
        """Return the medians of blocks (n, channels), and how many of their samples are known."""
        first, span = max(begin, 0) * self.span, self.span
        part = self.raw(first, end * span)
        before, after = first - begin * span, end * span - first - len(part)
        part = np.pad(part, [(before, after), (0, 0)], constant_values=np.nan)
        part[~complete_samples(part)] = np.nan
        blocks = np.ascontiguousarray(part.reshape(end - begin, span, -1).transpose(0, 2, 1))
        blocks.sort(axis=2)  # NaN comes last
        count = np.sum(~np.isnan(blocks[:, :1]), axis=2)
        middle = np.stack([np.maximum(count - 1, 0) // 2, count // 2], axis=2)
        pair = np.take_along_axis(blocks, np.minimum(middle, span - 1), axis=2)
        return np.where(count > 0, pair.mean(axis=2), 0.0), count.astype(np.float64)

    def without_trend(self, n_jobs: int | None = None) -> Signal:
        """Return the same recording free of its trend, and whitened: at once if it is small."""
        if not isinstance(self.values, np.ndarray) or isinstance(self.values, np.memmap):
            return self
        if (self.span == 0 and self.noise is None) or self.values.size > SMALL:
            return self
        free = np.empty((len(self), self.channels))

        def fill(part: slice) -> None:
            x, observed = self.read(part.start, part.stop)
            free[part] = np.where(observed[:, None], x, np.nan)

        in_threads(fill, chunks_of(len(self), AT_A_TIME), n_jobs)
        return replace(self, values=free, span=0, noise=None)


def complete_samples(values: Floats) -> NDArray[np.bool_]:
    """Return which samples (n, channels) have all their channels."""
    missing = np.isnan(values).T.copy()  # reducing many short rows is slow, a few long ones quick
    return np.asarray(~np.logical_or.reduce(missing))


def bridged(values: Floats, known: NDArray[np.bool_]) -> Floats:
    """Return values (n, channels), on straight lines between known ones where they are not."""
    if known.all():
        return values
    place, result = np.arange(len(values)), values.copy()
    for column, there in zip(result.T, known.T, strict=True):
        if there.any():
            column[~there] = np.interp(place[~there], place[there], column[there])
    return result


def long_gaps(missing: NDArray[np.bool_], least: int) -> NDArray[np.bool_]:
    """Return which samples (n,) lie in gaps of at least so many samples.

    Examples
    --------
    >>> long_gaps(np.array([True, False, True, True, False]), 2)
    array([False, False,  True,  True, False])
    """
    edges = np.flatnonzero(np.diff(missing, prepend=False, append=False)).reshape(-1, 2)
    result = np.zeros(len(missing), dtype=bool)
    for begin, end in edges[edges[:, 1] - edges[:, 0] >= least]:
        result[begin:end] = True
    return result


@lru_cache(maxsize=16)
def shares_of(span: int) -> Floats:
    """Return what blocks from two before to two after count for within a block, (5, span).

    The cubic B-splines that belong to them, which are centred in their blocks.
    """
    place = (np.arange(span) + 0.5) / span - 0.5
    whole = np.floor(place).astype(np.intp)
    shares = np.zeros((2 * REACH + 1, span))
    for i, taps in enumerate(weights_at(place - whole).T):
        shares[whole + i - 1 + REACH, np.arange(span)] = taps
    return shares
