"""A group, or a coder, of someone else's package: coded, learned, saved, loaded and reported."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from laws import LAWS
from numpy.testing import assert_array_equal
from outsiders import Harmonics, Lazy, Mirror, TwoPhases
from sklearn.linear_model import Lasso

from orbitdl import ModelFileError, OrbitDictionaryLearning, encode, load
from orbitdl.coding import ActiveSet, Growing, Sliding
from orbitdl.coding.choice import default_coder
from orbitdl.report import Report

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

LENGTH = 10
GROUPS = {
    "mirror": Mirror(np.array([1, -1, 1, 1, 1, -1, 1, 1, 1, 1]), label="looking glass"),
    "harmonics": Harmonics(),
    "two phases": TwoPhases(),
}
FEW = np.linspace(0, 2 * np.pi, 60, endpoint=False)
MANY = {
    "mirror": np.array([[0.0], [1.0]]),
    "harmonics": np.linspace(0, 360, 720, endpoint=False)[:, None],
    "two phases": np.stack(np.meshgrid(FEW, FEW), axis=-1).reshape(-1, 2),
}
"""All elements, or elements half a degree apart, or six degrees."""
X = np.random.default_rng(0).standard_normal((12, LENGTH))


def fit(name: str, **settings) -> OrbitDictionaryLearning:
    settings = {"alpha": 0.3, "max_iter": 5, "tol": 1e-7, "random_state": 0} | settings
    return OrbitDictionaryLearning(2, GROUPS[name], **settings).fit(X)


@pytest.fixture(scope="module", params=GROUPS)
def name(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def model(name) -> OrbitDictionaryLearning:
    return fit(name)


APPLICABLE = [
    (law, name)
    for law, (_, kind) in LAWS.items()
    for name in ("mirror", "two phases")
    if kind(GROUPS[name].on((LENGTH,)))
]


@pytest.mark.parametrize(("law", "name"), APPLICABLE)
def test_the_laws_hold(law, name):
    check, _ = LAWS[law]
    check(GROUPS[name].on((LENGTH,)), np.random.default_rng(0))


def test_the_coder_follows_from_what_the_representation_declares():
    assert isinstance(default_coder(GROUPS["mirror"].on((LENGTH,))), ActiveSet)
    assert isinstance(default_coder(GROUPS["harmonics"].on((LENGTH,))), Sliding)
    assert isinstance(default_coder(GROUPS["two phases"].on((LENGTH,))), Growing)


def test_codes_are_as_good_as_the_lasso_on_all_moved_components(name):
    moves, A = GROUPS[name].on((LENGTH,)), np.random.default_rng(1).standard_normal((2, LENGTH))
    codes = encode(X, A, group=GROUPS[name], alpha=0.5)
    atoms = np.concatenate([moves.act(MANY[name], np.tile(a, (len(MANY[name]), 1))) for a in A])
    assert codes.gap.max() <= 1e-4
    for x, objective in zip(X, codes.objective, strict=True):
        lasso = Lasso(0.5 / LENGTH, fit_intercept=False, tol=1e-6, max_iter=10**6).fit(atoms.T, x)
        listed = 0.5 * np.sum((x - lasso.predict(atoms.T)) ** 2) + 0.5 * np.abs(lasso.coef_).sum()
        assert objective <= listed * (1 + 1e-4)
        assert objective >= listed * (1 - 1e-3)


def test_learning_lowers_the_objective(model):
    objective = model.history_.to_frame()["objective"].to_numpy()
    assert np.all(np.diff(objective) <= 1e-9 * objective[0])
    assert objective[-1] < 0.95 * objective[0]
    assert model.history_[-1].gap <= 1e-7


def test_missing_entries_are_learned_from_too(name):
    holed = np.where(np.random.default_rng(2).random(X.shape) < 0.15, np.nan, X)
    settings = {"alpha": 0.3, "max_iter": 3, "random_state": 0}
    learned = OrbitDictionaryLearning(2, GROUPS[name], **settings).fit(holed)
    objective = learned.history_.to_frame()["objective"].to_numpy()
    assert np.all(np.diff(objective) <= 1e-7 * objective[0])
    assert learned.history_[-1].gap <= 1e-4


def test_a_model_comes_back_from_its_file(name, model, tmp_path):
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert type(again.group) is type(model.group)
    assert_array_equal(again.transform(X), model.transform(X))
    if name == "mirror":
        assert_array_equal(again.group.signs, model.group.signs)
        assert again.group.label == "looking glass"


def test_a_coder_comes_back_from_its_file(tmp_path):
    fit("mirror", coder=Lazy(rounds=70)).save(tmp_path / "model")
    assert load(tmp_path / "model").coder == Lazy(rounds=70)


def test_another_process_must_import_the_group_and_is_told_so(model, tmp_path):
    model.save(tmp_path / "model")
    code = (
        "import orbitdl, sys\n"
        "try: orbitdl.load(sys.argv[1])\n"
        "except orbitdl.ModelFileError as error: print(error)\n"
        "import outsiders\n"
        "print(orbitdl.load(sys.argv[1]).group.name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "model"],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    refused, name = done.stdout.splitlines()
    assert "is not loaded: import outsiders first" in refused
    assert name == model.group.name


def test_a_fit_goes_on_from_its_checkpoint(name, model, tmp_path):
    def interrupt(iteration):
        if iteration.number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(name, checkpoint=tmp_path / "state", callback=interrupt)
    again = fit(name, checkpoint=tmp_path / "state")
    assert_array_equal(again.components_, model.components_)


def test_a_checkpoint_of_another_setting_is_refused(tmp_path):
    fit("mirror", checkpoint=tmp_path / "state")
    other = OrbitDictionaryLearning(
        2, Mirror(np.ones(LENGTH)), alpha=0.3, max_iter=5, tol=1e-7, random_state=0,
        checkpoint=tmp_path / "state",
    )  # fmt: skip
    with pytest.raises(ModelFileError, match="differs in label"):
        other.fit(X)


def test_a_report_is_written(model):
    page = Report(model, X).html()
    assert f"They may be transformed by the group {model.group.name}." in page
    assert f"from outsiders import {model.group.name}" in page
