"""What is said about the shape of a generator: its peak, how spiky it is, how alike two are."""

from __future__ import annotations

import numpy as np
from scipy import fft

from orbitdl.encoding.metrics import orbit_distances
from orbitdl.groups import ContinuousShift
from orbitdl.groups.base import Floats

RATE = 360.0
"""Samples per second of the recording."""

NEAR_PEAK = 0.03
"""Seconds on either side of the peak in which a spike has its energy."""


def peak_heights(components: Floats) -> Floats:
    """Return the largest absolute sample of every component, shape (q,)."""
    heights: Floats = np.abs(components).max(axis=1)
    return heights


def interpolated_peak_heights(components: Floats, finer: int = 16) -> Floats:
    """Return the largest absolute value between samples too, by trigonometric interpolation."""
    length = components.shape[1]
    spectrum = fft.rfft(components)
    dense: Floats = np.abs(finer * fft.irfft(spectrum, finer * length)).max(axis=1)
    return dense


def spikiness(components: Floats) -> Floats:
    """Return the share of a component's energy near its peak, shape (q,)."""
    reach = round(NEAR_PEAK * RATE)
    centred = np.array([upright(a) for a in components])
    middle = components.shape[1] // 2
    near = centred[:, middle - reach : middle + reach + 1]
    share: Floats = np.sum(near**2, axis=1) / np.sum(components**2, axis=1)
    return share


def upright(component: Floats) -> Floats:
    """Move the peak to the middle and turn it up."""
    top = int(np.argmax(np.abs(component)))
    return np.asarray(np.roll(component, len(component) // 2 - top) * np.sign(component[top]))


def similarity(A: Floats, B: Floats) -> Floats:
    """Return the correlation at the best continuous shift and sign: (len(A), len(B)).

    For unit norms it is ``1 - distance / 2``.
    """
    result: Floats = 1.0 - orbit_distances(A, B, ContinuousShift()) / 2
    return result


def change(component: Floats, shift: float) -> float:
    """Return ``||a(. - shift) - a||^2``: what a move by some samples does to a component."""
    moved = ContinuousShift().on(component.shape).act(np.array([shift]), component)
    return float(np.sum((moved - component) ** 2))
