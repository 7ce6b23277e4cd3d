"""Events of a recording: what was planted is listed, with amplitudes that are not shrunk."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from test_line import coded, noise, pulses, spline

from orbitdl.domains.time.atoms import at_times
from orbitdl.domains.time.chunks import atoms_of, code_recording, split_recording
from orbitdl.domains.time.coder import RecordingCoder
from orbitdl.domains.time.refit import amplitudes_of, atoms_as_columns, refitted
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.code_events import events_of, no_events, peaks_of
from orbitdl.events.columns import in_column_order

N, ALPHA = 2000, 0.3


def planted(seed: int = 0, level: float = 0.02):
    """Return a recording of pulses far apart but for one pair, with what was planted."""
    waveforms, rng = pulses(width=25), np.random.default_rng(seed)
    time = np.sort(
        np.concatenate([[-6.3], np.arange(40, N - 60, 60) + rng.uniform(0, 9, 32), [995.2]])
    )
    component, c = rng.integers(2, size=len(time)), rng.uniform(1, 2, len(time))
    t = np.arange(N)
    x = sum(c[k] * spline(waveforms.u[component[k]], t - time[k]) for k in range(len(time)))
    return waveforms, x + level * rng.standard_normal(x.shape), time, component, c


def timing(waveforms, level: float = 0.02) -> float:
    """Return the standard deviation of a matched filter's times, of the smallest event."""
    steps = np.diff(waveforms.samples(), axis=1)
    return level / float(np.sqrt(np.sum(steps**2, axis=(1, 2)).min()))


def everything(x: np.ndarray) -> np.ndarray:
    return np.ones(len(x), dtype=bool)


def test_atoms_are_columns_of_their_samples():
    waveforms, rng = noise(), np.random.default_rng(0)
    time = np.sort(rng.uniform(-11, 41, 20))
    component, seen = rng.integers(2, size=20), rng.random(40) > 0.2
    atoms = at_times(component, time, np.ones(20), 2)
    columns = atoms_as_columns(seen, waveforms, atoms).toarray()
    for k in range(20):
        expected = spline(waveforms.u[component[k]], np.arange(40) - time[k]) * seen[:, None]
        assert_allclose(columns[:, k], expected.ravel(), atol=1e-12)


def listed(x, waveforms, atoms=None, size=None, **options):
    """Code a recording, unless its atoms are given, and list its events."""
    recording = split_recording(Signal(x), waveforms.length, size)
    if atoms is None:
        recording = coded(x, everything(x), waveforms, ALPHA, size=size).chunks
        atoms = atoms_of(recording)
    return events_of(recording, waveforms, atoms, **options)


