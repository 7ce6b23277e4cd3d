"""What is left out means the same in Python and on the command line."""

import inspect

import numpy as np
import pytest
from test_command import run

import orbitdl
from orbitdl import OrbitDictionaryLearning, WaveformLearning, select
from orbitdl.command.complete import complete
from orbitdl.command.denoise import denoise
from orbitdl.command.fit import fit, number_of
from orbitdl.command.judging_options import Candidates, ValidationOptions
from orbitdl.command.learning_options import WaveformOptions
from orbitdl.groups.default import DEFAULT

OTHERWISE = {"n_jobs": -1, "random_state": 0}
"""Of commands: all cores, which changes no result, and the same result whenever they are given."""
NAMES = {"n_components": "components", "n_restarts": "restarts"}
NAMES |= {"n_jobs": "jobs", "random_state": "seed", "max_samples": "samples"}


def default(thing, name):
    return inspect.signature(thing).parameters[name].default


@pytest.mark.parametrize("estimator", [OrbitDictionaryLearning, WaveformLearning])
@pytest.mark.parametrize(
    "name", ["n_components", "alpha", "max_iter", "tol", "init", "n_restarts", *OTHERWISE]
)
def test_fit_has_the_defaults_of_the_estimators(estimator, name):
    expected = OTHERWISE.get(name, default(estimator, name))
    found = default(fit, NAMES.get(name, name))
    if name == "n_components":
        found = number_of(found, windows=estimator is OrbitDictionaryLearning)
    assert getattr(found, "value", found) == expected


def test_waveforms_have_the_flags_of_their_estimator():
    for name, value in WaveformOptions().flags().items():
        assert value == default(WaveformLearning, name)


@pytest.mark.parametrize("name", ["rounds", "share", "speckle", "max_samples"])
def test_select_has_the_defaults_of_the_function(name):
    assert default(ValidationOptions, NAMES.get(name, name)) == default(select, name)


def test_select_tries_the_numbers_that_the_function_tries():
    assert tuple(Candidates().numbers) == default(select, "n_components")


@pytest.mark.parametrize("estimator", [OrbitDictionaryLearning, WaveformLearning])
def test_refitting_is_on_or_off_as_in_python(estimator):
    assert default(complete, "debias") == default(estimator.complete, "debias")
    assert default(denoise, "debias") == default(estimator.denoise, "debias")


def test_windows_are_moved_by_the_default_group(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((30, 8)))
    run("fit", tmp_path / "x.npy", "-o", tmp_path / "m", "--alpha", 1.0, "--restarts", 1).fine()
    learned = orbitdl.load(tmp_path / "m")
    assert learned.group == DEFAULT
    assert learned.n_components == OrbitDictionaryLearning().n_components
