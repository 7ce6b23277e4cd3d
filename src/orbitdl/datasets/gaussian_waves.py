"""Waveforms in closed form: sums of Gaussian waves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class GaussianWaves:
    r"""A waveform with one or more channels as a function of continuous time.

    Attributes
    ----------
    height : ndarray of shape (n_waves, channels)
        Height of each wave in each channel.
    centre : ndarray of shape (n_waves,)
        Time of each wave after the reference point, in seconds. The main wave has 0: its centre
        is the reference point.
    width : ndarray of shape (n_waves,)
        Standard deviation of each wave, in seconds.

    Notes
    -----
    With heights :math:`h_w`, centres :math:`m_w` and widths :math:`s_w`,

    .. math::

        a(t) = \sum_w h_w \exp\left(-\frac{(t - m_w)^2}{2 s_w^2}\right).

    Examples
    --------
    >>> waves = GaussianWaves(np.array([[2.0, 1.0]]), np.array([0.0]), np.array([0.01]))
    >>> waves.at([0.0, 0.01]).round(2)
    array([[2.  , 1.  ],
           [1.21, 0.61]])
    """

    height: NDArray[np.float64]
    centre: NDArray[np.float64]
    width: NDArray[np.float64]

    def at(self, times: ArrayLike) -> NDArray[np.float64]:
        """Return the values (..., channels) at times (...) in seconds after the reference point."""
        after = np.asarray(times, dtype=np.float64)[..., None]
        return np.asarray(np.exp(-0.5 * ((after - self.centre) / self.width) ** 2) @ self.height)
