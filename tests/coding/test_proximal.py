"""The steps of FISTA: how long they are, and when their momentum restarts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from registry import action

from orbitdl.coding.proximal import extrapolate_rows, step_sizes


@pytest.mark.parametrize("name", ["integer shift", "orthogonal", "square on images"])
def test_a_step_is_as_long_as_the_largest_eigenvalue_allows(name):
    rng, representation = np.random.default_rng(0), action(name)
    A = representation.analyze(rng.standard_normal((3, *representation.shape)))
    steps = step_sizes(representation, A)
    norms = [np.linalg.norm(np.concatenate(list(block)), ord=2) for block in A.swapaxes(0, 1)]
    products = np.square(norms) * steps.weight[:, 0, 0]
    assert products.max() == pytest.approx(1.0)
    assert_allclose(steps.weight[:, 0, 0] * representation.metric, steps.length)


def test_momentum_restarts_for_samples_that_go_uphill_and_for_no_others():
    rng = np.random.default_rng(0)
    old, V, new = rng.standard_normal((3, 20, 2, 3, 2, 2))
    momentum = rng.uniform(1, 5, 20)
    V += new
    is_uphill = np.sum((V - new) * (new - old), axis=(1, 2, 3, 4)) > 0
    assert 0 < is_uphill.sum() < 20
    begin = np.where(is_uphill, 1.0, momentum)
    expected = 0.5 * (1 + np.sqrt(1 + 4 * begin**2))
    weight = ((begin - 1) / expected)[:, None, None, None, None]
    found, following = extrapolate_rows(old, V, new, momentum)
    assert_allclose(following, expected)
    assert_allclose(found, new + weight * (new - old), atol=1e-12)
