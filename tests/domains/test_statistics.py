"""The shift of a support: compared with least squares of every shift."""

import numpy as np

from orbitdl.domains.time.statistics import best_positions, max_shift_of
from orbitdl.domains.time.sums import Sums

Q, WIDTH = 2, 16
K = max_shift_of(WIDTH)
LONG = WIDTH + 2 * K


def misfit_by_least_squares(M, x, u, j, shift):
    """Return what waveform j leaves in a shifted support, if the others stay as they are."""
    other = 1 - j
    rest = x - M[:, other * LONG + K : other * LONG + K + WIDTH] @ u[other]
    own = M[:, j * LONG + K + shift : j * LONG + K + shift + WIDTH]
    return np.sum((rest - own @ np.linalg.lstsq(own, rest, rcond=None)[0]) ** 2)


def test_the_shift_is_that_which_leaves_least():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        M, u = rng.standard_normal((200, Q * LONG)), rng.standard_normal((Q, WIDTH, 1))
        M[:, LONG:] += M[:, :LONG]  # events that go together: the other waveform matters
        x = M[:, rng.permutation(Q * LONG)[:9]] @ rng.standard_normal((9, 1))
        expected = [
            min(range(-K, K + 1), key=lambda s: misfit_by_least_squares(M, x, u, j, s))  # noqa: B023
            for j in range(Q)
        ]
        assert best_positions(Sums(M.T @ M, M.T @ x), u).tolist() == expected
