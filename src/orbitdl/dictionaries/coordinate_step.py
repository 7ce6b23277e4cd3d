"""The dictionary step a component at a time: where there are many, this is quick."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks
from orbitdl.dictionaries.statistics import Statistics, stack_components, unstack
from orbitdl.kernels import fast

TOGETHER = 32
"""Components whose pulls are found in one product: more would need more mending in between."""


def coordinate_step(statistics: Statistics, A: Blocks) -> Blocks:
    """Lower ``1/2 <A, H A> - <R, A>`` once over every component of A, within ``||a_j|| <= 1``.

    With L_j a bound of the eigenvalues of H_jj, the others held fixed,

        a_j <- u / max(||u||, 1),      u = a_j + (R_j - H_j A) / L_j.

    For components without blocks that is the exact minimum over a_j: Algorithm 2 of Mairal, Bach,
    Ponce and Sapiro (2009).
    """
    q, n_blocks, d, _ = A.shape
    statistics = statistics.in_own_unit()
    H, R, new = statistics.normal, statistics.cross, np.array(stack_components(A))
    own = H.reshape(n_blocks, q, d, q, d)[:, np.arange(q), :, np.arange(q)]
    steep = np.sqrt(np.sum(np.abs(own) ** 2, axis=(2, 3))).max(axis=1)
    for first in range(0, q, TOGETHER):
        some = slice(first * d, (first + TOGETHER) * d)
        pull = R[:, some] - H[:, some] @ new
        within, moved = np.array(H[:, some, some]), np.array(new[:, some])
        move_in_turn(pull, within, steep[first : first + TOGETHER], moved)
        new[:, some] = moved
    return unstack(new, A.shape)


@fast
def move_in_turn(pull, H, steep, A):  # type: ignore[no-untyped-def]
    """Move components A (F, k d, m) in turn, in place; those with zero in steep (k,) stay.

    The pull ``R - H A`` (F, k d, m) of those whose turn is yet to come is mended after each.
    """
    n_blocks, rows, m = A.shape
    d = rows // len(steep)
    for j in range(len(steep)):
        if steep[j] == 0.0:
            continue
        energy = 0.0
        for f in range(n_blocks):
            for r in range(j * d, (j + 1) * d):
                for c in range(m):
                    pull[f, r, c] = A[f, r, c] + pull[f, r, c] / steep[j]
                    energy += pull[f, r, c].real ** 2 + pull[f, r, c].imag ** 2
        length = max(np.sqrt(energy), 1.0)
        for f in range(n_blocks):
            for r in range(j * d, (j + 1) * d):
                for c in range(m):
                    change = pull[f, r, c] / length - A[f, r, c]
                    A[f, r, c] += change
                    pull[f, r, c] = change
                for s in range((j + 1) * d, rows):
                    for c in range(m):
                        pull[f, s, c] -= H[f, s, r] * pull[f, r, c]
