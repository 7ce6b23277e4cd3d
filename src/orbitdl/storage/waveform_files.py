"""Model files of `WaveformLearning`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.validation import as_components, require_count, require_positive
from orbitdl.events.model import EventModel
from orbitdl.storage.plain import require_shape
from orbitdl.storage.stored_model import StoredModel


@dataclass(frozen=True)
class WaveformParameters:
    """Parameters of the estimator; `init` is None if it is an array."""

    n_components: int | str
    length: int
    alpha: float | str
    noise: str
    positive: bool
    integer_shifts: bool
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
    """Fitted attributes other than arrays; `channels` is None for recordings with one axis."""

    alpha: float
    n_iter: int
    converged: bool
    n_components: int
    channels: int | None


@dataclass(frozen=True, eq=False)
class WaveformFile(StoredModel):
    """Stored form of a `WaveformLearning`: `coefficients` has shape (q, length, channels).

    `events` is None for white noise.
    """

    parameters: WaveformParameters
    fitted: WaveformFitted
    coefficients: NDArray[np.float64]
    events: EventModel | None

    def require_sound(self) -> None:
        parameters, fitted = self.parameters, self.fitted
        channels = () if fitted.channels is None else (fitted.channels,)
        given = fitted.n_components, parameters.length, *channels
        require_count(fitted.n_components, "n_components", least=0)
        for number, name in zip(given[1:], ("length", "channels"), strict=False):
            require_count(number, name)
        shape = (*given, 1)[:3]
        require_shape(self.coefficients, "coefficients", shape)
        if fitted.n_components:
            as_components(self.coefficients, "coefficients")
        if self.events is not None:
            require_events(self.events, shape)
        require_positive(fitted.alpha, "alpha")
        if fitted.n_components:  # without waveforms nothing was learned
            self._require_run(fitted.n_iter)
        self._require_start(parameters, given)


def require_events(events: EventModel, shape: tuple[int, ...]) -> None:
    """Raise ValueError if noise model and detector do not match waveforms of this shape."""
    q, length, channels = shape
    background, detector = events.background, events.detector
    taps = background.filters.shape[-1]
    require_shape(background.filters, "filters", (channels, taps))
    require_shape(background.scale, "scale", (channels,))
    for array, name in (
        (events.templates, "templates"),
        (events.bands, "bands"),
        (detector.A, "A"),
    ):
        require_shape(array, name, shape)
    for name in ("g", "counts", "median", "least"):
        require_shape(getattr(detector, name), name, (q,))
    require_shape(detector.V, "V", (q, q, 2 * length + 1))
    if not (np.all(np.isfinite(background.filters)) and np.all(background.scale > 0)):
        raise ValueError("its noise model has numbers that are not finite or not positive")
