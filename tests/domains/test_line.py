"""Waveforms on the line: against B-splines of SciPy, dense grids and a lasso on a fine grid."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.interpolate import BSpline
from sklearn.linear_model import Lasso

from orbitdl.coding.codes import Codes
from orbitdl.domains.time import chunks, sweeps
from orbitdl.domains.time.atoms import between
from orbitdl.domains.time.chunks import code_recording, split_recording
from orbitdl.domains.time.coder import RecordingCoder, _require_duration
from orbitdl.domains.time.correlations import correlations, largest_correlation
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.splines import coefficients_of, norms_of, samples_of
from orbitdl.domains.time.sweeps import PAUSED, sweep
from orbitdl.domains.time.waveforms import Waveforms

CUBIC = BSpline.basis_element(np.arange(-2.0, 3.0), extrapolate=False)


def spline(u: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return ``sum_n u[n] B(t - n)`` at any times, (len(t), channels): by SciPy alone."""
    values = np.nan_to_num(CUBIC(t[:, None] - np.arange(len(u))))
    return values @ u


def pulses(width: int = 15, channels: int = 1) -> Waveforms:
    """Return a bump and a wave, with other amplitudes in every channel."""
    t = (np.arange(width) - width // 2) / width
    shapes = np.stack([np.exp(-40 * t**2), np.exp(-20 * t**2) * np.sin(20 * t)])
    gains = np.array([[1.0, 0.5], [0.7, -1.0]])[:, :channels]
    return Waveforms.through(shapes[:, :, None] * gains[:, None, :])


def noise(width: int = 9, q: int = 2, channels: int = 2, seed: int = 0) -> Waveforms:
    return Waveforms(np.random.default_rng(seed).standard_normal((q, width, channels))).unit()


def recording(waveforms: Waveforms, n: int = 160, events: int = 8, seed: int = 0):
    """Return a noisy recording with events, some of which overhang its ends, or overlap."""
    rng = np.random.default_rng(seed)
    time = np.concatenate([rng.uniform(-5, n - 5, events - 2), [-3.3, n - 7.6]])
    component = rng.integers(len(waveforms), size=events)
    c = rng.uniform(0.5, 2.0, events) * rng.choice([-1, 1], events)
    clean = sum(
        c[k] * spline(waveforms.u[component[k]], np.arange(n) - time[k]) for k in range(events)
    )
    return clean + 0.05 * rng.standard_normal(clean.shape)


def coded(x, seen, waveforms, alpha, tol=1e-4, warm=None, size=None, n_jobs=None, **options):
    """Code a recording, in chunks of so many samples."""
    recording = split_recording(Signal(np.where(seen[:, None], x, np.nan)), waveforms.length, size)
    if warm is not None:
        recording = [replace(c, atoms=between(warm.atoms, *c.domain)) for c in recording]
    return code_recording(recording, RecordingCoder(waveforms, alpha, tol, **options), n_jobs)


def code_line(x, seen, waveforms, alpha, tol=1e-4, warm=None, **options) -> Codes:
    signs = {name: options[name] for name in ("positive", "integer_shifts") if name in options}
    coder = RecordingCoder(waveforms, alpha, tol, **signs)
    return coded(x, seen, waveforms, alpha, tol, warm, **options).codes(coder)


def objective_of(x: np.ndarray, seen: np.ndarray, waveforms, alpha: float, codes: Codes):
    """Evaluate codes independently."""
    t = np.arange(len(x))
    left = x - sum(
        (c * spline(waveforms.u[j], t - tau) for j, tau, c in atoms(codes)), np.zeros(x.shape)
    )
    return 0.5 * np.sum(left[seen] ** 2) + alpha * np.abs(codes.atoms.coefficient).sum()


def atoms(codes: Codes):
    return zip(codes.atoms.component, codes.atoms.time, codes.atoms.coefficient, strict=True)


def everything(x: np.ndarray) -> np.ndarray:
    return np.ones(len(x), dtype=bool)


# Splines


def test_a_spline_goes_through_its_samples():
    samples = np.random.default_rng(0).standard_normal((3, 12, 2))
    u = coefficients_of(samples)
    assert_allclose(samples_of(u), samples, atol=1e-12)
    assert_allclose(spline(u[1], np.arange(12.0)), samples[1], atol=1e-12)


def test_the_norm_is_that_of_the_function_on_the_line():
    u = np.random.default_rng(0).standard_normal((3, 7, 2))
    step = 1 / 2000
    t = np.arange(-3, 10, step)
    expected = [np.sqrt(np.sum(spline(one, t) ** 2) * step) for one in u]
    assert_allclose(norms_of(u), expected, rtol=1e-9)


def test_moved_waveforms_add_up_as_functions_do_and_are_cut_at_the_ends():
    waveforms, rng = noise(), np.random.default_rng(1)
    time, component = rng.uniform(-12, 42, 30), rng.integers(2, size=30)
    c = rng.standard_normal(30)
    t = np.arange(40.0)
    expected = sum(c[k] * spline(waveforms.u[component[k]], t - time[k]) for k in range(30))
    assert_allclose(waveforms.add_up(40, component, time, c), expected, atol=1e-12)


# Correlations


@pytest.mark.parametrize("channels", [1, 2])
def test_four_correlations_give_the_inner_product_at_any_time(channels):
    waveforms = noise(channels=channels)
    x = np.random.default_rng(2).standard_normal((50, channels))
    e = correlations(x, waveforms)
    for tau in np.random.default_rng(3).uniform(-9, 49, 40):
        m, d = int(np.floor(tau)), tau - np.floor(tau)
        w = np.nan_to_num(CUBIC(np.arange(-1, 3) - d))
        place = m + waveforms.offset
        expected = np.sum(x * spline(waveforms.u[1], np.arange(50) - tau))
        assert_allclose(w @ e[1, place - 1 : place + 3], expected, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), width=st.integers(1, 20), n=st.integers(1, 60))
