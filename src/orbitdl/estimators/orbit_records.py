"""What is stored of `OrbitDictionaryLearning`: its model file, its identity in a fit."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from orbitdl.coding.base import Coder
from orbitdl.estimators.persistence import PersistenceMixin, Prepared
from orbitdl.groups import Group
from orbitdl.storage.checkpoint_files import Identity, identify
from orbitdl.storage.model_files import Fitted, ModelFile, Parameters


class OrbitRecordsMixin(PersistenceMixin):
    """Model files and checkpoints of components that a group moves."""

    coder: Coder | None
    normalize_after: bool
    n_features_in_: int

    @abstractmethod
    def _group(self) -> Group: ...

    def _as_record(self, data: Prepared, provenance: dict[str, Any]) -> ModelFile:
        names = getattr(self, "feature_names_in_", None)
        word, start = self._given_init()
        return ModelFile(
            group=self._group(),
            shape=list(self.components_.shape[1:]),
            parameters=Parameters(
                n_components=self.n_components,
                alpha=self._given_alpha(),
                max_iter=self.max_iter,
                tol=float(self.tol),
                coder=self.coder,
                init=word,
                n_restarts=self.n_restarts,
                random_state=self._given_seed(),
                n_jobs=self.n_jobs,
                verbose=self.verbose,
                normalize_after=bool(self.normalize_after),
                batch_size=self.batch_size,
            ),
            fitted=Fitted(
                alpha=self.alpha_,
                n_iter=int(self.n_iter_),
                converged=bool(self.converged_),
                n_features_in=int(self.n_features_in_),
                feature_names_in=None if names is None else list(names),
            ),
            steps=data.steps,
            acquisition=data.acquisition,
            provenance=provenance,
            components=self.components_,
            starts=self.starts_,
            history=self.history_,
            init=start,
        )

    def _identity(
        self,
        group: Group,
        coder: Coder,
        alpha: float,
        size: int | None,
        data: str,
        init: str,
        seed: int | None,
    ) -> Identity:
        """Return what another fit must have in common with this one to go on where it stood."""
        return Identity(
            data=data,
            group=identify(group),
            n_components=int(self.n_components),
            alpha=alpha,
            tol=float(self.tol),
            coder=identify(coder),
            init=init,
            random_state=seed,
            normalize_after=bool(self.normalize_after),
            batch_size=size,
        )
