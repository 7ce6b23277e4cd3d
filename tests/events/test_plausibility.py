"""A certified code that says little is told of: one event listed twice, or hardly any found."""

import warnings

import numpy as np
import pytest
from test_command import run

from orbitdl import Status, WaveformLearning, load
from orbitdl.coding.codes import Codes
from orbitdl.datasets import make_ecg_recording
from orbitdl.domains.time.atoms import at_times, in_order
from orbitdl.domains.time.axis import TimeAxis
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.plausibility import coincidence_fraction, warn_of_codes

LENGTH, SAMPLES = 40, 40_000
TWO = Waveforms(np.stack([np.hanning(LENGTH), np.diff(np.hanning(LENGTH + 1))])[:, :, None])


def codes_at(*times, explained=0.5):
    """Return codes whose atoms of component j begin at ``times[j]``."""
    component = np.repeat(np.arange(len(times)), [len(one) for one in times])
    time = np.concatenate(times).astype(float)
    atoms = in_order(at_times(component, time, np.ones(len(time)), 2))
    columns = ([1.0], [1e-6], [Status.CONVERGED], [explained])
    return Codes(TimeAxis((1, 8, 1)), atoms, *map(np.array, columns))


def said(codes):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_codes(codes, TWO, SAMPLES)
    return [str(warning.message) for warning in caught]


def test_components_at_the_same_times_are_told_of():
    beats = np.arange(100, SAMPLES - 100, 200)
    for lag in (3, -5):
        (sentence,) = said(codes_at(beats, beats[::2] + lag))
    some = np.where(np.arange(len(beats)) % 5 < 3, beats + 3, beats + 100)  # 60 % of them
    assert len(said(codes_at(beats, some))) == 1
    assert sentence.startswith("components 0 and 1 occur together")
    assert "fewer components" in sentence


def test_components_that_take_turns_or_meet_by_chance_are_not_told_of():
    beats = np.arange(100, SAMPLES - 100, 200)
    assert said(codes_at(beats, beats[::7] + 100)) == []
    rng = np.random.default_rng(0)
    for count in (20, 200, 2000):
        assert said(codes_at(*np.sort(rng.uniform(0, SAMPLES, (2, count))))) == []


@pytest.mark.parametrize("count", [20, 500, 5000])
def test_events_at_random_share_nothing_beyond_chance(count):
    time, others = np.sort(np.random.default_rng(1).uniform(0, SAMPLES, (2, count)))
    assert coincidence_fraction(time, others, LENGTH, SAMPLES) < 0.25


def test_one_event_in_a_long_recording_is_told_of():
    rare = [codes_at([300], [], explained=0.1), codes_at([300, 900], [], explained=0.1)]
    for codes in (*rare, codes_at(range(0, SAMPLES, 500), [], explained=0.001)):
        (sentence,) = said(codes)
        assert sentence.startswith("hardly anything was found")
        assert "smaller alpha" in sentence
    assert said(codes_at(range(0, SAMPLES, 500), [])) == []
    assert said(codes_at([300], [], explained=0.9)) == []


def test_dense_codes_are_told_of():
    often = [codes_at(range(0, SAMPLES, step), [], explained=1.0) for step in (2, 40)]
    assert [["dense" in sentence for sentence in said(codes)] for codes in often] == [[True], []]


def test_fit_and_encode_warn_where_one_waveform_is_split_into_two():
    heart = make_ecg_recording(duration=60, premature=0.0, random_state=0)
    wave = (
        WaveformLearning(1, 200, random_state=0, n_restarts=1, noise="white")
        .fit(heart.signal)
        .components_
    )
    halves = np.concatenate([wave * (np.arange(200) < 100), wave * (np.arange(200) >= 100)])
    model = WaveformLearning(
        2, 200, init=halves, tol=0.1, n_restarts=1, random_state=0, noise="white"
    )
    with pytest.warns(RuntimeWarning, match="occur together") as caught:
        model.fit(heart.signal)
    assert caught[0].filename == __file__
    with pytest.warns(RuntimeWarning, match="occur together") as caught:
        model.encode(heart.signal)
    assert caught[0].filename == __file__


@pytest.mark.filterwarnings("always:hardly anything")
def test_the_command_says_that_hardly_anything_was_found(tmp_path):
    rng = np.random.default_rng(0)
    signal = 0.1 * rng.standard_normal(20_000)
    signal[5000:5040] += np.hanning(40)
    np.save(tmp_path / "x.npy", signal)
    model = tmp_path / "m.safetensors"
    arguments = ("--length", "40", "--layout", "recording", "--restarts", "1")
    arguments += ("--noise", "white", "--components", "1")
    done = run("fit", tmp_path / "x.npy", "-o", model, *arguments)
    assert "Warning: hardly anything was found" in done.err
    done = run("events", model, tmp_path / "x.npy", "-o", tmp_path / "e.csv")
    assert "Warning: hardly anything was found" in done.err
    assert load(model).n_iter_ >= 0
