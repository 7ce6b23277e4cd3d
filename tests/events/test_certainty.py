"""How sure events are: Rice's formula, false discovery rates and errors against brute force."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from orbitdl.discovery.coding import Detector
from orbitdl.discovery.kinds import has_valley
from orbitdl.domains.time.atoms import at_times
from orbitdl.domains.time.chunks import split_recording
from orbitdl.domains.time.refit import retimed
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.model import SAMPLED, Excerpt, denoised, residual_variance, templates_of
from orbitdl.events.significance import (
    deviations,
    free_variance,
    moments,
    noise_maxima,
    q_values,
    standard_errors,
    tail,
)

WIDTH, ALL = 6.0, np.ones(2, dtype=bool)
FIELDS = ("component", "time", "coefficient")


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


def test_what_larger_events_nearby_leave_adds_to_the_noise():
    rng, n, reach = np.random.default_rng(0), 60, 9
    detector = SimpleNamespace(V=rng.uniform(0, 0.1, (2, 2, 2 * reach + 1)))
    time, component = np.sort(rng.uniform(0, 200, n)), rng.integers(2, size=n)
    c, noise = 5 * rng.standard_normal(n), rng.uniform(1, 2, n)
    square = noise**2
    for k, m in np.ndindex(n, n):
        lag = time[k] - time[m]
        if abs(lag) <= reach and abs(c[m]) > abs(c[k]):
            V = detector.V[component[m], component[k], round(lag) + reach]
            square[k] += c[m] ** 2 * V
    atoms = at_times(component, time, c, 2)
    np.testing.assert_allclose(deviations(detector, atoms, noise) ** 2, square)


def test_events_take_two_degrees_of_freedom_each_from_the_noise():
    rng, a, samples, events = np.random.default_rng(0), smooth_waveform()[0, :, 0], 40_000, 200
    r, slope = rng.standard_normal(samples), np.gradient(a)
    basis = np.linalg.qr(np.column_stack([a, slope]))[0]
    for at in 200 * np.arange(events) + rng.integers(0, 130, events):
        r[at : at + 61] -= basis @ (basis.T @ r[at : at + 61])
    detector = replace(Detector.start(a[None, :, None]), counts=np.full(1, 200.0), samples=samples)
    variance = np.var(np.convolve(r, a[::-1], "valid"))
    assert variance < 0.92
    assert free_variance(detector)[0] == pytest.approx(variance, abs=0.03)


def test_a_waveform_loses_its_noise_and_not_its_shape():
    rng, a, times = np.random.default_rng(0), smooth_waveform(), 100.0 * np.arange(1, 191)
    times += rng.uniform(0, 30, 190)
    events = at_times(np.zeros(190, np.intp), times, np.full(190, 4.0), 1)
    x = Waveforms.through(a).add_up(20_000, events.component, times, events.coefficient)
    noisy = Excerpt(x + rng.standard_normal(x.shape), np.ones(20_000, dtype=bool), 61)
    u, spread, left = templates_of(noisy, events, np.zeros_like(a))
    rough = Waveforms(u).samples()
    smooth = denoised(rough, spread * np.std(left), 2.0)
    true = moments(a)[0][0]
    assert moments(rough)[0][0] > 1.5 * true
    assert moments(smooth)[0][0] == pytest.approx(true, rel=0.1)


def test_standard_errors_of_waveforms_are_the_deviations_over_repeats():
    """Noise is four times as loud at a third of the events: a median over all would miss it."""
    rng, a, times = np.random.default_rng(0), smooth_waveform(), 100.0 * np.arange(1, 91)
    loud, errors = np.repeat([1.0, 1.0, 4.0], 3050)[:, None], []
    for _ in range(60):
        at = times + rng.uniform(0, 30, 90)
        events = at_times(np.zeros(90, np.intp), at, np.full(90, 4.0), 1)
        x = Waveforms.through(a).add_up(9150, *(getattr(events, n) for n in FIELDS))
        noisy = Excerpt(x + loud * rng.standard_normal(x.shape), np.ones(9150, dtype=bool), 61)
        u, spread, left = templates_of(noisy, events, np.zeros_like(a))
        errors.append((Waveforms(u).samples() - a)[0, 5:-5, 0])
    claimed = SAMPLED * spread * np.sqrt(residual_variance(left, noisy, events, 1))[:, None]
    assert np.mean(claimed[0, 5:-5]) == pytest.approx(np.std(errors), rel=0.1)


@pytest.mark.parametrize("apart", [4.0, 9.0, 20.0])
def test_overlapping_events_are_moved_to_their_true_times(apart):
    waveforms = Waveforms.through(smooth_waveform())
    times = np.array([100.3, 100.3 + apart])
    true = at_times(np.zeros(2, np.intp), times, np.array([1.0, 0.8]), 1)
    x = waveforms.add_up(300, true.component, true.time, true.coefficient)
    found = retimed(
        split_recording(Signal(x), 61), waveforms, replace(true, element=np.rint(true.element)), ALL
    )
    np.testing.assert_allclose(found.time, true.time, atol=0.02)


@pytest.mark.parametrize(("apart", "expected"), [(6.0, True), (1.5, False)])
def test_two_normals_have_a_valley_if_they_are_far_apart(apart, expected):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(-apart / 2, 1, 500), rng.normal(apart / 2, 1, 500)])
    halves = x[x > 0].mean(), x[x <= 0].mean()
    z = 2 * (x - sum(halves) / 2) / (halves[0] - halves[1])
    assert has_valley(z) is expected


def test_a_uniform_cloud_has_no_valley():
    assert not has_valley(np.random.default_rng(0).uniform(-2, 2, 2000))
