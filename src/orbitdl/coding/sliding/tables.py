"""Everything the sliding coder looks up instead of computing: functions of a shift.

With ``G_jl(tau) = <a_j, a_l shifted by tau>`` and ``b_j(tau) = <y, a_j shifted by tau>``, both real
trigonometric polynomials, the kernels need

- ``G``, ``G'``, ``G''`` at any tau: Taylor coefficients at a few points per sample;
- ``G`` on the certificate grid, from any tau: rows at a few phases between grid points,
  interpolated linearly, in single precision (they only locate peaks). The grid is two halves,
  every other point of it: often one of them is enough;
- ``b`` and its derivatives at any tau: a sum over frequencies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from scipy.special import factorial

from orbitdl.arrays.blocks import Blocks, Floats, correlate, inner
from orbitdl.groups.maxima.grids import grid_size
from orbitdl.groups.maxima.polynomials import horner, taylor_factors
from orbitdl.kernels import internal

ORDER = 8
"""Terms of Taylor expansions."""
DENSITIES = 2, 4, 8
"""Expansion points per sample: few where their accuracy will do, for small tables are quick."""
FINENESS = 3.15
"""Points of the certificate grid per cell, at least: the nearest one to a maximum V has at least
``V cos(pi / 6.3) = 0.878 V``."""
PHASES = 16
"""Rows between two points of half the certificate grid: between them G is linear up to
``(2 pi / 3.15 / 16)^2 / 8 = 0.2 %``, little compared with what a parabola misses of a peak."""
NEAREST, FARTHEST = 0.03, 0.63
"""Limits of the distance up to which an expansion is trusted, by the highest frequency there seems
to be: nearer than the first its remainder is below rounding, 2e-17; at the second, second
derivatives are right to 4 digits."""


class Tables(NamedTuple):
    """Look-up tables of one set of components on signals of one length.

    Attributes
    ----------
    length : float
        Cells N of a period; for shifts of signals, samples.
    density : float
        Expansion points per sample that the data point at work needs.
    stride : int
        How many of those tabulated lie between two of them, plus one.
    taylor : ndarray of shape (q + p, q, density * stride * N, 8)
        Taylor coefficients of ``G_jl``, with p further blocks.
    rows : float32 ndarray of shape (q + p, PHASES + 1, 2 H q)
        ``G_jl((i - H - p / PHASES) N / H)`` at ``i q + l``, H half the points of the certificate
        grid: the row of an atom is of one piece.
    derivative : ndarray of shape (8, F)
        Factors of the p-th Taylor coefficient, ``(2 pi f / N)^p / p!`` and sign.
    curvature : ndarray of shape (q,)
        ``-G_jj''(0)``.
    radius : float
        Distance, in samples, up to which an expansion of b is trusted.
    """

    length: float
    density: float
    stride: int
    taylor: Floats
    rows: NDArray[np.float32]
    derivative: Floats
    curvature: Floats
    radius: float

    @property
    def half_size(self) -> int:
        """Half the points of the certificate grid."""
        return int(self.rows.shape[2] // (2 * self.taylor.shape[1]))


def half_spectrum(C: Blocks) -> NDArray[Any]:
    """Return C (..., F, 1, 1) scaled such that irfft sums ``Re sum_f C_f exp(i f theta)``."""
    spectrum = 0.5 * C[..., 0, 0]
    spectrum[..., 0] *= 2
    return spectrum


def highest_frequency(A: Blocks, length: int) -> float:
    """Return the highest angular frequency, per cell, that components A (q, F, 1, m) seem to have.

    It is k in ``||a_j^(8)|| <= k^8``: pi for white noise, less for what is smooth.
    """
    omega = 2 * np.pi * np.arange(A.shape[1]) / length
    eighth = inner(A, omega[:, None, None] ** (2 * ORDER) * A)
    return float(max(eighth.max(), 1e-300) ** (0.5 / ORDER))


def trust(accuracy: Floats, highest: float = np.pi) -> tuple[Floats, Floats]:
    """Return the `density` and the `radius`, (n,) each, that data points of such accuracy need.

    An expansion of ``b / ||y||``, or of G, is trusted up to the distance x where Taylor's
    remainder, at most ``||a_j^(8)|| x^8 / 8!``, reaches the accuracy. The components have that
    `highest_frequency`.
    """
    radius = (accuracy * factorial(ORDER)) ** (1 / ORDER) / highest
    enough = [0.5 / density <= radius for density in DENSITIES[:-1]]
    density = np.select(enough, [float(density) for density in DENSITIES[:-1]], DENSITIES[-1])
    return density, np.minimum(np.clip(radius, NEAREST / highest, FARTHEST / highest), 0.5)


def build_tables(A: Blocks, length: int, density: float, units: Blocks | None = None) -> Tables:
    """Tabulate the components A (q, F, 1, channels) with `density`, one of `DENSITIES`.

    With `units`, further blocks (p, F, 1, channels), their products with the components follow.
    The points of a lower density have the same coefficients, to the last bit, in all tables.
    """
    first = A if units is None else np.concatenate([A, units])
    few, pairs = DENSITIES[0], (len(first), len(A))
    n_blocks, half, dense = A.shape[1], grid_size(length, 0.5 * FINENESS), few * length
    omega = 2 * np.pi * np.arange(n_blocks) / length
    factors = taylor_factors(omega, ORDER)
    rotated = factors[:, :n_blocks] * np.array([1.0, -1j])[np.arange(ORDER) % 2, None]
    spectrum = half_spectrum(correlate(first, A))[:, :, None]
    between = np.exp(1j * omega * np.arange(0, 1 / few, 1 / density)[:, None, None])
    taylor = fft.irfft(spectrum[:, :, None] * rotated * between, n=dense, axis=-1) * dense
    back = np.exp(-1j * omega * (np.arange(PHASES + 1)[:, None] * (length / half / PHASES)))
    spectra = (spectrum * back).astype(np.complex64)
    period = fft.irfft(spectra, n=half, axis=-1, norm="forward").transpose(0, 2, 3, 1)
    return Tables(
        length=float(length),
        density=density,
        stride=1,
        taylor=np.ascontiguousarray(taylor.transpose(0, 1, 4, 2, 3)).reshape(*pairs, -1, ORDER),
        rows=np.concatenate([period, period], axis=2).reshape(len(first), PHASES + 1, -1),
        derivative=factors,
        curvature=-2.0 * taylor[np.arange(len(A)), np.arange(len(A)), 0, 2, 0],
        radius=NEAREST,
    )


@internal
def tables_for(tables, density, radius):  # type: ignore[no-untyped-def]
    """Return the tables as a data point needs them, whatever others do."""
    return Tables(
        tables.length, density, int(tables.density / density), tables.taylor, tables.rows,
        tables.derivative, tables.curvature, radius,
    )  # fmt: skip


@internal
def wrap(shift, length):  # type: ignore[no-untyped-def]
    """Return the shift in [0, length)."""
    inside = shift - length * np.floor(shift / length)
    return inside if inside < length else 0.0


@internal
def signed_distance(to, start, length):  # type: ignore[no-untyped-def]
    """Return the shorter way from one position on the circle to another."""
    apart = to - start
    return apart - length * np.floor(apart / length + 0.5)


@internal
def gram_at(tables, j, l, tau):  # type: ignore[no-untyped-def]  # noqa: E741
    """Return ``G_jl``, its slope and its second derivative at tau in (-N, N)."""
    if tau < 0.0:
        tau += tables.length
    index = int(tau * tables.density + 0.5)
    dx = tau - index / tables.density
    index *= tables.stride
    if index == tables.taylor.shape[2]:
        index = 0
    return horner(tables.taylor[j, l, index], dx)


@internal
def row_of(tables, tau, c, h, size):  # type: ignore[no-untyped-def]
    """Return phase and start of the row ``c G_jl(half h of the grid - tau)``, and two weights."""
    index = tau * size / tables.length - 0.5 * h
    index += size * (index < 0.0)
    below = int(index)
    phase = (index - below) * PHASES
    p = int(phase)
    far = np.float32(c * (phase - p))
    return p, size - below, np.float32(c) - far, far


@internal
def subtract_rows(tables, component, shift, c, k, l, h, out):  # type: ignore[no-untyped-def]  # noqa: E741
    """Subtract the rows of two atoms, k and l, from half h of the grid values (2, H q).

    If l = k, the row of one.
    """
    here, rows, q = out[h], tables.rows, tables.taylor.shape[1]
    size = here.shape[0] // q
    p1, start1, a1, b1 = row_of(tables, shift[k], c[k], h, size)
    p2, start2, a2, b2 = row_of(tables, shift[l], c[l] if l > k else 0.0, h, size)
    j1, j2, start1, start2, length = component[k], component[l], start1 * q, start2 * q, size * q
    near1, far1 = (
        rows[j1, p1, start1 : start1 + length],
        rows[j1, p1 + 1, start1 : start1 + length],
    )
    near2, far2 = (
        rows[j2, p2, start2 : start2 + length],
        rows[j2, p2 + 1, start2 : start2 + length],
    )
    for m in range(length):
        here[m] -= a1 * near1[m] + b1 * far1[m] + a2 * near2[m] + b2 * far2[m]
