"""Windows of a recording that overlap: which of them tells of what."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers

NEAR = 1.0
"""Samples that a cut keeps from every event, if it can: half of what two windows may differ by."""


def taper(length: int) -> Floats:
    """Return how much the samples of a window count: its middle most, its borders least.

    Examples
    --------
    >>> taper(5)
    array([1., 2., 3., 2., 1.])
    """
    weight: Floats = np.minimum(np.arange(1.0, length + 1), np.arange(length, 0.0, -1))
    return weight


def window_starts(n: int, length: int, step: int, samples: int | None = None) -> Integers:
    """Return the samples that windows begin with, (n,): the last ends where the recording does.

    Examples
    --------
    >>> window_starts(3, length=10, step=10, samples=25)
    array([ 0, 10, 15])
    """
    start = np.arange(n, dtype=np.intp) * step
    return start if samples is None else np.minimum(start, max(samples - length, 0))


def listed_once(
    window: Integers,
    position: Floats,
    size: Floats,
    *,
    start: Integers,
    length: int,
    samples: int | None = None,
) -> NDArray[np.bool_]:
    """Tell of every event whether its window is the one that lists it.

    Parameters
    ----------
    window, position, size : ndarray of shape (K,)
        The window that sees an event, the place of the event in the recording, in samples, and how
        strong it is.
    start : ndarray of shape (n_windows,)
    length : int
        Window w holds the samples from ``start[w]`` to ``start[w] + length``.
    samples : int, optional
        Length of the recording; an event beyond its end is not listed.

    Returns
    -------
    ndarray of bool, shape (K,)

    Notes
    -----
    Two neighbours that overlap share the recording at a cut: what lies before it is listed by the
    first of them, what lies after it by the second. They do not place an event at quite the same
    sample, so a cut through an event would list it twice or not at all. A cut therefore lies in
    the middle of the overlap where neither window has an event near it, and otherwise moves to the
    nearest place like that (`quiet_place`).
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
    reach = np.minimum(length - step, step) / 2
    order = np.argsort(window, kind="stable")
    first = np.searchsorted(window[order], np.arange(len(start) + 1))
    for k in np.flatnonzero((reach > 0) & _are_crossed(window, position, cut)):
        own = order[first[k] : first[k + 2]]
        own = own[np.abs(position[own] - cut[k]) < reach[k] + NEAR]
        cut[k] = quiet_place(cut[k], reach[k], position[own], size[own], window[own] == k)
    return cut


def _are_crossed(window: Integers, position: Floats, cut: Floats) -> NDArray[np.bool_]:
    """Tell of every cut k whether window k or k + 1 has an event near it."""
    crossed = np.zeros(len(cut), dtype=bool)
    for number in (window - 1, window):
        inside = (number >= 0) & (number < len(cut))
        number, place = number[inside], position[inside]
        crossed[number[np.abs(place - cut[number]) < NEAR]] = True
    return crossed


def quiet_place(
    seam: float, reach: float, position: Floats, size: Floats, seen_before: NDArray[np.bool_]
) -> float:
    """Return where within reach of a seam the events near a cut are weakest, best of all none.

    Events between the nearest such places on both sides of the seam are all listed by one window:
    by that on whose side their centre lies, or by the other if it alone sees one of them.
    """
    near = min(NEAR, 0.9 * reach)
    clear = 1.01 * near  # so that rounding does not decide whether an event is near
    tried = np.concatenate([[seam], position - clear, position + clear])
    tried = tried[np.abs(tried - seam) <= reach]
    crossed = (np.abs(position - tried[:, None]) < near) @ size
    quiet = tried[crossed <= crossed.min()]
    left, right = (
        quiet[quiet <= seam].max(initial=-np.inf),
        quiet[quiet >= seam].min(initial=np.inf),
    )
    between = (left <= position) & (position < right)
    if np.isinf(left) or np.isinf(right) or not between.any():
        return float(quiet[np.abs(quiet - seam).argmin()])
    weight, before = size[between], seen_before[between]
    centre = np.average(position[between], weights=weight)
    more_before = np.where(before, weight, -weight).sum()  # than the second window sees
    belongs_before = more_before > (-0.5 if centre < seam else 0.5) * weight.max()
    return float(right if belongs_before else left)
