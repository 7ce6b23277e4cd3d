"""Sums of components that are shifted and multiplied by a matrix."""

from __future__ import annotations

import numpy as np

from orbitdl.compiled import fast


@fast
def add_turned_waves(row, source, angle, h, A, out):  # type: ignore[no-untyped-def]
    """Add ``exp(i f angle_k) h_k A[source_k, f]`` to out[row_k, f] for every atom k.

    h holds matrices (K, d, d); A and out are complex blocks (q, F, d, m) and (n, F, d, m).
    """
    _, n_blocks, d, m = A.shape
    for k in range(row.shape[0]):
        one, phase = complex(np.cos(angle[k]), np.sin(angle[k])), 1.0 + 0.0j
        for f in range(n_blocks):
            for i in range(d):
                for c in range(m):
                    value = 0.0 + 0.0j
                    for j in range(d):
                        value += h[k, i, j] * A[source[k], f, j, c]
                    out[row[k], f, i, c] += phase * value
            phase *= one
