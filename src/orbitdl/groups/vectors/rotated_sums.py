"""Sums of components with a shift and a matrix applied to each."""

from __future__ import annotations

import numpy as np

from orbitdl.kernels import allocating
from orbitdl.kernels.phases import fill_phases


@allocating
def add_rotated_waves(row, source, angle, h, A, out):  # type: ignore[no-untyped-def]
    """Add ``exp(i f angle_k) h_k A[source_k, f]`` to out[row_k, f] for every atom k.

    h holds matrices (K, d, d); A and out are complex blocks (q, F, d, m) and (n, F, d, m).
    """
    _, n_blocks, d, m = A.shape
    width = -(-n_blocks // 8) * 8
    real, imag = np.empty(width), np.empty(width)
    for k in range(row.shape[0]):
        fill_phases(angle[k], real, imag)
        own, sums, turn = A[source[k]], out[row[k]], h[k]
        for f in range(n_blocks):
            phase = complex(real[f], imag[f])
            for i in range(d):
                for c in range(m):
                    value = 0.0 + 0.0j
                    for j in range(d):
                        value += turn[i, j] * own[f, j, c]
                    sums[f, i, c] += phase * value
