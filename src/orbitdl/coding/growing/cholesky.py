"""Factors of matrices of a few dozen rows, many of them, inside compiled loops."""

from __future__ import annotations

import numpy as np

from orbitdl.kernels import internal


@internal
def reduce_four(H, first):  # type: ignore[no-untyped-def]
    """Put four rows of L, from `first` on, in place of those of H, left of column `first`.

    Every row of L above is read once for all four, which takes less than half the time.
    """
    p, q, v, w = H[first], H[first + 1], H[first + 2], H[first + 3]
    for s in range(first):
        above, one, two, three, four = H[s], p[s], q[s], v[s], w[s]
        for k in range(s):
            one -= p[k] * above[k]
            two -= q[k] * above[k]
            three -= v[k] * above[k]
            four -= w[k] * above[k]
        p[s], q[s] = one * above[s], two * above[s]
        v[s], w[s] = three * above[s], four * above[s]


@internal
def cholesky(H, count):  # type: ignore[no-untyped-def]
    """Factor H = L L^T in place, below the diagonal, which is inverted; tell whether H is positive.

    `small_lasso.solve_factored` solves with such a factor.
    """
    for r in range(count):
        known = r - r % 4
        if r == known and r + 4 <= count:
            reduce_four(H, r)
        for s in range(known if known + 4 <= count else 0, r + 1):
            total = H[r, s]
            for k in range(s):
                total -= H[r, k] * H[s, k]
            if r > s:
                H[r, s] = total * H[s, s]
            elif total <= 0.0 or not np.isfinite(total):
                return False
            else:
                H[r, r] = 1.0 / np.sqrt(total)
    return True
