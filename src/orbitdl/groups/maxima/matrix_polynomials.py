"""Matrix-valued trigonometric polynomials ``X(theta) = Re sum_f C_f exp(i f theta)``."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.maxima.polynomials import as_real_imag
from orbitdl.kernels import allocating
from orbitdl.kernels.phases import fill_phases


class MatrixPolynomials:
    """Functions X with coefficients C (n, F, d, d), stored for fast evaluation."""

    def __init__(self, C: Blocks) -> None:
        self._shape = C.shape[-2:]
        self._parts = as_real_imag(np.moveaxis(C, -3, -1).reshape(len(C), -1, C.shape[-3]))

    def at(self, row: Integers, theta: Floats) -> Floats:
        """Return X at angles (k,) of the functions `row` (k,), shape (k, d, d)."""
        value = np.empty((len(row), self._parts.shape[1]))
        fill_values(self._parts, row, theta, value)
        return value.reshape(len(row), *self._shape)

    def with_slopes(self, row: Integers, theta: Floats) -> tuple[Floats, Floats]:
        """Return X and its derivative X', shape (k, d, d) each."""
        value, slope = np.empty((2, len(row), self._parts.shape[1]))
        fill_values_and_slopes(self._parts, row, theta, value, slope)
        shape = (len(row), *self._shape)
        return value.reshape(shape), slope.reshape(shape)


@allocating
def fill_values(C, row, theta, value):  # type: ignore[no-untyped-def]
    """Fill value (k, e) with ``Re sum_f C_f exp(i f theta)``; C holds parts (n, e, 2, F')."""
    _, n_entries, _, width = C.shape
    real, imag = np.empty(width), np.empty(width)
    for k in range(row.shape[0]):
        fill_phases(theta[k], real, imag)
        for e in range(n_entries):
            own, total = C[row[k], e], 0.0
            for f in range(width):
                total += own[0, f] * real[f] - own[1, f] * imag[f]
            value[k, e] = total


@allocating
def fill_values_and_slopes(C, row, theta, value, slope):  # type: ignore[no-untyped-def]
    """Fill value and slope (k, e): the same and its derivative."""
    _, n_entries, _, width = C.shape
    real, imag = np.empty(width), np.empty(width)
    for k in range(row.shape[0]):
        fill_phases(theta[k], real, imag)
        for e in range(n_entries):
            own, total, rise = C[row[k], e], 0.0, 0.0
            for f in range(width):
                x, y = own[0, f], own[1, f]
                total += x * real[f] - y * imag[f]
                rise -= f * (x * imag[f] + y * real[f])
            value[k, e], slope[k, e] = total, rise
