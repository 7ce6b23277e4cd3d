"""Numbers of waveforms that are chosen by the events of held-out stretches."""

import numpy as np
import pytest
from sklearn.base import clone

from orbitdl import WaveformLearning, select
from orbitdl.datasets import make_ecg_recording
from orbitdl.discovery.discover import whitened_samples
from orbitdl.discovery.pursuit import Pursued, subtract
from orbitdl.events.model import Excerpt
from orbitdl.groups import IntegerShift
from orbitdl.plot import SelectionDisplay
from orbitdl.selection import recordings
from orbitdl.selection.choice import reason_of_events
from orbitdl.selection.held_out import Speckles
from orbitdl.selection.judges import event_judges, shortened
from orbitdl.selection.recordings import found_again, partners
from orbitdl.selection.scores import Scores

RATE, LENGTH = 180, 100


@pytest.fixture(scope="module")
def heart():
    """Return two minutes of an ECG with normal and premature beats."""
    return make_ecg_recording(duration=120, sfreq=RATE, random_state=0).signal


def pink(n, seed=0):
    """Return noise of unit variance whose power is 1/f."""
    f = np.fft.rfftfreq(n)
    f[0] = f[1]
    noise = np.fft.irfft(np.fft.rfft(np.random.default_rng(seed).standard_normal(n)) / f**0.5, n)
    return noise / noise.std()


