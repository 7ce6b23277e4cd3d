"""Distances between dictionaries do not see moves, signs and order; alignment undoes them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import KINDS, action

from orbitdl import align, dictionary_distance
from orbitdl.encoding.metrics import orbit_distances
from orbitdl.groups import ContinuousShift, IntegerShift, Orthogonal, Representation, Trivial

Q = 4


def draw(name: str, seed: int = 0) -> tuple[Representation, np.ndarray, np.random.Generator]:
    """Draw an action and components of unit norm that it can move."""
    rep, rng = action(name, 8), np.random.default_rng(seed)
    A = rep.project(rng.standard_normal((Q, *rep.shape)))
    return rep, A / np.sqrt(flat_energy(A)).reshape(Q, *[1] * len(rep.shape)), rng


def flat_energy(A: np.ndarray) -> np.ndarray:
    return (A**2).reshape(len(A), -1).sum(axis=1)


def disguise(rep: Representation, A: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Move each component, change signs and the order."""
    signs = rng.choice([-1.0, 1.0], size=Q).reshape(Q, *[1] * len(rep.shape))
    return (signs * rep.act(rep.sample(rng, Q), A))[rng.permutation(Q)]


@pytest.mark.parametrize("name", KINDS)
def test_distance_does_not_see_moves_signs_and_order(name):
    rep, A, rng = draw(name)
    B = disguise(rep, A, rng)
    assert dictionary_distance(A, B, rep.group) < 1e-12
    assert dictionary_distance(B, A, rep.group) < 1e-12


@pytest.mark.parametrize("name", KINDS)
def test_align_undoes_moves_signs_and_order(name):
    rep, A, rng = draw(name)
    assert_allclose(align(A, disguise(rep, A, rng), rep.group), A, atol=1e-6)


@pytest.mark.parametrize("name", KINDS)
def test_orbit_distance_is_the_least_over_sampled_moves(name):
    rep, A, rng = draw(name)
    B = rep.project(rng.standard_normal((Q, *rep.shape)))
    distances = orbit_distances(A, B, rep.group)
    tried = rep.sample(rng, 3000)
    for i, j in [(0, 0), (1, 3), (2, 1)]:
        moved = rep.act(tried, np.broadcast_to(B[j], (3000, *rep.shape)))
        least = np.minimum(flat_energy(A[i] - moved), flat_energy(A[i] + moved)).min()
        assert distances[i, j] <= least + 1e-12
        if rep.block_shape[1] < 4:  # few parameters: some sample comes close to the best
            assert_allclose(distances[i, j], least, atol=0.1)


def test_distance_is_the_mean_of_the_least_squared_distances():
    A = np.eye(4)[:2]
    B = np.array([[0.0, 0.6, 0.8, 0.0], [0.0, 0.0, 0.0, 1.0]])
    assert_allclose(orbit_distances(A, B, Trivial()), [[2.0, 2.0], [2 - 1.2, 2.0]])
    assert dictionary_distance(A, B, Trivial()) == pytest.approx((2.0 + 0.8) / 2)


def test_distance_is_not_symmetric_and_each_direction_means_something():
    A = np.array([[1.0, 0.0, 0.0]])
    B = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    assert dictionary_distance(A, B, IntegerShift()) == 0.0
    assert dictionary_distance(B, A, IntegerShift()) > 0.5


def test_distance_counts_what_continuous_shifts_cannot_move():
    alternating = np.tile([1.0, -1.0], 4)[None]
    wave = np.cos(2 * np.pi * np.arange(8) / 8)[None]
    both = wave + 0.5 * alternating
    assert dictionary_distance(both, wave, ContinuousShift()) == pytest.approx(0.25 * 8)


def test_distance_between_components_of_other_norms():
    wave = np.array([[0.6, 0.8, 0.0, 0.0]])
    assert dictionary_distance(3 * wave, np.roll(wave, 2), IntegerShift()) == pytest.approx(4.0)


def test_orthogonal_distance_is_that_of_procrustes():
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((2, 1, 3, 6))
    u, _, vt = np.linalg.svd(A[0] @ B[0].T)
    assert_allclose(orbit_distances(A, B, Orthogonal())[0, 0], ((A - u @ vt @ B) ** 2).sum())


def test_align_matches_for_the_least_total_distance():
    # both of A are nearest to B[0]; only one may have it
    A = np.array([[1.0, 0.0, 0.0], [0.8, 0.6, 0.0]])
    B = np.array([[0.96, 0.28, 0.0], [0.0, 1.0, 0.0]])
    assert_array_equal(align(A, B, Trivial()), B)
    assert_array_equal(align(A[::-1], B, Trivial()), B[::-1])


def test_align_leaves_its_arguments_as_they_were():
    rep, A, rng = draw("integer shift")
    B = disguise(rep, A, rng)
    kept = A.copy(), B.copy()
    align(A, B, rep.group)
    assert_array_equal(A, kept[0])
    assert_array_equal(B, kept[1])


def test_align_moves_by_fractions_of_a_sample():
    rep, A, _ = draw("continuous shift")
    B = rep.act(np.full((Q, 1), 2.37), A)
    assert_allclose(align(A, B, ContinuousShift()), A, atol=1e-6)
