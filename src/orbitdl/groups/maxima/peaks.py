"""Local maxima of a real polynomial p, or of the modulus of a complex one, from grid points nearby.

For the modulus of ``P(theta) = sum_f C_f exp(i f theta)``: the squared modulus is a real
trigonometric polynomial, ``|P|^2 = Re sum_k D_k exp(i k theta)`` with ``D_0 = sum_f |C_f|^2`` and
``D_k = 2 sum_f C_{f+k} conj(C_f)``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.maxima.grids import grid_peaks, grid_size, lowest_fraction
from orbitdl.groups.maxima.largest import find_largest_values
from orbitdl.groups.maxima.polynomials import (
    FIRST,
    LAST,
    apply_phases,
    as_real_imag,
    eight_terms,
    maximise_in_bracket,
    taylor_factors,
)
from orbitdl.kernels import allocating

ORDER = 16
"""Taylor coefficients around a grid point: two blocks of 8."""


FINENESS = 2.3
"""Grid points per cell, at least, in the search of the maximum."""
EVERYWHERE = 4
"""Grid points per cell in the search of all peaks."""
BEYOND = 1e100
"""Above any modulus of scaled polynomials."""
CHUNK = 256
"""Polynomials evaluated on a grid at a time."""


def peaks_near(C: Blocks, grid: Floats, row: Integers, k: Integers) -> tuple[Floats, Floats]:
    """Return the signed values and angles of the local maxima next to grid points k of rows.

    C (n, F) are the polynomials, `grid` (n, M) their values at the angles ``2 pi k / M``.
    """
    size = grid.shape[1]
    factors = taylor_factors(2 * np.pi / size * np.arange(C.shape[1]), ORDER)
    sign = np.sign(grid[row, k])
    value, position = np.empty(len(row)), np.empty(len(row))
    fill_peaks(as_real_imag(C), row, k, sign, size, factors, value, position)
    return sign * value, np.mod(position, size) * (2 * np.pi / size)


@allocating
def fill_peaks(C, row, k, sign, size, factors, value, position):  # type: ignore[no-untyped-def]
    """Fill value and position (in grid cells) of the maxima of ``sign p`` within a cell of k."""
    n_blocks = C.shape[2]
    real, imag, a = np.empty(n_blocks), np.empty(n_blocks), np.empty(factors.shape[0])
    for i in range(len(row)):
        apply_phases(C[row[i]], 2.0 * np.pi * k[i] / size, real, imag)
        eight_terms(factors, FIRST, real, imag, a)
        eight_terms(factors, LAST, real, imag, a)
        value[i], x = maximise_in_bracket(a, sign[i], -1.0, 1.0)
        position[i] = k[i] + x


class ModulusPeaks(NamedTuple):
    """Local maxima of the modulus: polynomial, value and angle, arrays (k,)."""

    row: Integers
    value: Floats
    angle: Floats


def largest_modulus(C: Blocks) -> tuple[Floats, Floats]:
    """Return ``max_{j, theta} |P_j|`` over q polynomials C (n, q, F), and the angle: (n,) each."""
    cells, scale = 2 * C.shape[2] - 1, _scale(C, axes=(1, 2))
    square = as_polynomials(squares_on_grid(C / scale, cells), C.shape[2])
    height, angle = find_largest_values(square, grid_size(cells, FINENESS))
    return np.sqrt(np.maximum(height, 0.0)) * scale[:, 0, 0], angle


def modulus_peaks(C: Blocks, threshold: float) -> ModulusPeaks:
    """Return the local maxima of ``|P|`` above a threshold, for C (n, F).

    The global maximum is among them. Maxima less than 1 % above a neighbouring minimum may be
    missed.
    """
    parts = [_peaks_of_some(C[k : k + CHUNK], threshold) for k in range(0, len(C), CHUNK)]
    row = [k * CHUNK + part.row for k, part in enumerate(parts)]
    value, angle = ([part[k] for part in parts] for k in (1, 2))
    nothing = np.zeros(0)
    return ModulusPeaks(
        np.concatenate([nothing.astype(np.intp), *row]),
        np.concatenate([nothing, *value]),
        np.concatenate([nothing, *angle]),
    )


def _peaks_of_some(C: Blocks, threshold: float) -> ModulusPeaks:
    n_blocks, scale = C.shape[1], _scale(C, axes=(1,))
    size = fft.next_fast_len(EVERYWHERE * (2 * n_blocks - 1))
    grid = squares_on_grid(C / scale, size)
    lowest = (np.minimum(threshold, BEYOND * scale) / scale) ** 2
    row, k = grid_peaks(grid, lowest * lowest_fraction(n_blocks, size))
    height, angle = peaks_near(as_polynomials(grid, n_blocks), grid, row, k)
    high = height > lowest[row, 0]
    return ModulusPeaks(row[high], np.sqrt(height[high]) * scale[row[high], 0], angle[high])


def squares_on_grid(C: Blocks, size: int) -> Floats:
    """Return ``|P|^2`` at the angles ``2 pi k / size``, (..., F) to (..., size)."""
    return np.asarray(np.abs(fft.ifft(C, n=size, axis=-1, norm="forward")) ** 2)


def as_polynomials(squares: Floats, n_blocks: int) -> Blocks:
    """Return D (..., F) from values of ``|P|^2`` on a grid of at least 2 F - 1 points."""
    D: Blocks = fft.rfft(squares, axis=-1, norm="forward")[..., :n_blocks]
    D[..., 1:] *= 2
    return np.ascontiguousarray(D)


def _scale(C: Blocks, axes: tuple[int, ...]) -> Floats:
    """Return the largest absolute values, by which squares neither underflow nor overflow."""
    return np.asarray(np.maximum(np.abs(C).max(axis=axes, keepdims=True), 1e-300))
