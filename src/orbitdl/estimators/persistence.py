"""How a model is stored: in a model file once it is fitted, in a checkpoint while it learns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from orbitdl.arrays.validation import as_components
from orbitdl.dictionaries.base import Kind
from orbitdl.groups.base import Floats
from orbitdl.learning.history import History
from orbitdl.learning.shards import Shards
from orbitdl.preprocessing.pipeline import to_records
from orbitdl.storage.checkpoint import Checkpoint
from orbitdl.storage.checkpoint_files import Identity
from orbitdl.storage.container import ModelFileError, as_path
from orbitdl.storage.model_files import reason_of, write_model
from orbitdl.storage.plain import plain
from orbitdl.storage.provenance import fingerprint
from orbitdl.storage.stored_model import StoredModel

FITTED = ["components_", "alpha_", "history_", "n_iter_", "converged_", "provenance_"]
"""Attributes that a model must have to be saved."""


class Prepared(NamedTuple):
    """How data were made ready, as text and numbers: the fitted steps, and the acquisition."""

    steps: list[Any]
    acquisition: dict[str, Any]


class PersistenceMixin:
    """Model files and checkpoints of an estimator."""

    n_components: Any
    alpha: float | str
    max_iter: int
    tol: float
    init: str | ArrayLike
    n_restarts: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: int
    checkpoint: str | PathLike[str] | None
    batch_size: int | str | None
    components_: Floats
    alpha_: float
    starts_: Floats
    history_: History
    n_iter_: int
    converged_: bool
    preprocessing_: Sequence[Any]
    acquisition_: Mapping[str, Any]
    provenance_: dict[str, Any]

    @abstractmethod
    def _check_parameters(self) -> None: ...

    @abstractmethod
    def _as_record(self, data: Prepared, provenance: dict[str, Any]) -> StoredModel:
        """Return all of this model that a file holds."""

    def save(
        self,
        path: str | PathLike[str],
        *,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the fitted model to one file, which `orbitdl.load` reads.

        Parameters
        ----------
        path : path-like
        provenance : mapping, optional
            Text and numbers to add to ``provenance_``.

        Notes
        -----
        A safetensors file: arrays and a JSON header, no code. It is written whole or not at all.
        The callback, the checkpoint and a `random_state` that is not a number are left out.
        """
        check_is_fitted(self, FITTED)
        place = as_path(path)
        try:
            self._check_parameters()
            if not isinstance(provenance, Mapping | None):
                raise ValueError(f"provenance must be a mapping, not {provenance!r}")
            more = {} if provenance is None else plain(provenance)
            steps = plain(to_records(self.preprocessing_))
            prepared = Prepared(steps, plain(self.acquisition_))
            record = self._as_record(prepared, plain(self.provenance_) | more)
        except ValueError as error:
            raise ModelFileError(f"this model cannot be saved: {reason_of(error)}.") from error
        write_model(place, record)

    def _given_alpha(self) -> float | str:
        return self.alpha if isinstance(self.alpha, str) else float(self.alpha)

    def _given_init(self) -> tuple[str | None, Floats | None]:
        """Return the word that says where to start from, or the components."""
        if isinstance(self.init, str):
            return self.init, None
        return None, as_components(self.init, "init")

    def _given_seed(self) -> int | None:
        seed = self.random_state
        return int(seed) if isinstance(seed, int | np.integer) else None

    def _open_checkpoint(
        self,
        shards: Shards,
        seed: int,
        identity: Callable[[str, int | None], Identity],
        kind: Kind,
    ) -> Checkpoint:
        """Return where the runs of this fit stand: at their start, or where a file says.

        `identity` is given what identifies the start and the seed, `kind` makes the dictionary of
        stored components.
        """
        if self.checkpoint is None:
            return Checkpoint(seed, self.max_iter)
        path = as_path(self.checkpoint, "checkpoint")
        word, start = self._given_init()
        own = self._given_seed()
        known = None if self.random_state is None else seed if own is None else own
        try:
            same = identity(word or fingerprint(start), known)
        except ValueError as error:
            raise ModelFileError(f"checkpoint cannot be used here: {reason_of(error)}.") from error
        limits = self.max_iter, self.n_restarts
        return Checkpoint.open(path, same, seed, *limits, shards, kind)
