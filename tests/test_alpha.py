"""Where codes become empty, and the alpha suggested below it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from registry import ACTIONS, action

from orbitdl import alpha_max, encode, suggest_alpha
from orbitdl.datasets import make_ecg_like
from orbitdl.groups import ContinuousShift, IntegerShift


def data_for(name: str) -> tuple[np.ndarray, np.ndarray, object]:
    rng, representation = np.random.default_rng(0), action(name)
    X = representation.adopt(rng.standard_normal((6, *representation.shape)))
    return X, X[:2] / 3 + 0.1 * X[2:4], representation.group


@pytest.mark.parametrize("name", ACTIONS)
def test_codes_are_empty_from_alpha_max_on(name):
    X, A, group = data_for(name)
    for x, largest in zip(X, alpha_max(X, A, group=group), strict=True):
        codes = encode(x[None], A, group=group, alpha=largest * (1 + 1e-9))
        assert len(codes.atoms.coefficient) == 0


@pytest.mark.parametrize("name", ACTIONS)
def test_codes_are_not_empty_below_alpha_max(name):
    X, A, group = data_for(name)
    for x, largest in zip(X, alpha_max(X, A, group=group), strict=True):
        assert encode(x[None], A, group=group, alpha=0.99 * largest).invariants().sum() > 0


def test_alpha_max_counts_what_was_observed_only():
    wave = np.array([0.6, 0.8, 0.0, 0.0, 0.0])
    X = np.array([[3.0, np.nan, 0.0, 0.0, 0.0]])
    assert_allclose(alpha_max(X, [wave], group=IntegerShift()), [2.4])


def test_alpha_max_is_the_same_in_chunks():
    X = make_ecg_like(n_windows=1100, length=16, random_state=0).X
    A = X[:2]
    parts = [alpha_max(x[None], A, group=ContinuousShift())[0] for x in X[1020:1030]]
    assert_allclose(alpha_max(X, A, group=ContinuousShift())[1020:1030], parts)


@pytest.mark.parametrize("name", ACTIONS)
def test_suggested_alpha_is_a_tenth_of_the_largest_alpha_max_of_a_typical_data_point(name):
    X, _, group = data_for(name)
    norms = np.sqrt(np.sum(X.reshape(len(X), -1) ** 2, axis=1))
    units = [x / norm for x, norm in zip(X, norms, strict=True)]
    largest = alpha_max(X, units, group=group)  # each is matched best by itself
    assert_allclose(suggest_alpha(X, group=group), 0.1 * np.median(largest))


def test_suggested_alpha_counts_what_was_observed_only():
    X = np.array([[3.0, 4.0, 0.0], [3.0, np.nan, 4.0], [0.0, 0.0, 0.0]])
    mask = np.array([[True, False, True]] * 3)
    assert_allclose(suggest_alpha(X, group=IntegerShift(), mask=mask, fraction=1), 4.0)


def test_data_without_anything_to_learn_are_refused():
    with pytest.raises(ValueError, match="zero or missing throughout"):
        suggest_alpha(np.zeros((4, 8)), group=IntegerShift())


def test_components_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="one shape"):
        alpha_max(np.ones((4, 8)), np.ones((1, 7)), group=IntegerShift())
