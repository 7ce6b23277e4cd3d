"""Fitted waveforms at work on one recording, wherever that is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.coding.parallel import chunks_of, in_threads
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.chunks import (
    Coded,
    Watch,
    atoms_of,
    code_recording,
    split_recording,
    without_atoms,
)
from orbitdl.domains.time.coder import RecordingCoder
from orbitdl.domains.time.codes import RecordingCodes
from orbitdl.domains.time.inputs import (
    ONLY,
    as_signal,
    detrended,
    named,
    ready,
    require_own_channels,
    survey,
)
from orbitdl.domains.time.noise import require_above_noise
from orbitdl.domains.time.refit import amplitudes_of
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.signal import Signal, complete, long_gaps
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.code_events import events_of, merged, resolution_of
from orbitdl.events.detected_events import detected_events
from orbitdl.events.model import EventModel
from orbitdl.events.plausibility import warn_of_codes
from orbitdl.events.population import Population
from orbitdl.events.prominence import peaks_of
from orbitdl.gaps.filling import Filler, windows_of
from orbitdl.gaps.interpolation import merged_runs
from orbitdl.gaps.memory import predicts_better, with_long_memory
from orbitdl.groups.base import Floats

AT_ONCE = 2**20
"""Samples whose trend is computed together, so that it takes little memory."""


@dataclass(frozen=True)
class Explained:
    """Energy of recordings and the objective of their codes; the sum is that of both together."""

    energy: float
    objective: float

    def __add__(self, other: Explained) -> Explained:
        return Explained(self.energy + other.energy, self.objective + other.objective)

    @property
    def score(self) -> float:
        """The fraction of the energy that is explained, net of the cost of codes."""
        return 1.0 - self.objective / self.energy if self.energy > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Applied:
    """What waveforms make of a recording. It can be pickled.

    Attributes
    ----------
    coder : RecordingCoder
    detrend : bool
        Whether what is slower than a waveform is taken off first.
    one_axis : bool
        Whether signals are (T,), and not (T, channels).
    alpha : float
        That the waveforms were learned with: any other is compared with the noise.
    model : EventModel or None
        Noise model, detector and templates; None: noise is white, and samples are coded as they
        are.
    n_jobs : int or None
    watch : callable
        Is told of samples that are coded.
    """

    coder: RecordingCoder
    detrend: bool
    one_axis: bool
    alpha: float
    model: EventModel | None = None
    n_jobs: int | None = None
    watch: Watch = int

    @property
    def length(self) -> int:
        """Samples that a waveform spans."""
        return self.coder.waveforms.length

    def require_channels(self, signal: Signal, name: str = ONLY) -> Signal:
        """Refuse a recording of other channels than the waveforms have."""
        require_own_channels(signal.channels, self.coder.waveforms.u.shape[2], name)
        return signal

    def chunks(self, signal: Signal) -> list[Chunk]:
        """Return a recording as it is coded."""
        noise = None if self.model is None else self.model.background
        free = ready(signal, self.length, detrend=self.detrend, n_jobs=self.n_jobs, noise=noise)
        return split_recording(free, self.length)

    @property
    def templates(self) -> Waveforms:
        """The waveforms in the unit of the data, of which codes have so much."""
        return self.coder.waveforms if self.model is None else Waveforms(self.model.templates)

    def coded(self, signal: Signal, name: str = ONLY) -> Coded:
        """Code a recording, after a look at all of it."""
        survey(signal, name, n_jobs=self.n_jobs)
        chunks = self.chunks(signal)
        if self.coder.alpha != self.alpha:
            shards = RecordingShards(tuple(chunks), None, self.coder.alpha)
            require_above_noise(self.coder.alpha, shards)
        if not len(self.coder.waveforms):
            return without_atoms(chunks)
        return code_recording(chunks, self.coder, self.n_jobs, self.watch)

    def along(self, signal: Signal, name: str = ONLY, *, alphas: list[float]) -> list[Any]:
        """Return the codes of a recording at every alpha, from the largest to the smallest."""
        survey(signal, name, n_jobs=self.n_jobs)
        chunks, found = self.chunks(signal), dict[int, RecordingCodes]()
        least = min((alpha for alpha in alphas if alpha != self.alpha), default=None)
        if least is not None:
            require_above_noise(least, RecordingShards(tuple(chunks), None, least))
        if not len(self.coder.waveforms):
            return [without_atoms(chunks).codes(self.coder)] * len(alphas)
        for place in np.argsort(-np.array(alphas), kind="stable"):
            coder = replace(self.coder, alpha=alphas[place])
            coded = code_recording(chunks, coder, self.n_jobs, self.watch)
            found[int(place)], chunks = coded.codes(coder), coded.chunks
        return [found[place] for place in range(len(alphas))]

    def codes(self, signal: Signal, name: str = ONLY) -> RecordingCodes:
        """Return the codes of a recording."""
        return self.coded(signal, name).codes(self.coder)

    def judged(self, signal: Signal, name: str = ONLY) -> RecordingCodes:
        """Return the codes of a recording, and warn if they say little."""
        codes = self.codes(signal, name)
        if self.model is None:
            warn_of_codes(codes, self.coder.waveforms, len(signal))
        return codes

    def detects(self, settings: dict[str, float | None]) -> bool:
        """Return whether events are those of the detector, and need no codes."""
        names = ("alpha", "threshold", "refractory")
        return self.model is not None and all(settings.get(name) is None for name in names)

    def events(
        self, signal: Signal, codes: RecordingCodes | None, settings: dict[str, float | None]
    ) -> pd.DataFrame:
        """List the events of a recording, of an excerpt at the times of the whole."""
        sfreq, fdr = settings["sfreq"], settings["fdr"]
        chunks, waveforms, integer_shifts = (
            self.chunks(signal),
            self.coder.waveforms,
            self.coder.integer_shifts,
        )
        if codes is None:
            assert self.model is not None
            assert fdr is not None
            survey(signal, n_jobs=self.n_jobs)
            flags = {
                "sfreq": sfreq,
                "fdr": fdr,
                "integer_shifts": integer_shifts,
                "n_jobs": self.n_jobs,
            }
            table = detected_events(chunks, waveforms, self.model, **flags)  # type: ignore[arg-type]
        else:
            given = {name: settings[name] for name in ("sfreq", "threshold", "refractory")}
            table = events_of(
                chunks, waveforms, codes.atoms, integer_shifts=integer_shifts, **given
            )
            if self.model is not None:
                moved = self.model.peaks - peaks_of(waveforms)
                table["sample"] += moved[table["component"]]
                table["amplitude"] *= self.model.gains[table["component"]]
        table["sample"] += signal.offset
        if settings["sfreq"] is not None:
            table["onset"] = table["sample"] / settings["sfreq"]
        return table

    def denoised(self, signal: Signal, name: str = ONLY, *, debias: bool = False) -> Floats:
        """Return what the waveforms explain of a recording, on its trend."""
        total = self.explained_part(signal, self.coded(signal, name), debias=debias)
        slow = detrended(signal, self.length, detrend=self.detrend)
        for part in chunks_of(len(signal), AT_ONCE):
            total[part] += slow.trend(part.start, part.stop)
        return self.shaped(total)

    def explained_part(self, signal: Signal, coded: Coded, *, debias: bool) -> Floats:
        """Return the sum of all atoms in the unit of the data, (T, channels)."""
        waveforms, atoms = self.coder.waveforms, atoms_of(coded.chunks)
        if debias and len(atoms):
            events, _ = merged(atoms, resolution_of(waveforms))
            atoms = replace(events, coefficient=amplitudes_of(coded.chunks, waveforms, events))
        return self.templates.add_up(len(signal), atoms.component, atoms.time, atoms.coefficient)

    def completed(
        self, signal: Signal, name: str = ONLY, *, debias: bool = True, with_sd: bool = False
    ) -> Any:
        """Return a recording whose gaps are filled, but for those as long as a waveform.

        With a noise model the expected noise, given the samples around a gap, is added to the
        events. `with_sd` also returns standard deviations.
        """
        known = signal.raw(0, len(signal))
        missing = ~complete(known)
        unfilled = long_gaps(missing, self.length)
        coded = self.coded(signal, name)
        values = self.explained_part(signal, coded, debias=debias)
        sd, trend_of = np.zeros_like(values), partial(self.trend_of, signal)
        trend = trend_of(signal.values)
        if self.model is not None:
            x = np.where(missing[:, None], 0.0, known - trend)
            fill = partial(self.filled, coded, debias=debias)
            filled, sd = fill(x, missing)
            values = np.where(sd > 0.0, filled, values)
            if predicts_better(x, missing, self.length, fill):
                integer_shifts = np.where(missing[:, None], values + trend, known)
                values, sd = with_long_memory(known, integer_shifts, missing, self.length, trend_of)
                values = values - trend
        values = values + trend
        values[unfilled], sd[unfilled] = np.nan, np.nan
        np.copyto(values, known, where=~np.isnan(known))
        return (self.shaped(values), self.shaped(sd)) if with_sd else self.shaped(values)

    def trend_of(self, signal: Signal, values: Any) -> Floats:
        """Return the trend (T, channels) of a recording that has these values."""
        slow = detrended(replace(signal, values=values), self.length, detrend=self.detrend)
        parts = chunks_of(len(signal), AT_ONCE)
        return np.concatenate([slow.trend(part.start, part.stop) for part in parts])

    def filled(
        self, coded: Coded, x: Floats, missing: NDArray[np.bool_], *, debias: bool
    ) -> tuple[Floats, Floats]:
        """Fill gaps of less than a waveform; return means and deviations (T, channels)."""
        assert self.model is not None
        values, sd = np.zeros((2, *x.shape))
        recording, background = coded.chunks, self.model.background
        population = Population.of_code(self.model, recording, self.coder.waveforms)
        penalty, atoms = recording[0].signal.penalty, atoms_of(recording)
        assert penalty is not None
        fill = Filler(self.coder, background, penalty, population, x, missing, atoms, debias)
        own = merged_runs(missing, background.order)
        gaps = [(a, b) for a, b in own if missing[a:b].sum() < self.length]
        windows = windows_of(gaps, self.length, len(x))
        for at, mean, deviation in in_threads(fill, windows, self.n_jobs):
            values[at], sd[at] = mean, deviation
        return values, sd

    def explained(self, signal: Signal, name: str = ONLY) -> Explained:
        """Return how much codes explain of a recording."""
        coded = self.coded(signal, name)
        energy = sum(0.5 * float(np.sum(c.read(0, 0)[0][0] ** 2)) for c in coded.chunks)
        return Explained(energy, coded.certificate.objective(self.coder.alpha))

    def shaped(self, values: Floats) -> Floats:
        """Return values (..., channels) as recordings were that the model was fitted on."""
        return values[..., 0] if self.one_axis else values

    def signal_of(self, values: Any, number: int) -> Signal:
        """Return one of several recordings, checked, of what was computed somewhere else."""
        name = named(number)
        return self.require_channels(as_signal(values, name), name)
