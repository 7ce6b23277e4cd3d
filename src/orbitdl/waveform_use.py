"""What fitted waveforms do with recordings: validation and glue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from orbitdl.groups.base import Floats
from orbitdl.line.chunk import Chunk
from orbitdl.line.chunks import Coded, code_recording, cut
from orbitdl.line.coder import LineCoder
from orbitdl.line.codes import RecordingCodes
from orbitdl.line.events import events_of, merged, resolution_of
from orbitdl.line.inputs import as_recordings, ready, survey
from orbitdl.line.noise import require_above_noise
from orbitdl.line.refit import amplitudes_of
from orbitdl.line.signal import Signal
from orbitdl.line.waveforms import Waveforms
from orbitdl.validation import require_between, require_jobs, require_positive

Progress = Callable[[int], object]


class WaveformUseMixin:
    """Codes of recordings, and what follows from them.

    Every method takes one recording, or a list of them, and then returns a list.
    """

    length: int
    positive: bool
    whole_samples: bool
    detrend: bool
    tol: float
    n_jobs: int | None
    alpha_: float
    coefficients_: Floats

    def encode(
        self,
        recording: Any,
        *,
        alpha: float | None = None,
        tol: float | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """Write a recording as a sparse sum of waveforms at any times; NaN means missing.

        Parameters
        ----------
        recording : array-like of shape (T,) or (T, channels), or a list of such arrays
            Or anything of that shape that can be sliced, which is read a part at a time.
        alpha : float, optional
            Weight of sparsity; this model's if left out.
        tol : float, optional
            Certified relative gap of the whole recording; this model's if left out.
        progress : callable, optional
            Called with a number of samples whenever so many more are done.

        Returns
        -------
        RecordingCodes
            The atoms, one objective, one certified gap, and how it ended.
        """
        coder = self._coder(alpha, tol)
        return self._each(recording, lambda s: self._coded(s, coder, progress).codes(coder))

    def events(
        self,
        recording: Any,
        rate: float | None = None,
        *,
        alpha: float | None = None,
        threshold: float | None = None,
        refractory: float | None = None,
        codes: RecordingCodes | list[RecordingCodes] | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """List the events of a recording: what, when, how strong, how unusual.

        Parameters
        ----------
        recording, alpha, progress
            As in `encode`.
        rate : float, optional
            Samples per second; then `seconds` is a column.
        threshold : float, optional
            Smallest coefficient of an event, in the unit of the recording. If left out, atoms below
            half the median of their component tell of none: they are mostly noise.
        refractory : float, optional
            Samples within which a component occurs once: of events closer than that the strongest
            is listed. With 0 every atom is an event. Otherwise atoms of one component that follow
            each other more closely than its resolution, the full width at half maximum of its
            likeness to itself, are one event at their centre of mass.
        codes : RecordingCodes or a list of them, optional
            ``model.encode(recording)``, if it is at hand.

        Returns
        -------
        DataFrame
            One row per event, in the order of time: `time` in samples, where the waveform is
            largest, and `seconds`; `component`; `coefficient`; `amplitude`, refitted together with
            all atoms without shrinkage, in the unit of the recording; `share` of the energy of its
            span that is explained; `fit`, the cosine between the waveform and what is there apart
            from other events, 1 where they are alike; whether it `overlaps` another event; and
            whether an end or a gap `cut` it. ``attrs`` says which `threshold` and which
            `resolution`, in samples, every component had.
        """
        settings = {"rate": None if rate is None else require_positive(rate, "rate")}
        for value, name in ((threshold, "threshold"), (refractory, "refractory")):
            settings[name] = None if value is None else require_between(value, name, 0.0)
        if codes is None:
            codes = self.encode(recording, alpha=alpha, progress=progress)
        known, waveforms = iter(codes if isinstance(codes, list) else [codes]), self._waveforms()

        def listed(signal: Signal) -> pd.DataFrame:
            return events_of(self._chunks(signal), waveforms, next(known).atoms, **settings)

        return self._each(recording, listed)

    def decode(self, codes: RecordingCodes, n_samples: int) -> Floats:
        """Return the signal that codes describe at so many samples, (T,) or (T, channels)."""
        check_is_fitted(self)
        atoms = codes.component, codes.time, codes.coefficient
        return self._shaped(self._waveforms().add_up(n_samples, *atoms))

    def reconstruct(self, recording: Any, *, alpha: float | None = None) -> Any:
        """Return the sparse approximation of a recording, at missing samples too."""
        return self.denoise(recording, alpha=alpha)

    def denoise(
        self,
        recording: Any,
        *,
        alpha: float | None = None,
        debias: bool = False,
        progress: Progress | None = None,
    ) -> Any:
        """Remove noise: return what the waveforms explain, on the trend that was taken off.

        `debias` refits events by least squares, those that cannot be told apart as one: that
        undoes the shrinkage.
        """
        coder = self._coder(alpha, None)
        return self._each(recording, lambda s: self._explained(s, coder, debias, progress))

    def complete(
        self,
        recording: Any,
        *,
        alpha: float | None = None,
        debias: bool = True,
        progress: Progress | None = None,
    ) -> Any:
        """Fill missing samples (NaN) from the code of the others, which stay as they are.

        A sample of which one channel is missing counts as missing; what is known of it stays.
        """
        coder = self._coder(alpha, None)

        def filled(signal: Signal) -> Floats:
            known = self._shaped(signal.raw(0, len(signal)))
            explained = self._explained(signal, coder, debias, progress)
            return np.where(np.isnan(known), explained, known)

        return self._each(recording, filled)

    def score(self, recording: Any, y: None = None) -> float:
        """Return ``1 - objective / (1/2 ||M x||^2)``, summed over recordings.

        The fraction of the energy explained, net of the cost of the codes: 0 when nothing is
        explained, below 1 always. It compares models at one alpha.
        """
        coder, energy, objective = self._coder(None, None), 0.0, 0.0
        for signal in self._signals(recording)[0]:
            coded = self._coded(signal, coder, None)
            objective += coded.certificate.objective(coder.alpha)
            energy += sum(0.5 * float(np.sum(c.read(0, 0)[0][0] ** 2)) for c in coded.chunks)
        return 1.0 - objective / energy if energy > 0 else 0.0

    def _explained(
        self, signal: Signal, coder: LineCoder, debias: bool, progress: Progress | None
    ) -> Floats:
        """Return what the waveforms explain of a recording, on its trend."""
        coded = self._coded(signal, coder, progress)
        atoms = coded.codes(coder).atoms
        if debias:
            events, _ = merged(atoms, resolution_of(coder.waveforms))
            size = amplitudes_of(coded.chunks, coder.waveforms, events)
            atoms = replace(events, coefficient=size)
        total = coder.waveforms.add_up(len(signal), atoms.component, atoms.time, atoms.coefficient)
        if self.detrend:
            total += replace(signal, span=coder.waveforms.length).trend(0, len(signal))
        return self._shaped(total)

    def _coded(self, signal: Signal, coder: LineCoder, progress: Progress | None) -> Coded:
        survey(signal)
        chunks = self._chunks(signal)
        if coder.alpha != self.alpha_:
            require_above_noise(coder.alpha, chunks)
        return code_recording(chunks, coder, require_jobs(self.n_jobs), progress or int)

    def _chunks(self, signal: Signal) -> list[Chunk]:
        length = int(self.coefficients_.shape[1])
        return cut(ready(signal, length, detrend=self.detrend), length)

    def _coder(self, alpha: float | None, tol: float | None) -> LineCoder:
        check_is_fitted(self)
        weight = self.alpha_ if alpha is None else require_positive(alpha, "alpha")
        gap = require_positive(self.tol if tol is None else tol, "tol")
        flags = bool(self.positive), bool(self.whole_samples)
        return LineCoder(self._waveforms(), weight, gap, *flags)

    def _waveforms(self) -> Waveforms:
        u = self.coefficients_
        return Waveforms(u.reshape(*u.shape[:2], -1))

    def _each(self, recording: Any, work: Callable[[Signal], Any]) -> Any:
        """Return what is made of one recording, or a list of what is made of several."""
        signals, several = self._signals(recording)
        done = [work(signal) for signal in signals]
        return done if several else done[0]

    def _signals(self, recording: Any) -> tuple[list[Signal], bool]:
        """Return recordings that these waveforms can be looked for in."""
        signals, several = as_recordings(recording)
        own = self._waveforms().u.shape[2]
        if signals[0].channels != own:
            raise ValueError(
                f"the recording has {signals[0].channels} channels, but this model was fitted on "
                f"{own}; pass the same ones."
            )
        return signals, several

    def _shaped(self, values: Floats) -> Floats:
        """Return values (..., channels) as recordings were that the model was fitted on."""
        return values[..., 0] if self.coefficients_.ndim == 2 else values
