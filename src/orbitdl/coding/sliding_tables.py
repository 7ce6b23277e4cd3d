"""Everything the sliding coder looks up instead of computing: functions of a shift.

With ``G_jl(tau) = <a_j, a_l moved by tau>`` and ``b_j(tau) = <y, a_j moved by tau>``, both real
trigonometric polynomials, the kernels need

- ``G``, ``G'``, ``G''`` at any tau: Taylor coefficients at 8 points a sample;
- ``G`` on the whole certificate grid, from any tau: rows at a few phases between grid points,
  interpolated linearly, in single precision (they only say where to look);
- ``b`` and its derivatives at any tau: a sum over frequencies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import fft
from scipy.special import factorial

from orbitdl.groups.base import Blocks, Floats, correlate

ORDER = 8
"""Taylor coefficients kept."""
DENSITY = 8
"""Expansion points a sample."""
PHASES = 16
"""Rows between two points of the certificate grid."""
REACH = 0.09
"""Distance, in samples, up to which an expansion of b is trusted."""

fast = njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})


class Tables(NamedTuple):
    """Look-up tables of one set of components on signals of one length.

    Attributes
    ----------
    length : float
        Samples N of a period.
    taylor : ndarray of shape (q, q, 8 N, 8)
        Taylor coefficients of ``G_jl``.
    rows : float32 ndarray of shape (q, q, PHASES + 1, 2 M)
        ``G_jl((i - M - p / PHASES) N / M)``.
    derivative : ndarray of shape (8, F)
        Factors of the p-th Taylor coefficient, ``(2 pi f / N)^p / p!`` and sign.
    bend : ndarray of shape (q,)
        ``-G_jj''(0)``.
    """

    length: float
    taylor: Floats
    rows: NDArray[np.float32]
    derivative: Floats
    bend: Floats

    @property
    def grid_size(self) -> int:
        """Points of the certificate grid."""
        return int(self.rows.shape[-1] // 2)


def grid_size(length: int) -> int:
    """Return the size of the certificate grid: about 3.2 points a sample."""
    return int(fft.next_fast_len(max(8, int(np.ceil(3.2 * length))), real=True))


def half_spectrum(C: Blocks) -> NDArray[Any]:
    """Return C (..., F, 1, 1) scaled such that irfft sums ``Re sum_f C_f exp(i f theta)``."""
    spectrum = 0.5 * C[..., 0, 0]
    spectrum[..., 0] *= 2
    return spectrum


def build_tables(A: Blocks, length: int) -> Tables:
    """Tabulate the components A (q, F, 1, channels)."""
    n_blocks, size = A.shape[1], grid_size(length)
    omega = 2 * np.pi * np.arange(n_blocks) / length
    order = np.arange(ORDER)
    powers = omega**order[:, None] / factorial(order)[:, None]
    spectrum = half_spectrum(correlate(A, A))[:, :, None]
    dense = DENSITY * length
    taylor = fft.irfft(spectrum * powers * 1j ** order[:, None], n=dense, axis=-1) * dense
    back = np.exp(-1j * omega * (np.arange(PHASES + 1)[:, None] * (length / size / PHASES)))
    period = (fft.irfft(spectrum * back, n=size, axis=-1) * size).astype(np.float32)
    sign = np.array([1.0, -1.0, -1.0, 1.0])[order % 4]
    return Tables(
        length=float(length),
        taylor=np.ascontiguousarray(taylor.swapaxes(2, 3)),
        rows=np.concatenate([period, period], axis=-1),
        derivative=powers * sign[:, None],
        bend=-2.0 * taylor[np.arange(len(A)), np.arange(len(A)), 2, 0],
    )


@fast
def taylor_at(a, dx):  # type: ignore[no-untyped-def]
    """Return value, slope and second derivative of an expansion at distance dx."""
    g, g1, g2 = a[7], 7.0 * a[7], 42.0 * a[7]
    for p in range(6, 1, -1):
        g = g * dx + a[p]
        g1 = g1 * dx + p * a[p]
        g2 = g2 * dx + p * (p - 1) * a[p]
    return (g * dx + a[1]) * dx + a[0], g1 * dx + a[1], g2


@fast
def gram_at(tables, j, l, tau):  # type: ignore[no-untyped-def]  # noqa: E741
    """Return ``G_jl``, its slope and its second derivative at tau in (-N, N)."""
    if tau < 0.0:
        tau += tables.length
    place = int(tau * DENSITY + 0.5)
    dx = tau - place / DENSITY
    if place == tables.taylor.shape[2]:
        place = 0
    return taylor_at(tables.taylor[j, l, place], dx)


@fast
def expand(C, derivative, angle, real, imag, out):  # type: ignore[no-untyped-def]
    """Fill `out` with the Taylor coefficients of ``Re sum_f C_f exp(i f angle)`` in samples."""
    n = C.shape[0]
    for f in range(min(8, n)):
        real[f], imag[f] = np.cos(f * angle), np.sin(f * angle)
    turn_re, turn_im = np.cos(8 * angle), np.sin(8 * angle)
    for f in range(8, n):
        real[f] = real[f - 8] * turn_re - imag[f - 8] * turn_im
        imag[f] = real[f - 8] * turn_im + imag[f - 8] * turn_re
    for f in range(n):
        x, y = C[f].real, C[f].imag
        real[f], imag[f] = x * real[f] - y * imag[f], x * imag[f] + y * real[f]
    for p in range(ORDER):
        total = 0.0
        if p % 2 == 0:
            for f in range(n):
                total += derivative[p, f] * real[f]
        else:
            for f in range(n):
                total += derivative[p, f] * imag[f]
        out[p] = total


@fast
def add_row(tables, j, tau, c, out):  # type: ignore[no-untyped-def]
    """Add ``c G_jl(grid - tau)`` to the grid values out (q, M) of every component l."""
    size = out.shape[1]
    place = tau * size / tables.length
    whole = int(place)
    phase = (place - whole) * PHASES
    p = int(phase)
    late = np.float32(c * (phase - p))
    early = np.float32(c) - late
    for other in range(out.shape[0]):
        first = tables.rows[j, other, p, size - whole : 2 * size - whole]
        second = tables.rows[j, other, p + 1, size - whole : 2 * size - whole]
        here = out[other]
        for m in range(size):
            here[m] += early * first[m] + late * second[m]
