"""The lasso on a few atoms inside compiled loops, and the rule by which atoms enter.

Signs are known: Newton steps on ``1/2 c'Gc - b'c + alpha sign'c`` with a dense Cholesky factor that
is updated in place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from orbitdl.kernels import inner_loop, internal
from orbitdl.kernels.linear_algebra import cholesky, solve_factored

RIDGE = 1e-13
"""Added to the diagonal, relatively: it bounds the factor when many atoms depend on each
other. A dependent atom becomes a long step, truncated at a sign change."""
PIVOT = 0.1 * RIDGE
"""Least squared pivot, relatively: rounding may leave less of the ridge than was added."""
SOLVED, POLISHED = 1e-13, 1e-9
"""Errors of the first-order conditions, relative to alpha: at the first there is nothing left but
rounding; from the second on one more step, which squares the error, is the last."""
LARGEST = 1e100
"""A step beyond this comes from too many dependent atoms: the last one is not needed."""

NEAR = 0.8
"""Atoms at an angle of a larger cosine do not enter in the same round: they explain the same, and
all but one would be removed again."""
HALFWAY = 0.5
"""Atoms enter from this part of the way between alpha and the highest correlation: the lower ones
mostly vanish when the higher ones are explained."""


@internal
def sum_abs(step, count):  # type: ignore[no-untyped-def]
    """Return the sum of absolute values."""
    total = 0.0
    for r in range(count):
        total += abs(step[r])
    return total


@internal
def remove_at(p, count, atoms, c, sign, gram):  # type: ignore[no-untyped-def]
    """Remove the atom at index p, in order."""
    for r in range(p, count - 1):
        atoms[r], c[r], sign[r] = atoms[r + 1], c[r + 1], sign[r + 1]
        for s in range(count):
            gram[r, s] = gram[r + 1, s]
    for r in range(count - 1):
        for s in range(p, count - 1):
            gram[r, s] = gram[r, s + 1]
    return count - 1


@inner_loop
def solve_lasso(b, alpha, count, first_new, atoms, c, sign, gram, factor, step):  # type: ignore[no-untyped-def]
    """Minimise over the coefficients c with their signs; atoms that reach zero are removed.

    Each Newton step is truncated at the first sign change. The rows of the factor are still to be
    computed for the atoms from `first_new` on. Return how many atoms are left.
    """
    cholesky(gram, factor, first_new, count, RIDGE, PIVOT)
    for _ in range(50 + 4 * count):  # every atom may be removed, each after a few steps
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
        if not sum_abs(step, count) < LARGEST:
            count = remove_at(count - 1, count, atoms, c, sign, gram)  # it depends on the others
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
            cholesky(gram, factor, leaving, count, RIDGE, PIVOT)
        elif error <= POLISHED * alpha:
            break
    return count


# The insertion rule


@internal
def list_above(height, threshold, waiting):  # type: ignore[no-untyped-def]
    """List the indices of absolute heights that reach a threshold; return how many."""
    count = np.int64(0)
    for p in range(height.shape[0]):
        if abs(height[p]) >= threshold:
            waiting[count] = p
            count += 1
    return count


@internal
def highest_waiting(height, waiting, count):  # type: ignore[no-untyped-def]
    """Return the index of the largest absolute height among those that wait."""
    best = waiting[0]
    for r in range(1, count):
        best = waiting[r] if abs(height[waiting[r]]) > abs(height[best]) else best
    return best


def insertion(product: Callable[..., Any], admit: Callable[..., Any]) -> Any:
    """Return the kernel that inserts atoms: the highest first, of near ones only the highest.

    Parameters
    ----------
    product : kernel
        ``product(atoms, a, b)`` is the inner product of candidates a and b.
    admit : kernel
        ``admit(atoms, a, entered)`` inserts candidate a after those that have entered, unless it is
        there already, and returns whether it did.

    Returns
    -------
    kernel
        ``insert(height, waiting, threshold, most, atoms)`` inserts at most so many of the
        candidates whose absolute heights reach the threshold, and returns how many. `waiting` is a
        workspace of the size of `height`; `atoms` is whatever the two kernels need.
    """

    @internal
    def insert(height, waiting, threshold, most, atoms):  # type: ignore[no-untyped-def]
        entered, n_waiting = np.int64(0), list_above(height, threshold, waiting)
        while n_waiting > 0 and entered < most:
            a = highest_waiting(height, waiting, n_waiting)
            is_new = admit(atoms, a, entered)
            entered += np.int64(is_new)
            limit = NEAR**2 * product(atoms, a, a) if is_new else np.inf
            n_left, n_waiting = n_waiting, np.int64(0)
            for r in range(n_left):
                b = waiting[r]
                if b != a and product(atoms, a, b) ** 2 <= limit * product(atoms, b, b):
                    waiting[n_waiting] = b
                    n_waiting += 1
        return entered

    return insert
