"""Model files: a fitted model as one record.

Files are in the safetensors format: arrays, and a JSON header with format and version, group, shape
of a data point, parameters, fitted attributes, preprocessing and provenance. Reading validates
everything before objects are built, finds classes by name and executes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.validation import as_components, require_positive
from orbitdl.coding import Coder, Matching
from orbitdl.groups import Action, Group
from orbitdl.groups.finite_representation import FiniteRepresentation
from orbitdl.storage.codec import pack, unpack
from orbitdl.storage.container import ModelFileError, marks, read, write
from orbitdl.storage.plain import require_shape
from orbitdl.storage.stored_model import StoredModel
from orbitdl.storage.waveform_files import WaveformFile

KIND = "model file"
LARGEST_TABLE = 2**32
"""Maximum size in bytes of the tables implied by the settings of a stored group or coder."""


@dataclass(frozen=True)
class Parameters:
    """Parameters of the estimator; `init` is None if it is an array."""

    n_components: int
    alpha: float | str
    max_iter: int
    tol: float
    coder: Coder | None
    init: str | None
    n_restarts: int
    random_state: int | None
    n_jobs: int | None
    verbose: int | bool
    normalize_after: bool
    batch_size: int | str | None


@dataclass(frozen=True)
class Fitted:
    """Fitted attributes other than arrays."""

    alpha: float
    n_iter: int
    converged: bool
    n_features_in: int
    feature_names_in: list[str] | None


@dataclass(frozen=True, eq=False)
class ModelFile(StoredModel):
    """Stored form of an `OrbitDictionaryLearning`.

    Attributes
    ----------
    group : Group
    shape : list of int
        Shape of a data point.
    parameters : Parameters
    fitted : Fitted
    components : ndarray of shape (q, *shape)
    """

    group: Group
    shape: list[int]
    parameters: Parameters
    fitted: Fitted
    components: NDArray[np.float64]

    def require_sound(self) -> None:
        """Raise ValueError for inconsistent content."""
        parameters, fitted, shape = self.parameters, self.fitted, _shape(self.shape)
        require_shape(self.components, "components", (parameters.n_components, *shape))
        as_components(self.components)
        require_positive(fitted.alpha, "alpha")
        self._require_run(fitted.n_iter)
        _require_features(fitted, shape[0])
        self._require_start(parameters, (parameters.n_components, *shape))
        _require_coding(self.group.on(shape), parameters.coder, parameters.n_components)


KINDS: dict[str, type[StoredModel]] = {"orbits": ModelFile, "waveforms": WaveformFile}
"""Record types, by the name in the header."""


def write_model(path: Path, record: StoredModel) -> None:
    """Write a model file atomically, after checking that it can be read."""
    (word,) = (word for word, kind in KINDS.items() if isinstance(record, kind))
    try:
        header, tensors = pack(record)
        unpack(type(record), header, tensors, "the header").require_sound()
    except ValueError as error:
        raise ModelFileError(f"this model cannot be saved: {reason_of(error)}.") from error
    write(path, marks(KIND) | {"model": word} | header, tensors)


def read_model(path: Path) -> StoredModel:
    """Read and validate a model file."""
    header, tensors = read(path, KIND)
    try:
        kind = KINDS.get(str(header.pop("model", "")))
        if kind is None:
            raise ValueError("the header does not say what kind of model it holds")
        record = unpack(kind, header, tensors, "the header")
        record.require_sound()
    except (ValueError, OverflowError, MemoryError) as error:
        raise unsound(path, error) from error
    return record


def unsound(path: Path, error: Exception) -> ModelFileError:
    """Return the error for a file that is not valid."""
    reason = reason_of(error)
    return ModelFileError(f"{path} is not a sound model file: {reason}; save the model again.")


def reason_of(error: Exception) -> str:
    """Return the message of an error as part of a sentence."""
    text = str(error) or "it does not fit into memory"
    return text.rstrip(".").replace("\n", " ")


def _shape(sizes: list[Any]) -> tuple[int, ...]:
    if not sizes or not all(type(size) is int and size > 0 for size in sizes):
        raise ValueError("the shape of a data point is not a list of positive integers")
    return tuple(sizes)


def _require_features(fitted: Fitted, count: int) -> None:
    names = fitted.feature_names_in
    if fitted.n_features_in != count:
        raise ValueError(f"the number of features is not {count}")
    if names is not None and (len(names) != count or not all(type(name) is str for name in names)):
        raise ValueError("feature_names_in is not a list of one name per feature")


def _require_coding(action: Action, coder: Coder | None, q: int) -> None:
    """Raise ValueError for an unsuitable coder, or tables of inner products that exceed the limit.

    They have ``q * q * |G|`` entries, or one per pair of atoms for `Matching`.
    """
    representation, q = action.base, q * action.n_copies
    if coder is not None and not coder.serves(representation):
        name = action.group.name
        raise ValueError(f"{type(coder).__name__} does not serve {name}")
    size = representation.size if isinstance(representation, FiniteRepresentation) else 1
    slots = coder.most_atoms(q) if isinstance(coder, Matching) else q
    if 8 * max(q * q * size, slots * slots) > LARGEST_TABLE:
        raise ValueError(
            "its group has more elements, or its coder more atoms, than coding has memory for"
        )
