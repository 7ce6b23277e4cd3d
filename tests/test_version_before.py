"""Files that the version before wrote: models load, and fits go on from their checkpoints."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from orbitdl import OrbitDictionaryLearning, load
from orbitdl.coding import Matching, Sliding
from orbitdl.groups import ContinuousShift, Finite
from orbitdl.storage.container import ModelFileError

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

FILES = Path(__file__).with_name("files_of_version_0_1")
DATA = {
    "orthogonal": "data_with_columns",
    "interpolated_shift": "data_with_columns",
    "finite": "data_with_columns",
    "with_gaps": "data_with_gaps",
}
"""What a model was fitted on, unless it is "data"."""
MODELS = sorted(path.stem for path in FILES.glob("*.safetensors"))
GROUPS = {
    "continuous_shift": ContinuousShift(),
    "finite": Finite([[1, 2, 3, 4, 5, 0]]),
    "with_gaps": ContinuousShift(),
}


def data_of(name: str) -> np.ndarray:
    return np.load(FILES / f"{DATA.get(name, 'data')}.npy")


@pytest.mark.parametrize("name", MODELS)
def test_a_model_file_loads_and_codes_as_it_did(name):
    model, was = load(FILES / f"{name}.safetensors"), np.load(FILES / f"{name}.npz")
    assert_array_equal(model.components_, was["components"])
    assert_array_equal([record.objective for record in model.history_], was["objective"])
    assert_allclose(model.score(data_of(name)), was["score"], rtol=2e-4)
    assert model.preprocessing_ == {"window": 12, "rate": 360.0}
    assert model.get_params()["max_iter"] == 3


def test_settings_of_coders_and_groups_come_back():
    assert load(FILES / "continuous_shift.safetensors").coder == Sliding(tol=1e-6)
    finite = load(FILES / "finite.safetensors")
    assert finite.coder == Matching(n_atoms=2)
    assert_array_equal(finite.group.generators, [[1, 2, 3, 4, 5, 0]])
    assert_array_equal(load(FILES / "with_gaps.safetensors").init, np.eye(12)[:2])


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("kind", ["interrupted", "finished"])
def test_a_fit_goes_on_from_a_checkpoint(name, kind, tmp_path):
    """To the objective it had, within the gaps that early iterations are allowed."""
    place = tmp_path / "checkpoint"
    shutil.copy(FILES / f"{name}.{kind}.checkpoint", place)
    numbers = []
    model = OrbitDictionaryLearning(
        2, GROUPS[name], alpha=0.5, max_iter=6, tol=1e-9, n_restarts=2, random_state=0,
        checkpoint=place, callback=lambda iteration: numbers.append(iteration.number),
    ).fit(data_of(name))  # fmt: skip
    was = np.load(FILES / f"{name}.fitted.npz")
    objective = np.array([record.objective for record in model.history_])
    assert_allclose(objective, was["objective"], rtol=1e-3)
    if kind == "finished":
        assert_array_equal(objective, was["objective"])
        assert_allclose(model.components_, was["components"], rtol=1e-12, atol=1e-12)
    assert numbers == ([] if kind == "finished" else [3, 0, 1, 2, 3, 4, 5, 6])


def test_a_checkpoint_still_knows_other_data(tmp_path):
    """Its fingerprint is not made as those of today are."""
    place = tmp_path / "checkpoint"
    shutil.copy(FILES / "finite.finished.checkpoint", place)
    model = OrbitDictionaryLearning(
        2, GROUPS["finite"], alpha=0.5, max_iter=6, tol=1e-9, n_restarts=2, random_state=0,
        checkpoint=place,
    )  # fmt: skip
    with pytest.raises(ModelFileError, match="differs in the data; delete"):
        model.fit(data_of("finite") + 1e-9)
