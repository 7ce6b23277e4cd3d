"""Stretches of recordings that waveforms start from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import uniform_filter1d

from orbitdl.arrays.blocks import Floats
from orbitdl.domains.time.alpha import GAUSSIAN
from orbitdl.domains.time.chunk import Chunk, Recordings

MOST = 2000
"""Stretches to choose from, of all recordings together."""
LEAST = 8
"""Of each chunk that is looked at."""
SHORT = 8
"""Into how many parts of a span energy is smoothed to find where an event is centred."""
FAR, ENOUGH = 4.0, 8
"""Standard deviations of noise that events stand out by, and how many of them a waveform wants."""
QUIET = 2.0
"""Stretches with more than so many times the energy of white noise are not noise."""

AT_A_TIME = 256
"""Into how many parts the places of a chunk are divided that are looked at one by one."""


@dataclass(frozen=True, eq=False)
class Pool:
    """Stretches to choose from, each centred on its energy, no sample of a recording twice.

    Attributes
    ----------
    strong : ndarray of shape (n, W, channels)
        Those with most energy.
    usual : ndarray of shape (m, W, channels)
        Others, from the strongest to the weakest.
    """

    strong: Floats
    usual: Floats

    @classmethod
    def of(cls, recordings: Recordings) -> Pool:
        """Return stretches of recordings."""
        looked_at = min(len(recordings.sizes), MOST // LEAST)
        each = max(MOST // looked_at, LEAST) // 2
        parts = recordings.of_some(partial(stretches, most=each), looked_at)
        return cls(*(np.concatenate(kind) for kind in zip(*parts, strict=True)))

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and channels of a stretch."""
        return self.strong.shape[1], self.strong.shape[2]

    def to_start_from(self, q: int) -> Floats:
        """Return all, or where most are noise those that stand out."""
        every = np.concatenate([self.strong, self.usual])
        return outstanding(every, self.usual, q) if is_noise(self.usual) else every

    def typical(self, q: int) -> Floats:
        """Return the usual ones, or where these are noise those that stand out."""
        if len(self.usual) == 0 or is_noise(self.usual):
            return self.to_start_from(q)
        return self.usual

    def typical_size(self, q: int) -> float:
        """Return the median norm of typical stretches."""
        norms = np.sqrt(np.sum(self.typical(q) ** 2, axis=(1, 2)))
        return float(np.median(norms)) if len(norms) else 0.0


def is_noise(pool: Floats) -> bool:
    """Return whether most stretches have about the energy of white noise, ``W sum_c sigma_c^2``."""
    if len(pool) == 0:
        return False
    energy = np.median(np.sum(pool**2, axis=(1, 2)))
    rough = np.median(np.abs(np.diff(pool, 2, axis=1)), axis=(0, 1)) * GAUSSIAN / np.sqrt(6.0)
    return bool(energy <= QUIET * pool.shape[1] * np.sum(rough**2))


def outstanding(pool: Floats, noise: Floats, q: int) -> Floats:
    """Return the stretches with far more energy than noise, if they are enough to choose from."""
    energy, usual = (np.sum(part**2, axis=(1, 2)) for part in (pool, noise))
    typical = np.median(usual)
    far = energy > typical + FAR * GAUSSIAN * np.median(np.abs(usual - typical))
    return pool[far] if far.sum() >= ENOUGH * q else pool


def stretches(chunk: Chunk, most: int) -> tuple[Floats, Floats]:
    """Return spans of a chunk: so many with most energy, and so many of the others.

    Shapes (n, W, channels). Spans that reach beyond an end, or into missing samples, are left out;
    where all reach into missing samples, these count as zero.
    """
    (signal, observed), _ = chunk.read(0, 0)
    width, n = chunk.width, len(signal)
    half = width // 2
    whole = np.zeros(n, dtype=bool)
    if n >= width:
        missing = np.concatenate([[0], np.cumsum(~observed)])
        complete = missing[width:] == missing[:-width]
        whole[half : half + n - width + 1] = complete | ~complete.any()
    power = uniform_filter1d(np.sum(signal**2, axis=1), max(width // SHORT, 1))
    found, order = list[int](), np.argsort(-np.where(whole, power, 0.0), kind="stable")
    for some in np.array_split(order, AT_A_TIME):  # most are taken by the time they are looked at
        for place in some[whole[some] & (power[some] > 0.0)].tolist():
            begin = place - half
            if whole[place] and signal[begin : begin + width].any():
                found.append(begin)
                whole[max(place - width + 1, 0) : place + width] = False
    rest = np.array(found[most:], dtype=np.intp)
    others = rest[np.linspace(0, len(rest) - 1, min(most, len(rest))).round().astype(np.intp)]
    return _spans(signal, found[:most], width), _spans(signal, others, width)


def _spans(signal: Floats, first: ArrayLike, width: int) -> Floats:
    """Return the spans of a signal (n, channels) that begin at some samples, (k, W, channels)."""
    places = np.asarray(first, dtype=np.intp)[:, None] + np.arange(width)
    return np.asarray(signal[places])