def test_the_largest_correlation_is_that_of_a_dense_grid(seed, width, n):
    rng = np.random.default_rng(seed)
    waveforms = Waveforms(rng.standard_normal((2, width, 1)))
    x = rng.standard_normal((n, 1))
    late = np.arange(n) - np.arange(-width - 2, n + 2, 1 / 16)[:, None]
    moved = [spline(u, late.ravel()).reshape(late.shape) for u in waveforms.u]
    dense = max(np.abs(values @ x).max() for values in moved)
    top = largest_correlation(correlations(x, waveforms))
    assert top >= dense * (1 - 1e-12)
    assert top <= dense * 1.02 + 1e-12


# Codes


def with_gaps(waveforms: Waveforms) -> tuple[np.ndarray, np.ndarray]:
    """Return a long recording, and which of its samples are there."""
    x, seen = recording(waveforms, n=3000, events=250), np.ones(3000, dtype=bool)
    seen[[300, 301, 290, 822, 1500]] = False
    seen[1990:2020] = False
    return x, seen


@cache
def objective_of_the_whole(tol: float) -> float:
    """Return the objective of the long recording, coded in one piece."""
    waveforms = pulses(width=15)
    return code_line(*with_gaps(waveforms), waveforms, 0.2, tol).objective


@pytest.mark.parametrize("tol", [1e-4, 1e-6])
@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("size", [300, 411, 1000])
def test_chunks_come_to_the_answer_of_the_whole(size, n_jobs, tol):
    waveforms = pulses(width=15)
    x, seen = with_gaps(waveforms)
    parts = code_line(x, seen, waveforms, 0.2, tol, size=size, n_jobs=n_jobs)
    assert parts.gap <= tol
    assert_allclose(parts.objective, objective_of(x, seen, waveforms, 0.2, parts), rtol=1e-12)
    assert_allclose(parts.objective, objective_of_the_whole(tol), rtol=1e-8)


