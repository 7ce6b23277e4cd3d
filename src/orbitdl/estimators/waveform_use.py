"""What fitted waveforms do with recordings: validation and glue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from orbitdl.arrays.validation import as_alphas, require_between, require_jobs, require_positive
from orbitdl.coding.codes import Codes
from orbitdl.display.estimator_html import ShownMixin
from orbitdl.domains.time.acquisition import compare_with, no_rate_of
from orbitdl.domains.time.coder import RecordingCoder
from orbitdl.domains.time.dask_recordings import delayed_recordings
from orbitdl.domains.time.inputs import LocalRecordings, as_recordings
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.estimators.apply import (
    Deferred,
    LazyApply,
    Make,
    applied,
    as_dask_table,
    coded_of,
    path_of,
    uncoded,
    with_number,
)
from orbitdl.estimators.fill_gaps import gaps_filled
from orbitdl.estimators.recording_dataset import open_files
from orbitdl.estimators.signal_coder import (
    SignalCoder,
    denoised,
    listed,
    recording_codes,
    recording_energy,
)
from orbitdl.events.model import EventModel
from orbitdl.groups.base import Floats
from orbitdl.groups.presentation import View, view_of_signals
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.preprocessing.pipeline import Applied

Progress = Callable[[int], object]


class WaveformUseMixin(ShownMixin):
    """Codes of recordings, and what follows from them.

    Every method takes one recording, or several: a list of arrays, what gives arrays one after
    another, or a list of `dask.delayed` objects that compute to arrays. Codes of several recordings
    are one object; arrays and tables are a list. Of delayed recordings what is returned is not
    computed yet, but for a score; each is coded as a whole where it is computed. A
    `io.Recording` is compared with those that the model was fitted on: another sampling
    rate is refused; other units, channel names or another scale are warned of.
    """

    _apply_steps: Callable[[Any], tuple[Any, list[Applied]]]
    length: int
    positive: bool
    integer_shifts: bool
    detrend: bool
    tol: float
    n_jobs: int | None
    alpha_: float
    coefficients_: Floats
    preprocessing_: Sequence[Any]
    acquisition_: Mapping[str, Any]
    event_model_: EventModel | None
    _noun = "sample"

    @single_threaded_blas()
    def encode(
        self,
        recording: Any,
        *,
        alpha: float | None = None,
        tol: float | None = None,
        to: str | PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """Write a recording as a sparse sum of waveforms at any times; NaN means missing.

        Parameters
        ----------
        recording : array-like of shape (T,) or (T, channels), or a list of such arrays
            Or anything of that shape that can be sliced, which is read a part at a time, a
            `io.Recording`, or the path of a file.
        alpha : float, optional
            Regularisation weight; this model's if left out.
        tol : float, optional
            Certified relative gap of the whole recording; this model's if left out.
        to : path-like, optional
            A folder that is not there yet: codes are written to it, as two Parquet datasets,
            instead of being kept in memory.
        progress : callable, optional
            Called with a number of samples whenever so many more are done; not for recordings that
            are computed later.

        Returns
        -------
        Codes, or StoredCodes where `to` is given
            The atoms; objective, certified gap and status of every recording. Of delayed recordings
            a list of delayed codes.
        """
        work = self._work(alpha, tol, progress)
        recording = self._opened(recording)
        lazy, several = delayed_recordings(recording)
        if lazy is not None and to is None:
            codes = Deferred(lazy, work).each("encode", recording_codes)
            return codes if several else codes[0]
        with applied(lazy or self._local(recording, work)[0], work, None) as model:
            if to is not None:
                return model.stored(to)
            return Codes.concatenate(model.each("encode", recording_codes))

    @single_threaded_blas()
    def encode_path(self, recording: Any, alphas: Iterable[float]) -> Any:
        """Code a recording at every one of some alphas, each from the codes of the one before.

        From the largest alpha to the smallest. Returns one `Codes` for every alpha, in their order;
        of delayed recordings such a list for each, delayed too.
        """
        weights, work = as_alphas(alphas), self._work()
        recording = self._opened(recording)
        lazy, several = delayed_recordings(recording)
        if lazy is not None:
            found = Deferred(lazy, work).each("encode", coded_of, partial(path_of, alphas=weights))
            return found if several else found[0]
        with applied(self._local(recording, work)[0], work, None) as model:
            return model.path(weights)

    @single_threaded_blas()
    def events(
        self,
        recording: Any,
        sfreq: float | None = None,
        *,
        alpha: float | None = None,
        threshold: float | None = None,
        refractory: float | None = None,
        fdr: float = 0.05,
        codes: Any = None,
        progress: Progress | None = None,
    ) -> Any:
        """List the events of a recording: what, when, how strong, how unusual.

        Parameters
        ----------
        recording, alpha, progress
            As in `encode`.
        sfreq : float, optional
            Sampling rate in Hz; then `onset` is a column. By default that of a `Recording`, or
            else of the `Recording` that the model was fitted on.
        fdr : float
            False discovery rate: events with a larger `q_value` are not listed. Of a model with
            ``noise="auto"``.
        threshold : float, optional
            Smallest coefficient of an event, in the unit of alpha. If left out, a model with
            ``noise="auto"`` lists what its calibrated detector finds, by the thresholds of the fit;
            with ``noise="white"`` atoms below half the median of their component are no events:
            they are mostly noise.
        refractory : float, optional
            Samples within which a component occurs once: of events closer than that the strongest
            is listed. With 0 every atom is an event. Otherwise atoms of one component that follow
            each other more closely than its resolution, the full width at half maximum of its
            similarity to itself, are one event at their centre of mass.
        codes : Codes, optional
            ``model.encode(recording)``, if known; the detector needs none. With alpha,
            threshold or refractory, events are those of a sparse code.

        Returns
        -------
        DataFrame
            One row per event, in the order of time. Its columns are

            - `onset`: the time of the waveform's peak in seconds, if the sampling rate is known;
            - `sample`: the same in samples, to a fraction of one. Both count from the start of
              the whole recording, of an excerpt too;
            - `component`: number of the waveform, from 0;
            - `amplitude`: factor of the unit-norm component in `components_`, refitted together
              with all atoms without the penalty, in the unit of the recording;
            - `coefficient`: that of the sparse code, shrunk by the penalty; of a detected event
              the refitted one, in standard deviations of the background noise;
            - `onset_sd`, `sample_sd`, `amplitude_sd`: standard errors, by noise, overlaps and how
              much the halves of events differ;
            - `p_value`: probability of such a peak in noise, and `q_value`: the false discovery
              rate of a list that ends with it;
            - `runner_up`: the component that explains it best after its own, -1 if there is none,
              and `evidence`: by how much less, as a logarithm of the likelihood ratio;
            - `explained`: share of the energy in its support that is explained;
            - `similarity`: cosine similarity of the waveform and the data in its support, other
              events subtracted; 1 where they have the same shape;
            - `overlapping`: whether it shares samples with another event;
            - `truncated`: whether an end of the recording or a gap truncates it;
            - `interval`: samples since the previous event of any component, and `interval_s` the
              same in seconds, if the sampling rate is known;
            - `own_interval`: samples since the previous event of the same component. Intervals
              are NaN for the first event, and where half a waveform or more is missing in between.

            Errors, p-values and runners-up are those of detected events, with ``noise="auto"``.
            ``attrs`` holds the `threshold` of every component, of amplitudes for detected events
            and of coefficients otherwise, and its `resolution` in samples;
            of detected events also `decoys`, an estimate of how many are false that assumes
            symmetric noise and no distribution: how often the waveform upside down passes the same
            thresholds and rules, or reversed in time where coefficients may be negative.
            Of delayed recordings it is a lazy Dask dataframe, a recording a partition, whose
            first column is the number of the `recording`.
        """
        check_is_fitted(self)
        recording = open_files(recording)
        rate = self.acquisition_.get("sfreq") if no_rate_of(recording) else None
        settings = {"sfreq": rate if sfreq is None else require_positive(sfreq, "sfreq")}
        for value, name in ((threshold, "threshold"), (refractory, "refractory")):
            settings[name] = None if value is None else require_between(value, name, 0.0)
        settings["fdr"] = require_between(fdr, "fdr", 0.0, 1.0)
        settings["alpha"] = alpha
        work = self._work(alpha, None, progress)
        recording = self._opened(recording)
        lazy, _ = delayed_recordings(recording)
        given = None if work.detects(settings) else codes
        code = uncoded if work.detects(settings) or given is not None else None
        make = partial(listed, settings=settings, known=given)
        if lazy is not None:
            tables = Deferred(lazy, work).each(
                "events", make, code, method=LazyApply.events, known=given
            )
            return as_dask_table(tables, with_number(work.no_events(settings), 0))
        chunks, several = self._local(recording, work, compared=given is not None)
        with applied(chunks, work, None) as model:
            tables = model.each("events", make, code)
        return tables if several else tables[0]

    @single_threaded_blas()
    def decode(self, codes: Codes, n_samples: int) -> Floats:
        """Return the signal that codes of a recording describe, (T,) or (T, channels)."""
        templates, atoms = self._work().templates, codes.atoms
        if len(codes) != 1:
            raise ValueError(
                f"codes are those of {len(codes)} recordings; pass those of one: codes[k]."
            )
        values = templates.add_up(n_samples, atoms.component, atoms.time, atoms.coefficient)
        return self._shaped(values)

    @single_threaded_blas()
    def reconstruct(self, recording: Any, *, alpha: float | None = None) -> Any:
        """Return the sparse approximation of a recording, at missing samples too."""
        return self.denoise(recording, alpha=alpha)

    @single_threaded_blas()
    def denoise(
        self,
        recording: Any,
        *,
        alpha: float | None = None,
        debias: bool = False,
        progress: Progress | None = None,
    ) -> Any:
        """Remove noise: return what the waveforms explain, on the trend that was subtracted.

        `debias` refits events by least squares, those that cannot be told apart as one: that
        undoes the shrinkage.
        """
        work = self._work(alpha, None, progress, debias=debias)
        return self._each(recording, "denoise", denoised, work)

    @single_threaded_blas()
    def complete(
        self,
        recording: Any,
        *,
        alpha: float | None = None,
        debias: bool = True,
        return_std: bool = False,
        progress: Progress | None = None,
    ) -> Any:
        """Fill missing samples (NaN) from the code of the others, which stay as they are.

        A sample of which one channel is missing counts as missing; what is known of it stays. A gap
        as long as a waveform or longer, which may hide a whole event, stays missing. The trend is
        added again, across gaps on a straight line.

        With ``noise="auto"`` the events near a gap and its missing samples are found together, so
        that an event is known by what is observed of it, and the expected noise in the gap, given
        the samples around it, is added. With `debias` events are refitted to what was observed;
        one that a gap hides for the most part has an amplitude like others of its component.

        `return_std` returns the standard deviations of the filled samples too, as a second array:
        zero where a sample was observed. They are those of the noise, of amplitudes and times of
        events, and of events about their waveform. That an event may lie in the gap of which
        nothing is observed is not in them. With ``noise="white"`` they are zero.
        """
        work = self._work(alpha, None, progress, debias=debias)
        return self._each(recording, "complete", partial(gaps_filled, with_sd=return_std), work)

    @single_threaded_blas()
    def score(self, recording: Any, y: None = None) -> float:
        """Return ``1 - objective / (1/2 ||M x||^2)``, summed over recordings.

        The fraction of the energy explained, net of the cost of the codes: 0 when nothing is
        explained, below 1 always. It compares models at one alpha.
        """
        work = self._work()
        recording = self._opened(recording)
        lazy, _ = delayed_recordings(recording)
        chunks: Any = lazy or self._local(recording, work)[0]
        with applied(chunks, work, None if lazy is None else require_jobs(self.n_jobs)) as model:
            return model.score(recording_energy)

    def _work(
        self,
        alpha: float | None = None,
        tol: float | None = None,
        progress: Progress | None = None,
        *,
        debias: bool = False,
    ) -> SignalCoder:
        """Check settings, and return what codes recordings with these waveforms."""
        check_is_fitted(self)
        weight = self.alpha_ if alpha is None else require_positive(alpha, "alpha")
        gap = require_positive(self.tol if tol is None else tol, "tol")
        flags = bool(self.positive), bool(self.integer_shifts)
        return SignalCoder(
            RecordingCoder(self._waveforms(), weight, gap, *flags),
            bool(self.detrend),
            self.coefficients_.ndim == 2,
            self.alpha_,
            self.event_model_,
            debias,
            require_jobs(self.n_jobs),
            progress or int,
        )

    def _waveforms(self) -> Waveforms:
        u = self.coefficients_
        return Waveforms(u[:, :, None] if u.ndim == 2 else u)

    def _in_data_unit(self) -> tuple[Waveforms, Floats]:
        """Return the waveforms of `components_`, and the amplitude of coefficient one, (q,)."""
        if self.event_model_ is None:
            return self._waveforms(), np.ones(len(self.coefficients_))
        return Waveforms(self.event_model_.templates).unit(), self.event_model_.gains

    def _each(self, recording: Any, name: str, make: Make, work: SignalCoder) -> Any:
        """Return arrays made of one recording or several, as values of these before preprocessing.

        Of delayed recordings, which are preprocessed where they are computed, of these after it.
        """
        recording, undone = self._apply_steps(open_files(recording))
        lazy, several = delayed_recordings(recording)
        if lazy is not None:
            made = Deferred(lazy, work).each(name, make)
        else:
            chunks, several = self._local(recording, work)
            with applied(chunks, work, None) as model:
                made = model.each(name, make)
            made = [_restored(one, *how) for one, *how in zip_longest(made, undone)]
        return made if several else made[0]

    def _opened(self, recording: Any) -> Any:
        """Return recordings, of which files are opened, after preprocessing."""
        return self._apply_steps(open_files(recording))[0]

    def _local(
        self, recording: Any, work: SignalCoder, *, compared: bool = False
    ) -> tuple[LocalRecordings, bool]:
        """Return recordings that waveforms can be looked for in, and whether there are several."""
        if not compared:
            compare_with(self.acquisition_, recording)
        signals, several = as_recordings(recording)
        return LocalRecordings([work.prepare(signal) for signal in signals]), several

    def _shaped(self, values: Floats) -> Floats:
        """Return values (..., channels) as recordings were that the model was fitted on."""
        return values[..., 0] if self.coefficients_.ndim == 2 else values

    def _view_of_components(self) -> View:
        return view_of_signals(self.components_.shape[1:])

    def _moves(self) -> str:
        return f"may begin at any {'whole sample' if self.integer_shifts else 'time'}"


def _restored(made: Any, applied: Applied | None) -> Any:
    """Return values, or values and their standard deviations, as before preprocessing."""
    if applied is None:
        return made
    if isinstance(made, tuple):
        return (applied.restore(made[0]), *made[1:])
    return applied.restore(made)
