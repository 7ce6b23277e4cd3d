"""Noise of any colour is told from data points in which something recurs."""

import numpy as np
import pytest

from benchmarks.trust.simulated import SPECTRA, noise
from orbitdl import OrbitDictionaryLearning
from orbitdl.datasets import make_ecg_like, make_shift_data
from orbitdl.encoding.samples import Samples
from orbitdl.groups import ContinuousShift, IntegerShift, Trivial
from orbitdl.learning.alpha import can_tell, excess, recurs

GROUPS = (IntegerShift(), ContinuousShift())


def windows_of_noise(colour, seed, n=150, length=32):
    """Return consecutive windows of a recording of noise."""
    return noise(np.random.default_rng([seed, 77]), colour, n * length).reshape(n, length)


def aligned(seed, level):
    """Return a bump at one position, of amplitude 0.7 to 1.3, in white noise."""
    rng, t = np.random.default_rng(seed), np.arange(40)
    bump = np.exp(-0.5 * ((t - 20) / 3) ** 2)
    return bump * rng.uniform(0.7, 1.3, (100, 1)) + level * rng.standard_normal((100, 40))


@pytest.mark.parametrize("colour", SPECTRA)
def test_noise_is_flagged_in_at_least_95_per_cent_of_data_sets(colour):
    flagged = [
        not recurs(Samples.of(windows_of_noise(colour, seed), GROUPS[seed % 2]), 1 + seed % 3)
        for seed in range(40)
    ]
    assert sum(flagged) >= 38


def structured():
    """Yield 20 sets of data points in which something recurs."""
    for seed in range(6):
        yield make_shift_data(100, 24, 2, 2, noise=0.1, random_state=seed).X, 2
        yield make_shift_data(100, noise=0.1, random_state=seed).X, 3
        yield make_shift_data(80, 30, 1, 1, subdivisions=None, noise=0.1, random_state=seed).X, 1
    yield make_ecg_like(n_windows=100, random_state=0).X, 2
    yield aligned(0, 1e-6), 1


def test_no_structured_data_points_are_flagged():
    for k, (X, q) in enumerate(structured()):
        assert recurs(Samples.of(X, GROUPS[k % 2]), q), k
    assert k == 19


def test_a_fit_of_noise_warns_and_one_of_shifts_does_not():
    settings = {"group": IntegerShift(), "max_iter": 200, "n_restarts": 1, "random_state": 0}
    with pytest.warns(RuntimeWarning, match="^nothing in these data points recurs: "):
        model = OrbitDictionaryLearning(1, tol=1e-2, **settings).fit(windows_of_noise("pink", 0))
    assert model.provenance_["alpha"].endswith("; nothing recurs")
    X = make_shift_data(100, 24, 2, 2, noise=0.1, random_state=0).X
    model = OrbitDictionaryLearning(2, tol=1e-2, **settings).fit(X)
    assert "recurs" not in model.provenance_["alpha"]


def test_what_cannot_be_tested_is_not_flagged():
    X = windows_of_noise("white", 0)
    assert can_tell(Samples.of(X, IntegerShift()))
    assert not can_tell(Samples.of(X, Trivial()))
    assert not can_tell(Samples.of(X[:59], IntegerShift()))
    assert not can_tell(Samples.of(X[:, :7], IntegerShift()))
    X[0, 0] = np.nan
    assert recurs(Samples.of(X, IntegerShift()), 1)


def test_an_excess_is_in_standard_errors_of_welch():
    rng = np.random.default_rng(0)
    one, other = rng.normal(1.0, 2.0, 400), rng.normal(0.0, 1.0, 900)
    by_hand = (one.mean() - other.mean()) / np.hypot(one.std() / 20, other.std() / 30)
    assert excess(one, other) == pytest.approx(by_hand)