@pytest.mark.parametrize("n", [1, 39, 40, 79, 80, 81, 200])
def test_chunks_cover_a_recording(n):
    chunks = split_recording(Signal(np.zeros(n)), 5, 40)
    assert chunks[0].begins
    assert chunks[-1].ends
    assert all(one.last == two.first for one, two in pairwise(chunks))
    assert all(40 <= chunk.last - chunk.first < 80 for chunk in chunks) or n < 40


@pytest.mark.parametrize("positive", [False, True], ids=["any sign", "positive"])
@pytest.mark.parametrize("integer_shifts", [False, True], ids=["any time", "whole samples"])
def test_signs_and_times_can_be_restricted(positive, integer_shifts):
    """Against a lasso over all that is allowed, on a fine grid or on whole samples."""
    waveforms = pulses()
    x, alpha = recording(waveforms, n=90, events=6), 0.3
    seen = everything(x)
    seen[40:44] = False
    codes = code_line(
        x, seen, waveforms, alpha, 1e-7, positive=positive, integer_shifts=integer_shifts
    )
    times = np.arange(-17, 92, 1 if integer_shifts else 1 / 20)
    columns = [spline(u, np.arange(90) - tau)[seen].ravel() for u in waveforms.u for tau in times]
    D, y = np.stack(columns, axis=1), x[seen].ravel()
    lasso = Lasso(
        alpha / len(y), fit_intercept=False, tol=1e-9, max_iter=10**5, positive=positive
    ).fit(D, y)
    best = 0.5 * np.sum((y - D @ lasso.coef_) ** 2) + alpha * np.abs(lasso.coef_).sum()
    assert codes.gap <= 1e-7
    assert_allclose(codes.objective, best, rtol=1e-6 if integer_shifts else 1e-3)
    assert codes.objective <= best * (1 + 1e-6)
    assert np.all(codes.atoms.time % 1 == 0) == integer_shifts
    assert np.all(codes.atoms.coefficient > 0) == positive


@pytest.mark.parametrize("make", [pulses, noise], ids=["pulses", "noise"])
@pytest.mark.parametrize("tol", [1e-4, 1e-8])
def test_objective_and_gap_are_those_of_an_independent_evaluation(make, tol):
    waveforms = make()
    x = recording(waveforms)
    codes = code_line(x, everything(x), waveforms, 0.2, tol)
    assert codes.gap <= tol
    assert_allclose(
        codes.objective, objective_of(x, everything(x), waveforms, 0.2, codes), rtol=1e-12
    )
    assert np.all(np.diff(codes.atoms.time) >= 0)
    assert codes.atoms.time.min() < 0  # one overhangs


# one channel with gaps is among those whose signs and times are restricted, or not, above
@pytest.mark.parametrize(("channels", "missing"), [(1, False), (2, True)], ids=["whole", "gaps"])
def test_codes_are_as_good_as_a_lasso_on_a_fine_grid(channels, missing):
    waveforms = pulses(channels=channels)
    x, alpha = recording(waveforms, n=90, events=6), 0.3
    seen = everything(x)
    if missing:
        seen[[20, 21, 22, 50]] = False
        x[~seen] = np.nan
    codes = code_line(np.nan_to_num(x), seen, waveforms, alpha, 1e-7)
    times = np.arange(-17, 92, 1 / 20)
    columns = [spline(u, np.arange(90) - tau)[seen].ravel() for u in waveforms.u for tau in times]
    D, y = np.stack(columns, axis=1), x[seen].ravel()
    lasso = Lasso(alpha / len(y), fit_intercept=False, tol=1e-7, max_iter=10**5).fit(D, y)
    fine = 0.5 * np.sum((y - D @ lasso.coef_) ** 2) + alpha * np.abs(lasso.coef_).sum()
    assert codes.gap <= 1e-7
    assert codes.objective <= fine * (1 + 1e-6)
    assert_allclose(codes.objective, fine, rtol=1e-3)


