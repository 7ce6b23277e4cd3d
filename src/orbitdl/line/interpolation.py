"""Missing samples of autoregressive noise: their conditional mean and standard deviation.

With the prediction-error filter h, noise e has ``sum_i h_i e[t - i] = scale w[t]``, w white. Given
the samples that were observed, the missing ones e_M are Gaussian with mean and covariance

    argmin over e_M of sum_t (sum_i h_i e[t - i])^2,      scale^2 (H_M^T H_M)^-1,

where H_M holds the columns of the filter at missing samples: the Kriging of a time series. Where
what surrounds a gap is larger than the noise, so are the deviations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orbitdl.discovery.background import Background
from orbitdl.groups.base import Floats
from orbitdl.line.intervals import runs


def interpolated(
    e: Floats, missing: NDArray[np.bool_], background: Background, most: int
) -> tuple[Floats, Floats]:
    """Fill in missing samples (n,) of noise e (n, channels); return it and standard deviations.

    Gaps of `most` samples or more stay as they are.
    """
    values, sd = e.copy(), np.zeros_like(e)
    white, known = background.filtered(e, ~missing)
    for first, last in merged_runs(missing, background.order):
        gap = np.flatnonzero(missing[first:last]) + first
        if len(gap) >= most:
            continue
        near = slice(max(first - most // 2, 0), last + most // 2)
        for c in range(e.shape[1]):
            h, scale = background.filters[c], background.scale[c]
            around = white[near, c][known[near]]
            scale *= max(1.0, float(np.sqrt(np.mean(around**2)))) if len(around) else 1.0
            values[gap, c], root = fill(values[:, c], gap, missing, h)
            sd[gap, c] = scale * root
    return values, sd


def merged_runs(missing: NDArray[np.bool_], order: int) -> list[tuple[int, int]]:
    """Return where gaps begin and end; those that one filter spans are one."""
    result = list[tuple[int, int]]()
    for first, last in runs(missing):
        if result and first - result[-1][1] <= order:
            result[-1] = result[-1][0], int(last)
        else:
            result.append((int(first), int(last)))
    return result


def fill(
    e: Floats, gap: NDArray[np.intp], missing: NDArray[np.bool_], h: Floats
) -> tuple[Floats, Floats]:
    """Return the conditional mean of the samples of a gap, and relative standard deviations.

    Equations whose filter reaches before the first sample, or into another gap, are left out.
    """
    order, n = len(h) - 1, len(e)
    t = np.arange(max(gap[0], order), min(gap[-1] + order + 1, n))
    at = t[:, None] - np.arange(order + 1)
    is_own = np.isin(at, gap)
    sound = ~np.any(missing[at] & ~is_own, axis=1)
    at, is_own = at[sound], is_own[sound]
    H = np.zeros((len(at), len(gap)))
    row, tap = np.nonzero(is_own)
    H[row, np.searchsorted(gap, at[row, tap])] = h[tap]
    right = -np.where(is_own, 0.0, e[at] * h).sum(axis=1)
    gram = H.T @ H + 1e-12 * np.eye(len(gap))
    inverse = np.linalg.inv(gram)
    return inverse @ (H.T @ right), np.sqrt(np.maximum(np.diag(inverse), 0.0))
