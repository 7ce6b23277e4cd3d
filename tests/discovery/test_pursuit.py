"""Atoms between samples: what is subtracted from correlations is what leaves the residual."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from orbitdl.discovery.candidates import seeds
from orbitdl.discovery.coding import Detector, Whitened, code
from orbitdl.discovery.kinds import recurrences
from orbitdl.discovery.misfit import CHANCE, centred, learned, updated_waveforms
from orbitdl.discovery.pursuit import Pursued, put_back, subtract

L, T = 40, 4000


def correlations(y, A):
    """Return ``<y[t : t + L], a_j>`` by the definition."""
    views = np.lib.stride_tricks.sliding_window_view(y, A.shape[1], axis=0)
    return np.einsum("tcn,jnc->jt", views, A)


@pytest.mark.parametrize(("sample", "lag"), [(0, 0.0), (1, -0.49), (20, 0.3), (50, 0.4), (51, 0.0)])
def test_putting_an_atom_back_undoes_its_subtraction(sample, lag):
    rng = np.random.default_rng(0)
    y, A = rng.standard_normal((60, 2)), rng.standard_normal((2, 9, 2))
    atoms = Pursued(np.array([1]), np.array([sample]), np.array([1.7]), np.array([lag]))
    residual = y.copy()
    subtract(residual, atoms, A)
    eta = correlations(residual, A)
    put_back(eta, atoms, A)
    np.testing.assert_allclose(eta, correlations(y, A), atol=1e-12)


def planted(offsets, rng, size=30.0):
    """Return a recording without noise of one smooth waveform at times off the grid."""
    n = np.arange(-20.0, 21.0)
    wave = CubicSpline(n, np.exp(-0.5 * (n / 5) ** 2) * np.cos(2 * np.pi * n / 16))
    times = 100.0 * np.arange(1, T // 100 - 1) + offsets(rng, T // 100 - 2)
    x = np.zeros(T)
    for time in times:
        at = np.arange(int(np.ceil(time - 20)), int(np.floor(time + 20)) + 1)
        x[at] += size * wave(at - time)
    A = wave(np.arange(L) - L // 2)
    return x + rng.standard_normal(T), times, (A / np.linalg.norm(A))[None, :, None]


def coded(offsets, size=30.0):
    rng = np.random.default_rng(1)
    x, times, A = planted(offsets, rng, size)
    w = Whitened.of(x[:, None], np.ones(T, dtype=bool), L)
    return w, code(w, Detector.start(A), np.ones(len(w.y))), times


def test_times_of_atoms_are_right_to_a_part_of_a_sample():
    w, found, times = coded(lambda rng, n: rng.uniform(-0.5, 0.5, n))
    assert len(found.atoms) == len(times)
    at = found.atoms.sample + found.atoms.lag - L + L // 2
    order = np.argsort(at)
    assert np.sqrt(np.mean((at[order] - times) ** 2)) < 0.06


def test_fractions_of_a_sample_are_no_misfit():
    """Of atoms at integer samples the misfit variance is ``||a'||^2 / 12`` and more, 0.0137."""
    w, found, _ = coded(lambda rng, n: rng.uniform(-0.5, 0.5, n))
    detector, _ = learned(w, found, np.random.default_rng(0))
    assert detector.V.max() < 0.003


def test_noise_that_a_few_events_have_by_chance_is_no_misfit():
    """It is ``1 / c^2`` of the energy of an event of size c, 0.017."""
    w, found, _ = coded(lambda rng, n: np.zeros(n), size=3.5)
    assert len(found.atoms) > 30
    detector, _ = learned(w, found, np.random.default_rng(0), CHANCE)
    assert np.median(detector.V) < 0.003


def test_an_average_of_noise_does_not_predict_the_noise_that_it_is_an_average_of():
    rng, length, n = np.random.default_rng(0), 400, 12
    y = rng.standard_normal((n * 1000, 1))
    A = rng.standard_normal((1, length, 1))
    A /= np.linalg.norm(A)
    w = Whitened.of(y, np.ones(len(y), dtype=bool), length)
    sample = length + 300 + 1000 * np.arange(n)
    atoms = Pursued.at_samples(np.zeros(n, int), sample, np.full(n, 5.0))
    nothing = code(w, Detector.start(A), np.ones(len(w.y)))
    residual = w.y.astype(float)
    subtract(residual, atoms, A)  # and windows, where atoms are added back, are noise
    noise = replace(
        nothing, detector=Detector.start(A), atoms=atoms, residual=residual,
        noise=np.ones(n), u=np.full(1, 3.5),
    )  # fmt: skip
    assert recurrences(w, noise, 0, np.ones(n, dtype=bool)) == 0


def test_a_waveform_is_centred_on_its_energy_and_a_zero_one_stays():
    a = np.zeros((L, 1))
    a[3:6, 0] = 1.0, 2.0, 1.0
    assert np.flatnonzero(centred(a)[:, 0]).tolist() in ([19, 20, 21], [18, 19, 20])
    assert np.linalg.norm(centred(a)) == pytest.approx(1.0)
    np.testing.assert_array_equal(centred(0.0 * a), 0.0)


def test_a_component_without_events_has_no_misfit_and_stays():
    w, found, _ = coded(lambda rng, n: np.zeros(n))
    rng, other = np.random.default_rng(0), np.random.default_rng(1).standard_normal((1, L, 1))
    detector = found.detector.with_more(other / np.linalg.norm(other))
    both = code(w, replace(detector, V=np.zeros((2, 2, 2 * L + 1))), 3 * np.ones(len(w.y)))
    assert len(both.own(1)) == 0
    assert not learned(w, both, rng)[0].V[1].any()
    np.testing.assert_array_equal(updated_waveforms(both, rng)[1], detector.A[1])
    assert recurrences(w, both, 1, np.ones(len(both.atoms), dtype=bool)) == 0
    assert len(seeds(both, both.sigma, rng)[0]) == len(seeds(found, both.sigma, rng)[0])