@pytest.mark.parametrize("positive", [False, True], ids=["any sign", "positive"])
def test_codes_at_integer_shifts_are_those_of_cvxpy(positive):
    waveforms, alpha, n = pulses(channels=2), 0.3, 60
    x, seen = recording(waveforms, n=n, events=5), np.ones(60, dtype=bool)
    seen[[20, 21, 40]] = False
    codes = code_line(x, seen, waveforms, alpha, 1e-8, integer_shifts=True, positive=positive)
    times = np.arange(-17, n + 2)
    D = np.stack(
        [spline(u, np.arange(n) - tau)[seen].ravel() for u in waveforms.u for tau in times], axis=1
    )
    c = cp.Variable(D.shape[1], nonneg=positive)
    value = 0.5 * cp.sum_squares(x[seen].ravel() - D @ c) + alpha * cp.norm1(c)
    expected = cp.Problem(cp.Minimize(value)).solve(solver=cp.CLARABEL)
    assert_allclose(codes.objective, expected, rtol=1e-6)


def test_a_valley_next_to_a_peak_keeps_no_positive_atom_out():
    """At integer positions, waveforms of high frequency have both side by side."""
    waveforms = noise(channels=1)
    x = recording(waveforms, n=400, events=20)
    codes = code_line(x, everything(x), waveforms, 0.2, 1e-6, integer_shifts=True, positive=True)
    assert codes.gap <= 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_a_gap_longer_than_a_waveform_separates_recordings(seed):
    waveforms = pulses()
    parts = [recording(waveforms, n, 5, seed + k) for k, n in enumerate((70, 110))]
    x = np.concatenate([parts[0], np.full((20, 1), np.nan), parts[1]])
    seen = ~np.isnan(x[:, 0])
    integer_shifts = code_line(np.nan_to_num(x), seen, waveforms, 0.2, 1e-9)
    apart = [code_line(part, everything(part), waveforms, 0.2, 1e-9) for part in parts]
    assert_allclose(integer_shifts.objective, sum(codes.objective for codes in apart), rtol=1e-8)


def test_a_long_recording_with_events_that_overlap_is_coded_to_any_gap():
    waveforms = pulses(width=25)
    x = recording(waveforms, n=5000, events=600)
    for tol in (1e-3, 1e-5, 1e-8):
        assert code_line(x, everything(x), waveforms, 0.2, tol).gap <= tol


def test_sweeps_come_to_the_gap_at_the_first_try(monkeypatch):
    """Blocks are solved until none has changed what its neighbours see."""
    monkeypatch.setattr(chunks, "TRIES", 1)
    waveforms = pulses(width=25)
    for seed in range(3):
        x = recording(waveforms, n=2000, events=240, seed=seed)
        assert code_line(x, everything(x), waveforms, 0.2, 1e-8).gap <= 1e-8


def test_blocks_grow_where_events_are_dense():
    waveforms = noise(width=20, channels=1)
    x = np.random.default_rng(0).standard_normal((400, 1))
    codes = code_line(x, everything(x), waveforms, 0.02, 1e-4)
    assert codes.gap <= 1e-4
    assert len(codes.atoms.time) > 300


def test_earlier_codes_are_a_place_to_start():
    waveforms = pulses()
    x = recording(waveforms, 400, 20)
    first = code_line(x, everything(x), waveforms, 0.2, 1e-8)
    again = code_line(x, everything(x), waveforms, 0.2, 1e-8, first)
    assert_allclose(again.objective, first.objective, rtol=1e-8)
    other = code_line(x, everything(x), waveforms, 0.3, 1e-8, first)
    cold = code_line(x, everything(x), waveforms, 0.3, 1e-8)
    assert_allclose(other.objective, cold.objective, rtol=1e-7)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_unit_of_the_data_does_not_matter(scale):
    waveforms = pulses()
    x = recording(waveforms)
    one = code_line(x, everything(x), waveforms, 0.2, 1e-7)
    other = code_line(scale * x, everything(x), waveforms, 0.2 * scale, 1e-7)
    assert_allclose(other.objective, scale**2 * one.objective, rtol=1e-6)
    assert other.gap <= 1e-7


