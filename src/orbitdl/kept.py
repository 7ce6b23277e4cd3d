"""How a model is kept: in a model file once it is fitted, in a checkpoint while it learns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from orbitdl.coding.base import Coder
from orbitdl.groups import Group, Representation
from orbitdl.groups.base import Floats
from orbitdl.learning.history import History
from orbitdl.learning.shards import Shards
from orbitdl.storage.checkpoint import Checkpoint
from orbitdl.storage.checkpoint_files import Identity, identify
from orbitdl.storage.container import ModelFileError, as_path
from orbitdl.storage.model_files import Fitted, ModelFile, Parameters, reason_of, write_model
from orbitdl.storage.plain import plain
from orbitdl.storage.provenance import fingerprint
from orbitdl.validation import as_components

FITTED = ["components_", "alpha_", "history_", "n_iter_", "converged_", "provenance_"]
"""Attributes that a model must have to be saved."""


class KeptMixin:
    """Model files and checkpoints of an estimator."""

    n_components: int
    alpha: float | str
    max_iter: int
    tol: float
    coder: Coder | None
    init: str | ArrayLike
    n_restarts: int
    random_state: int | np.random.RandomState | None
    n_jobs: int | None
    verbose: int
    normalise_after: bool
    checkpoint: str | PathLike[str] | None
    components_: Floats
    alpha_: float
    starts_: Floats
    history_: History
    n_iter_: int
    converged_: bool
    n_features_in_: int
    preprocessing_: dict[str, Any]
    provenance_: dict[str, Any]

    @abstractmethod
    def _group(self) -> Group: ...

    @abstractmethod
    def _check_parameters(self) -> None: ...

    def save(
        self,
        path: str | PathLike[str],
        *,
        preprocessing: Mapping[str, Any] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the fitted model to one file, which `orbitdl.load` reads.

        Parameters
        ----------
        path : path-like
        preprocessing : mapping, optional
            How the data were made, in text and numbers; ``preprocessing_`` if left out.
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
            more = {} if provenance is None else plain(provenance)
            prepared = plain(self.preprocessing_ if preprocessing is None else preprocessing)
            record = self._as_record(prepared, plain(self.provenance_) | more)
        except ValueError as error:
            raise ModelFileError(f"this model cannot be saved: {reason_of(error)}.") from error
        write_model(place, record)

    def _as_record(self, preprocessing: dict[str, Any], provenance: dict[str, Any]) -> ModelFile:
        """Return all of this model that a file holds."""
        given_start = None if isinstance(self.init, str) else as_components(self.init, "init")
        seed, names = self.random_state, getattr(self, "feature_names_in_", None)
        return ModelFile(
            group=self._group(),
            shape=list(self.components_.shape[1:]),
            parameters=Parameters(
                n_components=self.n_components,
                alpha=self.alpha if isinstance(self.alpha, str) else float(self.alpha),
                max_iter=self.max_iter,
                tol=float(self.tol),
                coder=self.coder,
                init=self.init if isinstance(self.init, str) else None,
                n_restarts=self.n_restarts,
                random_state=seed if isinstance(seed, int | np.integer) else None,
                n_jobs=self.n_jobs,
                verbose=self.verbose,
                normalise_after=bool(self.normalise_after),
            ),
            fitted=Fitted(
                alpha=self.alpha_,
                n_iter=int(self.n_iter_),
                converged=bool(self.converged_),
                n_features_in=int(self.n_features_in_),
                feature_names_in=None if names is None else list(names),
            ),
            preprocessing=preprocessing,
            provenance=provenance,
            components=self.components_,
            starts=self.starts_,
            history=self.history_,
            init=given_start,
        )

    def _open_checkpoint(
        self,
        shards: Shards,
        representation: Representation,
        coder: Coder,
        alpha: float,
        data: str,
        seed: int,
    ) -> Checkpoint:
        """Return where the runs of this fit stand: at their start, or where a file says."""
        if self.checkpoint is None:
            return Checkpoint(seed, self.max_iter)
        path = as_path(self.checkpoint, "checkpoint")
        identity = self._identity(representation.group, coder, alpha, data, seed)
        limits = self.max_iter, self.n_restarts
        return Checkpoint.open(path, identity, seed, *limits, representation, shards)

    def _identity(self, group: Group, coder: Coder, alpha: float, data: str, seed: int) -> Identity:
        """Return what another fit must have in common with this one to go on where it stood."""
        init, given = self.init, self.random_state
        own = int(given) if isinstance(given, int | np.integer) else seed
        try:
            return Identity(
                data=data,
                group=identify(group),
                n_components=int(self.n_components),
                alpha=alpha,
                tol=float(self.tol),
                coder=identify(coder),
                init=init if isinstance(init, str) else fingerprint(as_components(init, "init")),
                random_state=None if given is None else own,
                normalise_after=bool(self.normalise_after),
            )
        except ValueError as error:
            raise ModelFileError(f"checkpoint cannot be used here: {reason_of(error)}.") from error
