"""Conditional distribution of missing samples in autoregressive noise (Kriging).

With the prediction-error filter h and its scale s, whitened samples are ``y = h * x / s``. Those
that depend on the missing samples x_M of a gap are ``y_0 + H x_M``, where y_0 has zeros in the gap
and H holds the columns of ``h / s`` there. Given the sum m of events, x_M is Gaussian with the mean
and covariance

    argmin over x_M of ||y_0 + H x_M - m||^2 = H^+ (m - y_0),      (H^T H)^-1.

Independent of x_M is ``N^T y_0``, with N an orthonormal basis of the orthogonal complement of the
range of H: p numbers for a gap between observed samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.discovery.background import Background
from orbitdl.events.intervals import runs
from orbitdl.groups.base import Floats, Integers

RANK = 1e-6
"""Relative tolerance of singular values of H: it has a null space near the start of a recording."""


@dataclass(frozen=True, eq=False)
class Gap:
    """Missing samples, and the whitened samples that depend on them.

    Attributes
    ----------
    samples : ndarray of shape (m,)
        Missing samples.
    rows : ndarray of shape (n,)
        Whitened samples that depend on them.
    y : ndarray of shape (n, channels)
        Their values y_0 with zeros in the gap.
    inverse : list of ndarray of shape (m, n)
        ``H^+`` of every channel.
    basis : list of ndarray of shape (n, n - rank)
        N of every channel.
    """

    samples: Integers
    rows: Integers
    y: Floats
    inverse: list[Floats]
    basis: list[Floats]

    @classmethod
    def of(
        cls, x: Floats, missing: NDArray[np.bool_], first: int, last: int, background: Background
    ) -> Gap:
        """Return the gap, or gaps closer than the filter order, in ``[first, last)``.

        x (T, channels) is zero where missing. Whitened samples that depend on another gap, or on
        samples before the first one, are excluded.
        """
        p = background.order
        samples = np.flatnonzero(missing[first:last]) + first
        rows = np.arange(max(first, p), min(last + p, len(x)))
        at = rows[:, None] - np.arange(p + 1)
        is_sound = ~np.any(missing[at] & ((at < first) | (at >= last)), axis=1)
        rows, at = rows[is_sound], at[is_sound]
        row, tap = np.nonzero(missing[at])
        column, inverse, basis = np.searchsorted(samples, at[row, tap]), [], []
        kernels = background.filters / background.scale[:, None]
        for h in kernels:
            H = np.zeros((len(rows), len(samples)))
            H[row, column] = h[tap]
            U, s, V = np.linalg.svd(H)
            rank = int(np.sum(s > RANK * s.max(initial=0.0)))
            inverse.append((V[:rank].T / s[:rank]) @ U[:, :rank].T)
            basis.append(U[:, rank:])
        return cls(samples, rows, np.einsum("nkc,ck->nc", x[at], kernels), inverse, basis)

    def mean(self, m: Floats) -> Floats:
        """Return the conditional mean (m, channels), given the sum of events m (n, channels)."""
        pairs = zip(self.inverse, (m - self.y).T, strict=True)
        return np.stack([inverse @ left for inverse, left in pairs], axis=1)

    def sd(self, c: int, noise: float, events: Floats) -> Floats:
        """Return the conditional standard deviations (m,) of a channel.

        `noise` is that of whitened samples; the columns of `events` (n, k) are independent terms of
        unit variance.
        """
        inverse = self.inverse[c]
        variance = noise**2 * np.sum(inverse**2, axis=1) + np.sum((inverse @ events) ** 2, axis=1)
        return np.asarray(np.sqrt(variance))


def merged_runs(missing: NDArray[np.bool_], order: int) -> list[tuple[int, int]]:
    """Return start and end of gaps; gaps closer than the filter order are merged."""
    result = list[tuple[int, int]]()
    for first, last in runs(missing):
        if result and first - result[-1][1] <= order:
            result[-1] = result[-1][0], int(last)
        else:
            result.append((int(first), int(last)))
    return result
