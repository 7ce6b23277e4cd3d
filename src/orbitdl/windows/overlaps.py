"""Overlapping windows of a recording: weights, and assignment of events to windows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers

NEAR = 1.0
"""Minimum distance of a cut from events, in samples, if possible."""


def taper(length: int) -> Floats:
    """Return triangular weights of the samples of a window.

    Examples
    --------
    >>> taper(5)
    array([1., 2., 3., 2., 1.])
    """
    weight: Floats = np.minimum(np.arange(1.0, length + 1), np.arange(length, 0.0, -1))
    return weight


def window_starts(n: int, length: int, step: int, samples: int | None = None) -> Integers:
    """Return the first samples of windows, (n,); the last window ends with the recording.

    Examples
    --------
    >>> window_starts(3, length=10, step=10, samples=25)
    array([ 0, 10, 15])
    """
    start = np.arange(n, dtype=np.intp) * step
    return start if samples is None else np.minimum(start, max(samples - length, 0))


def within_cuts(
    window: Integers,
    position: Floats,
    size: Floats,
    *,
    start: Integers,
    length: int,
    samples: int | None = None,
) -> NDArray[np.bool_]:
    """Return for every event whether it lies between the cuts of its window.

    Parameters
    ----------
    window, position, size : ndarray of shape (K,)
        Index of the window, position of the event in the recording in samples, and absolute
        coefficient.
    start : ndarray of shape (n_windows,)
    length : int
        Window w holds the samples ``[start[w], start[w] + length)``.
    samples : int, optional
        Length of the recording; events beyond its end are not listed.

    Returns
    -------
    ndarray of bool, shape (K,)

    Notes
    -----
    Two overlapping neighbours divide the recording at a cut: the first lists events before it, the
    second those after it. Their positions of an event differ slightly, so a cut at an event would
    list it twice or not at all. A cut therefore lies in the middle of the overlap if neither window
    has an event near it, and otherwise at the nearest such position (`quiet_position`).
    """
    listed = np.ones(len(window), dtype=bool)
    if samples is not None:
        listed = position < samples
    cut = np.concatenate([[-np.inf], cuts(window, position, size, start, length), [np.inf]])
    return np.asarray(listed & (cut[window] <= position) & (position < cut[window + 1]))


def cuts(window: Integers, position: Floats, size: Floats, start: Integers, length: int) -> Floats:
    """Return the cuts between neighbouring windows, shape (n_windows - 1,)."""
    step = np.diff(start)
    cut: Floats = start[:-1] + (length + step) / 2
    radius = np.minimum(length - step, step) / 2
    order = np.argsort(window, kind="stable")
    first = np.searchsorted(window[order], np.arange(len(start) + 1))
    for k in np.flatnonzero((radius > 0) & _are_crossed(window, position, cut)):
        own = order[first[k] : first[k + 2]]
        own = own[np.abs(position[own] - cut[k]) < radius[k] + NEAR]
        cut[k] = quiet_position(cut[k], radius[k], position[own], size[own], window[own] == k)
    return cut


def _are_crossed(window: Integers, position: Floats, cut: Floats) -> NDArray[np.bool_]:
    """Return for every cut k whether window k or k + 1 has an event near it."""
    crossed = np.zeros(len(cut), dtype=bool)
    for number in (window - 1, window):
        inside = (number >= 0) & (number < len(cut))
        number, here = number[inside], position[inside]
        crossed[number[np.abs(here - cut[number]) < NEAR]] = True
    return crossed


def quiet_position(
    seam: float, radius: float, position: Floats, size: Floats, in_first: NDArray[np.bool_]
) -> float:
    """Return a cut within a radius of a seam with the weakest events near it, ideally none.

    Events between the nearest such positions on both sides of the seam are all listed by one
    window: the one on whose side their centre lies, or the other if it detects more of them.
    """
    near = min(NEAR, 0.9 * radius)
    clear = 1.01 * near  # a margin for rounding errors
    tried = np.concatenate([[seam], position - clear, position + clear])
    tried = tried[np.abs(tried - seam) <= radius]
    crossed = (np.abs(position - tried[:, None]) < near) @ size
    quiet = tried[crossed <= crossed.min()]
    left, right = (
        quiet[quiet <= seam].max(initial=-np.inf),
        quiet[quiet >= seam].min(initial=np.inf),
    )
    between = (left <= position) & (position < right)
    if np.isinf(left) or np.isinf(right) or not between.any():
        return float(quiet[np.abs(quiet - seam).argmin()])
    weight, before = size[between], in_first[between]
    centre = np.average(position[between], weights=weight)
    more_before = np.where(before, weight, -weight).sum()  # first window minus second
    belongs_before = more_before > (-0.5 if centre < seam else 0.5) * weight.max()
    return float(right if belongs_before else left)
