"""The benchmark for benchopt: every solver reaches the same objective, which is checked outside."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from orbitdl import encode
from orbitdl.coding import ActiveSet
from orbitdl.groups import IntegerShift

pytest.importorskip("benchopt", reason="benchopt is not installed")

FOLDER = Path(__file__).parents[2] / "benchmarks" / "benchopt"
SOLVERS = sorted((FOLDER / "solvers").glob("*.py"))
ALPHA = 0.2
ACCURATE = {"orbitdl_active_set": 1e-8, "scikit_learn": 2000, "spams_lars": None}
"""Tolerance, iterations or nothing: what a solver is run with here."""

# scikit-learn and benchopt warn of what is theirs
pytestmark = pytest.mark.filterwarnings("ignore")


def module_of(path):
    """Import a file by its path, as benchopt does."""
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def data():
    dataset = module_of(FOLDER / "datasets" / "simulated.py").Dataset()
    dataset.n_samples, dataset.length, dataset.n_components = 20, 40, 2
    dataset.noise, dataset.seed = 0.05, 0
    return dataset.get_data()


@pytest.fixture(scope="module")
def objective(data):
    judge = module_of(FOLDER / "objective.py").Objective()
    judge.alpha = ALPHA
    judge.set_data(**data)
    return judge


@pytest.mark.parametrize("path", SOLVERS, ids=lambda path: path.stem)
def test_a_solver_reaches_the_certified_minimum(path, data, objective):
    if path.stem == "spams_lars":
        pytest.importorskip("spams", reason="spams is not installed")
    solver = module_of(path).Solver()
    solver.set_objective(**objective.get_objective())
    solver.run(ACCURATE[path.stem])
    found = objective.evaluate_result(**solver.get_result())
    coder = ActiveSet(tol=1e-10)
    codes = encode(data["X"], data["components"], group=IntegerShift(), alpha=ALPHA, coder=coder)
    assert_allclose(found["value"], codes.objective.sum(), rtol=1e-5)
    assert -1e-12 < found["relative_gap"] < 1e-4


def test_no_atoms_have_the_objective_of_the_data(data, objective):
    found = objective.evaluate_result(**objective.get_one_result())
    assert found["value"] == pytest.approx(0.5 * np.sum(data["X"] ** 2))
    assert found["atoms_per_window"] == 0
    assert found["relative_gap"] > 0.1


def test_a_wrong_code_is_seen(data, objective):
    wrong = objective.get_one_result()
    wrong["coefficients"] = wrong["coefficients"] + 0.1
    assert objective.evaluate_result(**wrong)["relative_gap"] > 0.5
