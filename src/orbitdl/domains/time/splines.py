"""Cubic B-splines: waveforms of compact support with exact continuous shifts.

With B the cubic B-spline, of support (-2, 2), and coefficients ``u[n]``, n = 0 .. W-1,

    a(t) = sum_n u[n] B(t - n),      <a, b> = sum_{n,m} u[n] v[m] gram[|n - m|].

Shifted to tau = m + d, 0 <= d < 1, and sampled, it is a filter of four taps on its coefficients:

    a(t - tau) = sum_{i=-1..2} w_i(d) u[t - m - i],      w_i(d) = B(i - d).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_banded

from orbitdl.arrays.blocks import Floats
from orbitdl.kernels import internal

TAPS = 4
"""Weights of a shifted spline; its support is W + 3 samples."""
GRAM = np.array([2416.0, 1191.0, 120.0, 1.0]) / 5040.0
"""``<B, B(. - n)>`` in L2, n = 0 .. 3."""
ON_SAMPLES = np.array([1.0, 4.0, 1.0]) / 6.0
"""``B(n)``, n = -1, 0, 1."""


def coefficients_of(samples: Floats) -> Floats:
    """Return coefficients (..., W, channels) of the splines that interpolate samples.

    Coefficients outside are zero.
    """
    rows = np.moveaxis(samples, -2, 0)
    length = len(rows)
    bands = np.repeat(ON_SAMPLES[:, None], length, axis=1)
    flat = solve_banded((1, 1), bands, rows.reshape(length, -1))
    return np.ascontiguousarray(np.moveaxis(flat.reshape(rows.shape), 0, -2))


def samples_of(u: Floats) -> Floats:
    """Return ``a(n)``, n = 0 .. W-1, of coefficients (..., W, channels)."""
    padded = np.pad(u, [(0, 0)] * (u.ndim - 2) + [(1, 1), (0, 0)])
    before, here, after = padded[..., :-2, :], padded[..., 1:-1, :], padded[..., 2:, :]
    result: Floats = ON_SAMPLES[0] * before + ON_SAMPLES[1] * here + ON_SAMPLES[2] * after
    return result


def norms_of(u: Floats) -> Floats:
    """Return the L2 norms ``||a_j||`` for coefficients (q, W, channels)."""
    energy = GRAM[0] * np.sum(u**2, axis=(1, 2))
    for lag in range(1, len(GRAM)):
        energy += 2.0 * GRAM[lag] * np.sum(u[:, lag:] * u[:, :-lag], axis=(1, 2))
    result: Floats = np.sqrt(np.maximum(energy, 0.0))
    return result


def weights_at(d: Floats) -> Floats:
    """Return ``w_i(d)``, i = -1 .. 2, for fractions d (n,), shape (n, 4)."""
    e = 1.0 - d
    inner = (4.0 - 6.0 * d**2 + 3.0 * d**3, 1.0 + 3.0 * d + 3.0 * d**2 - 3.0 * d**3)
    return np.stack([e**3, *inner, d**3], axis=1) / 6.0


@internal
def four_weights(d):  # type: ignore[no-untyped-def]
    """Return the weights at 0 <= d < 1."""
    e = 1.0 - d
    second = (4.0 - 6.0 * d * d + 3.0 * d * d * d) / 6.0
    third = (1.0 + 3.0 * d + 3.0 * d * d - 3.0 * d * d * d) / 6.0
    return e * e * e / 6.0, second, third, d * d * d / 6.0


@internal
def fill_weights(d, w):  # type: ignore[no-untyped-def]
    """Fill w (3, 4) with the weights at 0 <= d < 1 and their two derivatives."""
    e = 1.0 - d
    w[0, 0], w[0, 1], w[0, 2], w[0, 3] = four_weights(d)
    w[1, 0], w[1, 3] = -0.5 * e * e, 0.5 * d * d
    w[1, 1] = 1.5 * d * d - 2.0 * d
    w[1, 2] = 0.5 + d - 1.5 * d * d
    w[2, 0], w[2, 3] = e, d
    w[2, 1] = 3.0 * d - 2.0
    w[2, 2] = 1.0 - 3.0 * d


@internal
def weighted(v, sums):  # type: ignore[no-untyped-def]
    """Return ``sum_i v_i sums_i`` over four terms."""
    return v[0] * sums[0] + v[1] * sums[1] + v[2] * sums[2] + v[3] * sums[3]
