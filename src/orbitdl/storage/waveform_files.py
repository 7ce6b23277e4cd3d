"""Model files of waveforms that were learned from recordings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.storage.plain import require_shape
from orbitdl.storage.stored_model import StoredModel
from orbitdl.validation import as_components, require_count, require_positive


@dataclass(frozen=True)
class WaveformParameters:
    """Those of the estimator, as they were given; `init` is None where it is an array."""

    n_components: int
    length: int
    alpha: float | str
    positive: bool
    whole_samples: bool
    detrend: bool
    max_iter: int
    tol: float
    init: str | None
    n_restarts: int
    random_state: int | None
    n_jobs: int | None
    verbose: int | bool
    batch_size: int | str | None


@dataclass(frozen=True)
class WaveformFitted:
    """What the fit found, but for arrays; `channels` is None where a recording has one axis."""

    alpha: float
    n_iter: int
    converged: bool
    channels: int | None


@dataclass(frozen=True, eq=False)
class WaveformFile(StoredModel):
    """All that is stored of waveforms: `coefficients` has shape (q, length, channels)."""

    parameters: WaveformParameters
    fitted: WaveformFitted
    coefficients: NDArray[np.float64]

    def require_sound(self) -> None:
        parameters, fitted = self.parameters, self.fitted
        channels = () if fitted.channels is None else (fitted.channels,)
        given = parameters.n_components, parameters.length, *channels
        for number, name in zip(given, ("n_components", "length", "channels"), strict=False):
            require_count(number, name)
        require_shape(self.coefficients, "coefficients", (*given, 1)[:3])
        as_components(self.coefficients, "coefficients")
        require_positive(fitted.alpha, "alpha")
        self._require_run(fitted.n_iter)
        self._require_start(parameters, given)
