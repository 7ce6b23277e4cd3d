"""The signal of the strip: data and what is left of them, read once, part by part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from orbitdl.domains.time.atoms import LineAtoms
from orbitdl.domains.time.inputs import PART
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.splines import TAPS
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.groups.base import Floats, Integers
from orbitdl.report.recording.packing import packed
from orbitdl.report.recording.resolution import bin_size, outline


@dataclass(frozen=True, eq=False)
class Strip:
    """What is drawn of a recording.

    Attributes
    ----------
    size : int
        Samples of an outline bin; 1: every sample is in `detail`.
    outline : ndarray of shape (bins, 4 channels)
        Least data and residual, then greatest data and residual; no bins where `size` is 1.
    detail : list of (int, ndarray of shape (n, 2 channels))
        Where stretches begin, and data and residual there, sample by sample.
    explained : float
        Part of the energy that is explained, of what is there, without its trend.
    """

    size: int
    outline: Floats
    detail: list[tuple[int, Floats]]
    explained: float

    def as_json(self) -> dict[str, Any]:
        """Return both as text; outlines are rounded outwards."""
        m = self.outline.shape[1] // 2
        bins = packed(self.outline, [np.floor] * m + [np.ceil] * m)
        stretches = [
            {"first": first, "blocks": packed(values, [np.rint] * m)}
            for first, values in self.detail
        ]
        return {"size": self.size, "outline": bins, "detail": stretches}


@dataclass(frozen=True, eq=False)
class Explained:
    """A recording, and the atoms that explain it, refitted.

    Attributes
    ----------
    signal : Signal
        Its trend is what is taken off before anything is explained.
    waveforms : Waveforms
    atoms : LineAtoms
        In the order of time.
    """

    signal: Signal
    waveforms: Waveforms
    atoms: LineAtoms

    def strip(self, stretches: Integers) -> Strip:
        """Return the outline of all, and these stretches (m, 2) sample by sample."""
        size = bin_size(len(self.signal), self.signal.channels)
        bins = [np.zeros((0, 4 * self.signal.channels))]
        kept: list[list[Floats]] = [[] for _ in stretches]
        energy = np.zeros(2)
        for first in range(0, len(self.signal), PART):
            x, left, both = self._read(first, min(first + PART, len(self.signal)))
            energy += np.sum(x**2), np.nansum(left**2)
            if size > 1:
                bins.append(outline(both, size))
            for k in np.flatnonzero((stretches[:, 0] < first + PART) & (stretches[:, 1] > first)):
                begin, end = np.clip(stretches[k] - first, 0, len(both))
                kept[k].append(both[begin:end])
        begins = map(int, stretches[:, 0])
        detail = [(b, np.concatenate(own)) for b, own in zip(begins, kept, strict=True)]
        share = max(0.0, 1.0 - energy[1] / energy[0]) if energy[0] > 0 else 0.0
        return Strip(size, np.concatenate(bins), detail, float(share))

    def _read(self, first: int, last: int) -> tuple[Floats, Floats, Floats]:
        """Return what is to be explained, what is left, and data beside that, of some samples.

        What is left is NaN where a channel is missing.
        """
        x, observed = self.signal.read(first, last)
        reach = self.waveforms.length + TAPS
        near = self.atoms.between(first - reach, last + TAPS).later(-first)
        atoms = near.component, near.time, near.coefficient
        left = np.where(observed[:, None], x - self.waveforms.add_up(last - first, *atoms), np.nan)
        return x, left, np.hstack([self.signal.raw(first, last), left])
