"""Gaps of recordings in autoregressive noise: the joint code, the filling, its certainty."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import toeplitz

from orbitdl import WaveformLearning
from orbitdl.datasets import make_ecg_recording
from orbitdl.discovery.background import Background
from orbitdl.domains.time.atoms import at_times, no_atoms
from orbitdl.domains.time.coder import RecordingCoder
from orbitdl.domains.time.penalty import LevelField
from orbitdl.domains.time.refit import atoms_as_columns
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.population import Population
from orbitdl.gaps.filling import Filler, Observed, code_observed, windows_of
from orbitdl.gaps.interpolation import Gap, merged_runs

AR = Background(np.array([[1.0, -1.2, 0.5], [1.0, -0.4, 0.1]]), np.array([0.5, 2.0]))
W = 12


def recording(seed=0, n=90, gaps=((30, 36), (38, 40), (60, 64))):
    """Return two waveforms, a recording with events in gaps, its missing samples, and its gaps."""
    rng = np.random.default_rng(seed)
    waveforms = Waveforms(rng.standard_normal((2, W, 2))).unit()
    times, c = np.array([5.0, 27.0, 55.0]), np.array([20.0, 25, -18])
    events = at_times(np.array([0, 1, 0]), times, c, 2)
    y = waveforms.add_up(n, events.component, events.time, events.coefficient)
    x = AR.undo(y + rng.standard_normal((n, 2)))
    missing = np.zeros(n, dtype=bool)
    for first, last in gaps:
        missing[first:last] = True
    x[missing] = 0.0
    found = [Gap.of(x, missing, a, b, AR) for a, b in merged_runs(missing, AR.order)]
    return waveforms, x, missing, found


def observed_of(x, missing, gaps):
    y, known = AR.filtered(x, ~missing)
    return Observed.of(y, known, gaps, np.zeros_like(y))


def every_atom(waveforms, n):
    time = np.tile(np.arange(-W, n), len(waveforms)).astype(float)
    component = np.repeat(np.arange(len(waveforms)), n + W)
    return at_times(component, time, np.ones(len(time)), len(waveforms))


def test_gaps_that_one_filter_spans_are_one():
    _, _, missing, gaps = recording()
    assert_array_equal(gaps[0].samples, [30, 31, 32, 33, 34, 35, 38, 39])
    assert_array_equal(gaps[0].rows, np.arange(30, 42))
    assert merged_runs(missing, AR.order) == [(30, 40), (60, 64)]


def test_missing_noise_has_the_mean_and_covariance_of_a_gaussian():
    """Its covariance from the impulse response of the filter, and no events."""
    n, burn = 60, 400
    for c in range(2):
        impulse = AR.undo(np.eye(burn)[:, [0, 0]])[:, c]
        r = np.array([impulse[: burn - k] @ impulse[k:] for k in range(n)])
        covariance = toeplitz(r)
        rng = np.random.default_rng(c)
        x = np.zeros((n, 2))
        x[:, c] = rng.multivariate_normal(np.zeros(n), covariance)
        missing = np.isin(np.arange(n), [20, 21, 22, 24, 25])
        M, known = np.flatnonzero(missing), ~missing
        gain = covariance[M][:, known] @ np.linalg.inv(covariance[known][:, known])
        mean, rest = gain @ x[known, c], covariance[M][:, M] - gain @ covariance[known][:, M]
        x[missing] = 0.0
        gap = Gap.of(x, missing, 20, 26, AR)
        assert_allclose(gap.mean(np.zeros((len(gap.rows), 2)))[:, c], mean, atol=1e-6)
        sd = gap.sd(c, 1.0, np.zeros((len(gap.rows), 0)))
        assert_allclose(sd, np.sqrt(np.diag(rest)), rtol=1e-6)
        assert_allclose(gap.sd(c, 3.0, np.zeros((len(gap.rows), 0))), 3.0 * sd)  # in louder noise


def test_products_and_norms_are_those_of_projected_atoms():
    waveforms, x, missing, gaps = recording()
    observed = observed_of(x, missing, gaps)
    A = observed.columns(waveforms, every_atom(waveforms, len(x))).toarray()
    left = np.random.default_rng(1).standard_normal(len(A))
    assert_allclose(observed.products(left, waveforms).ravel(), A.T @ left, atol=1e-12)
    assert_allclose(observed.norms(waveforms).ravel(), np.linalg.norm(A, axis=0), atol=1e-12)


@pytest.mark.parametrize("positive", [False, True])
def test_the_code_is_the_joint_optimum_over_events_and_missing_samples(positive):
    """CVXPY has the missing samples as variables, and filters them itself."""
    waveforms, x, missing, gaps = recording()
    n, p, atoms = len(x), AR.order, every_atom(waveforms, len(x))
    A = atoms_as_columns(np.ones(n, dtype=bool), waveforms, atoms).toarray().reshape(n, 2, -1)
    w = np.random.default_rng(2).uniform(1.0, 3.0, (2, n + W))
    c, x_M = cp.Variable(len(atoms.time), nonneg=positive), cp.Variable((int(missing.sum()), 2))
    full = x + np.eye(n)[:, missing] @ x_M
    squares = 0.0
    for k in range(2):
        h = AR.filters[k] / AR.scale[k]
        y = sum(h[i] * full[p - i : n - i, k] for i in range(p + 1))
        squares += 0.5 * cp.sum_squares(y - A[p:, k] @ c)
    problem = cp.Problem(cp.Minimize(squares + w.ravel() @ cp.abs(c)))
    best = problem.solve(solver=cp.CLARABEL)
    observed, start = observed_of(x, missing, gaps), no_atoms(2)
    coder = RecordingCoder(waveforms, 1.0, positive=positive)
    found = code_observed(observed, coder, w, start)
    left = observed.S @ observed.y.ravel() - observed.columns(waveforms, found) @ found.coefficient
    weight = w[found.component, found.time.astype(int) + W]
    objective = 0.5 * left @ left + weight @ np.abs(found.coefficient)
    assert_allclose(objective, best, rtol=1e-4)


def test_events_that_are_refitted_are_those_of_a_dense_least_squares_fit():
    """Amplitudes and missing samples together, at the times that were found."""
    waveforms, x, missing, _ = recording()
    none, field = np.zeros(2), LevelField([0.0], [[1.0]])
    population = Population(none, none, none, True)
    coder = RecordingCoder(waveforms, 3.0, integer_shifts=True)
    fill = Filler(coder, AR, field, population, x, missing, no_atoms(2), True)
    n, p = len(x), AR.order
    observed = fill.observed((0, n, [(30, 40), (60, 64)]), no_atoms(2))
    level = fill.level(0, n)
    events = code_observed(observed, coder, fill.weights(observed, level), no_atoms(2))
    events, _ = fill.refitted(observed, events, 1.0)
    at, mean, _ = fill((0, n, [(30, 40), (60, 64)]))
    assert_array_equal(at, np.flatnonzero(missing))
    A = atoms_as_columns(np.ones(n, dtype=bool), waveforms, events).toarray().reshape(n, 2, -1)
    columns, right = [], []
    for k in range(2):
        H = sum(np.eye(n, k=-i)[p:] * (AR.filters[k, i] / AR.scale[k]) for i in range(p + 1))
        unknown = np.zeros((n - p, 2 * len(at)))
        unknown[:, k * len(at) : (k + 1) * len(at)] = -H[:, at]
        columns.append(np.hstack([A[p:, k], unknown]))
        right.append(H @ x[:, k])
    best = np.linalg.lstsq(np.vstack(columns), np.concatenate(right))[0]
    assert_allclose(events.coefficient, best[: len(events.time)], rtol=1e-5)
    assert_allclose(mean.T.ravel(), best[len(events.time) :], rtol=1e-4, atol=1e-4)


def test_windows_hold_every_gap_once():
    gaps = [(0, 3), (50, 52), (200, 210), (900, 905)]
    windows = windows_of(gaps, 20, 910)
    assert [gap for *_, own in windows for gap in own] == gaps
    assert [window[:2] for window in windows] == [(0, 92), (160, 250), (860, 910)]
    crowded = windows_of([(k, k + 3) for k in range(0, 3000, 30)], 20, 3000)
    assert max(last - first for first, last, _ in crowded) <= 8 * 20


def test_what_is_hidden_and_small_is_no_event():
    median, own = np.array([10.0]), np.zeros(3, dtype=np.intp)
    events = at_times(own, np.arange(3.0), np.array([9.0, 3.0, -9.0]), 2)
    for signed in (False, True):
        population = Population.of(median, events, np.array([8.1, 0.0, 8.1]), signed=signed)
        assert_array_equal(population.is_typical(events), [True, False, signed])
        assert_allclose(population.variability, 0.1)


@pytest.fixture(scope="module")
def heart():
    """Return a recording of a heart without and with gaps, and a model of the second."""
    x = make_ecg_recording(duration=120, random_state=3).signal
    hidden = np.zeros(len(x), dtype=bool)
    for first in range(1000, len(x) - 1000, 700):
        hidden[first + np.random.default_rng(first).integers(0, 400) + np.arange(40)] = True
    y = np.where(hidden, np.nan, x)
    return x, y, WaveformLearning(length=252).fit(y)


def test_a_gap_that_hides_the_peak_of_an_event_is_filled_with_it(heart):
    x, y, model = heart
    hidden = np.isnan(y)
    filled, sd = model.complete(y, return_std=True)
    error = (filled - x)[hidden]
    assert np.sqrt(np.mean(error**2)) < 0.2 * np.std(x[hidden])
    assert 0.93 < np.mean(np.abs(error) < 1.96 * sd[hidden]) < 0.995
    assert np.abs(error).max() < 0.5  # no peak is left out, none is made up: they are 1 to 1.5


def test_channels_and_long_gaps_keep_their_shape(heart):
    x, y, _ = heart
    both = np.stack([y, 2.0 * np.roll(y, 3)], axis=1)[:20_000]
    both[5000:5400] = np.nan
    both[5410:5420] = np.nan  # the filter reaches from one into the other
    model = WaveformLearning(length=252).fit(both)
    filled, sd = model.complete(both, return_std=True)
    assert filled.shape == sd.shape == both.shape
    assert np.isnan(filled[5000:5400]).all()
    assert not np.isnan(np.delete(filled, np.s_[5000:5400], axis=0)).any()
