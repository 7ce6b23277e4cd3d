"""Splitting of components that hold several kinds, and noise around events."""

import numpy as np
import pytest

from orbitdl import WaveformLearning
from orbitdl.discovery.coding import local_correlation_noise
from orbitdl.discovery.discover import CHUNK_LENGTH, N_CHUNKS, spaced_chunks
from orbitdl.discovery.kinds import is_separate, principal_scores
from orbitdl.discovery.pursuit import Pursued


def clusters(centres: list[list[float]], n: int = 100) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.concatenate([c + rng.standard_normal((n, 2)) for c in np.array(centres)])
    return y, np.repeat(np.arange(len(centres)), n)


def test_a_cluster_far_from_all_others_is_a_kind():
    y, label = clusters([[0, 0], [6, 0], [8, 0]])
    assert is_separate(y, label, 0, 3)


def test_clusters_that_run_into_each_other_are_one_kind():
    y, label = clusters([[0, 0], [6, 0], [8, 0]])
    assert not is_separate(y, label, 1, 3)


def test_white_noise_has_no_principal_axis():
    assert principal_scores(np.random.default_rng(0).standard_normal((300, 80))).shape[1] == 0


def test_principal_scores_keep_distances_along_the_axes():
    rng = np.random.default_rng(0)
    for n in (60, 400):
        place = np.repeat([-3.0, 3.0], n // 2)
        x = np.outer(place, np.eye(100)[0]) + 0.1 * rng.standard_normal((n, 100))
        scores = principal_scores(x)
        assert scores.shape[1] >= 1
        assert np.ptp(scores[:, 0]) == pytest.approx(6.0, abs=1.0)


def test_isolated_atoms_have_no_neighbour():
    atoms = Pursued.at_samples(np.zeros(4, int), np.array([50, 0, 10, 100]), np.ones(4))
    assert atoms.isolated(20).tolist() == [True, False, False, True]


def test_noise_around_an_event_is_that_of_a_burst():
    rng = np.random.default_rng(0)
    eta = rng.standard_normal((1, 4000))
    eta[0, 2000:2300] *= 5
    atoms = Pursued.at_samples(np.zeros(2, int), np.array([1000, 2150]), np.ones(2))
    quiet, loud = local_correlation_noise(eta, atoms, np.full(1, 1.5), np.zeros(2), 100)
    assert quiet == pytest.approx(1.0, rel=0.3)
    assert loud == pytest.approx(5.0, rel=0.3)


@pytest.mark.parametrize("seed", range(3))
def test_bursts_of_noise_are_no_components(seed):
    rng = np.random.default_rng(seed)
    x = 0.05 * rng.standard_normal(40_000)
    wave = np.exp(-0.5 * ((np.arange(80) - 40) / 6) ** 2)
    for start in range(100, 39_800, 200):
        x[start : start + 80] += wave
    for start in range(500, 39_000, 800):  # bursts of three waveform lengths
        x[start : start + 240] += 0.25 * np.hanning(240) * rng.standard_normal(240)
    assert WaveformLearning(length=80).fit(x).n_components_ == 1


def test_impacts_that_ring_in_several_ways_are_found():
    """Upside down, what rings is like other ringing: decoys are many until all is found."""
    rng, t = np.random.default_rng(0), np.arange(40)
    x, at = rng.standard_normal(40_000), np.arange(100, 39_900, 80) + rng.integers(0, 12, 498)
    phase, pitch = rng.integers(0, 3, 498) * 2.1, rng.integers(0, 2, 498)
    for start, p, k in zip(at, phase, pitch, strict=True):
        x[start : start + 40] += 6 * np.exp(-t / 10) * np.sin((1.4 + 0.3 * k) * t + p)
    model = WaveformLearning(length=42).fit(x)
    sample = model.events(x)["sample"].to_numpy()
    found = np.abs(sample[:, None] - at - 4).min(axis=0) < 12
    assert found.mean() > 0.95
    assert len(sample) < 1.05 * len(at)


def test_chunks_for_the_background_are_spread_evenly_and_apart():
    x = np.arange(250_000.0)[:, None]
    some, observed = spaced_chunks(x, np.ones(len(x), dtype=bool), 20)
    assert observed.sum() == N_CHUNKS * CHUNK_LENGTH * 20
    np.testing.assert_array_equal(some[~observed], 0.0)
    begins = np.flatnonzero(np.diff(observed.astype(int), prepend=0) == 1)
    assert len(begins) == N_CHUNKS
    np.testing.assert_allclose(np.diff(some[begins, 0]), (250_000 - 2000) / 9, atol=1)
    assert some[observed][0] == 0.0
    assert some[observed][-1] == 249_999.0
