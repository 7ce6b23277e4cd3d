"""Where codes become empty, and the alpha suggested below it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import KINDS, action

from orbitdl import (
    OrbitDictionaryLearning,
    alpha_max,
    dictionary_distance,
    encode,
    suggest_alpha,
)
from orbitdl.coding.choice import default_coder
from orbitdl.datasets import make_ecg_like, make_shift_data
from orbitdl.encoding.samples import Samples
from orbitdl.groups import ContinuousShift, Finite, IntegerShift, Orthogonal, Trivial
from orbitdl.io import Recording
from orbitdl.learning.pilot import Sizes, sizes_of
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.windows import event_table, split_recording


def data_for(name: str) -> tuple[np.ndarray, np.ndarray, object]:
    rng, representation = np.random.default_rng(0), action(name)
    X = representation.project(rng.standard_normal((6, *representation.shape)))
    return X, X[:2] / 3 + 0.1 * X[2:4], representation.group


@pytest.mark.parametrize("name", KINDS)
def test_codes_are_empty_from_alpha_max_on(name):
    X, A, group = data_for(name)
    for x, largest in zip(X, alpha_max(X, A, group=group), strict=True):
        codes = encode(x[None], A, group=group, alpha=largest * (1 + 1e-9))
        assert len(codes.atoms.coefficient) == 0


@pytest.mark.parametrize("name", KINDS)
def test_codes_are_not_empty_below_alpha_max(name):
    X, A, group = data_for(name)
    for x, largest in zip(X, alpha_max(X, A, group=group), strict=True):
        assert encode(x[None], A, group=group, alpha=0.99 * largest).invariants().sum() > 0


def test_alpha_max_counts_what_was_observed_only():
    wave = np.array([0.6, 0.8, 0.0, 0.0, 0.0])
    X = np.array([[3.0, np.nan, 0.0, 0.0, 0.0]])
    assert_allclose(alpha_max(X, [wave], group=IntegerShift()), [2.4])


def test_alpha_max_is_the_same_in_chunks():
    X = make_ecg_like(n_windows=1100, length=16, random_state=0).X
    A = X[:2]
    parts = [alpha_max(x[None], A, group=ContinuousShift())[0] for x in X[1020:1030]]
    assert_allclose(alpha_max(X, A, group=ContinuousShift())[1020:1030], parts)


@pytest.mark.parametrize("name", KINDS)
def test_suggested_alpha_is_half_the_size_of_what_was_planted(name):
    rng, representation = np.random.default_rng(0), action(name)
    wave = representation.project(rng.standard_normal((1, *representation.shape)))[0]
    wave = representation.synthesize(representation.analyze(wave[None]))[0]
    sizes = rng.uniform(1, 3, 41)
    moved = representation.act(representation.sample(rng, 41), wave / np.linalg.norm(wave))
    X = sizes.reshape(-1, *[1] * wave.ndim) * moved
    suggested = suggest_alpha(X, group=representation.group)
    assert_allclose(suggested, 0.5 * np.median(sizes), rtol=0.01)


def pulses(sizes: np.ndarray, noise: float) -> np.ndarray:
    """Return windows (n, 64) with a pulse of each size, anywhere, in white noise."""
    rng = np.random.default_rng(0)
    t = np.arange(64) - 32
    pulse = np.exp(-0.5 * (t / 2) ** 2) - 0.5 * np.exp(-0.5 * ((t - 5) / 3) ** 2)
    pulse /= np.linalg.norm(pulse)
    moved = np.array([np.roll(pulse, shift) for shift in rng.integers(64, size=len(sizes))])
    return sizes[:, None] * moved + noise * rng.standard_normal(moved.shape)


@pytest.mark.parametrize("normalised", [False, True])
def test_windows_of_noise_alone_do_not_make_an_event_small(normalised):
    """Nine windows of ten hold noise; the size of an event is that of the tenth."""
    sizes = np.where(np.arange(600) % 10 == 0, 12.0, 0.0)
    X = pulses(sizes, noise=0.5)
    if normalised:
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    event = 12 / np.hypot(12, 0.5 * np.sqrt(64)) if normalised else 12.0
    assert_allclose(suggest_alpha(X, group=IntegerShift()), event / 2, rtol=0.1)


def test_several_events_in_a_window_are_found_each_once():
    """Two or three beats share the norm of a window, which says nothing of their size."""
    data = make_ecg_like(n_windows=200, random_state=3)
    model = OrbitDictionaryLearning(2, ContinuousShift(), random_state=0, n_restarts=2)
    windows = split_recording(Recording(data.signal), 128, 64, normalize=True, to_end=True)
    codes = model.fit(windows.values).encode(windows.values)
    found = event_table(codes, model.components_, windows)["sample"].to_numpy()
    beats = data.beats["seconds"].to_numpy() * data.sfreq
    assert abs(len(found) - len(beats)) <= 0.02 * len(beats)
    gaps = np.diff(np.sort(found))
    assert np.mean(gaps > 0.5 * np.median(gaps)) > 0.98


def test_suggested_alpha_counts_what_was_observed_only():
    X = pulses(np.full(60, 5.0), noise=0.1)
    mask = np.random.default_rng(1).random(X.shape) < 0.8
    missing = np.where(mask, X, np.nan)
    garbage = np.where(mask, X, 1e3)
    suggested = suggest_alpha(missing, group=IntegerShift())
    assert_allclose(suggest_alpha(garbage, group=IntegerShift(), mask=mask), suggested)
    assert 0.5 * 5 * 0.7 < suggested < 0.5 * 5


def test_the_seed_that_data_were_simulated_with_does_not_matter():
    """The noise that components are compared with is not the noise they were drawn from."""
    suggested = [
        suggest_alpha(
            make_shift_data(n_samples=1000, n_atoms=2, random_state=seed).X,
            group=IntegerShift(),
            n_components=3,
        )
        for seed in range(3)
    ]
    assert_allclose(suggested, np.median(suggested), rtol=0.15)


def test_data_points_of_zeros_do_not_count_in_the_suggestion():
    X = pulses(np.full(3, 4.0), noise=0.0)
    padded = np.concatenate([X, np.zeros((20_000, 64))])
    assert_allclose(suggest_alpha(padded, group=IntegerShift()), 2.0, rtol=0.01)


def test_the_fraction_and_the_number_of_components_are_taken():
    X = pulses(np.full(60, 5.0), noise=0.1)
    half = suggest_alpha(X, group=IntegerShift())
    assert_allclose(suggest_alpha(X, group=IntegerShift(), fraction=0.1), 0.2 * half)
    with pytest.raises(ValueError, match="n_components"):
        suggest_alpha(X, group=IntegerShift(), n_components=0)


def test_data_without_anything_to_learn_are_refused():
    with pytest.raises(ValueError, match="zero or missing throughout"):
        suggest_alpha(np.zeros((4, 8)), group=IntegerShift())


def test_components_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="cannot code data points of shape"):
        alpha_max(np.ones((4, 8)), np.ones((1, 7)), group=IntegerShift())


# Noise

TURNS = Finite([np.rot90(np.arange(36).reshape(6, 6)).ravel()])
NOISY = {
    "shifts": (IntegerShift(), (64,)),
    "rotations": (Orthogonal(), (3, 20)),
    "quarter turns": (TURNS, (6, 6)),
}


def as_much_noise(name: str, n: int = 200) -> tuple[object, np.ndarray, np.ndarray, float]:
    """Return a group, data of one atom each with noise of as much energy,
    the two components, and the level of noise."""
    group, shape = NOISY[name]
    rng, representation = np.random.default_rng(5), group.on(shape)
    A = representation.project(rng.standard_normal((2, *shape)))
    A /= np.linalg.norm(A.reshape(2, -1), axis=1).reshape(-1, *[1] * len(shape))
    moved = representation.act(representation.sample(rng, n), A[np.arange(n) % 2])
    level = 1 / np.sqrt(np.prod(shape))
    return group, moved + level * rng.standard_normal(moved.shape), A, level


def sizes(X: np.ndarray, group: object, q: int, mask: np.ndarray | None = None) -> Sizes:
    samples = Samples.of(X, group, mask)
    return sizes_of(SampleShards.cut(samples, default_coder(samples.representation), 1.0), q)


@pytest.mark.parametrize("name", NOISY)
def test_components_in_as_much_noise_are_found_as_well_as_with_the_best_alpha(name):
    group, X, A, _ = as_much_noise(name)

    def distance(alpha: float) -> float:
        model = OrbitDictionaryLearning(
            2, group, alpha=alpha, random_state=0, n_restarts=2, tol=1e-3
        )
        return dictionary_distance(A, model.fit(X).components_, group)

    suggested = suggest_alpha(X, group=group, n_components=2)
    best = min(distance(alpha) for alpha in (0.1, 0.2, 0.4, 0.8))
    assert best < 0.05
    assert distance(suggested) <= max(1.1 * best, best + 0.01)


@pytest.mark.parametrize("name", NOISY)
def test_the_sizes_of_events_and_of_noise_are_found_in_as_much_noise(name):
    group, X, _, level = as_much_noise(name)
    found = sizes(X, group, 2)
    assert found.level == pytest.approx(level, rel=0.1)
    assert found.event == pytest.approx(1.0, rel=0.1)


@pytest.mark.filterwarnings("ignore:nothing in these data points recurs")
@pytest.mark.parametrize("group", [IntegerShift(), Trivial()])
def test_noise_alone_is_given_atoms_in_one_data_point_of_five(group):
    rng = np.random.default_rng(3)
    model = OrbitDictionaryLearning(2, group, random_state=0).fit(rng.standard_normal((400, 30)))
    others = model.encode(rng.standard_normal((1000, 30)))
    assert 0.1 < np.mean(others.atoms.counts > 0) < 0.3


def test_the_level_of_noise_is_that_of_what_was_observed():
    rng = np.random.default_rng(1)
    X, mask = pulses(np.full(300, 3.0), noise=0.4), rng.random((300, 64)) < 0.6
    found = sizes(np.where(mask, X, 1e3), IntegerShift(), 1, mask)
    whole = sizes(X, IntegerShift(), 1)
    assert found.level == pytest.approx(0.4, rel=0.1)
    assert found.noise < 0.9 * whole.noise  # fewer entries, less noise


@pytest.mark.parametrize("unit", [1e-6, 200.0, 1e9])
def test_the_suggestion_is_in_the_unit_of_noisy_data(unit):
    group, X, _, _ = as_much_noise("shifts")
    suggested = suggest_alpha(X, group=group, n_components=2)
    assert_allclose(
        suggest_alpha(unit * X, group=group, n_components=2), unit * suggested, rtol=1e-6
    )


def test_no_fraction_leads_below_what_noise_reaches():
    group, X, _, _ = as_much_noise("shifts")
    suggested = suggest_alpha(X, group=group, n_components=2, fraction=1e-3)
    assert_allclose(suggested, sizes(X, group, 2).noise)


def test_data_points_that_have_nothing_in_common_are_no_obstacle():
    assert 0 < suggest_alpha(np.eye(20), group=Trivial()) < 1


def test_the_reason_names_the_event_and_the_noise():
    quiet, loud = pulses(np.full(200, 3.0), noise=0.2), pulses(np.full(200, 3.0), noise=0.7)
    for X, opening, end in (
        (quiet, "half of 3", "noise of level 0.2 alone would reach 0.5"),
        (loud, "what noise of level ", "a typical event has 3"),
        (quiet / 0.2 * 1e-9, "half of 1", "noise of level 1e-09 alone would reach 2"),
        (pulses(np.full(200, 3.0), noise=0.0), "half of 3", "the size of a typical event"),
    ):
        model = OrbitDictionaryLearning(1, random_state=0, max_iter=0).fit(X)
        start, _, rest = model.provenance_["alpha"].partition(": ")
        assert start == f"{model.alpha_:.3g}"
        assert rest.startswith(opening)
        assert end in rest


# The default of the estimator


@pytest.mark.parametrize("group", [IntegerShift(), ContinuousShift(), Trivial()])
def test_a_fit_without_alpha_takes_the_one_suggested(group):
    X = make_shift_data(n_samples=40, length=12, n_components=2, random_state=0).X
    model = OrbitDictionaryLearning(2, group, random_state=0).fit(X)
    assert_allclose(model.alpha_, suggest_alpha(X, group=group, n_components=2), rtol=1e-5)
    assert model.provenance_["alpha"].startswith(f"{model.alpha_:.3g}: ")
    same = OrbitDictionaryLearning(2, group, alpha=model.alpha_, random_state=0).fit(X)
    assert "alpha" not in same.provenance_
    assert_array_equal(model.components_, same.components_)
    assert_array_equal(model.transform(X), same.transform(X))


@pytest.mark.parametrize("unit", [1e-6, 200.0, 1e9])
def test_the_unit_of_the_data_does_not_matter(unit):
    """A model of data in another unit explains as much of them with as many atoms."""
    X = make_ecg_like(n_windows=60, random_state=0).X
    settings = {"n_components": 2, "group": ContinuousShift(), "random_state": 0}
    model = OrbitDictionaryLearning(**settings).fit(X)
    other = OrbitDictionaryLearning(**settings).fit(unit * X)
    assert_allclose(other.alpha_, unit * model.alpha_, rtol=1e-5)
    assert_allclose(other.score(unit * X), model.score(X), rtol=1e-3)
    assert_allclose(other.history_[-1].atoms, model.history_[-1].atoms, rtol=0.05)


def test_a_number_is_taken_as_it_is_and_kept_in_what_codes():
    X = make_shift_data(n_samples=40, length=12, n_components=2, random_state=0).X
    model = OrbitDictionaryLearning(2, alpha=np.float32(0.25), random_state=0).fit(X)
    assert type(model.alpha_) is float
    assert model.alpha_ == 0.25
    codes = encode(X, model.components_, group=IntegerShift(), alpha=0.25)
    assert_allclose(model.encode(X).objective, codes.objective, rtol=1e-3)


def test_missing_entries_do_not_count_in_the_default():
    X = make_shift_data(n_samples=40, length=12, n_components=2, random_state=0).X
    X[:, 3] = np.nan
    model = OrbitDictionaryLearning(2, max_iter=0).fit(X)
    suggested = suggest_alpha(X, group=IntegerShift(), n_components=2)
    assert_allclose(model.alpha_, suggested, rtol=1e-5)
    X[:, 3] = 1e6
    mask = np.broadcast_to(np.arange(12) != 3, X.shape)
    assert OrbitDictionaryLearning(2, max_iter=0).fit(X, mask=mask).alpha_ == model.alpha_


def test_data_of_zeros_are_learned_and_coded_by_nothing():
    model = OrbitDictionaryLearning(2).fit(np.zeros((4, 6)))
    assert model.alpha_ == 1.0
    assert len(model.encode(np.zeros((4, 6))).to_frame()) == 0


@pytest.mark.parametrize("alpha", ["noise", "", "0.1"])
def test_no_other_word_stands_for_alpha(alpha):
    with pytest.raises(ValueError, match='alpha must be a positive number or "auto", not'):
        OrbitDictionaryLearning(2, alpha=alpha).fit(np.ones((4, 6)))
