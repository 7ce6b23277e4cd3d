"""Discrete Fourier transform of signals, one block per frequency."""

from __future__ import annotations

import numpy as np
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.transforms.base import Transform


class Fourier(Transform):
    """Spectra of real signals (N,) or (N, channels), scaled to an isometry.

    Parameters
    ----------
    shape : tuple of int
        Signals, or signals of vectors of length d: (N, d) or (N, d, r).
    keep_nyquist : bool
        Whether to include the Nyquist frequency of an even length N.
    vectors : bool
        Whether blocks have shape (F, d, r), for groups that act on vectors; otherwise
        (F, 1, channels).

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

    def __init__(
        self, shape: tuple[int, ...], *, keep_nyquist: bool, vectors: bool = False
    ) -> None:
        self.shape, self.length = tuple(shape), shape[0]
        n_blocks = self.length // 2 + 1 if keep_nyquist else (self.length - 1) // 2 + 1
        d = shape[1] if vectors else 1
        self.channels = int(np.prod(shape[1:]))
        self.block_shape = (n_blocks, d, self.channels // d)
        self.is_invertible = keep_nyquist or self.length % 2 == 1
        self.weights = np.full(n_blocks, 2.0 / self.length)
        self.weights[np.arange(n_blocks) * 2 % self.length == 0] /= 2
        self._scale = np.sqrt(self.weights)[:, None]

    def analyze(self, x: Floats) -> Blocks:
        spectrum = self._spectrum(x)
        return spectrum.reshape(*spectrum.shape[:-2], *self.block_shape)

    def _spectrum(self, x: Floats) -> Blocks:
        """Return one number per frequency and channel, (..., F, channels)."""
        signal = x.reshape(*x.shape[: x.ndim - len(self.shape)], self.length, self.channels)
        spectrum: Blocks = fft.rfft(signal, axis=-2)[..., : self.block_shape[0], :] * self._scale
        return spectrum

    def synthesize(self, blocks: Blocks) -> Floats:
        spectrum = blocks.reshape(*blocks.shape[:-3], self.block_shape[0], self.channels)
        signal: Floats = fft.irfft(spectrum / self._scale, n=self.length, axis=-2)
        return signal.reshape(*signal.shape[:-2], *self.shape)

    def interpolants(self, x: Floats) -> Blocks:
        """Return C (..., channels, F) with ``x(t) = Re sum_f C_f exp(2 pi i f t / N)``."""
        return np.asarray(np.moveaxis(self._spectrum(x) * self._scale, -1, -2))
