"""The Fourier transform of signals: one complex number per frequency and channel."""

from __future__ import annotations

import numpy as np
from scipy import fft

from orbitdl.groups.blocks import Blocks, Floats
from orbitdl.groups.transforms.base import Transform


class Fourier(Transform):
    """Spectra of real signals (N,) or (N, channels), scaled to an isometry.

    Parameters
    ----------
    shape : tuple of int
    keep_nyquist : bool
        Whether the alternating signal, which an even length N has, is kept.

    Attributes
    ----------
    weights : ndarray of shape (F,)
        ``s_f^2``.

    Notes
    -----
    ``Y_f = s_f sum_t y(t) exp(-2 pi i f t / N)``, f = 0 .. F-1, with ``s_f = sqrt(2/N)``, and
    ``sqrt(1/N)`` for the constant and the Nyquist term.

    Examples
    --------
    >>> import numpy as np
    >>> Fourier((4,), keep_nyquist=True).analyze(np.array([1.0, 1.0, 1.0, 1.0])).ravel().real
    array([2., 0., 0.])
    """

    dtype = np.complex128

    def __init__(self, shape: tuple[int, ...], *, keep_nyquist: bool) -> None:
        self.shape, self.length = tuple(shape), shape[0]
        n_blocks = self.length // 2 + 1 if keep_nyquist else (self.length - 1) // 2 + 1
        self.block_shape = (n_blocks, 1, shape[1] if len(shape) == 2 else 1)
        self.keeps_all = keep_nyquist or self.length % 2 == 1
        self.weights = np.full(n_blocks, 2.0 / self.length)
        self.weights[np.arange(n_blocks) * 2 % self.length == 0] /= 2
        self._scale = np.sqrt(self.weights)[:, None, None]

    def analyze(self, x: Floats) -> Blocks:
        signal = x if len(self.shape) == 2 else x[..., None]
        spectrum = fft.rfft(signal, axis=-2)[..., : self.block_shape[0], :]
        result: Blocks = spectrum[..., None, :] * self._scale
        return result

    def synthesize(self, blocks: Blocks) -> Floats:
        signal: Floats = fft.irfft(blocks[..., 0, :] / self._scale[:, 0], n=self.length, axis=-2)
        return signal if len(self.shape) == 2 else signal[..., 0]

    def interpolants(self, x: Floats) -> Blocks:
        """Return C (..., channels, F, 1, 1) with ``x(t) = Re sum_f C_f exp(2 pi i f t / N)``."""
        channels: Blocks = np.moveaxis(self.analyze(x) * self._scale, -1, -3)
        return channels[..., None]
