"""Coordinates of waveforms in which the L2 norm is Euclidean.

With ``Gram = L L^T`` of W cubic B-splines, ``||a||^2 = u^T Gram u = ||L^T u||^2``: components of
learning are ``L^T u``, one block of size W per waveform, as many columns as there are channels.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.linalg import cholesky, solve_triangular, toeplitz

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.domains.time.splines import GRAM
from orbitdl.domains.time.sums import Sums


@lru_cache(maxsize=16)
def factor(width: int) -> Floats:
    """Return the Cholesky factor L (W, W) of the Gram matrix of B-splines."""
    column = np.zeros(max(width, len(GRAM)))
    column[: len(GRAM)] = GRAM
    lower: Floats = cholesky(toeplitz(column[:width]), lower=True)
    return lower


def to_blocks(u: Floats) -> Blocks:
    """Return coefficients (q, W, channels) as components (q, 1, W, channels)."""
    return np.ascontiguousarray(np.matmul(factor(u.shape[1]).T, u)[:, None])


def from_blocks(A: Blocks) -> Floats:
    """Return the coefficients of components."""
    q, _, width, channels = A.shape
    columns = A[:, 0].transpose(1, 0, 2).reshape(width, q * channels)
    solved = solve_triangular(factor(width), columns, trans="T", lower=True)
    return np.ascontiguousarray(solved.reshape(width, q, channels).transpose(1, 0, 2))


def statistics_in_blocks(sums: Sums, usage: Floats) -> Statistics:
    """Transform sums from coefficients to components."""
    q, size = len(usage), len(sums.normal)
    lower = factor(size // q)
    rows = _solve_parts(lower, sums.normal, q)
    both = _solve_parts(lower, rows.T, q).T
    cross = _solve_parts(lower, sums.cross, q)
    return Statistics(0.5 * (both + both.T)[None], cross[None], usage)


def _solve_parts(lower: Floats, right: Floats, q: int) -> Floats:
    """Apply ``L^-1`` to each of q blocks of rows."""
    width = len(lower)
    parts = right.reshape(q, width, -1).transpose(1, 0, 2).reshape(width, -1)
    solved: Floats = solve_triangular(lower, parts, lower=True)
    return solved.reshape(width, q, -1).transpose(1, 0, 2).reshape(q * width, -1)
