"""The bound of a recording's certificate: below the optimum of a lasso, whatever the code."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from orbitdl.domains.time.certificate import Certificate

ALPHA, N, K = 0.5, 30, 12


def certificate_of(x, D, c, positive):
    """Return the terms of a code c of data x by the columns of D."""
    r = x - D @ c
    products = D.T @ r if positive else np.abs(D.T @ r)
    return Certificate(r @ r, x @ r, x @ x, np.abs(c).sum(), max(products.max(), 0.0))


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("size", [0.0, 0.3, 3.0])
def test_no_code_is_certified_to_be_better_than_the_optimum(size, positive):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        D, x = rng.standard_normal((N, K)) / np.sqrt(N), rng.standard_normal(N)
        lasso = Lasso(ALPHA / N, fit_intercept=False, positive=positive, tol=1e-12)
        best = lasso.fit(D, x).coef_
        least = certificate_of(x, D, best, positive)
        assert least.gap(ALPHA, positive=positive) <= 1e-9
        other = best + size * rng.standard_normal(K)
        code = certificate_of(x, D, np.abs(other) if positive else other, positive)
        bound = code.objective(ALPHA) * (1.0 - code.gap(ALPHA, positive=positive))
        assert bound <= least.objective(ALPHA) * (1.0 + 1e-9)
