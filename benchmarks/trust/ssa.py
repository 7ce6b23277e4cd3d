"""Gap filling by singular spectrum analysis: the peer for series with gaps."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from benchmarks.data import Floats

WINDOW, RANKS = 104, (2, 4, 6, 8, 10)
ITERATIONS, TOLERANCE = 60, 1e-4
GAP, GAPS = 20, 6
"""Further gaps that are hidden to choose the rank."""


def fill(x: Floats) -> Floats:
    """Fill missing samples with the rank that predicts further hidden gaps best."""
    rng, missing = np.random.default_rng(0), np.isnan(x)
    starts = np.linspace(WINDOW, len(x) - WINDOW, GAPS) + rng.integers(0, WINDOW // 2, GAPS)
    hidden = np.zeros(len(x), dtype=bool)
    hidden[(starts.astype(int)[:, None] + np.arange(GAP)).ravel()] = True
    hidden &= ~missing
    masked = np.where(hidden, np.nan, x)
    errors = [np.sum((iterate(masked, rank) - x)[hidden] ** 2) for rank in RANKS]
    return iterate(x, RANKS[int(np.argmin(errors))])


def iterate(x: Floats, rank: int) -> Floats:
    """Alternate low-rank approximation and replacement of the missing samples.

    Notes
    -----
    Starts from straight lines. A straight trend is removed first.
    """
    t, missing = np.arange(len(x)), np.isnan(x)
    trend = np.polyval(np.polyfit(t[~missing], x[~missing], 1), t)
    current = np.interp(t, t[~missing], (x - trend)[~missing])
    scale = float(np.std(current))
    for _ in range(ITERATIONS):
        step = approximate(current, rank)[missing] - current[missing]
        current[missing] += step
        if np.max(np.abs(step), initial=0.0) < TOLERANCE * scale:
            break
    return np.where(missing, current + trend, x)


def approximate(x: Floats, rank: int) -> Floats:
    """Return the series of the low-rank trajectory matrix, averaged over antidiagonals."""
    H = sliding_window_view(x, WINDOW)
    _, vectors = np.linalg.eigh(H.T @ H)
    V = vectors[:, -rank:]
    low = (H @ V) @ V.T
    total, counts = np.zeros(len(x)), np.zeros(len(x))
    for k in range(WINDOW):
        total[k : k + len(low)] += low[:, k]
        counts[k : k + len(low)] += 1
    return total / counts
