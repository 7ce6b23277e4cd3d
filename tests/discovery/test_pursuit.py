"""Atoms between samples: what is subtracted from correlations is what leaves the residual."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from orbitdl.discovery.coding import Detector, Whitened, code
from orbitdl.discovery.misfit import learned
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


def planted(offsets, rng):
    """Return a recording without noise of one smooth waveform at times off the grid."""
    n = np.arange(-20.0, 21.0)
    wave = CubicSpline(n, np.exp(-0.5 * (n / 5) ** 2) * np.cos(2 * np.pi * n / 16))
    times = 100.0 * np.arange(1, T // 100 - 1) + offsets(rng, T // 100 - 2)
    x = np.zeros(T)
    for time in times:
        at = np.arange(int(np.ceil(time - 20)), int(np.floor(time + 20)) + 1)
        x[at] += 30.0 * wave(at - time)
    A = wave(np.arange(L) - L // 2)
    return x + rng.standard_normal(T), times, (A / np.linalg.norm(A))[None, :, None]


def coded(offsets):
    rng = np.random.default_rng(1)
    x, times, A = planted(offsets, rng)
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
