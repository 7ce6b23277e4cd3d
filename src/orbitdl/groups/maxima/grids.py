"""Trigonometric polynomials on uniform grids of the circle."""

from __future__ import annotations

import numpy as np
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Floats, Integers

BLOCK = 16
"""Grid points that are tested at once, for vectorisation: the size of a grid is a multiple."""


def on_grid(C: Blocks, size: int, axis: int = -1) -> Floats:
    """Return ``Re sum_f C_f exp(2 pi i f k / size)`` for k = 0 .. size-1.

    The (negative) axis of frequencies f <= ``size / 2`` becomes the axis of k.
    """
    n_blocks = C.shape[axis]
    half = np.full(n_blocks, 0.5)
    half[0] = 1.0
    if size == 2 * (n_blocks - 1):
        half[-1] = 1.0
    halves = C * half.reshape(-1, *[1] * (-1 - axis))
    result: Floats = fft.irfft(halves, n=size, axis=axis, norm="forward")
    return result


def grid_peaks(values: Floats, threshold: float | Floats) -> tuple[Integers, Integers]:
    """Return row and column of the local maxima of ``|values|`` (n, M) on circles.

    Only those above a threshold, a number or an array (n, 1). Of a plateau the first point is
    returned if it is the maximum of its row, otherwise none.
    """
    height = np.abs(values)
    padded = np.concatenate([height[:, -1:], height, height[:, :1]], axis=1)
    high = (height > padded[:, :-2]) & (height > padded[:, 2:])
    high[np.arange(len(height)), height.argmax(axis=1)] = True
    high &= height >= threshold
    row, column = np.divmod(np.flatnonzero(high), values.shape[1])
    return row, column


def grid_size(cells: int, fineness: float) -> int:
    """Return a size of grids that is fast for the FFT, at least `fineness` points per cell."""
    return BLOCK * int(fft.next_fast_len(int(np.ceil(fineness * cells / BLOCK)), real=True))


def lowest_fraction(n_blocks: int, size: int) -> float:
    """Return ``cos(pi deg / M)``, the fraction of a maximum that a grid of M points attains."""
    return max(float(np.cos(np.pi * (n_blocks - 1) / size)), 0.0)
