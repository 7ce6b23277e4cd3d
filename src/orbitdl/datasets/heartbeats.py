"""A simulated electrocardiogram: heartbeats of two shapes at times off the sample grid."""

import math
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from orbitdl.datasets.segmentation import segment

# Each wave of a beat: height, time after the R peak and width (standard deviation), in seconds.
_NORMAL = np.array(
    [
        [0.15, -0.170, 0.028],  # P
        [-0.14, -0.045, 0.016],  # Q
        [1.00, 0.000, 0.018],  # R
        [-0.25, 0.045, 0.018],  # S
        [0.30, 0.240, 0.045],  # T
    ]
)
_PREMATURE = np.array(
    [
        [0.90, 0.000, 0.040],  # a wide R, no P before it
        [-0.55, 0.110, 0.045],  # a deep S
        [-0.30, 0.300, 0.055],  # an inverted T
    ]
)
_MEAN_INTERVAL = 0.8  # seconds between beats: 75 per minute
_INTERVAL_SPREAD = 0.08  # standard deviation of the interval's logarithm
_PREMATURE_FRACTION = 0.12
_EARLY = 0.3  # by how much of an interval a premature beat comes early
_REACH = 0.6  # seconds from the R peak after which a beat has died away
_DRIFT_BAND = (0.05, 0.35)  # Hz: breathing and slower


@dataclass(frozen=True, eq=False)
class EcgLikeData:
    """Hold a simulated electrocardiogram, its windows and its beats.

    Attributes
    ----------
    X : ndarray of shape (n_windows, length)
        Consecutive windows of the signal, each of zero mean and unit norm.
    signal : ndarray of shape (n_windows * length,)
        The whole signal; the R peak of a normal beat has height 1.
    rate : float
        Samples per second.
    beats : DataFrame
        One row per beat: `time` of its R peak in seconds, and `kind`, "normal" or "premature".
    """

    X: NDArray[np.float64]
    signal: NDArray[np.float64]
    rate: float
    beats: pd.DataFrame


def make_ecg_like(
    n_windows: int = 200,
    length: int = 128,
    *,
    rate: float = 64.0,
    noise: float = 0.02,
    drift: float = 0.1,
    random_state: int | np.random.Generator | None = None,
) -> EcgLikeData:
    r"""Simulate an electrocardiogram and cut it into windows of a few beats each.

    Parameters
    ----------
    n_windows : int
        Number of windows.
    length : int
        Samples in a window; at the default rate 128 samples last two seconds and hold two
        or three beats.
    rate : float
        Samples per second. Below 50 the narrow waves fall between the samples.
    noise : float
        Standard deviation of the white noise, where the normal R peak has height 1.
    drift : float
        Root mean square of the slow wandering of the baseline, in the same unit.
    random_state : int, Generator or None
        Seed of all random numbers.

    Returns
    -------
    EcgLikeData
        Windows `X`, the whole `signal`, its `rate` and the table of `beats`.

    Notes
    -----
    A beat at time :math:`t_b`, any real number, adds waves of Gaussian shape,

    .. math::

        \sum_w h_w \exp\left(-\frac{(t - t_b - m_w)^2}{2 s_w^2}\right),

    five of them (P, Q, R, S, T) in a normal beat and three, wider, in a premature one. Intervals
    between beats are log-normal about 0.8 s; one beat in eight is premature, comes early and is
    followed by a pause that makes up for it. The baseline is a sum of four sinusoids below 0.35 Hz.

    Examples
    --------
    >>> data = make_ecg_like(n_windows=50, random_state=0)
    >>> data.X.shape, data.signal.shape
    ((50, 128), (6400,))
    >>> sorted(data.beats["kind"].unique())
    ['normal', 'premature']
    >>> 2 < len(data.beats) / 50 < 3
    True
    """
    check_scalar(n_windows, "n_windows", Integral, min_val=1)
    check_scalar(length, "length", Integral, min_val=1)
    check_scalar(rate, "rate", Real, min_val=0, include_boundaries="neither")
    check_scalar(noise, "noise", Real, min_val=0)
    check_scalar(drift, "drift", Real, min_val=0)
    rng = np.random.default_rng(random_state)

    n = n_windows * length
    times, premature = _beat_times(rng, n / rate)
    signal = _waves(_NORMAL, times[~premature], n, rate)
    signal += _waves(_PREMATURE, times[premature], n, rate)
    signal += _baseline(rng, n, rate, drift) + noise * rng.standard_normal(n)

    inside = (times >= 0) & (times < n / rate)
    kinds = np.where(premature[inside], "premature", "normal")
    beats = pd.DataFrame({"time": times[inside], "kind": kinds})
    return EcgLikeData(segment(signal, length, length), signal, rate, beats)


def _beat_times(
    rng: np.random.Generator, duration: float
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Draw the times of beats that may reach into [0, duration], and which are premature."""
    enough = 10 + math.ceil(2 * (duration + 2 * _REACH) / _MEAN_INTERVAL)
    intervals = _MEAN_INTERVAL * np.exp(_INTERVAL_SPREAD * rng.standard_normal(enough))
    premature = rng.random(enough) < _PREMATURE_FRACTION
    start = -_REACH - _MEAN_INTERVAL * rng.random()
    times = start + np.cumsum(intervals) - _EARLY * intervals * premature
    near = (times > -_REACH) & (times < duration + _REACH)
    return times[near], premature[near]


def _waves(
    shape: NDArray[np.float64], times: NDArray[np.float64], n: int, rate: float
) -> NDArray[np.float64]:
    """Add up beats of one shape at the given times, as a signal of n samples."""
    reach = math.ceil(_REACH * rate)
    index = np.rint(times * rate).astype(int)[:, None] + np.arange(-reach, reach + 1)
    after = index / rate - times[:, None]
    height, centre, width = shape.T
    value = np.exp(-0.5 * ((after[..., None] - centre) / width) ** 2) @ height
    inside = (index >= 0) & (index < n)
    signal = np.zeros(n)
    np.add.at(signal, index[inside], value[inside])
    return signal


def _baseline(rng: np.random.Generator, n: int, rate: float, size: float) -> NDArray[np.float64]:
    """Draw a slow sum of four sinusoids whose root mean square is `size`."""
    frequency = rng.uniform(*_DRIFT_BAND, size=4)
    phase = rng.uniform(0.0, 2 * np.pi, size=4)
    angle = 2 * np.pi * np.outer(np.arange(n) / rate, frequency) + phase
    return np.asarray(size * math.sqrt(2 / 4) * np.sin(angle).sum(axis=1))
