"""Removal of duplicate events in adjacent or overlapping windows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers
from orbitdl.windows.overlaps import within_cuts


@dataclass(frozen=True, eq=False)
class WindowEvents:
    """Events of windows.

    Attributes
    ----------
    window, component : ndarray of shape (K,)
        Indices of the window and of the component.
    position, coefficient : ndarray of shape (K,)
        Position in the recording, in samples, and coefficient.
    """

    window: Integers
    component: Integers
    position: Floats
    coefficient: Floats


def deduplicated(
    events: WindowEvents,
    components: Floats,
    *,
    start: Integers,
    length: int,
    samples: int | None = None,
    in_time: bool = True,
) -> NDArray[np.bool_]:
    """Return for every event whether it is listed.

    Parameters
    ----------
    events : WindowEvents
    components : ndarray of shape (q, d, ...)
    start, length, samples
        As in `within_cuts`.
    in_time : bool
        Whether components are shifted in time, so that an event may lie across a border.

    Returns
    -------
    ndarray of bool, shape (K,)

    Notes
    -----
    Neighbours divide the recording at a cut (`within_cuts`). An event across the border of adjacent
    windows is detected in both: of events of one component and sign in two windows, closer than the
    resolution of the component (`resolutions`), the stronger is listed.
    """
    size = np.abs(events.coefficient)
    is_listed = within_cuts(
        events.window, events.position, size, start=start, length=length, samples=samples
    )
    if not in_time:
        return is_listed
    width = resolutions(components)
    for j in range(len(components)):
        for is_negative in (False, True):
            alike = (events.component == j) & ((events.coefficient < 0) == is_negative)
            own = np.flatnonzero(is_listed & alike)
            own = own[np.argsort(events.position[own], kind="stable")]
            is_listed[own] = strongest(
                events.window[own], events.position[own], size[own], width[j]
            )
    return is_listed


def strongest(window: Integers, position: Floats, size: Floats, width: float) -> NDArray[np.bool_]:
    """Return a mask of sorted events (K,) without the weaker one of each pair of neighbours.

    Neighbours are closer than `width`, and of different windows.

    Examples
    --------
    >>> position, size = np.array([9.0, 11.0, 30.0]), np.array([1.0, 3.0, 1.0])
    >>> strongest(np.array([0, 1, 2]), position, size, width=5.0)
    array([False,  True,  True])
    """
    left = np.arange(len(window))
    while True:
        near = (np.diff(position[left]) < width) & (np.diff(window[left]) != 0)
        pairs = np.flatnonzero(near)
        if not len(pairs):
            return np.isin(np.arange(len(window)), left)
        first_goes = size[left[pairs]] < size[left[pairs + 1]]
        left = np.delete(left, np.unique(np.where(first_goes, pairs, pairs + 1)))


def resolutions(components: Floats) -> Floats:
    """Return the resolution of each component in samples, (q,).

    The full width at half maximum of the circular autocorrelation ``<a_j, T_s a_j>``.

    Examples
    --------
    >>> pulse = np.exp(-0.5 * ((np.arange(101) - 50) / 3) ** 2)
    >>> bool(abs(resolutions(pulse[None])[0] - 2 * 3 * 2 * np.sqrt(np.log(2))) < 0.2)
    True
    """
    d = components.shape[1]
    flat = components.reshape(len(components), d, -1)
    energy = (np.abs(np.fft.rfft(flat, axis=1)) ** 2).sum(axis=2)
    autocorrelation = np.fft.irfft(energy, d, axis=1)[:, : d // 2 + 1]
    widths = np.zeros(len(components))
    for j, values in enumerate(autocorrelation):
        half = 0.5 * values[0]
        lag = int(np.argmax(values <= half))  # 0 if it never falls below half
        if lag:
            widths[j] = 2 * (lag - 1 + (values[lag - 1] - half) / (values[lag - 1] - values[lag]))
    return widths
