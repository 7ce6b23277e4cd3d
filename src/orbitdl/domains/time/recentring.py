"""Where in its span a waveform lies: looked at anew with every dictionary step.

A waveform that starts off-centre, or drifts, is cut at one end of its span. Sums over events for
spans longer by K on either side tell what every other position of the span would explain, the
others held fixed: with the rows I(s) of a span moved by s,

    gain_j(s) = 1/2 <b, N[I(s), I(s)]^-1 b>,      b = R[I(s)] - sum_{l != j} N[I(s), I_l(0)] u_l.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from orbitdl.domains.time.sums import Sums
from orbitdl.groups.base import Floats, Integers

POSITIONS = 4
"""Positions tried on either side, up to a quarter of a span away."""
BETTER = 1e-3
"""By how much, relatively, another position must explain more: less is not worth the change."""
RIDGE = 1e-10
"""Relative weight that keeps coefficients finite which no event determines."""


def reach_of(width: int) -> int:
    """Return K, by how many samples a span may be moved: a quarter of it."""
    return width // 4


def best_positions(longer: Sums, u: Floats) -> Integers:
    """Return by how much each span is to be moved, (q,); 0: it stays.

    The sums are those for spans of ``W + 2 K``, u (q, W, channels) are the waveforms.
    """
    q, width, _ = u.shape
    reach = reach_of(width)
    tried = np.unique(np.linspace(-reach, reach, 2 * POSITIONS + 1).round().astype(np.intp))
    moves = np.zeros(q, dtype=np.intp)
    for j in range(q):
        gains = np.array([_gain(longer, u, j, int(s)) for s in tried])
        best = int(np.argmax(gains))
        if gains[best] > (1.0 + BETTER) * gains[tried == 0][0]:
            moves[j] = tried[best]
    return moves


def rows_of(moves: Integers, width: int) -> Integers:
    """Return the rows of spans that are moved so, in sums for longer ones, (q W,)."""
    reach = reach_of(width)
    first = np.arange(len(moves)) * (width + 2 * reach) + reach + moves
    return np.asarray((first[:, None] + np.arange(width)).ravel())


def moved_coefficients(u: Floats, moves: Integers) -> Floats:
    """Return what is left of waveforms in spans that are moved, (q, W, channels)."""
    width, reach = u.shape[1], reach_of(u.shape[1])
    padded = np.pad(u, [(0, 0), (reach, reach), (0, 0)])
    return np.stack([padded[j, reach + s : reach + s + width] for j, s in enumerate(moves)])


def _gain(longer: Sums, u: Floats, j: int, move: int) -> float:
    normal, cross = longer.normal, longer.cross
    q, width, _ = u.shape
    first = rows_of(np.zeros(q, dtype=np.intp), width)[::width]
    own = slice(first[j] + move, first[j] + move + width)
    right = cross[own].copy()
    for l in np.delete(np.arange(q), j):  # noqa: E741
        right -= normal[own, first[l] : first[l] + width] @ u[l]
    matrix = normal[own, own].copy()
    diagonal = np.einsum("ii->i", matrix)
    diagonal += RIDGE * float(diagonal.max(initial=0.0)) or 1.0
    solved = cho_solve(cho_factor(matrix, overwrite_a=True, check_finite=False), right)
    return 0.5 * float(np.sum(right * solved))