@pytest.mark.parametrize("n", [1, 3, 14, 15, 16])
def test_recordings_as_short_as_a_sample_are_coded(n):
    waveforms = pulses()
    x = np.random.default_rng(0).standard_normal((n, 1))
    assert code_line(x, everything(x), waveforms, 0.1, 1e-6).gap <= 1e-6


def test_nothing_is_coded_by_nothing():
    waveforms = pulses()
    x = np.zeros((100, 1))
    codes = code_line(x, everything(x), waveforms, 0.1)
    assert (len(codes.atoms.time), codes.objective, codes.gap) == (0, 0.0, 0.0)
    blind = code_line(x, ~everything(x), waveforms, 0.1)
    assert len(blind.atoms.time) == 0


# Dense codes, and flat ones


@pytest.mark.parametrize("seed", range(40))
def test_waveforms_with_a_flat_correlation_are_coded_to_the_tolerance(seed):
    """The certificate of a box in a longer box is a plateau, which has no strict maximum."""
    rng = np.random.default_rng(seed)
    waveforms = Waveforms(np.ones((1, int(rng.integers(5, 20)), 1))).unit()
    x = np.zeros((120, 1))
    first = int(rng.integers(0, 60))
    x[first : first + int(rng.integers(2, 60))] = rng.uniform(0.5, 2.0)
    top = largest_correlation(correlations(x, waveforms))
    for part in (0.5, 0.1):
        assert code_line(x, everything(x), waveforms, part * top).gap <= 1e-4


def hanning_in_noise(n: int = 145):
    x = np.random.default_rng(0).standard_normal((n, 1))
    shape = np.hanning(31) * np.sin(0.5 * np.arange(31))
    return x, Waveforms.through(shape[None, :, None])


@pytest.mark.parametrize("part", [0.01, 0.003, 0.001])
def test_as_many_atoms_as_overlap_are_coded_to_the_tolerance(part):
    x, waveforms = hanning_in_noise()
    codes = code_line(
        x, everything(x), waveforms, part * largest_correlation(correlations(x, waveforms))
    )
    assert codes.gap <= 1e-4
    assert len(codes.atoms.time) > 25


def test_coding_returns_to_python_after_some_work(monkeypatch):
    """So that a user can interrupt it."""
    ends = []

    def watched(*arguments):
        ends.append(sweep(*arguments))
        return ends[-1]

    monkeypatch.setattr(sweeps, "sweep", watched)
    x, waveforms = hanning_in_noise(1500)
    alpha = 0.005 * largest_correlation(correlations(x, waveforms))
    codes = code_line(x, everything(x), waveforms, alpha, 1e-6)
    assert PAUSED in ends
    assert codes.gap <= 1e-6


def test_codes_that_are_worse_than_the_earlier_ones_are_not_taken(monkeypatch):
    waveforms = pulses()
    signal = Signal(recording(waveforms))
    coder = RecordingCoder(waveforms, 0.3, 1e-6)
    best = code_recording(split_recording(signal, waveforms.length), coder)
    monkeypatch.setattr(chunks, "even_then_odd", lambda old, *_: chunks.without_atoms(old).chunks)
    monkeypatch.setattr(chunks, "across_borders", lambda coded, *_: coded)
    again = code_recording(best.chunks, coder)
    assert again.certificate.objective(0.3) == best.certificate.objective(0.3)


def test_blocks_hold_no_more_atoms_than_samples():
    coder, blocks = RecordingCoder(noise(), 1e-9), sweeps.make_blocks(200, 50, 8)
    _require_duration(100, blocks, coder)  # of two channels
    with pytest.raises(ValueError, match="alpha=1e-09 is too small: codes would need as many"):
        _require_duration(101, blocks, coder)
