"""A cycle of matching: compared with the same by brute force over all shifts."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.linear_model import Lasso

from orbitdl.coding.matching import match_cycle
from orbitdl.coding.problem import Problem
from orbitdl.groups import IntegerShift

ALPHA, N = 0.4, 8


def cycle_by_hand(y, shapes, shift, c):
    """Return the shifts after every atom was put where it fits the rest best, and the objective."""
    for k, shape in enumerate(shapes):
        others = sum(c[l] * np.roll(shapes[l], shift[l]) for l in range(len(shapes)) if l != k)
        fits = np.array([(y - others) @ np.roll(shape, t) for t in range(N)])
        shift[k] = np.abs(fits).argmax()
        best = fits[shift[k]]
        c[k] = np.sign(best) * max(abs(best) - ALPHA, 0.0) / (shape @ shape)
    atoms = np.stack([np.roll(a, t) for a, t in zip(shapes, shift, strict=True)], axis=1)
    refit = Lasso(ALPHA / N, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(atoms, y)
    return 0.5 * np.sum((y - refit.predict(atoms)) ** 2) + ALPHA * np.abs(refit.coef_).sum()


def test_a_cycle_puts_every_atom_where_it_fits_the_others_rest_best():
    rng, representation = np.random.default_rng(0), IntegerShift().on((N,))
    shapes = rng.standard_normal((3, N)) * np.array([[0.5], [1.0], [2.0]])
    Y = rng.standard_normal((30, N))
    c, shift = rng.standard_normal((30, 3)), rng.integers(N, size=(30, 3))
    expected = [cycle_by_hand(y, shapes, shift[i].copy(), c[i].copy()) for i, y in enumerate(Y)]
    blocks = representation.analyze(Y), representation.analyze(shapes)
    problem = Problem(representation, *blocks, ALPHA)
    *_, found = match_cycle(problem, c.copy(), shift[..., None].astype(float))
    assert_allclose(found, expected, rtol=1e-6)
