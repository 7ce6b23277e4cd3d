"""The lasso on a handful of atoms with known signs: a dense Cholesky factor, updated in place."""

from __future__ import annotations

import numpy as np

from orbitdl.kernels import inner_loop, internal

RIDGE = 1e-13
"""Added to the diagonal, relatively: it keeps the factor bounded when many atoms depend on each
other. A dependent atom becomes a long step, cut at a sign change."""

PIVOT = 0.1 * RIDGE
"""Least square of a pivot, relatively: rounding may leave less of the ridge than was added."""
SOLVED, POLISHED = 1e-13, 1e-9
"""Errors of the first-order conditions, relative to alpha: at the first there is nothing left but
rounding; from the second on one more step, which squares the error, is the last."""

LARGEST = 1e100
"""A step beyond this comes from too many dependent atoms: the last one is not needed."""


@internal
def dot(a, b):  # type: ignore[no-untyped-def]
    """Return the inner product of two rows."""
    total = 0.0
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


@internal
def factor_from(first, count, gram, factor):  # type: ignore[no-untyped-def]
    """Recompute the rows of the Cholesky factor from `first` on; its diagonal is inverted."""
    for r in range(first, count):
        for s in range(r):
            total = gram[r, s]
            for k in range(s):
                total -= factor[r, k] * factor[s, k]
            factor[r, s] = total * factor[s, s]
        total = (1.0 + RIDGE) * gram[r, r]
        for k in range(r):
            total -= factor[r, k] * factor[r, k]
        factor[r, r] = 1.0 / np.sqrt(max(total, PIVOT * max(gram[r, r], 1e-300)))


@internal
def solve_factored(factor, count, x):  # type: ignore[no-untyped-def]
    """Solve ``L L^T x = x`` in place."""
    for r in range(count):
        total = x[r]
        for k in range(r):
            total -= factor[r, k] * x[k]
        x[r] = total * factor[r, r]
    for r in range(count - 1, -1, -1):
        x[r] *= factor[r, r]
        for k in range(r):
            x[k] -= factor[r, k] * x[r]


@internal
def total_of(step, count):  # type: ignore[no-untyped-def]
    """Return the sum of absolute values."""
    total = 0.0
    for r in range(count):
        total += abs(step[r])
    return total


@internal
def remove_at(p, count, atoms, c, sign, gram):  # type: ignore[no-untyped-def]
    """Drop the atom at place p and close the ranks."""
    for r in range(p, count - 1):
        atoms[r], c[r], sign[r] = atoms[r + 1], c[r + 1], sign[r + 1]
        for s in range(count):
            gram[r, s] = gram[r + 1, s]
    for r in range(count - 1):
        for s in range(p, count - 1):
            gram[r, s] = gram[r, s + 1]
    return count - 1


@inner_loop
def settle(b, alpha, count, fresh, atoms, c, sign, gram, factor, step):  # type: ignore[no-untyped-def]
    """Minimise over the active coefficients with their signs; atoms that reach zero leave.

    Newton steps on ``1/2 c'Gc - b'c + alpha sign'c``, each cut at the first sign change. The
    atoms from `fresh` on are new: their rows of the factor are still to be computed.
    """
    factor_from(fresh, count, gram, factor)
    for _ in range(50 + 4 * count):  # every atom may leave, each after a few steps
        if count == 0:
            break
        error = 0.0
        for r in range(count):
            total = b[atoms[r]] - alpha * sign[r]
            for s in range(count):
                total -= gram[r, s] * c[s]
            step[r] = total
            error = max(error, abs(total))
        if error <= SOLVED * (alpha + abs(b[atoms[0]])):
            break
        solve_factored(factor, count, step)
        if not total_of(step, count) < LARGEST:
            count = remove_at(count - 1, count, atoms, c, sign, gram)  # the others say it all
            continue
        length, leaving = 1.0, np.int64(-1)
        for r in range(count):
            if (c[r] + step[r]) * sign[r] <= 0.0:
                t = -c[r] / step[r] if step[r] != 0.0 else 0.0
                if leaving < 0 or t < length:
                    length, leaving = t, np.int64(r)
        for r in range(count):
            c[r] += length * step[r]
        if leaving >= 0:
            count = remove_at(leaving, count, atoms, c, sign, gram)
            factor_from(leaving, count, gram, factor)
        elif error <= POLISHED * alpha:
            break
    return count
