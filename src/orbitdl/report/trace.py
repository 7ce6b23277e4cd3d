"""Data and residual as drawn, computed in one pass over the recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.atoms import between, later
from orbitdl.domains.time.inputs import PART
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.splines import TAPS
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.groups.base import Floats, Integers
from orbitdl.report.packing import packed
from orbitdl.report.resolution import bin_size, outline


@dataclass(frozen=True, eq=False)
class Trace:
    """Outline and samples of a recording, as drawn.

    Attributes
    ----------
    size : int
        Samples of an outline bin; 1: every sample is in `detail`.
    outline : ndarray of shape (bins, 4 channels)
        Minima of data and residual, then maxima of both; no bins if `size` is 1.
    detail : list of (int, ndarray of shape (n, 2 channels))
        Begin, data and residual of each segment at full resolution.
    explained : float
        Explained fraction of the energy of the observed samples without trend.
    """

    size: int
    outline: Floats
    detail: list[tuple[int, Floats]]
    explained: float

    def as_json(self) -> dict[str, Any]:
        """Return outline and segments as text; outlines are rounded outwards."""
        m = self.outline.shape[1] // 2
        bins = packed(self.outline, [np.floor] * m + [np.ceil] * m)
        segments = [
            {"first": first, "blocks": packed(values, [np.rint] * m)}
            for first, values in self.detail
        ]
        return {"size": self.size, "outline": bins, "detail": segments}


def trace_of(signal: Signal, waveforms: Waveforms, atoms: Atoms, segments: Integers) -> Trace:
    """Return the outline of a recording, and segments (m, 2) of it at full resolution.

    Its trend is subtracted before the atoms, sorted by time, are.
    """
    size = bin_size(len(signal), signal.channels)
    bins = [np.zeros((0, 4 * signal.channels))]
    samples: list[list[Floats]] = [[] for _ in segments]
    energy = np.zeros(2)
    for first in range(0, len(signal), PART):
        x, residual = _read(signal, waveforms, atoms, first, min(first + PART, len(signal)))
        both = np.hstack([signal.raw(first, first + len(x)), residual])
        energy += np.sum(x**2), np.nansum(residual**2)
        if size > 1:
            bins.append(outline(both, size))
        for k in np.flatnonzero((segments[:, 0] < first + PART) & (segments[:, 1] > first)):
            begin, end = np.clip(segments[k] - first, 0, len(both))
            samples[k].append(both[begin:end])
    begins = map(int, segments[:, 0])
    detail = [(b, np.concatenate(own)) for b, own in zip(begins, samples, strict=True)]
    share = max(0.0, 1.0 - energy[1] / energy[0]) if energy[0] > 0 else 0.0
    return Trace(size, np.concatenate(bins), detail, float(share))


def _read(
    signal: Signal, waveforms: Waveforms, atoms: Atoms, first: int, last: int
) -> tuple[Floats, Floats]:
    """Return samples without trend, and their residual, which is NaN where a channel is missing."""
    x, observed = signal.read(first, last)
    near = later(between(atoms, first - waveforms.length - TAPS, last + TAPS), -first)
    fit = waveforms.add_up(last - first, near.component, near.time, near.coefficient)
    return x, np.where(observed[:, None], x - fit, np.nan)
