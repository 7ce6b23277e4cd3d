"""The Fourier transform of signals without what does not oscillate."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.transforms.base import Transform
from orbitdl.groups.transforms.fourier import Fourier


class Oscillations(Transform):
    """Spectra of real signals (N,) or (N, channels) at frequencies f = 1 .. F below Nyquist.

    The constant, and the alternating signal of an even length N, have no phase: they are left out.

    Examples
    --------
    >>> Oscillations((5,)).analyze(np.ones(5)).round(12).ravel()
    array([0.+0.j, 0.+0.j])
    """

    dtype = np.complex128
    keeps_all = False

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.spectrum = Fourier(shape, keep_nyquist=False)
        n_blocks, d, m = self.spectrum.block_shape
        self.shape, self.block_shape = tuple(shape), (n_blocks - 1, d, m)

    def analyze(self, x: Floats) -> Blocks:
        return self.spectrum.analyze(x)[..., 1:, :, :]

    def synthesize(self, blocks: Blocks) -> Floats:
        constant = np.zeros_like(blocks[..., :1, :, :])
        return self.spectrum.synthesize(np.concatenate([constant, blocks], axis=-3))

    def envelopes(self, x: Floats) -> Blocks:
        """Return C (..., channels, F) of the analytic signals ``sum_f C_f exp(i f theta)``.

        Their real part at ``theta = 2 pi t / N`` is what oscillates of ``x(t)``.
        """
        return self.spectrum.interpolants(x)[..., 1:]
