"""What is found before learning: the noise model, and the waveforms to start from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from orbitdl.arrays.warnings import warn_user
from orbitdl.discovery.discover import Discovery
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.estimators.out_of_core_recordings import OutOfCoreRecordings
from orbitdl.events.model import (
    EventModel,
    Excerpt,
    event_model,
    noise_of,
    waveforms_in,
    white_noise_of,
)
from orbitdl.groups.base import Floats

AUTO = "auto"
"""A parameter that is chosen from the data."""

Shards = RecordingShards | OutOfCoreRecordings


@dataclass(frozen=True, eq=False)
class Found:
    """Recordings ready to be learned from, and what was found in them.

    Attributes
    ----------
    shards : RecordingShards or OutOfCoreRecordings
        Whitened where there is a noise model.
    number : int
        Number of waveforms.
    init : str or array-like
        Where learning starts.
    g : ndarray of shape (q,) or None
        Standard deviations of correlations of the waveforms found with noise.
    reasons : dict of str
        For the provenance.
    excerpt : Excerpt or None
        What the detection of events is calibrated on.
    model : EventModel or None
        A known one, whose noise model stays.
    signed : bool
        Whether events may have negative coefficients.
    """

    shards: Shards
    number: int
    init: str | ArrayLike
    g: Floats | None = None
    reasons: dict[str, Any] = field(default_factory=dict)
    excerpt: Excerpt | None = None
    model: EventModel | None = None
    signed: bool = False

    @property
    def is_final(self) -> bool:
        """Whether waveforms are found already, and need not be learned."""
        return self.g is not None

    @classmethod
    def again(cls, shards: Shards, u: Floats, model: EventModel | None) -> Found:
        """Return more recordings for waveforms that are known."""
        if model is None:
            return cls(shards, len(u), "data")
        whitened, excerpt = shards.with_noise(model.background), Excerpt.of(shards)
        return cls(whitened, len(u), "data", excerpt=excerpt, model=model, signed=model.signed)

    def calibrated(self, waveforms: Waveforms) -> EventModel | None:
        """Return how events of learned waveforms are found; None if noise is white."""
        if self.model is None or self.excerpt is None:
            return None
        return event_model(self.excerpt, self.model.background, waveforms, signed=self.signed)


def found_in(
    shards: Shards, number: int | str, noise: str, init: str | ArrayLike, *, signed: bool
) -> Found:
    """Estimate the noise model, and the waveforms unless the start is given or random."""
    excerpt = Excerpt.of(shards)
    background = noise_of(excerpt) if noise == AUTO else white_noise_of(excerpt)
    whitened = shards.with_noise(background)
    known = EventModel.unknown(background)
    requested = None if number == AUTO else int(number)
    if requested is not None and not (isinstance(init, str) and init == "data"):
        return Found(whitened, requested, init, excerpt=excerpt, model=known, signed=signed)
    found = waveforms_in(excerpt, background, requested, signed=signed)
    A, words = found.detector.A, reason_of(found, requested)
    if found.own < len(A):
        warn_user(f'{words}; n_components="auto" leaves the others out.')
    reasons = {"components": words}
    return Found(whitened, len(A), A, found.detector.g, reasons, excerpt, known, signed=signed)


def reason_of(found: Discovery, requested: int | None) -> str:
    """Return why there are so many components, for the provenance."""
    count, own = len(found.detector), found.own
    words = f"{count} component{'s' * (count != 1)}"
    if requested is None:
        return f"{words}: {found.reason}"
    kinds = "is a kind of its own" if own == 1 else "are kinds of their own"
    return f"{words} requested; {own} {kinds}" + f": {found.reason}" * (own < count)
