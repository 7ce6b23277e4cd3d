"""Data points as the search of the sliding coder sees them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from orbitdl.arrays.blocks import pairs
from orbitdl.groups.base import Blocks, Floats
from orbitdl.kernels import fast


class Targets(NamedTuple):
    """Data points as the search sees them.

    Attributes
    ----------
    C : ndarray of shape (n, q, 2, F')
        Real and imaginary parts of ``b``, a trigonometric polynomial; F' is a multiple of 8.
    on_grid : float32 ndarray of shape (n, 2, H q)
        Its values on both halves of the certificate grid. Point m of the second lies between the
        points m and m + 1 of the first; component j at this point is at ``m q + j``.
    energy : ndarray of shape (n,)
        ``||y||^2``.
    density, reach : ndarray of shape (n,)
        How each uses the `Tables`.
    """

    C: Floats
    on_grid: NDArray[np.float32]
    energy: Floats
    density: Floats
    reach: Floats

    def take(self, samples: slice | NDArray[Any]) -> Targets:
        """Return some of them."""
        return Targets._make(column[samples] for column in self)


def targets_of(
    Y: Blocks, A: Blocks, half: int, energy: Floats, density: Floats, reach: Floats
) -> Targets:
    """Correlate data Y (n, F, 1, m) with components A (q, F, 1, m); the grid has 2 `half` points.

    ``b_j(tau) = Re sum_f C_jf exp(2 pi i f tau / N)`` with ``C_jf = sum_m Y_fm conj(A_jfm)``.
    """
    (n, n_blocks), q = Y.shape[:2], len(A)
    parts = np.zeros((n, q, 2, -(-n_blocks // 8) * 8))
    spectrum = np.zeros((n, 2, half // 2 + 1, q), np.complex64)
    between = np.exp(1j * np.pi / half * np.arange(n_blocks)).astype(np.complex64)
    columns = (pairs(blocks[:, :, 0].astype(np.complex128, copy=False)) for blocks in (Y, A))
    fill_targets(*columns, pairs(between), parts, pairs(spectrum))
    values: NDArray[np.float32] = fft.irfft(spectrum, n=half, axis=2, norm="forward")
    return Targets(parts, values.reshape(n, 2, half * q), energy, density, reach)


@fast
def fill_targets(Y, A, between, parts, spectrum):  # type: ignore[no-untyped-def]
    """Fill the parts of all C, and the halves of which irfft makes their values on both grids.

    Complex numbers are pairs here, the last axis of all but `parts`.
    """
    for i in range(Y.shape[0]):
        for j in range(A.shape[0]):
            for f in range(Y.shape[1]):
                real, imag = 0.0, 0.0
                for m in range(Y.shape[2]):
                    y, z, a, b = Y[i, f, m, 0], Y[i, f, m, 1], A[j, f, m, 0], A[j, f, m, 1]
                    real += y * a + z * b
                    imag += z * a - y * b
                parts[i, j, 0, f], parts[i, j, 1, f] = real, imag
                half = 1.0 if f == 0 else 0.5
                x, y, c, s = half * real, half * imag, between[f, 0], between[f, 1]
                spectrum[i, 0, f, j, 0], spectrum[i, 0, f, j, 1] = x, y
                spectrum[i, 1, f, j, 0] = x * c - y * s
                spectrum[i, 1, f, j, 1] = x * s + y * c
