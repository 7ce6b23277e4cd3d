"""Data points as the search of the sliding coder sees them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from orbitdl.compiled import fast
from orbitdl.groups.base import Blocks, Floats


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

    def take(self, samples: slice | NDArray[np.bool_]) -> Targets:
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
    columns = (np.ascontiguousarray(blocks[:, :, 0], np.complex128) for blocks in (Y, A))
    fill_targets(*columns, between, parts, spectrum)
    values: NDArray[np.float32] = fft.irfft(spectrum, n=half, axis=2, norm="forward")
    return Targets(parts, values.reshape(n, 2, half * q), energy, density, reach)


@fast
def fill_targets(Y, A, between, parts, spectrum):  # type: ignore[no-untyped-def]
    """Fill the parts of all C, and the halves of which irfft makes their values on both grids."""
    n, n_blocks, channels = Y.shape
    for i in range(n):
        for j in range(A.shape[0]):
            for f in range(n_blocks):
                real, imag = 0.0, 0.0
                for m in range(channels):
                    y, a = Y[i, f, m], A[j, f, m]
                    real += y.real * a.real + y.imag * a.imag
                    imag += y.imag * a.real - y.real * a.imag
                parts[i, j, 0, f], parts[i, j, 1, f] = real, imag
                value = np.complex64(complex(0.5 * real, 0.5 * imag))
                spectrum[i, 0, f, j], spectrum[i, 1, f, j] = value, value * between[f]
            spectrum[i, 0, 0, j] *= 2
            spectrum[i, 1, 0, j] *= 2
