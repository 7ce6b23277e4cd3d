"""Recordings as features, and the estimator of recordings as a citizen of scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.datasets import make_ecg_recording
from orbitdl.groups import IntegerShift

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

HEART = make_ecg_recording(duration=120, random_state=0)
TOO_SHORT = "its data are recordings of a few samples, shorter than a waveform or without events"
ROWS = "rows are samples in time, whose order matters, and not data points"
WORDS = "it is refused in a sentence of ours, which names the remedy"
SCALE = "a recording has no features of its own to be counted or named"
EXPECTED = {
    "check_methods_subset_invariance": ROWS,
    "check_methods_sample_order_invariance": ROWS,
    "check_transformer_general": ROWS,
    "check_n_features_in": SCALE,
    "check_n_features_in_after_fitting": SCALE,
    "check_complex_data": WORDS,
    "check_estimators_empty_data_messages": WORDS,
    "check_dtype_object": TOO_SHORT,
    "check_fit1d": "a recording may have one axis",
    "check_fit2d_predict1d": "a recording may have one axis",
    "check_transformer_data_not_an_array": ROWS,
}


@parametrize_with_checks(
    [WaveformLearning(n_components=1, length=4, noise="white", alpha=0.5, max_iter=1)],
    expected_failed_checks=lambda estimator: EXPECTED,
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_other_fault(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def model():
    return WaveformLearning(length=252).fit(HEART)


def test_features_are_counts_and_mean_amplitudes_of_events(model):
    events = model.events(HEART)
    (features,) = model.transform(HEART)
    for j in range(2):
        own = events[events["component"] == j]["amplitude"]
        assert_allclose(features[2 * j : 2 * j + 2], [len(own), own.mean()])
    halves = [HEART.excerpt(0, 21600), HEART.excerpt(21600)]
    assert model.transform(halves).shape == (2, 4)
    assert_array_equal(model.transform(halves)[1], model.transform(halves[1])[0])


def test_windows_have_features_of_their_own(model):
    rows = model.transform(HEART.excerpt(3600), window=7000)
    events = model.events(HEART.excerpt(3600))
    assert len(rows) == 6
    number = ((events["sample"] - 3600) // 7000).astype(int)
    counts = [np.sum((number == k) & (events["component"] == 0)) for k in range(6)]
    assert_array_equal(rows[:, 0], counts)
    with pytest.raises(ValueError, match="window= is for one recording"):
        model.transform([HEART, HEART], window=100)


def test_features_have_names_and_go_into_tables_and_pipelines(model):
    table = clone(model).fit(HEART).set_output(transform="pandas").transform(HEART, window=3600)
    assert list(table) == list(model.get_feature_names_out())
    assert list(table)[:2] == ["component0_count", "component0_amplitude"]
    parts = [HEART.excerpt(k, k + 3600) for k in range(0, 43200, 3600)]
    many = np.array([HEART.beats["kind"].eq("premature")[
        HEART.beats["position"].between(part.first_sample, part.first_sample + 3600)].any()
        for part in parts])  # fmt: skip
    rare = int(np.argmin(model.transform(HEART)[0, ::2]))
    assert_array_equal(model.transform(parts)[:, 2 * rare] > 0, many)
    pipe = make_pipeline(WaveformLearning(length=252), LogisticRegression())
    if len(set(many)) == 2:
        assert pipe.fit(parts, many).score(parts, many) > 0.9


def test_codes_are_what_is_inverted(model):
    codes = model.encode(HEART)
    assert_array_equal(model.inverse_transform(codes, len(HEART)), model.decode(codes, len(HEART)))
    with pytest.raises(ValueError, match="pass the codes that encode returns"):
        model.inverse_transform(model.transform(HEART), 9)
    X = np.random.default_rng(0).standard_normal((20, 9))
    points = OrbitDictionaryLearning(1, IntegerShift(), max_iter=1, random_state=0).fit(X)
    assert_array_equal(points.inverse_transform(points.encode(X)), points.reconstruct(X))
    with pytest.raises(ValueError, match="pass the codes that encode returns"):
        points.inverse_transform(points.transform(X))


def test_a_generator_is_a_source_of_chance_too():
    X = np.random.default_rng(0).standard_normal((20, 9))
    model = OrbitDictionaryLearning(2, IntegerShift(), max_iter=2, init="random", n_restarts=1)
    one, two, other = (
        model.set_params(random_state=np.random.default_rng(seed)).fit(X).components_.copy()
        for seed in (1, 1, 2)
    )
    assert_array_equal(one, two)
    assert not np.array_equal(one, other)
