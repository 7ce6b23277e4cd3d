"""What is stored of `WaveformLearning`: its model file, its identity in a fit."""

from __future__ import annotations

from typing import Any

from orbitdl.estimators.persistence import PersistenceMixin, Prepared
from orbitdl.events.model import EventModel
from orbitdl.groups.base import Floats
from orbitdl.storage.checkpoint_files import Identity
from orbitdl.storage.waveform_files import WaveformFile, WaveformFitted, WaveformParameters


class WaveformRecordsMixin(PersistenceMixin):
    """Model files and checkpoints of waveforms."""

    length: int
    positive: bool
    integer_shifts: bool
    detrend: bool
    noise: str
    n_components_: int
    event_model_: EventModel | None
    coefficients_: Floats

    def _as_record(self, data: Prepared, provenance: dict[str, Any]) -> WaveformFile:
        word, start = self._given_init()
        shape = self.coefficients_.shape
        return WaveformFile(
            parameters=WaveformParameters(
                n_components=self.n_components,
                length=self.length,
                alpha=self._given_alpha(),
                noise=self.noise,
                positive=bool(self.positive),
                integer_shifts=bool(self.integer_shifts),
                detrend=bool(self.detrend),
                max_iter=self.max_iter,
                tol=float(self.tol),
                init=word,
                n_restarts=self.n_restarts,
                random_state=self._given_seed(),
                n_jobs=self.n_jobs,
                verbose=self.verbose,
                batch_size=self.batch_size,
            ),
            fitted=WaveformFitted(
                alpha=self.alpha_,
                n_iter=int(self.n_iter_),
                converged=bool(self.converged_),
                n_components=int(self.n_components_),
                channels=shape[2] if len(shape) == 3 else None,
            ),
            steps=data.steps,
            acquisition=data.acquisition,
            provenance=provenance,
            coefficients=self.coefficients_.reshape(*shape[:2], *(shape[2:] or (1,))),
            events=self.event_model_,
            starts=self.starts_,
            history=self.history_,
            init=start,
        )

    def _identity(
        self, alpha: float, size: int | None, data: str, init: str, seed: int | None
    ) -> Identity:
        """Return what another fit must have in common with this one to go on where it stood."""
        settings = {
            "length": int(self.length),
            "positive": bool(self.positive),
            "integer_shifts": bool(self.integer_shifts),
            "detrend": bool(self.detrend),
            "noise": self.noise,
        }
        return Identity(
            data=data,
            group={"name": "line", "settings": settings},
            n_components=int(self.n_components_),
            alpha=alpha,
            tol=float(self.tol),
            coder={"name": "line", "settings": {}},
            init=init,
            random_state=seed,
            normalize_after=False,
            batch_size=size,
        )