def bumps(n=30_000, length=64, size=12.0, extra=0):
    """Return a waveform at random times in pink noise, and so many events of another one."""
    rng, t = np.random.default_rng(0), np.arange(length)
    wave = np.exp(-0.5 * ((t - 32) / 5) ** 2) * np.sin(t / 3)
    other = np.exp(-0.5 * ((t - 32) / 4) ** 2) * np.sin(t)
    x, times = pink(n), np.cumsum(rng.integers(150, 400, n // 300))
    for k, time in enumerate(times[times < n - length]):
        own = other if k % 16 == 7 and k // 16 < extra else wave
        x[time : time + length] += size * rng.uniform(0.8, 1.2) * own / np.linalg.norm(own)
    return x


def test_two_kinds_of_beats_are_chosen_as_auto_does_and_the_reason_agrees(heart):
    estimator = WaveformLearning(length=LENGTH, random_state=0)
    selection = select(estimator, heart)
    assert selection.choice == {"n_components": 2}
    assert selection.estimator.get_params() == estimator.get_params()  # "auto", the same noise
    assert selection.reason.startswith("2 components: 1 would make the held-out error")
    assert 'n_components="auto" finds 2, and larger numbers cannot be scored: ' in selection.reason
    assert selection.table["n_components"].tolist() == [1, 2]  # 3 and 4 are no other models
    one, two = selection.table.to_dict(orient="records")
    assert two["error"] < 0.03 < one["error"]
    assert two["agreement"] > 0.99
    beats = make_ecg_recording(duration=120, sfreq=RATE, random_state=0).beats
    assert two["atoms"] == pytest.approx(beats["inside"].sum() * LENGTH / len(heart), rel=0.02)
    display = SelectionDisplay.from_selection(selection)
    assert display.ax_.lines[-1].get_xdata()[0] == 2
    assert selection.estimator.fit(heart).n_components_ == 2


def test_a_single_waveform_in_coloured_noise_is_one_component():
    x = bumps()
    selection = select(WaveformLearning(length=64), x, n_components=(1, 2, 3), rounds=3)
    assert selection.choice == {"n_components": 1}
    assert selection.estimator.n_components == "auto"
    with_few = select(WaveformLearning(length=64), x, n_components=(1,), rounds=3)
    assert with_few.reason.endswith('n_components="auto" finds 1.')


def test_noise_has_no_component_to_choose():
    selection = select(WaveformLearning(length=64), pink(20_000), rounds=3)
    assert selection.choice == {"n_components": 0}
    assert selection.reason.startswith("0 components: no waveform recurs")


def test_a_kind_that_is_too_rare_to_be_found_without_a_part_is_not_chosen():
    x = bumps(extra=5)
    estimator = WaveformLearning(length=64)
    assert clone(estimator).fit(x).n_components_ == 2
    selection = select(estimator, x, n_components=(1, 2), rounds=3)
    assert selection.choice == {"n_components": 1}
    assert selection.estimator.n_components == 1
    assert 'n_components="auto" finds 2; the gain of 2 is within' in selection.reason


def test_held_out_samples_are_not_learned_from(heart):
    estimator = WaveformLearning(length=LENGTH)
    judges, _ = event_judges(estimator, heart, [2], Speckles(3, 0.0, 1, 0), None)
    plain = judges.judge(1)[-1]
    is_held = judges.part[judges.unit] == 1
    judges.excerpt.x[is_held] = 0.0  # events there are gone, and the same waveforms are learned
    empty = judges.judge(1)[-1]
    assert plain.atoms > 0.5
    assert empty.atoms < 0.05  # an event at the border of a unit is cut in two
    units = np.concatenate([np.flatnonzero(judges.part == number) for number in range(3)])
    assert sorted(units) == list(range(len(judges.part)))


def test_components_are_learned_from_what_is_not_held_out(heart, monkeypatch):
    judges, _ = event_judges(
        WaveformLearning(length=LENGTH), heart, [1], Speckles(3, 0.0, 1, 0), None
    )
    learned, seen = recordings.learned_from, []

    def noted(excerpt, *arguments, **settings):
        seen.append(excerpt)
        return learned(excerpt, *arguments, **settings)

    monkeypatch.setattr(recordings, "learned_from", noted)
    judges.judge(1)
    is_held = judges.part[judges.unit] == 1
    assert len(seen) == 2
    for excerpt in seen:
        assert not excerpt.observed[is_held].any()
        assert not excerpt.x[is_held].any()
        assert np.array_equal(excerpt.x[~is_held], judges.excerpt.x[~is_held])


def test_every_event_costs_what_the_largest_noise_would_explain(heart):
    judges, _ = event_judges(
        WaveformLearning(length=LENGTH), heart, [1], Speckles(2, 0, 1, 0), None
    )
    own, excerpt, units = judges.learned[1], judges.excerpt, np.flatnonzero(judges.part == 0)
    w = whitened_samples(excerpt.x, excerpt.observed, judges.background, LENGTH)
    atoms, left = recordings.coded_events(w, own, signed=False)[0], w.y.copy()
    subtract(left, atoms, own.A)
    inside, held = slice(LENGTH, -LENGTH), np.isin(judges.unit, units)
    known = w.observed[inside] & held
    weighted = (left[inside, 0] / judges.sigma[inside]) ** 2 - 1.0
    count = np.sum(held[np.clip(atoms.sample - LENGTH // 2, 0, w.samples - 1)])
    assert count > 30
    error = judges.judged(w, units, own, own, signed=False).error.sum()
    assert error == pytest.approx(weighted[known].sum() + count * 2 * np.log(w.samples), rel=1e-4)


def test_the_error_is_that_of_a_sum_by_hand(heart):
    judges, _ = event_judges(
        WaveformLearning(length=LENGTH), heart, [1], Speckles(2, 0, 1, 0), None
    )
    none = judges.judge(0)[0]
    y, known = judges.background.filtered(judges.excerpt.x, judges.excerpt.observed)
    weighted = (y[:, 0] / judges.sigma[LENGTH:-LENGTH]) ** 2 - 1.0
    held = known & (judges.part[judges.unit] == 0)
    assert none.energy.sum() == pytest.approx(weighted[held].sum())
    assert np.all(none.error <= none.energy)


def test_the_same_waveforms_are_partners_at_their_lag_and_find_the_same_events():
    rng = np.random.default_rng(0)
    A = np.zeros((2, 40, 1))
    A[:, 10:30] = rng.standard_normal((2, 20, 1))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    B = np.roll(A[::-1], 4, axis=1)
    partner, lag = partners(A, B)
    assert partner.tolist() == [1, 0]
    assert lag.tolist() == [-4, -4]  # an event begins earlier where the waveform is later
    assert partners(A, B[:1])[0].tolist() == [-1, 0]
    atoms = Pursued.at_samples(np.array([0, 0, 1]), np.array([100, 200, 300]), np.ones(3))
    others = Pursued.at_samples(np.array([1, 0, 0, 1]), np.array([97, 196, 296, 400]), np.ones(4))
    again, back = found_again(atoms, others, partner, lag, 2)
    assert again.tolist() == [True, False, True]  # the second one is of the other component
    assert back.tolist() == [True, False, True, False]


def test_fewer_samples_are_spread_over_a_recording():
    x = np.arange(4000.0)[:, None]
    few = shortened(Excerpt(x, np.ones(4000, dtype=bool), 10), 800)
    assert few.observed.sum() <= 800
    assert (few.x[0, 0], few.x[-1, 0]) == (0.0, 3999.0)
    assert not few.x[~few.observed].any()
    assert shortened(few, len(few.x)) is few


def test_a_selection_goes_on_where_it_was_stopped(heart, tmp_path):
    estimator, place, done = WaveformLearning(length=LENGTH), tmp_path / "run", []

    def stop(finished, _):
        if finished == 1:
            raise KeyboardInterrupt

    settings = {"n_components": [1], "rounds": 2, "max_samples": 9000, "checkpoint": place}
    with pytest.raises(KeyboardInterrupt):
        select(estimator, heart, progress=stop, **settings)
    again = select(estimator, heart, progress=lambda *k: done.append(k), **settings)
    assert done == [(1, 2), (2, 2)]
    settings["checkpoint"] = tmp_path / "other"
    assert again.table.equals(select(estimator, heart, **settings).table)
    with pytest.raises(ValueError, match="differs in noise; "):
        select(estimator.set_params(noise="white"), heart, **settings)


@pytest.mark.parametrize(
    "option",
    [{"alphas": [1.0]}, {"groups": [IntegerShift()]}, {"mask": [True]}, {"share": 0.1},
     {"speckle": 2}],
)  # fmt: skip
def test_options_of_data_points_are_refused(option):
    (name,) = option
    with pytest.raises(ValueError, match=f"^{name} is for data points: .* leave out {name}"):
        select(WaveformLearning(length=10), np.arange(50.0), **option)


def test_too_few_samples_for_a_waveform_are_refused():
    with pytest.raises(ValueError, match=r"^max_samples=10 leaves no segment .* raise max_samples"):
        select(WaveformLearning(length=36), pink(600), max_samples=10)


def test_events_that_are_not_reproducible_are_no_reason_for_components():
    errors = np.array([[[1.0, 1.1]], [[1.2, 1.3]]]) / 2
    found = Scores(("line",), [(0, 0), (0, 1)], [1.0], errors, *np.ones((2, 2, 1)))
    reason = reason_of_events(found, (1, 0), [0, 1], "nothing recurs")
    assert reason == ('1 component: no events are reproducible. n_components="auto" finds 1.')
