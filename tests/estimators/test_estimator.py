"""The estimator is a citizen of scikit-learn, and its methods tell one story."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from orbitdl import OrbitDictionaryLearning, decode, encode
from orbitdl.coding import ActiveSet, Matching
from orbitdl.datasets import make_shift_data
from orbitdl.groups import (
    ContinuousShift,
    Finite,
    IntegerShift,
    InterpolatedShift,
    Orthogonal,
    Trivial,
)

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    return make_shift_data(60, 12, 2, 2, noise=0.05, random_state=0).X


@pytest.fixture(scope="module")
def model(X) -> OrbitDictionaryLearning:
    return OrbitDictionaryLearning(2, alpha=0.1, max_iter=5, random_state=0).fit(X)


# scikit-learn


@parametrize_with_checks(
    [
        OrbitDictionaryLearning(),
        OrbitDictionaryLearning(group=ContinuousShift()),
        OrbitDictionaryLearning(group=Orthogonal(), init="random"),
        OrbitDictionaryLearning(group=Trivial(), n_components=2),
    ]
)
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)


def test_it_works_in_a_pipeline(X):
    pipe = make_pipeline(StandardScaler(), OrbitDictionaryLearning(2, max_iter=2, random_state=0))
    features = pipe.fit_transform(X)
    assert features.shape == (60, 2)
    assert_allclose(pipe.transform(X), features)
    assert pipe.score(X) > 0
    assert list(pipe.get_feature_names_out()) == [
        "orbitdictionarylearning0",
        "orbitdictionarylearning1",
    ]


def test_a_clone_has_the_settings_and_nothing_learned(model, X):
    original = OrbitDictionaryLearning(
        2, ContinuousShift(), coder=Matching(), init=np.ones((2, 12))
    )
    copy = clone(original)
    assert copy.group == ContinuousShift()
    assert copy.coder == Matching()
    assert_array_equal(copy.init, original.init)
    with pytest.raises(NotFittedError):
        clone(model).transform(X)
    assert_array_equal(clone(model).fit(X).components_, model.components_)


def test_grid_search_uses_the_score(X):
    search = GridSearchCV(
        OrbitDictionaryLearning(2, max_iter=3, random_state=0),
        {"alpha": [0.05, 5.0], "group": [IntegerShift(), Trivial()]},
        cv=2,
    ).fit(X)
    assert search.best_params_ == {"alpha": 0.05, "group": IntegerShift()}
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()


def test_pickling_keeps_everything(model, X):
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.components_, model.components_)
    assert_array_equal(again.transform(X), model.transform(X))
    assert again.history_ == model.history_


@pytest.mark.parametrize("group", [InterpolatedShift(2), ContinuousShift(), Orthogonal()])
def test_pickling_codes_keeps_them(group, X):
    model = OrbitDictionaryLearning(2, group, max_iter=1, random_state=0, coder=Matching()).fit(X)
    codes = model.encode(X)
    again = pickle.loads(pickle.dumps(codes))
    assert_array_equal(model.decode(again), model.decode(codes))


def test_features_can_be_a_data_frame(model, X):
    frame = clone(model).set_output(transform="pandas").fit(X).transform(X)
    assert list(frame.columns) == ["orbitdictionarylearning0", "orbitdictionarylearning1"]
    assert_allclose(frame.to_numpy(), model.transform(X))


def test_feature_counts_are_kept(model):
    assert model.n_features_in_ == 12
    assert len(model.get_feature_names_out()) == 2


# Input of several kinds


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_other_numbers_give_the_float64_result(X, dtype):
    data = (10 * X).astype(dtype)
    model = OrbitDictionaryLearning(2, alpha=1.0, max_iter=3, random_state=0)
    components = model.fit(data).components_
    assert components.dtype == np.float64
    assert_array_equal(components, clone(model).fit(data.astype(np.float64)).components_)
    assert model.transform(data).dtype == np.float64


def test_lists_and_any_memory_order_work(X):
    model = OrbitDictionaryLearning(2, max_iter=2, random_state=0)
    expected = model.fit(X).components_
    for same in (X.tolist(), np.asfortranarray(X), X.repeat(2, axis=0)[::2]):
        assert_array_equal(clone(model).fit(same).components_, expected)


@pytest.mark.parametrize(
    ("group", "shape"),
    [
        (IntegerShift(), (7, 3)),
        (ContinuousShift(), (8, 2)),
        (Orthogonal(), (3, 5)),
        (Trivial(), (2, 3, 4)),
    ],
)
def test_data_with_channels_work(group, shape):
    X = np.random.default_rng(0).standard_normal((20, *shape))
    model = OrbitDictionaryLearning(2, group, max_iter=2, random_state=0, coder=Matching()).fit(X)
    assert model.components_.shape == (2, *shape)
    assert model.reconstruct(X).shape == X.shape
    assert model.transform(X).shape == (20, 2)
    assert 0 < model.score(X) < 1


def test_the_data_are_left_as_they_were(X):
    kept = X.copy()
    model = OrbitDictionaryLearning(2, max_iter=2, random_state=0).fit(X)
    model.transform(X)
    assert_array_equal(X, kept)


def test_a_start_array_is_left_as_it_was(X):
    start = np.random.default_rng(0).standard_normal((2, 12))
    kept = start.copy()
    OrbitDictionaryLearning(2, init=start, max_iter=2).fit(X)
    assert_array_equal(start, kept)


# One story


def test_decode_of_encode_is_reconstruct(model, X):
    codes = model.encode(X)
    assert_array_equal(model.decode(codes), model.reconstruct(X))
    assert_array_equal(decode(codes, model.components_), model.reconstruct(X))


def test_encode_is_the_function_of_the_same_name(model, X):
    codes = model.encode(X)
    other = encode(
        X, model.components_, group=IntegerShift(), alpha=0.1, coder=ActiveSet(tol=model.tol)
    )
    assert_array_equal(codes.objective, other.objective)
    assert codes.to_frame().equals(other.to_frame())


def test_the_default_function_finds_the_same_optimum(model, X):
    codes = encode(X, model.components_, group=IntegerShift(), alpha=0.1)
    assert_allclose(codes.objective, model.encode(X).objective, rtol=2e-4)


def test_transform_is_the_weight_of_each_component(model, X):
    frame = model.encode(X).to_frame()
    expected = np.zeros((60, 2))
    np.add.at(expected, (frame["sample"], frame["component"]), np.abs(frame["coefficient"]))
    assert_allclose(model.transform(X), expected)


def test_transform_does_not_see_shifts(model, X):
    rolled = np.stack([np.roll(x, k) for k, x in enumerate(X)])
    assert_allclose(model.transform(rolled), model.transform(X), atol=1e-2)


def test_objective_is_that_of_the_reconstruction(model, X):
    residual = X - model.reconstruct(X)
    expected = 0.5 * (residual**2).sum(axis=1) + 0.1 * model.transform(X).sum(axis=1)
    assert_allclose(model.encode(X).objective, expected)


@pytest.mark.parametrize("length", [11, 12])
def test_objective_counts_what_continuous_shifts_cannot_move(length):
    X = np.random.default_rng(0).standard_normal((10, length))
    model = OrbitDictionaryLearning(
        2, ContinuousShift(), alpha=0.1, max_iter=2, random_state=0
    ).fit(X)
    residual = X - model.reconstruct(X)
    expected = 0.5 * (residual**2).sum(axis=1) + 0.1 * model.transform(X).sum(axis=1)
    assert_allclose(model.encode(X).objective, expected)
    assert_allclose(model.history_[-1].objective, expected.sum(), rtol=2e-4)


def test_score_is_the_share_of_the_energy_explained(model, X):
    energy = 0.5 * (X**2).sum()
    assert model.score(X) == pytest.approx(1 - model.encode(X).objective.sum() / energy)
    assert 0 < model.score(X) < 1
    assert model.score(np.zeros((3, 12))) == 0.0


def test_codes_print_as_a_table_with_the_group_s_parameters(model, X):
    assert list(model.encode(X).to_frame().columns) == [
        "sample",
        "component",
        "coefficient",
        "shift",
    ]
    turns = OrbitDictionaryLearning(1, Orthogonal(), max_iter=0).fit(X.reshape(60, 3, 4))
    names = list(turns.encode(X.reshape(60, 3, 4)).to_frame().columns)
    assert names[3:] == [f"g{i}_{k}" for i in range(3) for k in range(3)]
    assert len(set(Orthogonal().on((12, 2)).parameters)) == 144


def test_a_matrix_view_of_codes_adds_up(model, X):
    codes = model.encode(X)
    shifts = codes.representation
    Z = codes.embed()
    assert Z.shape == (60, 2, 7, 1, 1)
    blocks = (Z @ shifts.analyze(model.components_)).sum(axis=1)
    assert_allclose(shifts.synthesize(blocks), model.reconstruct(X), atol=1e-12)
    assert len(codes) == 60


def test_settings_show_in_the_representation():
    text = repr(OrbitDictionaryLearning(3, ContinuousShift(), alpha=0.5))
    assert "n_components=3" in text
    assert "ContinuousShift()" in text


def test_elements_of_a_finite_group_are_whole_numbers():
    X = np.random.default_rng(0).standard_normal((5, 3))
    codes = encode(X, np.eye(3)[:1], group=Finite([[1, 2, 0]]), alpha=0.1)
    assert codes.to_frame()["element"].dtype.kind == "i"


def test_converged_tells_whether_the_objective_stood_still():
    X = make_shift_data(n_samples=60, length=15, random_state=0).X
    settings = {"n_components": 3, "alpha": 0.4, "random_state": 0}
    assert OrbitDictionaryLearning(**settings, max_iter=200).fit(X).converged_
    assert not OrbitDictionaryLearning(**settings, max_iter=1).fit(X).converged_


def test_codes_and_history_describe_themselves_in_a_line():
    X = make_shift_data(n_samples=60, length=15, random_state=0).X
    model = OrbitDictionaryLearning(n_components=2, alpha=0.4, max_iter=2, random_state=0).fit(X)
    assert repr(model.encode(X)).startswith("Codes(60 samples, ")
    assert repr(model.history_).startswith("History(3 records, objective ")
    assert repr(IntegerShift().on((15,))) == "IntegerShift().on((15,))"


def test_the_codes_of_the_last_iteration_are_kept_for_who_asks_next(X, monkeypatch):
    model = OrbitDictionaryLearning(2, ContinuousShift(), alpha=0.1, random_state=0).fit(X)
    anew = model.encode(X)
    assert_allclose(model.codes_.objective.sum(), model.history_[-1].objective)
    assert_allclose(model.codes_.objective, anew.objective, rtol=2e-4)
    with monkeypatch.context() as blocked:
        blocked.setattr(OrbitDictionaryLearning, "encode", lambda self, X, mask=None: 1 / 0)
        assert model.codes_of(X) is model.codes_
        assert model.codes_of(X.tolist()) is model.codes_
        with pytest.raises(ZeroDivisionError):
            model.codes_of(X + 1e-9)
    model.components_ = np.roll(model.components_, 3, axis=1)
    assert model.codes_of(X) is not model.codes_


def test_codes_of_a_fit_that_was_stopped_early_are_not_good_enough_to_keep(X):
    settings = {"alpha": 0.1, "random_state": 0, "n_restarts": 1, "init": "random"}
    model = OrbitDictionaryLearning(2, callback=lambda iteration: True, **settings).fit(X)
    assert model.codes_.gap.max() > 1e-4
    assert model.codes_of(X).gap.max() <= 1e-4
