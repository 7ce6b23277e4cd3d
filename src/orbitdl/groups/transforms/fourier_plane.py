"""Discrete Fourier transform of images: one complex number per plane wave and channel."""

from __future__ import annotations

import numpy as np
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.transforms.base import Transform


class FourierPlane(Transform):
    """Spectra of real images (H, W) or (H, W, channels), scaled to an isometry.

    Parameters
    ----------
    shape : tuple of int
    keep_nyquist : bool
        Whether to include the Nyquist frequencies of even numbers of rows or columns.

    Attributes
    ----------
    waves : ndarray of shape (F, 2)
        Integer frequencies along the axes of rows and of columns, ``(u, v)``.
    weights : ndarray of shape (F,)
        ``s_uv^2``.

    Notes
    -----
    ``Y_uv = s_uv sum_kl y(k, l) exp(-2 pi i (u k / H + v l / W))``. Of a wave (u, v) and its
    conjugate (-u, -v) one is stored, that with ``v > 0``, or with ``u > 0`` if v and -v are equal.
    ``s_uv = sqrt(2 / (H W))``, and ``sqrt(1 / (H W))`` for a wave that is its own conjugate: the
    mean, and up to three Nyquist terms.

    Examples
    --------
    >>> import numpy as np
    >>> FourierPlane((2, 3), keep_nyquist=True).waves.tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """

    dtype = np.complex128

    def __init__(self, shape: tuple[int, ...], *, keep_nyquist: bool) -> None:
        self.shape, self.size = tuple(shape), (shape[0], shape[1])
        rows, columns = self.size
        self._stored = u, v = self._chosen(keep_nyquist)
        self.waves = np.stack([np.where(2 * u > rows, u - rows, u), v], axis=1)
        self.block_shape = (len(self.waves), 1, shape[2] if len(shape) == 3 else 1)
        own = np.all(2 * self.waves % self.size == 0, axis=1)
        self.weights = np.where(own, 1.0, 2.0) / (rows * columns)
        self.is_invertible = 2 * len(own) - int(own.sum()) == rows * columns
        self._scale = np.sqrt(self.weights)[:, None]

    def _chosen(self, keep_nyquist: bool) -> tuple[Integers, Integers]:
        """Return the indices of the stored waves in the array of `scipy.fft.rfft2`."""
        rows, columns = self.size
        u, v = np.ogrid[:rows, : columns // 2 + 1]
        stored = (2 * v % columns != 0) | (2 * u <= rows)
        if not keep_nyquist:
            stored &= (2 * u != rows) & (2 * v != columns)
        row, column = np.nonzero(stored)
        return row, column

    def analyze(self, x: Floats) -> Blocks:
        image = x if len(self.shape) == 3 else x[..., None]
        spectrum = fft.rfft2(image, axes=(-3, -2))
        result: Blocks = spectrum[..., *self._stored, :] * self._scale
        return result[..., None, :]

    def synthesize(self, blocks: Blocks) -> Floats:
        spectrum = np.moveaxis(blocks[..., 0, :] * self._scale, -1, -2)
        image = np.moveaxis(self.on_torus(spectrum, self.size), -3, -1)
        return image if len(self.shape) == 3 else image[..., 0]

    def on_torus(self, C: Blocks, size: tuple[int, int]) -> Floats:
        """Return ``Re sum_f C_f exp(2 pi i (u_f k / M_1 + v_f l / M_2))``, (..., M_1, M_2).

        At ``k = 0 .. M_1 - 1`` and ``l = 0 .. M_2 - 1``; the size is at least that of the data.
        """
        rows, columns = size
        u, v = self.waves.T
        half = np.zeros((*C.shape[:-1], rows, columns // 2 + 1), dtype=np.complex128)
        # irfft2 implies the conjugates of all waves but those with v = -v modulo the columns
        own = 2 * v % columns == 0
        half[..., u % rows, v] = np.where(own & (2 * u % rows == 0), 1.0, 0.5) * C
        twice = own & (2 * u % rows != 0)
        half[..., -u[twice] % rows, v[twice]] = 0.5 * C[..., twice].conj()
        result: Floats = fft.irfft2(half, s=size, norm="forward")
        return result
