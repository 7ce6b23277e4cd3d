"""Recordings coded, denoised and decomposed into events with the waveforms of a fitted model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.codes import Codes
from orbitdl.coding.parallel import chunks_of
from orbitdl.domains.time.acquisition import SAME
from orbitdl.domains.time.alpha import require_above_noise
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
from orbitdl.domains.time.inputs import (
    detrended,
    ready,
    require_live_channels,
    require_own_channels,
    survey,
)
from orbitdl.domains.time.refit import amplitudes_of
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.code_events import events_of, merged, no_events, resolution_of
from orbitdl.events.detected_events import detected_events, no_detected_events
from orbitdl.events.model import EventModel
from orbitdl.events.plausibility import warn_of_codes
from orbitdl.events.prominence import peaks_of
from orbitdl.groups.base import Floats

AT_ONCE = 2**20
"""Samples whose trend is computed together, so that it takes little memory."""
Settings = dict[str, Any]
"""Of events: sfreq, fdr, alpha, threshold, refractory."""


@dataclass(frozen=True, eq=False)
class SignalCoder:
    """What codes recordings; everything in here is checked. It can be pickled.

    Attributes
    ----------
    coder : RecordingCoder
    detrend : bool
        Whether what is slower than a waveform is subtracted first.
    one_axis : bool
        Whether signals are (T,), and not (T, channels).
    alpha : float
        That the waveforms were learned with: any other is compared with the noise.
    model : EventModel or None
        Noise model, detector and templates; None: noise is white, and samples are coded as they
        are.
    debias : bool
        Whether events are refitted by least squares.
    n_jobs : int or None
    watch : callable
        Is told of samples that are coded.
    """

    coder: RecordingCoder
    detrend: bool
    one_axis: bool
    alpha: float
    model: EventModel | None = None
    debias: bool = False
    n_jobs: int | None = None
    watch: Watch = int
    noun: ClassVar[str] = "recordings"

    @property
    def length(self) -> int:
        """Samples that a waveform spans."""
        return self.coder.waveforms.length

    @property
    def templates(self) -> Waveforms:
        """The waveforms in the unit of the data, of which codes have so much."""
        return self.coder.waveforms if self.model is None else Waveforms(self.model.templates)

    def prepare(self, signal: Signal) -> Signal:
        """Refuse a recording of other channels than the waveforms have."""
        require_own_channels(signal.channels, self.coder.waveforms.u.shape[2], signal.name)
        return signal

    def chunks(self, signal: Signal) -> list[Chunk]:
        """Return a recording as it is coded."""
        noise = None if self.model is None else self.model.background
        free = ready(signal, self.length, detrend=self.detrend, n_jobs=self.n_jobs, noise=noise)
        return split_recording(free, self.length)

    def look(self, signal: Signal) -> None:
        """Refuse a recording that cannot be worked with."""
        looked = survey(signal, n_jobs=self.n_jobs)
        if self.model is not None and len(looked.constant) < looked.channels:
            require_live_channels(looked, signal.name)

    def code(self, signal: Signal) -> Coded:
        """Code a recording, after a look at all of it."""
        self.look(signal)
        chunks = self.chunks(signal)
        self._require_above_noise(chunks, self.coder.alpha)
        return self._coded(chunks, self.coder)

    def path(self, signal: Signal, alphas: list[float]) -> list[Codes]:
        """Return the codes of a recording at every alpha, from the largest to the smallest."""
        self.look(signal)
        chunks, found = self.chunks(signal), dict[int, Codes]()
        self._require_above_noise(chunks, min((a for a in alphas if a != self.alpha), default=0.0))
        for place in np.argsort(-np.array(alphas), kind="stable"):
            coder = replace(self.coder, alpha=alphas[place])
            coded = self._coded(chunks, coder)
            found[int(place)], chunks = coded.codes(coder), coded.chunks
        return [found[place] for place in range(len(alphas))]

    def codes(self, coded: Coded) -> Codes:
        """Return the codes of a recording."""
        return coded.codes(self.coder)

    def shaped(self, values: Floats) -> Floats:
        """Return values (..., channels) as recordings were that the model was fitted on."""
        return values[..., 0] if self.one_axis else values

    def explained_part(self, signal: Signal, coded: Coded) -> Floats:
        """Return the sum of all atoms in the unit of the data, (T, channels)."""
        waveforms, atoms = self.coder.waveforms, atoms_of(coded.chunks)
        if self.debias and len(atoms.time):
            events, _ = merged(atoms, resolution_of(waveforms))
            atoms = replace(events, coefficient=amplitudes_of(coded.chunks, waveforms, events))
        return self.templates.add_up(len(signal), atoms.component, atoms.time, atoms.coefficient)

    def detects(self, settings: Settings) -> bool:
        """Return whether events are those of the detector, and need no codes."""
        names = ("alpha", "threshold", "refractory")
        return self.model is not None and all(settings.get(name) is None for name in names)

    def no_events(self, settings: Settings) -> pd.DataFrame:
        """Return a table of no events, which has the columns of all others."""
        return (no_detected_events if self.detects(settings) else no_events)(settings["sfreq"])

    def _coded(self, chunks: list[Chunk], coder: RecordingCoder) -> Coded:
        """Code the chunks of a recording."""
        if not len(coder.waveforms):
            return without_atoms(chunks)
        return code_recording(chunks, coder, self.n_jobs, self.watch)

    def _require_above_noise(self, chunks: list[Chunk], alpha: float) -> None:
        """Refuse an alpha of which noise alone would be coded; that of the fit is known."""
        if alpha not in (self.alpha, 0.0):
            require_above_noise(alpha, RecordingShards(tuple(chunks), None, alpha))


def recording_codes(work: SignalCoder, signal: Signal, coded: Coded) -> Codes:
    """Return the codes of a recording, and warn if they say little."""
    codes = work.codes(coded)
    if work.model is None:
        warn_of_codes(codes, work.coder.waveforms, len(signal))
    return codes


def denoised(work: SignalCoder, signal: Signal, coded: Coded) -> Floats:
    """Return what the waveforms explain of a recording, on its trend."""
    total = work.explained_part(signal, coded)
    slow = detrended(signal, work.length, detrend=work.detrend)
    for part in chunks_of(len(signal), AT_ONCE):
        total[part] += slow.trend(part.start, part.stop)
    return work.shaped(total)


def recording_energy(work: SignalCoder, signal: Signal, coded: Coded) -> float:
    """Return ``1/2 ||M x||^2``."""
    return 0.5 * coded.certificate.data


def listed(
    work: SignalCoder,
    signal: Signal,
    coded: Coded | None,
    *,
    settings: Settings,
    known: Codes | None = None,
) -> pd.DataFrame:
    """List the events of a recording, of an excerpt at the times of the whole.

    They are those of its coding, of codes of all recordings that are known, or of the detector.
    """
    sfreq = known_rate(settings["sfreq"], signal)
    chunks, flags = work.chunks(signal), dict[str, Any](integer_shifts=work.coder.integer_shifts)
    if coded is None and known is None:
        assert work.model is not None
        work.look(signal)
        flags |= {"sfreq": sfreq, "fdr": settings["fdr"], "n_jobs": work.n_jobs}
        table = detected_events(chunks, work.coder.waveforms, work.model, **flags)
    else:
        atoms = atoms_of_one(known, signal) if coded is None else atoms_of(coded.chunks)
        flags |= {name: settings[name] for name in ("threshold", "refractory")}
        table = events_of(chunks, work.coder.waveforms, atoms, sfreq=sfreq, **flags)
        if work.model is not None:
            moved = work.model.peaks - peaks_of(work.coder.waveforms)
            table["sample"] += moved[table["component"]]
            if work.coder.integer_shifts:
                table["sample"] = np.rint(table["sample"])
            table["amplitude"] *= work.model.gains[table["component"]]
    table["sample"] += signal.first_sample
    if sfreq is not None:
        table["onset"] = table["sample"] / sfreq
    return table


def known_rate(sfreq: float | None, signal: Signal) -> float | None:
    """Return the sampling rate that is passed or that of the recording; refuse one of two."""
    if sfreq and signal.sfreq and abs(sfreq - signal.sfreq) > SAME * signal.sfreq:
        raise ValueError(
            f"{signal.name} has a sampling rate of {signal.sfreq:g} Hz, and sfreq={sfreq:g} was "
            "passed; leave sfreq= out, or resample the recording."
        )
    return sfreq or signal.sfreq


def atoms_of_one(codes: Codes | None, signal: Signal) -> Atoms:
    """Return the atoms of one recording, given the codes of all."""
    assert codes is not None
    return (codes if len(codes) == 1 else codes[signal.number or 0]).atoms
