"""Imputation of periodic recordings by autoregressive models of high order.

A periodic signal has no background from which events stand out. An autoregressive process whose
order p exceeds the period predicts it. Its filter solves a ridge regression over observed samples
t,

    min over h of sum_t (x[t] + sum_{i=1..p} h_i x[t - i])^2 + ridge ||h||^2,

where missing samples before t are the imputed ones. Gaps are imputed as in
`orbitdl.gaps.interpolation`, without events. Artificial gaps decide between this model and events
in noise of low order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from orbitdl.discovery.background import Background
from orbitdl.events.intervals import runs
from orbitdl.gaps.interpolation import Gap, merged_runs
from orbitdl.groups.base import Floats

LONGER, RIDGE = 1.5, 1e-2
"""Order in waveform lengths, and relative ridge."""
LEAST, ENOUGH = 4, 20
"""Minimum and maximum number of equations per coefficient."""
JUDGES, SPARSE, APART = 20, 4, 4
"""Maximum number of artificial gaps, waveform lengths of a recording per gap, and inverse minimum
distance from other gaps in waveform lengths."""
PASSES = 3
"""Iterations of imputation and estimation of filter and trend."""

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
