"""A requested number of waveforms: those that growth finds, and more or fewer of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_auto_waveforms import LENGTH, found, planted, pulse

from orbitdl import WaveformLearning, load
from orbitdl.datasets import make_ecg_recording
from orbitdl.discovery.background import Background
from orbitdl.discovery.discover import whitened_samples
from orbitdl.discovery.growth import add_recurring, calibrated_coding, grow_exactly
from orbitdl.discovery.kinds import sides
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.model import Excerpt, event_model

SHOWN = r"^3 components requested; 2 are kinds of their own: .*; n_components=\"auto\" leaves"


@pytest.fixture(scope="module")
def heart():
    """Return two minutes of an ECG with normal and premature beats."""
    return make_ecg_recording(duration=120, sfreq=180, random_state=0)


@pytest.fixture(scope="module")
def auto(heart):
    return WaveformLearning(length=100, positive=True).fit(heart.signal)


def fit(number, x, **settings):
    return WaveformLearning(number, length=LENGTH, **settings).fit(x)


def test_the_number_that_auto_finds_gives_the_same_model(heart, auto):
    model = WaveformLearning(2, length=100, positive=True).fit(heart.signal)
    assert auto.n_components_ == 2
    assert_array_equal(model.components_, auto.components_)
    assert model.events(heart.signal).equals(auto.events(heart.signal))
    assert (model.n_iter_, model.converged_, model.alpha_) == (0, True, auto.alpha_)
    assert model.provenance_["components"] == "2 components requested; 2 are kinds of their own"


def test_fewer_are_those_with_most_events(heart, auto):
    model = WaveformLearning(1, length=100).fit(heart.signal)
    similarity = np.correlate(model.whitened_components_[0], auto.whitened_components_[0], "full")
    assert similarity.max() > 0.95
    kinds = heart.beats[heart.beats["inside"]]["kind"]
    normal = (kinds == kinds.mode()[0]).sum()
    assert normal <= len(model.events(heart.signal)) <= len(kinds)


def test_more_are_added_with_a_warning_and_every_beat_is_listed_once(heart):
    with pytest.warns(RuntimeWarning, match=SHOWN):
        model = WaveformLearning(3, length=100).fit(heart.signal)
    events, beats = model.events(heart.signal), heart.beats[heart.beats["inside"]]
    assert model.components_.shape == (3, 100)
    assert len(events) == len(beats)
    premature = np.sort(beats["kind"].value_counts())[0]
    assert np.bincount(events["component"]).min() == premature  # the normal ones are divided
    assert model.provenance_["components"].startswith("3 components requested; 2 are kinds")


def test_events_of_both_polarities_are_listed_with_their_sign():
    signs = np.where(np.random.default_rng(0).random(60) < 0.5, 1.0, -1.0)
    x, times = planted(12.0 * signs)
    model = fit(1, x)
    events = model.events(x)
    assert found(events, times) == (60, 0)
    turned = np.sign(model.components_[0] @ pulse())
    assert_array_equal(np.sign(events["amplitude"]), turned * signs)


def test_noise_has_the_number_that_is_requested():
    x = np.random.default_rng(0).standard_normal(20_000)
    for number in (1, 3):
        with pytest.warns(RuntimeWarning, match="requested; 0 are kinds of their own: "):
            model = fit(number, x)
        assert_allclose(np.linalg.norm(model.components_, axis=1), 1.0, atol=0.2)
        assert len(model.events(x)) < 5 * number


def test_a_component_without_events_is_its_whitened_form_with_the_filter_undone():
    x, a = np.random.default_rng(3).standard_normal((10_000, 2)), np.zeros((1, LENGTH, 2))
    a[0, 20:40] = [[1.0, -1.0], [-1.0, 1.0]] * 10
    excerpt = Excerpt(x, np.ones(len(x), dtype=bool), LENGTH)
    noise = Background(np.array([[1.0, -0.5], [1.0, 0.3]]), np.array([20.0, 20.0]))
    model = event_model(excerpt, noise, Waveforms.through(a), signed=False)
    assert model.detector.counts[0] == 0
    undone = noise.undo(a[0] / np.linalg.norm(a))
    assert_allclose(Waveforms(model.templates).samples()[0], undone, atol=1e-9)


def test_halves_are_those_of_two_planted_shapes():
    t, rng = np.arange(LENGTH) - 30.0, np.random.default_rng(0)
    narrow, wide = (np.exp(-0.5 * (t / width) ** 2) for width in (3.0, 5.0))
    x = 0.01 * rng.standard_normal((12_000, 1))
    for k in range(60):
        x[100 + 190 * k : 160 + 190 * k, 0] += (narrow, wide)[k % 2]
    w = whitened_samples(x, np.ones(len(x), dtype=bool), Background.white(np.array([0.01])), LENGTH)
    now, _ = add_recurring(w, rng, 1)
    both = calibrated_coding(w, now.detector, now.sigma, rng).coded
    A = sides(both, 0, rng)[:, :, 0]
    best = [max(np.correlate(a, b, "full").max() for a in A) for b in (narrow, wide)]
    assert_allclose(best, np.linalg.norm([narrow, wide], axis=1), rtol=2e-3)


@pytest.mark.parametrize("init", ["random", "array"])
def test_another_start_is_learned_from_by_alternation(init):
    x, _ = planted(np.full(40, 12.0), samples=8000)
    start = pulse(5.0)[None] if init == "array" else init
    model = fit(1, x, init=start, n_restarts=1, max_iter=3, tol=0.1, random_state=0)
    assert model.n_iter_ > 0
    assert "components" not in model.provenance_


def test_lists_channels_batches_and_files_are_as_with_auto(tmp_path):
    x, times = planted(np.full(60, 12.0))
    two = np.stack([x, -0.5 * planted(np.full(60, 12.0), seed=0)[0]], axis=1)
    model = fit(1, [two[:12_000], two[12_000:]], checkpoint=tmp_path / "run")
    first, second = model.events([two[:12_000], two[12_000:]])
    assert abs(len(first) + len(second) - len(times)) <= 1
    again = fit(1, [two[:12_000], two[12_000:]], checkpoint=tmp_path / "run")
    assert_array_equal(again.components_, model.components_)
    model.save(tmp_path / "model.safetensors")
    assert load(tmp_path / "model.safetensors").events(two).equals(model.events(two))
    assert found(model.partial_fit(two).events(two), times) == (60, 0)
    begun = WaveformLearning(1, length=LENGTH).partial_fit(x)
    assert found(begun.events(x), times) == (60, 0)
    assert begun.provenance_["components"].startswith("1 component requested")


def test_recordings_on_workers_have_the_waveforms_of_those_in_memory():
    dask = pytest.importorskip("dask", reason="needs orbitdl[distributed]")
    parts = np.split(planted(np.full(60, 12.0))[0], 2)
    scattered = fit(1, [dask.delayed(part) for part in parts])
    assert_allclose(scattered.components_, fit(1, parts).components_, atol=1e-9)


@pytest.mark.parametrize("signed", [False, True])
def test_what_is_found_upside_down_as_often_counts_where_events_may_have_either_sign(signed):
    x, _ = planted(12.0 * np.resize([1.0, -1.0], 60))
    w = whitened_samples(
        x[:, None], np.ones(len(x), dtype=bool), Background.white(np.ones(1)), LENGTH
    )
    grown, own, reason = grow_exactly(w, np.random.default_rng(0), 1, signed=signed)
    assert (len(grown.detector), own) == (1, int(signed))
    assert reason.startswith("what recurs is found upside down") != signed
