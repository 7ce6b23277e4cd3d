"""Block coordinate descent over components: an inexact dictionary step for many components."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks
from orbitdl.dictionaries.statistics import Statistics, stack_components, unstack
from orbitdl.kernels import fast

TOGETHER = 32
"""Components whose gradients are computed in one product; updates within cost O(TOGETHER^2)."""


def coordinate_step(statistics: Statistics, A: Blocks) -> Blocks:
    """Minimise ``1/2 <A, H A> - <R, A>`` over one component after the other, ``||a_j|| <= 1``.

    With L_j a bound of the eigenvalues of H_jj,

        a_j <- u / max(||u||, 1),      u = a_j + (R_j - H_j A) / L_j.

    For one real block this is the exact minimum over a_j: Algorithm 2 of Mairal, Bach, Ponce and
    Sapiro (2009).
    """
    q, n_blocks, d, _ = A.shape
    statistics = statistics.in_own_unit()
    H, R, new = statistics.normal, statistics.cross, np.array(stack_components(A))
    own = H.reshape(n_blocks, q, d, q, d)[:, np.arange(q), :, np.arange(q)]
    lipschitz = np.sqrt(np.sum(np.abs(own) ** 2, axis=(2, 3))).max(axis=1)
    for first in range(0, q, TOGETHER):
        rows = slice(first * d, (first + TOGETHER) * d)
        gradient = R[:, rows] - H[:, rows] @ new
        within, updated = np.array(H[:, rows, rows]), np.array(new[:, rows])
        update_components(gradient, within, lipschitz[first : first + TOGETHER], updated)
        new[:, rows] = updated
    return unstack(new, A.shape)


@fast
def update_components(gradient, H, lipschitz, A):  # type: ignore[no-untyped-def]
    """Update components A (F, k d, m) one by one, in place; those with constant zero stay.

    The negative gradient ``R - H A`` (F, k d, m) of the remaining ones is updated after each.
    """
    n_blocks, rows, m = A.shape
    d = rows // len(lipschitz)
    for j in range(len(lipschitz)):
        if lipschitz[j] == 0.0:
            continue
        energy = 0.0
        for f in range(n_blocks):
            for r in range(j * d, (j + 1) * d):
                for c in range(m):
                    gradient[f, r, c] = A[f, r, c] + gradient[f, r, c] / lipschitz[j]
                    energy += gradient[f, r, c].real ** 2 + gradient[f, r, c].imag ** 2
        length = max(np.sqrt(energy), 1.0)
        for f in range(n_blocks):
            for r in range(j * d, (j + 1) * d):
                for c in range(m):
                    change = gradient[f, r, c] / length - A[f, r, c]
                    A[f, r, c] += change
                    gradient[f, r, c] = change
                for s in range((j + 1) * d, rows):
                    for c in range(m):
                        gradient[f, s, c] -= H[f, s, r] * gradient[f, r, c]
