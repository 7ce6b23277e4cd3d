"""Which window lists which event: every one once, also where windows adjoin or overlap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers
from orbitdl.recordings.overlaps import listed_once


@dataclass(frozen=True, eq=False)
class Seen:
    """Events as windows see them, one after the other.

    Attributes
    ----------
    window, component : ndarray of shape (K,)
        Which window sees it, and which component it is of.
    position, coefficient : ndarray of shape (K,)
        Where it lies in the recording, in samples, and how strong it is.
    """

    window: Integers
    component: Integers
    position: Floats
    coefficient: Floats


def listed(
    seen: Seen,
    components: Floats,
    *,
    start: Integers,
    length: int,
    samples: int | None = None,
    in_time: bool = True,
) -> NDArray[np.bool_]:
    """Tell of every event whether its window is the one that lists it.

    Parameters
    ----------
    seen : Seen
    components : ndarray of shape (q, d, ...)
    start, length, samples
        As in `listed_once`.
    in_time : bool
        Whether components are moved in time, so that an event may lie across a border.

    Returns
    -------
    ndarray of bool, shape (K,)

    Notes
    -----
    Neighbours share the recording at a cut (`listed_once`). An event across the border of windows
    that adjoin is seen by both, in halves: of events of one component and sign that two windows
    list, closer than the component tells two events apart (`resolutions`), the strongest stays.
    """
    size = np.abs(seen.coefficient)
    kept = listed_once(
        seen.window, seen.position, size, start=start, length=length, samples=samples
    )
    if not in_time:
        return kept
    width = resolutions(components)
    for j in range(len(components)):
        for is_negative in (False, True):
            alike = (seen.component == j) & ((seen.coefficient < 0) == is_negative)
            own = np.flatnonzero(kept & alike)
            own = own[np.argsort(seen.position[own], kind="stable")]
            kept[own] = told_apart(seen.window[own], seen.position[own], size[own], width[j])
    return kept


def told_apart(window: Integers, position: Floats, size: Floats, width: float) -> NDArray[np.bool_]:
    """Tell which events (K,), in order, stay where the weaker of two neighbours goes.

    Neighbours are closer than `width`, and of different windows.

    Examples
    --------
    >>> position, size = np.array([9.0, 11.0, 30.0]), np.array([1.0, 3.0, 1.0])
    >>> told_apart(np.array([0, 1, 2]), position, size, width=5.0)
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
    """Return how far apart two events must be not to be one that is wider, in samples, (q,).

    The full width at half maximum of ``<a_j, T_s a_j>``, as lines of a spectrum are told apart;
    shifts T_s go round the window.

    Examples
    --------
    >>> pulse = np.exp(-0.5 * ((np.arange(101) - 50) / 3) ** 2)
    >>> bool(abs(resolutions(pulse[None])[0] - 2 * 3 * 2 * np.sqrt(np.log(2))) < 0.2)
    True
    """
    d = components.shape[1]
    flat = components.reshape(len(components), d, -1)
    energy = (np.abs(np.fft.rfft(flat, axis=1)) ** 2).sum(axis=2)
    likeness = np.fft.irfft(energy, d, axis=1)[:, : d // 2 + 1]
    widths = np.zeros(len(components))
    for j, values in enumerate(likeness):
        half = 0.5 * values[0]
        lag = int(np.argmax(values <= half))  # 0: it never falls so far, and says nothing
        if lag:
            widths[j] = 2 * (lag - 1 + (values[lag - 1] - half) / (values[lag - 1] - values[lag]))
    return widths
