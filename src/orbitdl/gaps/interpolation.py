"""Conditional distribution of missing samples in autoregressive noise (Kriging).

With the prediction-error filter h and its scale s, whitened samples are ``y = h * x / s``. Those
that depend on the missing samples x_M of a gap are ``y_0 + H x_M``, where y_0 has zeros in the gap
and H holds the columns of ``h / s`` there. Given the sum m of events, x_M is Gaussian with the mean
and covariance

    argmin over x_M of ||y_0 + H x_M - m||^2 = H^+ (m - y_0),      (H^T H)^-1.

Independent of x_M is ``N^T y_0``, with N an orthonormal basis of the orthogonal complement of the
range of H: p numbers for a gap between observed samples.

Periodic recordings are imputed by autoregressive models of high order: a periodic signal has no
background from which events stand out. An autoregressive process whose order p exceeds the period
predicts it. Its filter solves a ridge regression over observed samples t,

    min over h of sum_t (x[t] + sum_{i=1..p} h_i x[t - i])^2 + ridge ||h||^2,

where missing samples before t are the imputed ones. Gaps are imputed as
above, without events. Artificial gaps decide between this model and events
in noise of low order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.discovery.background import Background
from orbitdl.events.intervals import runs

RANK = 1e-6
"""Relative tolerance of singular values of H: it has a null space near the start of a recording."""


LONGER, RIDGE = 1.5, 1e-2
"""Order in waveform lengths, and relative ridge."""
LEAST, ENOUGH = 4, 20
"""Minimum and maximum number of equations per coefficient."""
JUDGES, SPARSE, APART = 20, 4, 4
"""Maximum number of artificial gaps, waveform lengths of a recording per gap, and inverse minimum
distance from other gaps in waveform lengths."""
PASSES = 3
"""Iterations of imputation and estimation of filter and trend."""


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


Fill = Callable[[Floats, NDArray[np.bool_]], tuple[Floats, Floats]]
Trend = Callable[[Floats], Floats]


def long_background(x: Floats, missing: NDArray[np.bool_], order: int) -> Background:
    """Estimate the process from imputed samples x (n, channels)."""
    t = np.flatnonzero(~missing[order:]) + order
    t = t[:: max(len(t) // (ENOUGH * order), 1)]
    filters, scales = [], []
    for channel in x.T:
        lagged = channel[t[:, None] - np.arange(order + 1)]
        y, X = lagged[:, 0], lagged[:, 1:]
        gram = X.T @ X
        ridge = RIDGE * np.trace(gram) / order + 1e-300
        h = np.append(1.0, -np.linalg.solve(gram + ridge * np.eye(order), X.T @ y))
        filters.append(h)
        scales.append(max(float(np.sqrt(np.mean((lagged @ h) ** 2))), 1e-300))
    return Background(np.stack(filters), np.array(scales))


def remembered(
    x: Floats, missing: NDArray[np.bool_], length: int, background: Background
) -> tuple[Floats, Floats]:
    """Impute gaps shorter than a waveform; return samples and standard deviations (n, channels)."""
    values, sd = x.copy(), np.zeros_like(x)
    for first, last in merged_runs(missing, background.order):
        gap = Gap.of(x, missing, first, last, background)
        if not len(gap.rows) or any(b - a >= length for a, b in runs(missing[first:last])):
            continue
        values[gap.samples] = gap.mean(np.zeros_like(gap.y))
        no_events = np.zeros((len(gap.rows), 0))
        deviations = [gap.sd(c, 1.0, no_events) for c in range(x.shape[1])]
        sd[gap.samples] = np.stack(deviations, axis=1)
    return values, sd


def predicts_better(x: Floats, missing: NDArray[np.bool_], length: int, fill: Fill) -> bool:
    """Return whether high order imputes artificial gaps with a smaller error than `fill`.

    ``fill(x, missing)`` imputes gaps and returns samples and standard deviations.
    """
    made = artificial_gaps(missing, length)
    if not made.any():
        return False
    gone = missing | made
    hidden = np.where(gone[:, None], np.nan, x)
    own = np.where(gone[:, None], fill(np.nan_to_num(hidden), gone)[0], x)
    if np.sum(~gone) < (LEAST + 1) * order_of(length):
        return False
    other, _ = with_long_memory(hidden, own, gone, length, np.zeros_like)
    error, least = (float(np.sum((values - x)[made] ** 2)) for values in (other, own))
    return error < least


def with_long_memory(
    known: Floats, filled: Floats, missing: NDArray[np.bool_], length: int, trend_of: Trend
) -> tuple[Floats, Floats]:
    """Impute a recording with its trend, (n, channels), NaN where missing; return deviations, too.

    `filled` is an initial imputation; ``trend_of(values)`` estimates the trend.
    """
    is_missing = missing[:, None]
    for _ in range(PASSES):
        slow = trend_of(filled)
        background = long_background(filled - slow, missing, order_of(length))
        x = np.where(is_missing, 0.0, known - slow)
        left, sd = remembered(x, missing, length, background)
        filled = np.where(is_missing & (sd > 0.0), left + slow, filled)
    return filled, sd


def order_of(length: int) -> int:
    """Return the order of the process for waveforms of `length` samples."""
    return round(LONGER * length)


def artificial_gaps(missing: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Return a mask (n,) of artificial gaps with the lengths of the gaps, far from these.

    At most one gap per four waveform lengths.
    """
    sizes = np.array([b - a for a, b in runs(missing) if b - a < length], dtype=np.intp)
    made = np.zeros(len(missing), dtype=bool)
    count = min(JUDGES, len(missing) // (SPARSE * length)) if len(sizes) else 0
    of_samples = np.sort(np.repeat(sizes, sizes))
    for size in of_samples[np.linspace(0, len(of_samples) - 1, count).astype(np.intp)]:
        taken = np.pad(missing | made, 1, constant_values=True)
        far = distance_transform_edt(~taken)[1:-1]
        middle = int(np.argmax(far))
        if far[middle] < size / 2 + length / APART:
            break
        made[middle - size // 2 : middle - size // 2 + size] = True
    return made
