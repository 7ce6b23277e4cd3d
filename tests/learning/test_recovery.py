"""Planted dictionaries are found from ten random starts: the settings and bounds of the paper."""

import numpy as np
import pytest

from orbitdl import OrbitDictionaryLearning, dictionary_distance
from orbitdl.coding import Matching
from orbitdl.datasets import make_shift_data, make_synchronization_data
from orbitdl.groups import IntegerShift, Orthogonal


def both_ways(A, B, group):
    return max(dictionary_distance(A, B, group), dictionary_distance(B, A, group))


@pytest.mark.parametrize("start", range(4))
def test_integer_shifts_are_recovered(start):
    """Section 5.1: d=30, q=3, 5 atoms a sample, n=1000, alpha=0.4, 50 iterations."""
    data = make_shift_data(random_state=0)
    model = OrbitDictionaryLearning(
        3, IntegerShift(), alpha=0.4, max_iter=50, init="random", random_state=start
    ).fit(data.X)
    assert both_ways(data.components, model.components_, IntegerShift()) <= 0.0006


def synchronisation_error(n_generators, start, **settings):
    """Return the error in the paper's scale, where a generator has squared norm 20."""
    data = make_synchronization_data(n_components=n_generators, random_state=0)
    model = OrbitDictionaryLearning(
        n_generators, Orthogonal(), init="random", random_state=start, **settings
    ).fit(data.X)
    truth = data.components / np.sqrt(20)
    return 20 * both_ways(truth, model.components_, Orthogonal())


@pytest.mark.parametrize("start", range(4))
def test_one_generator_is_synchronised(start):
    """Section 5.4, first experiment: O(3), 20 devices, n=1000, noise 0.1."""
    assert synchronisation_error(1, start, alpha=0.5) <= 0.0015


@pytest.mark.parametrize("start", range(4))
def test_two_generators_are_synchronised_by_matching(start):
    """Section 5.4, second experiment: normal coefficients. The paper succeeds in 3 of 10."""
    settings = {"alpha": 0.02, "coder": Matching(), "tol": 1e-5, "max_iter": 100}
    assert synchronisation_error(2, start, **settings) <= 0.002
