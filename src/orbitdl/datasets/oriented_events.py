"""Simulation of one event recorded by many sensors of unknown orientation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orbitdl.arrays.validation import require_between, require_count
from orbitdl.datasets.simulators import Seed
from orbitdl.datasets.transforms import draw_orthogonal, shift_signals

AXES = 3
"""Components of ground motion."""
_ONSETS = 0.15, 0.35  # of the first and of the second wave, as fractions of the length
_CYCLES = 18.0, 10.0  # per length
_DECAYS = 0.06, 0.10  # decay times, as fractions of the length
_SIZES = 0.6, 1.0


@dataclass(frozen=True, eq=False)
class OrientedEvents:
    """An event recorded by many sensors, and their orientations.

    Attributes
    ----------
    X : ndarray of shape (n_samples, length, 3)
        What the sensors recorded, noise included.
    clean : ndarray of shape (n_samples, length, 3)
        The same without noise.
    event : ndarray of shape (length, 3)
        The event, of unit norm.
    shifts : ndarray of shape (n_samples,)
        Delay of each sensor in samples (real numbers).
    rotations : ndarray of shape (n_samples, 3, 3)
        Orientation of each sensor: ``clean[i, t] = rotations[i] @ event[t - shifts[i]]``.
    """

    X: NDArray[np.float64]
    clean: NDArray[np.float64]
    event: NDArray[np.float64]
    shifts: NDArray[np.float64]
    rotations: NDArray[np.float64]


def make_oriented_events(
    n_samples: int = 60,
    length: int = 101,
    *,
    snr_db: float = 0.0,
    spread: float = 8.0,
    event: ArrayLike | None = None,
    random_state: Seed = None,
) -> OrientedEvents:
    r"""Simulate a local earthquake recorded by sensors of unknown orientation.

    Parameters
    ----------
    n_samples : int
        Number of sensors, each of which records the event once.
    length : int
        Samples of a recording, 16 or more; ignored if `event` is passed.
    snr_db : float
        Ten times the decimal logarithm of the energy of the event over the expected energy of the
        noise: at 0 they are equal.
    spread : float
        Maximum absolute delay in samples.
    event : array-like of shape (length, 3), optional
        Another event in three components; it is scaled to unit norm.
    random_state : int, Generator or None
        Seed of all random numbers.

    Returns
    -------
    OrientedEvents
        The recordings `X`, the `event`, and the `shifts` and `rotations` it was recorded with.

    Notes
    -----
    With rotations :math:`R_i` drawn uniformly (by Haar measure), shifts :math:`\tau_i` uniform in
    [-spread, spread] and white noise :math:`\varepsilon_i`,

    .. math::

        y_i(t) = R_i\, a(t - \tau_i) + \varepsilon_i(t).

    The simulated event :math:`a` is a fast linearly polarised wave, followed by a slower, larger,
    elliptically polarised one in the transverse plane, so that it is not rank one. Shifts are
    circular; the event is small at both ends. For an even length it has no Nyquist component,
    which fractional shifts cannot represent.

    Examples
    --------
    >>> data = make_oriented_events(n_samples=5, random_state=0)
    >>> data.X.shape, data.rotations.shape
    ((5, 101, 3), (5, 3, 3))
    >>> bool(0.9 < np.linalg.norm(data.X - data.clean) / np.linalg.norm(data.clean) < 1.1)
    True
    """
    require_count(n_samples, "n_samples")
    require_between(snr_db, "snr_db", -np.inf)
    require_between(spread, "spread", 0)
    seen = _local_earthquake(require_count(length, "length", least=16)) if event is None else event
    a = _as_event(seen)
    rng = np.random.default_rng(random_state)

    rotations = draw_orthogonal(rng, (n_samples,), AXES)
    rotations *= np.linalg.det(rotations)[:, None, None]  # in three dimensions -1 mirrors
    shifts = rng.uniform(-spread, spread, n_samples)
    moved = shift_signals(np.broadcast_to(a.T, (n_samples, *a.T.shape)), shifts[:, None])
    clean = np.swapaxes(rotations @ moved, 1, 2)
    size = math.sqrt(10 ** (-snr_db / 10) / a.size)
    X = clean + size * rng.standard_normal(clean.shape)
    return OrientedEvents(X, clean, a, shifts, rotations)


def _local_earthquake(length: int) -> NDArray[np.float64]:
    """Return a first wave along the third axis, and a second, elliptic one along the others."""
    t = np.arange(length) / length
    event = np.zeros((length, AXES))
    event[:, 2] = _wave(t, 0, 0.0)
    event[:, 0] = _wave(t, 1, 0.0)
    event[:, 1] = 0.7 * _wave(t, 1, np.pi / 2)
    return event


def _wave(t: NDArray[np.float64], which: int, phase: float) -> NDArray[np.float64]:
    """Return an oscillation that begins at an onset, grows and fades."""
    after = np.maximum(t - _ONSETS[which], 0.0) / _DECAYS[which]
    turns = 2 * np.pi * _CYCLES[which] * (t - _ONSETS[which]) + phase
    return np.asarray(_SIZES[which] * after * np.exp(1 - after) * np.sin(turns))


def _as_event(values: ArrayLike) -> NDArray[np.float64]:
    """Return an event of unit norm without Nyquist component; raise ValueError if not valid."""
    event = np.asarray(values, dtype=np.float64)
    if event.ndim != 2 or event.shape[1] != AXES:
        raise ValueError(
            f"event must have the shape (length, {AXES}), a column per component, not "
            f"{event.shape}; transpose it."
        )
    if not np.isfinite(event).all() or not event.any():
        raise ValueError("event must be finite and not zero everywhere; fill gaps first.")
    spectrum = np.fft.rfft(event, axis=0)
    if len(event) % 2 == 0:
        spectrum[-1] = 0.0
    event = np.fft.irfft(spectrum, len(event), axis=0)
    return np.asarray(event / np.linalg.norm(event))