@pytest.mark.parametrize("size", [None, 300])
def test_amplitudes_are_those_of_least_squares(size):
    waveforms, x, *_ = planted()
    x[500:510] = np.nan
    seen = ~np.isnan(x[:, 0])
    recording = coded(np.nan_to_num(x), seen, waveforms, ALPHA, size=size).chunks
    atoms = atoms_of(recording)
    D, y = atoms_as_columns(seen, waveforms, atoms).toarray(), np.nan_to_num(x).ravel()
    expected, *_ = np.linalg.lstsq(D, y, rcond=None)
    assert_allclose(amplitudes_of(recording, waveforms, atoms), expected, atol=1e-6)
    refit, left = refitted(recording, waveforms, atoms), y - D @ expected
    for k, a in enumerate(D.T):
        span = slice(*np.clip(np.floor(atoms.time[k]).astype(int) + [-1, 27], 0, N))
        alone = left[span] + expected[k] * a[span]
        cosine = abs(a[span] @ alone) / np.linalg.norm(a) / np.linalg.norm(alone)
        share = 1 - np.sum(left[span] ** 2) / np.sum(y[span] ** 2)
        assert_allclose([refit.fit[k], refit.share[k]], [cosine, share], atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_planted_is_listed_once_on_time_and_in_full(seed):
    waveforms, x, time, component, c = planted(seed)
    events = listed(x, waveforms, sfreq=100.0, refractory=0.0)
    peak = np.abs(waveforms.samples()).max(axis=2).argmax(axis=1)
    assert len(events) == len(time)
    order = np.argsort(time + peak[component])
    assert_allclose(events["sample"], (time + peak[component])[order], atol=4 * timing(waveforms))
    assert_allclose(events["onset"] * 100.0, events["sample"])
    assert np.array_equal(events["component"], component[order])
    assert np.all(events["coefficient"] < events["amplitude"] + 0.05)  # which are shrunk
    assert np.all(events["similarity"] > 0.9)
    assert events["truncated"].iloc[0]
    assert not events["truncated"].iloc[1:].any()
    apart = np.diff(time) < waveforms.length + 3
    expected = np.append(apart, False) | np.append(False, apart)
    assert np.array_equal(events["overlapping"], expected)
    alone = ~expected  # two that overlap share what is theirs less exactly
    assert_allclose(events["amplitude"][alone], c[order][alone], atol=0.1)


def test_an_event_unlike_its_waveform_has_the_least_fit():
    waveforms, x, time, *_ = planted()
    odd = int(time[10])
    x[odd + 5 : odd + 20] += 0.8 * np.random.default_rng(1).standard_normal((15, 1))
    events = listed(x, waveforms)
    worst = events.loc[events["similarity"].idxmin()]
    assert abs(worst["sample"] - odd) < 30


def test_of_events_closer_than_the_refractory_time_the_strongest_is_listed():
    waveforms = pulses(width=25)
    time, c = np.array([10.0, 14.0, 15.0, 80.0]), np.array([1.0, -2.0, 1.1, 1.5])
    atoms = at_times(np.array([0, 0, 1, 0]), time, c, 2)
    events = listed(np.zeros((150, 1)), waveforms, atoms, threshold=0.0, refractory=10.0)
    assert sorted(events["coefficient"]) == [-2.0, 1.1, 1.5]
    assert len(listed(np.zeros((150, 1)), waveforms, atoms, threshold=0.0, refractory=0.0)) == 4


def test_atoms_too_close_to_tell_apart_are_one_event_unless_all_are_asked_for():
    waveforms = pulses(width=25)
    lags, t = np.arange(0, 12, 0.01), np.arange(-10, 40, 0.1)
    still = spline(waveforms.u[0], t)
    products = np.array([np.sum(still * spline(waveforms.u[0], t - s)) for s in lags])
    width = 2 * lags[np.argmax(products < 0.5 * products[0])]
    time = np.array([20.0, 20.0 + 0.95 * width, 80.0, 80.0 + 1.05 * width])
    atoms = at_times(np.zeros(4, dtype=int), time, np.array([1.0, 0.8, 1.0, 0.8]), 1)
    events = listed(np.zeros((150, 1)), waveforms, atoms, threshold=0.0)
    assert_allclose(events["coefficient"], [1.8, 1.0, 0.8])
    peak = np.abs(waveforms.samples()[0]).argmax()
    assert_allclose(events["sample"][0] - peak, np.average(time[:2], weights=[1.0, 0.8]))
    assert_allclose(events.attrs["resolution"][0], width, rtol=0.02)
    assert len(listed(np.zeros((150, 1)), waveforms, atoms, threshold=0.0, refractory=0.0)) == 4


def test_a_threshold_that_is_given_counts():
    waveforms, x, *_ = planted()
    atoms = atoms_of(coded(x, everything(x), waveforms, ALPHA).chunks)
    events = listed(x, waveforms, atoms, threshold=1.5, refractory=0.0)
    assert len(events) == np.sum(np.abs(atoms.coefficient) >= 1.5)
    assert events.attrs["threshold"] == [1.5, 1.5]


COLUMNS = [
    "sample", "component", "amplitude", "coefficient", "explained", "similarity", "overlapping",
    "truncated", "interval", "own_interval",
]  # fmt: skip


def test_columns_follow_the_schema_and_those_in_seconds_need_a_rate():
    waveforms, x, *_ = planted()
    assert list(listed(x, waveforms)) == list(no_events(None)) == COLUMNS
    timed = ["onset", *COLUMNS[:-1], "interval_s", COLUMNS[-1]]
    assert list(listed(x, waveforms, sfreq=10.0)) == list(no_events(10.0)) == timed


def test_later_columns_have_their_position_and_parameters_follow_the_component():
    names = ["p_value", "explained", "angle", "onset_sd", "coefficient", "shift", "component"]
    table = pd.DataFrame({name: [0.0] for name in names})
    assert list(in_column_order(table)) == [
        "component", "angle", "shift", "coefficient", "onset_sd", "p_value", "explained",
    ]  # fmt: skip


def test_no_atoms_are_no_events():
    waveforms = pulses()
    x = np.zeros((50, 1))
    assert len(listed(x, waveforms, sfreq=10.0)) == 0


@pytest.mark.parametrize("alpha", [1.0, 4.0])
def test_times_of_sharp_waveforms_are_not_pulled_to_integer_samples(alpha):
    rng = np.random.default_rng(0)
    waveforms = Waveforms.through(rng.standard_normal((1, 20, 1)))
    time = 20 + 60 * np.arange(100) + rng.uniform(-0.5, 0.5, 100)
    x = waveforms.add_up(6000, np.zeros(100, dtype=np.intp), time, np.full(100, 10.0))
    coder = RecordingCoder(waveforms, alpha)
    coded = code_recording(split_recording(Signal(x), 20), coder)
    atoms = atoms_of(coded.chunks)
    found = events_of(coded.chunks, waveforms, atoms)["sample"].to_numpy() - peaks_of(waveforms)[0]
    fraction = time - np.round(time)
    of_codes, of_events = (np.polyfit(fraction, t - time, 1)[0] for t in (atoms.time, found))
    assert of_codes < -0.02  # the penalty prefers the larger norm at integer samples
    assert abs(of_events) < 1e-3


def test_times_stay_integers_where_they_must_be():
    rng = np.random.default_rng(0)
    waveforms = Waveforms.through(np.hanning(20)[None, :, None])
    x = waveforms.add_up(600, np.zeros(5, dtype=np.intp), 100.0 * np.arange(5) + 20.4, np.ones(5))
    coder = RecordingCoder(waveforms, 0.1, integer_shifts=True)
    coded = code_recording(
        split_recording(Signal(x + 0.01 * rng.standard_normal(x.shape)), 20), coder
    )
    events = events_of(
        coded.chunks, waveforms, atoms_of(coded.chunks), integer_shifts=True, refractory=0
    )
    assert np.all(events["sample"] % 1 == 0)
