"""Data and residual as drawn, computed in one pass, and as text of few bytes."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.atoms import between, later
from orbitdl.domains.time.inputs import PART
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.splines import TAPS
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.groups.base import Floats, Integers
from orbitdl.report.resolution import bin_size, outline

BLOCK = 2**14
"""Rows of a block: an artefact reduces the precision of its own block only."""
MISSING = -32768
"""Code of NaN."""
MAX_CODE = 32760
"""Largest code."""


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


def packed(values: Floats, rounding: list[Callable[..., Any]]) -> list[dict[str, Any]]:
    """Return columns (n, m) as blocks of rows; `rounding` has a function per column.

    A block has `middle` and `scale` of each column, where ``value = middle + scale * code``, and
    the codes column by column.
    """
    return [_block(values[k : k + BLOCK], rounding) for k in range(0, len(values), BLOCK)]


def as_text(values: NDArray[Any], kind: str) -> str:
    """Return an array as base64, with a data type such as "<f4"."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def _block(values: Floats, rounding: list[Callable[..., Any]]) -> dict[str, Any]:
    low, high = (np.nan_to_num(f.reduce(values, axis=0)) for f in (np.fmin, np.fmax))
    middle, half = (low + high) / 2, (high - low) / 2
    scale = np.where(half > 0, half / (MAX_CODE - 1), 1.0)
    parts = (values - middle) / scale
    codes = np.stack([r(column) for r, column in zip(rounding, parts.T, strict=True)])
    codes = np.where(np.isnan(codes), MISSING, np.clip(codes, -MAX_CODE, MAX_CODE))
    return {
        "rows": len(values),
        "middle": middle.tolist(),
        "scale": scale.tolist(),
        "codes": as_text(codes, "<i2"),
    }
