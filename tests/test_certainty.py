"""How sure events are: Rice's formula, false discovery rates and errors against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from orbitdl.discovery.kinds import has_valley
from orbitdl.line.certainty import moments, noise_maxima, q_values, standard_errors, tail

WIDTH = 6.0


def smooth_waveform() -> np.ndarray:
    t = np.arange(61.0) - 30
    a = np.exp(-0.5 * (t / WIDTH) ** 2)
    return (a / np.linalg.norm(a))[None, :, None]


def noise_peaks(seed: int, samples: int = 400_000) -> np.ndarray:
    """Return the local maxima of white noise correlated with the waveform."""
    noise = np.random.default_rng(seed).standard_normal(samples)
    eta = np.convolve(noise, smooth_waveform()[0, ::-1, 0], "valid")
    inner = eta[1:-1]
    return inner[(inner > eta[:-2]) & (inner >= eta[2:])]


@pytest.mark.parametrize("u", [1.0, 2.0, 3.0])
def test_maxima_of_noise_follow_rices_formula(u):
    peaks = noise_peaks(0)
    slope, curvature = moments(smooth_waveform())
    expected = float(tail(np.array([u]), slope / np.sqrt(curvature))[0])
    share = np.mean(peaks > u)
    assert share == pytest.approx(expected, abs=5 * np.sqrt(expected / len(peaks)) + 0.002)


def test_noise_has_as_many_maxima_as_the_moments_say():
    assert len(noise_peaks(1)) == pytest.approx(noise_maxima(smooth_waveform(), 400_000), rel=0.03)


def test_false_discovery_rates_are_those_of_benjamini_and_hochberg():
    p = np.random.default_rng(0).uniform(size=40) ** 4
    for level in (0.01, 0.05, 0.2):
        ordered = np.sort(p)
        passing = np.flatnonzero(ordered <= level * np.arange(1, 41) / 100)
        expected = ordered[: passing[-1] + 1] if len(passing) else ordered[:0]
        assert sorted(p[q_values(p, tests=100) <= level]) == list(expected)


def test_standard_errors_are_the_diagonal_of_the_inverse():
    rng = np.random.default_rng(0)
    columns = rng.standard_normal((50, 12))
    gram = columns.T @ columns
    found = standard_errors(sparse.csr_array(gram), np.tile([0, 6], (6, 1)), 6)
    np.testing.assert_allclose(found.ravel(), np.sqrt(np.diag(np.linalg.inv(gram))), rtol=1e-8)


@pytest.mark.parametrize(("apart", "expected"), [(6.0, True), (1.5, False)])
def test_two_normals_have_a_valley_if_they_are_far_apart(apart, expected):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(-apart / 2, 1, 500), rng.normal(apart / 2, 1, 500)])
    halves = x[x > 0].mean(), x[x <= 0].mean()
    z = 2 * (x - sum(halves) / 2) / (halves[0] - halves[1])
    assert has_valley(z) is expected


def test_a_uniform_cloud_has_no_valley():
    assert not has_valley(np.random.default_rng(0).uniform(-2, 2, 2000))
