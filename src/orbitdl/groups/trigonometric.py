"""Exact extrema of real trigonometric polynomials ``p(theta) = Re sum_f C_f exp(i f theta)``.

A grid brackets the maximum of ``|p|`` and Newton's method finishes. If ``|p|`` takes its maximum
V at theta*, then ``|p(theta)| >= V cos(deg (theta - theta*))`` within pi/deg of it, so on a grid
of M points the nearest one satisfies ``|p| >= V cos(pi deg / M)``: only grid values of at least
``cos(pi deg / M)`` times the largest can belong to the maximum.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from orbitdl.groups.base import Floats


@njit(cache=True, nogil=True)
def evaluate(C, theta):  # type: ignore[no-untyped-def]
    """Return p, p' and p'' at one point."""
    turn = complex(np.cos(theta), np.sin(theta))
    phase = 1.0 + 0.0j
    value, slope, bend = 0.0, 0.0, 0.0
    for f in range(C.shape[0]):
        z = C[f] * phase
        value += z.real
        slope -= f * z.imag
        bend -= f * f * z.real
        phase *= turn
    return value, slope, bend


@njit(cache=True, nogil=True)
def climb(C, sign, low, high):  # type: ignore[no-untyped-def]
    """Maximise ``sign * p`` on a bracket: Newton, kept inside by bisection on the slope."""
    theta, best, top = 0.5 * (low + high), -np.inf, 0.0
    for _ in range(60):
        value, slope, bend = evaluate(C, theta)
        value, slope, bend = sign * value, sign * slope, sign * bend
        if value > best:
            best, top = value, theta
        if slope > 0.0:
            low = theta
        else:
            high = theta
        step = -slope / bend if bend < 0.0 else np.inf
        if abs(step) < 1e-13 or high - low < 1e-13:
            break
        theta = theta + step if low < theta + step < high else 0.5 * (low + high)
    return best, top


@njit(cache=True, nogil=True)
def largest_peak(C, grid):  # type: ignore[no-untyped-def]
    """Return the signed value and the place of the maximum of ``|p|``, given p on a grid."""
    size = grid.shape[0]
    spacing = 2.0 * np.pi / size
    height = np.max(np.abs(grid))
    needed = height * max(np.cos(np.pi * (C.shape[0] - 1) / size), 0.0)
    best, top = -np.inf, 0.0
    for k in range(size):
        sign = 1.0 if grid[k] >= 0.0 else -1.0
        here = sign * grid[k]
        if here < needed or here < sign * grid[k - 1] or here <= sign * grid[(k + 1) % size]:
            continue
        # halves of the two neighbouring cells: two close maxima do not share a bracket
        for part in range(4):
            low = (k - 1 + 0.5 * part) * spacing
            value, theta = climb(C, sign, low, low + 0.5 * spacing)
            if value > abs(best) or best == -np.inf:
                best, top = sign * value, theta
    if best == -np.inf:  # constant on the grid
        best = grid[0]
    return best, top % (2.0 * np.pi)


@njit(cache=True, nogil=True)
def largest_peaks(C, grid, value, theta):  # type: ignore[no-untyped-def]
    """Fill value and theta with `largest_peak` of every row."""
    for i in range(C.shape[0]):
        value[i], theta[i] = largest_peak(C[i], grid[i])


def maximise(C: Floats, grid: Floats) -> tuple[Floats, Floats]:
    """Return the signed extreme values (n,) and angles (n,) of n polynomials (n, F)."""
    value, theta = np.empty(len(C)), np.empty(len(C))
    largest_peaks(C, grid, value, theta)
    return value, theta
