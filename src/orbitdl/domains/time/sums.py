"""Sums over events: the normal equations of waveforms.

With ``z_j[t] = sum_k c_k B(t - tau_k)`` the model is ``sum_j z_j * u_j``, and the normal equations
of the coefficients u have

    N[(j,a), (l,b)] = sum_{t observed} z_j[t - a] z_l[t - b],      R[(j,a)] = sum_t z_j[t - a] x[t].

Summed over all t, N is a function of ``a - b`` and follows from pairs of events; the terms of
unobserved samples are subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats
from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.splines import TAPS, four_weights
from orbitdl.domains.time.waveforms import add_multiple, reached
from orbitdl.kernels import allocating, internal

AT_ONCE = 4096
"""Unobserved samples whose terms are subtracted at a time."""


@dataclass(frozen=True, eq=False)
class Sums:
    """N (q W, q W) and R (q W, channels) of a recording, additive over chunks."""

    normal: Floats
    cross: Floats

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.normal + other.normal, self.cross + other.cross)

    def __mul__(self, weight: float) -> Sums:
        return Sums(self.normal * weight, self.cross * weight)


def event_sums(
    x: Floats,
    observed: NDArray[np.bool_],
    width: int,
    q: int,
    events: Atoms,
    counted: NDArray[np.bool_] | None = None,
    ends: tuple[bool, bool] = (True, True),
) -> Sums:
    """Return the sums over a recording x (T, channels), zero where missing.

    Parameters
    ----------
    x : ndarray of shape (T, channels)
    observed : ndarray of shape (T,)
    width, q : int
        Samples of a waveform, and how many waveforms there are.
    events : Atoms
        All events that overlap x, sorted by time.
    counted : ndarray of shape (K,), optional
        For chunks: mask of the events that begin in it. Only pairs that start with one are counted.
    ends : tuple of bool
        Whether x includes the start, and the end, of the recording.
    """
    far = width + TAPS
    lags, cross = np.zeros((q, q, 2 * width - 1)), np.zeros((q, width, x.shape[1]))
    z = np.zeros((q, len(x) + 2 * far + width))
    own = np.ones(len(events.time), dtype=bool) if counted is None else counted
    add_events(events.component, events.time, events.coefficient, own, x, far, lags, cross, z)
    by_difference = sliding_window_view(lags, width, axis=2)[..., ::-1]  # (j, l, a, b): a - b
    normal = by_difference.transpose(0, 2, 1, 3).reshape(q * width, q * width)
    unseen = np.repeat([ends[0], False, ends[1]], [far, len(x), far + width])
    unseen[far : far + len(x)] = ~observed
    return Sums(_without_unseen(normal, z, unseen, width), cross.reshape(q * width, -1))


def _without_unseen(normal: Floats, z: Floats, unseen: NDArray[np.bool_], width: int) -> Floats:
    """Subtract the terms of unobserved samples, those outside the recording included."""
    if not unseen.any():
        return normal
    near = reached(np.any(z, axis=0), width)[: z.shape[1]]
    positions = np.flatnonzero(unseen & near)
    padded = np.pad(z, [(0, 0), (width - 1, 0)])
    for k in range(0, len(positions), AT_ONCE):
        back = positions[k : k + AT_ONCE, None] + (width - 1) - np.arange(width)
        rows = padded[:, back].transpose(1, 0, 2).reshape(len(back), -1)
        normal = normal - rows.T @ rows
    return normal


@internal
def add_pair(one, two, m, n, j, l, lags):  # type: ignore[no-untyped-def]  # noqa: E741
    """Add ``z_j[t] z_l[t + s]`` of two events at integer times m and n to the sums over t."""
    width = (lags.shape[2] + 1) // 2
    for i in range(4):
        for k in range(4):
            s = n + k - m - i
            if -width < s < width:
                lags[j, l, s + width - 1] += one[i] * two[k]


@allocating
def add_events(component, time, c, counted, x, far, lags, cross, z):  # type: ignore[no-untyped-def]
    """Add every event to the sums over pairs, to R, and to z, offset by `far`."""
    count, width = time.shape[0], cross.shape[1]
    taps, start = np.empty((count, 4)), np.empty(count, np.int64)
    for k in range(count):
        start[k] = int(np.floor(time[k]))
        w = four_weights(time[k] - start[k])
        for i in range(4):
            taps[k, i] = c[k] * w[i]
            t0 = start[k] + i - 1
            z[component[k], t0 + far] += taps[k, i]
            first, last = max(-t0, 0), min(width, x.shape[0] - t0)
            if first < last:
                there, own = x[t0 + first : t0 + last], cross[component[k], first:last]
                add_multiple(taps[k, i], there.reshape(-1), own.reshape(-1))
    for k in range(count):
        if not counted[k]:
            continue
        j = component[k]
        add_pair(taps[k], taps[k], start[k], start[k], j, j, lags)
        for r in range(k + 1, count):
            if start[r] - start[k] > width + 3:
                break
            l = component[r]  # noqa: E741
            add_pair(taps[k], taps[r], start[k], start[r], j, l, lags)
            add_pair(taps[r], taps[k], start[r], start[k], l, j, lags)
