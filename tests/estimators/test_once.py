"""Data are checked once and analysed once, whatever is done with them."""

import sys
from collections import Counter

import numpy as np
import pytest

import orbitdl
from orbitdl import OrbitDictionaryLearning
from orbitdl.arrays import validation
from orbitdl.coding.sliding.coder import Sliding
from orbitdl.datasets import make_shift_data
from orbitdl.encoding.samples import Samples
from orbitdl.groups import ContinuousShift, IntegerShift
from orbitdl.groups.transforms.fourier import Fourier

DATA = make_shift_data(
    n_samples=70, length=21, n_components=2, n_atoms=2, noise=0.05, random_state=0
)
X, A = DATA.X, DATA.components
HOLED = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)


@pytest.fixture
def counted(monkeypatch) -> Counter:
    """Count checks of all data, and analyses of as many signals as there are data points."""
    count: Counter = Counter()
    check, analyze = validation._as_rows, Fourier.analyze

    def checked(given, name, row):
        count["checked"] += np.shape(given) == X.shape
        return check(given, name, row)

    def analyzed(self, signals):
        count["analyzed"] += np.shape(signals) == X.shape
        return analyze(self, signals)

    monkeypatch.setattr(validation, "_as_rows", checked)
    monkeypatch.setattr(Fourier, "analyze", analyzed)
    return count


@pytest.fixture(scope="module")
def model() -> OrbitDictionaryLearning:
    settings = {"n_components": 2, "group": ContinuousShift(), "alpha": 0.1, "random_state": 0}
    return OrbitDictionaryLearning(**settings).fit(X)


METHODS = {
    "encode": lambda model: model.encode(X),
    "transform": lambda model: model.transform(X),
    "reconstruct": lambda model: model.reconstruct(X),
    "score": lambda model: model.score(X),
    "complete": lambda model: model.complete(X),
    "denoise": lambda model: model.denoise(X),
    "denoise by the level of noise": lambda model: model.denoise(X, alpha="noise"),
    "fit": lambda model: OrbitDictionaryLearning(2, IntegerShift(), n_restarts=3).fit(X),
}
SETTINGS = {"group": IntegerShift()}
FUNCTIONS = {
    "encode": lambda: orbitdl.encode(X, A, alpha=0.1, **SETTINGS),
    "complete": lambda: orbitdl.complete(X, A, alpha=0.1, **SETTINGS),
    "denoise": lambda: orbitdl.denoise(X, A, alpha="noise", **SETTINGS),
    "noise_level": lambda: orbitdl.noise_level(X, A, **SETTINGS),
    "alpha_max": lambda: orbitdl.alpha_max(X, A, **SETTINGS),
    "suggest_alpha": lambda: orbitdl.suggest_alpha(X, **SETTINGS),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_checks_and_analyses_data_once(name, model, counted):
    METHODS[name](model)
    # The noise level is estimated from at most 200 data points, which are analysed before.
    assert counted == {"checked": 1, "analyzed": 2 if "level of noise" in name else 1}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_checks_and_analyses_data_once(name, counted):
    FUNCTIONS[name]()
    assert counted == {"checked": 1, "analyzed": 2 if name == "denoise" else 1}  # as above


@pytest.mark.parametrize("name", ["encode", "denoise", "score"])
def test_data_with_missing_entries_are_checked_once(name, model, counted):
    getattr(model, name)(HOLED)
    assert counted["checked"] == 1


def test_some_of_the_samples_are_those_samples():
    some = Samples.of(HOLED, IntegerShift())
    few = some.take(np.array([5, 2]))
    again = Samples.of(HOLED[[5, 2]], IntegerShift())
    np.testing.assert_array_equal(few.observed, again.observed)
    np.testing.assert_array_equal(few.signal, again.signal)
    np.testing.assert_allclose(few.Y, again.Y)


FRAMES, CHECKS = 12, 20
"""Maximum number of calls from `encode` to the solver, and of arguments checked by `fit`."""


def test_few_calls_lead_from_encoding_to_the_solver(model, monkeypatch):
    depths, solve = [], Sliding.solve_with

    def solved(*given):
        frame, names = sys._getframe(1), []
        while frame.f_code.co_name != "encode":
            names.append(frame.f_code.co_name)
            frame = frame.f_back
        depths.append(1 + sum(not name.startswith("<") for name in names))
        return solve(*given)

    monkeypatch.setattr(Sliding, "solve_with", solved)
    model.encode(X)
    assert depths
    assert max(depths) <= FRAMES


@pytest.mark.parametrize("group", [ContinuousShift(), IntegerShift()], ids=["sliding", "integer"])
def test_every_argument_of_a_fit_is_checked_about_once(group):
    calls = Counter()

    def count(frame, event, _):
        own = frame.f_code.co_filename == validation.__file__
        if event == "call" and own and frame.f_back.f_code.co_filename != validation.__file__:
            calls[frame.f_code.co_name] += 1

    sys.setprofile(count)
    try:
        OrbitDictionaryLearning(2, group, alpha=0.1, random_state=0).fit(X)
    finally:
        sys.setprofile(None)
    assert calls["as_masked_data"] == 1
    assert sum(calls.values()) <= CHECKS
