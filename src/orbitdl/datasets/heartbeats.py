"""Windows of a simulated electrocardiogram with two types of beats at continuous times."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from orbitdl.datasets.beats import add_baseline, beat_shapes, beat_times
from orbitdl.datasets.segmentation import segment
from orbitdl.datasets.superposition import add_noise, superpose

_MEAN_INTERVAL = 0.8  # seconds between beats: 75 per minute
_INTERVAL_SPREAD = 0.08  # standard deviation of the interval's logarithm
_PREMATURE_FRACTION = 0.12
_REACH = 0.6  # support of a beat on either side of the R peak, in seconds


@dataclass(frozen=True, eq=False)
class EcgLikeData:
    """A simulated electrocardiogram with its windows and beats.

    Attributes
    ----------
    X : ndarray of shape (n_windows, length)
        Consecutive windows of the signal, each of zero mean and unit norm.
    signal : ndarray of shape (n_windows * length,)
        The signal; the R peak of a normal beat has height 1.
    sfreq : float
        Sampling rate in Hz.
    beats : DataFrame
        One row per beat: `seconds`, the time of its R peak, and `kind`, "normal" or "premature".
    """

    X: NDArray[np.float64]
    signal: NDArray[np.float64]
    sfreq: float
    beats: pd.DataFrame


def make_ecg_like(
    n_windows: int = 200,
    length: int = 128,
    *,
    sfreq: float = 64.0,
    noise: float = 0.02,
    drift: float = 0.1,
    random_state: int | np.random.Generator | None = None,
) -> EcgLikeData:
    r"""Simulate an electrocardiogram, split into windows of a few beats.

    Parameters
    ----------
    n_windows : int
        Number of windows.
    length : int
        Samples in a window; at the default sampling rate 128 samples are two seconds, with two or
        three beats.
    sfreq : float
        Sampling rate in Hz, at least 50 to resolve the narrow waves.
    noise : float
        Standard deviation of the white noise, where the normal R peak has height 1.
    drift : float
        Root mean square of the baseline wander, in the same unit.
    random_state : int, Generator or None
        Seed of all random numbers.

    Returns
    -------
    EcgLikeData
        Windows `X`, the `signal`, its `sfreq` and the table of `beats`.

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
    check_scalar(sfreq, "sfreq", Real, min_val=0, include_boundaries="neither")
    check_scalar(noise, "noise", Real, min_val=0)
    check_scalar(drift, "drift", Real, min_val=0)
    rng = np.random.default_rng(random_state)

    n = n_windows * length
    times, premature = beat_times(
        rng,
        n / sfreq,
        interval=_MEAN_INTERVAL,
        spread=_INTERVAL_SPREAD,
        premature=_PREMATURE_FRACTION,
        reach=_REACH,
    )
    kinds = np.where(premature, "premature", "normal")
    signal = np.zeros((n, 1))
    for kind, waves in beat_shapes(n_leads=1).items():
        own = times[kinds == kind]
        superpose(signal, waves, own, np.ones(len(own)), sfreq=sfreq, reach=_REACH)
    add_baseline(rng, signal[:, 0], sfreq=sfreq, size=drift)
    add_noise(rng, signal, noise)

    inside = (times >= 0) & (times < n / sfreq)
    beats = pd.DataFrame({"seconds": times[inside], "kind": kinds[inside]})
    return EcgLikeData(segment(signal[:, 0], length, length), signal[:, 0], sfreq, beats)
