"""Numbers as a combination of rows of signs, of which an even number is negative each.

With rows of total weight t, number i is ``s_i = t - 2 y_i``, where y_i is the weight of the rows in
which its sign is negative. So sets of even size are wanted, of total weight t, such that number i
is in sets of weight y_i: all of size 2k and 2k + 2 for one k, as it turns out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats

ROUNDING = 1e-13
"""Weights up to this fraction of all are rounding."""


def even_signs(s: Floats, total: float) -> tuple[Floats, Floats]:
    """Return weights (K,) that sum to the total, and even rows of signs (K, d), for s (d,).

    Numbers are special singular values: ``s_1 >= ... >= |s_d|``, and the total at least their
    least weight.
    """
    y = 0.5 * (total - s)
    smaller = 2.0 * np.floor(0.5 * y.sum() / max(total, np.finfo(float).tiny))
    large = np.clip(0.5 * (y.sum() - smaller * total), 0.0, total)  # the weight of the larger sets
    part = split(y, large, total - large, (smaller + 2.0) * large)
    sets = [equal_sets(part, large), equal_sets(y - part, total - large)]
    weight = np.concatenate([weights for weights, _ in sets])
    inside = np.concatenate([members for _, members in sets])
    kept = weight > ROUNDING * total
    return weight[kept], np.where(inside[kept], -1.0, 1.0)


def split(y: Floats, one: float, other: float, amount: float) -> Floats:
    """Return a part of y (d,), an amount in all: at most `one` of each, leaving `other` at most."""
    least, most = np.maximum(y - other, 0.0), np.minimum(y, one)
    room = float((most - least).sum())
    share = (amount - float(least.sum())) / room if room > 0.0 else 0.0
    return np.asarray(least + np.clip(share, 0.0, 1.0) * (most - least))


def equal_sets(y: Floats, total: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Return weights (K,) and sets (K, d) of one size in which number i has the weight y_i.

    Lay the y_i, none of which exceeds the total, end to end along a line, and wind it up on a
    circle of that length: over every point of the circle lie as many of them, none twice.
    """
    if total <= 0.0:
        return np.zeros(0), np.zeros((0, len(y)), dtype=np.bool_)
    ends = np.concatenate([[0.0], np.cumsum(y)]) / total
    cuts = np.sort(np.concatenate([ends % 1.0, [0.0, 1.0]]))
    middle = 0.5 * (cuts[1:] + cuts[:-1])
    turns = np.floor(ends - middle[:, None])
    return total * np.diff(cuts), np.diff(turns, axis=1) > 0
