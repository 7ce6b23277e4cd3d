"""Model files: all of a fitted model as one record, in one file, and back.

The file is in the safetensors format: arrays, and one JSON text with format and version, group,
shape of a data point, parameters, what the fit found, preprocessing and provenance. Reading checks
all of it before anything is built, finds classes by name and executes nothing.
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
"""Bytes that the tables may take which the settings of a stored group or coder call for."""


@dataclass(frozen=True)
class Parameters:
    """Those of the estimator, as they were given; `init` is None where it is an array."""

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
    normalise_after: bool
    batch_size: int | str | None


@dataclass(frozen=True)
class Fitted:
    """What the fit found, but for arrays."""

    alpha: float
    n_iter: int
    converged: bool
    n_features_in: int
    feature_names_in: list[str] | None


@dataclass(frozen=True, eq=False)
class ModelFile(StoredModel):
    """All that is stored of components that a group moves.

    Attributes
    ----------
    group : Group
    shape : list of int
        Of a data point.
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
        """Refuse what does not fit together, so that what is built from it can be used."""
        parameters, fitted, shape = self.parameters, self.fitted, _shape(self.shape)
        require_shape(self.components, "components", (parameters.n_components, *shape))
        as_components(self.components)
        require_positive(fitted.alpha, "alpha")
        self._require_run(fitted.n_iter)
        _require_features(fitted, shape[0])
        self._require_start(parameters, (parameters.n_components, *shape))
        _require_coding(self.group.on(shape), parameters.coder, parameters.n_components)


KINDS: dict[str, type[StoredModel]] = {"orbits": ModelFile, "waveforms": WaveformFile}
"""What a file may hold, by the word in its header."""


def write_model(path: Path, record: StoredModel) -> None:
    """Write a model file whole or not at all; what could not be read is not written."""
    (word,) = (word for word, kind in KINDS.items() if isinstance(record, kind))
    try:
        header, tensors = pack(record)
        unpack(type(record), header, tensors, "the header").require_sound()
    except ValueError as error:
        raise ModelFileError(f"this model cannot be saved: {reason_of(error)}.") from error
    write(path, marks(KIND) | {"model": word} | header, tensors)


def read_model(path: Path) -> StoredModel:
    """Read a model file and check all of it."""
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
    """Return the error that says why a file is refused."""
    reason = reason_of(error)
    return ModelFileError(f"{path} is not a sound model file: {reason}; save the model again.")


def reason_of(error: Exception) -> str:
    """Return what an error says, as part of a sentence."""
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
    """Refuse a coder that does not serve, and tables of inner products that would fill the memory.

    They hold ``q * q * |G|`` numbers, or those of all pairs of atoms that `Matching` places.
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
