"""The dictionary step a component at a time: where there are many, this is quick."""

from __future__ import annotations

import numpy as np

from orbitdl.coding.certificate import stack_components
from orbitdl.groups.base import Blocks
from orbitdl.learning.statistics import Statistics, unstack


def coordinate_step(statistics: Statistics, A: Blocks) -> Blocks:
    """Lower ``1/2 <A, H A> - <R, A>`` once over every component of A, within ``||a_j|| <= 1``.

    With L_j a bound of the eigenvalues of H_jj, the others held fixed,

        a_j <- u / max(||u||, 1),      u = a_j + (R_j - H_j A) / L_j.

    For components without blocks that is the exact minimum over a_j: Algorithm 2 of Mairal, Bach,
    Ponce and Sapiro (2009).
    """
    q, n_blocks, d, _ = A.shape
    H, R, new = statistics.normal, statistics.cross, np.array(stack_components(A))
    own = H.reshape(n_blocks, q, d, q, d)[:, np.arange(q), :, np.arange(q)]
    steep = np.sqrt(np.sum(np.abs(own) ** 2, axis=(2, 3))).max(axis=1)
    for j in np.flatnonzero(steep > 0.0):
        rows = slice(j * d, (j + 1) * d)
        u = new[:, rows] + (R[:, rows] - H[:, rows] @ new) / steep[j]
        new[:, rows] = u / max(float(np.linalg.norm(u)), 1.0)
    return unstack(new, A.shape)
