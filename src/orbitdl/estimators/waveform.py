"""The estimator for recordings: waveforms, and every occurrence of them at any time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from orbitdl.arrays.validation import (
    as_components,
    require_batch_size,
    require_count,
    require_positive_or,
)
from orbitdl.arrays.warnings import warn_user
from orbitdl.coding.codes import Codes
from orbitdl.dictionaries.base import Kind
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.domains.time.acquisition import acquired, compare
from orbitdl.domains.time.alpha import (
    above_white_noise,
    alpha_of_recordings,
    require_above_noise,
)
from orbitdl.domains.time.chunk import Recordings
from orbitdl.domains.time.coordinates import from_blocks, to_blocks
from orbitdl.domains.time.inputs import require_own_channels
from orbitdl.domains.time.pool import Pool
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.signal import name_of
from orbitdl.domains.time.starts import choose_waveforms, greedy_start
from orbitdl.domains.time.statistics import max_shift_of
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.estimators.features import FeaturesMixin
from orbitdl.estimators.out_of_core_recordings import OutOfCoreRecordings, RecordingLoader
from orbitdl.estimators.preprocessed import PreprocessedMixin, require_no_windows
from orbitdl.estimators.recording_dataset import RecordingDataset, open_files, recording_dataset
from orbitdl.estimators.start import AUTO, Found, found_in
from orbitdl.estimators.streaming import StreamMixin
from orbitdl.estimators.waveform_records import WaveformRecordsMixin
from orbitdl.estimators.waveform_use import WaveformUseMixin
from orbitdl.events.model import EventModel
from orbitdl.events.plausibility import warn_of_codes
from orbitdl.groups.base import Blocks
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.learning.history import History
from orbitdl.learning.progress import announce
from orbitdl.learning.state import Iteration
from orbitdl.storage.provenance import provenance

SHORTEST = 4
"""Samples that a waveform has at least: as many as move a spline."""
LARGEST = 2**32
"""Bytes that the sums over events may take."""
LITTLE = 0.1
"""Share of the energy above the noise below which a fit explains little."""
NOISE = (AUTO, "white")
"""Noise models."""
NOTHING = (
    "no waveform recurs in this recording: what is there cannot be distinguished from noise, or "
    "occurs fewer than five times; try another length, or pass n_components= to learn regardless."
)


class WaveformLearning(
    FeaturesMixin,
    WaveformUseMixin,
    PreprocessedMixin,
    WaveformRecordsMixin,
    StreamMixin,
    BaseEstimator,
):
    """Learn waveforms from recordings such that these are a sparse sum of them at any times.

    Parameters
    ----------
    n_components : int or "auto"
        Number of waveforms q. "auto" adds one after the other from what is left, as long as its
        events predict each other and it is a kind of its own; ``provenance_["components"]``
        reports how many there are and why no more. There may be none: noise has no waveforms. A
        given `init` has as many as it has. An integer ends this growth there; where fewer are
        kinds of their own, more are added without these tests, and a warning says so.
    length : int
        Samples that a waveform spans: about as long as an event.
    alpha : float or "auto"
        Regularisation weight. "auto" is just above the largest correlation with noise alone,
        ``sigma sqrt(2 log(q T))``, where sigma is the standard deviation of correlations of the
        waveforms with noise, or larger where codes would be dense; ``provenance_["alpha"]`` has
        the reason. In standard deviations of the background noise if it is "auto", else in the
        unit of the data.
    noise : {"auto", "white"}
        The noise model. "auto" estimates the spectrum of the background and its level over time.
        Recordings are whitened by a short filter, and the penalty follows the level. "white"
        takes recordings as they are.
    positive : bool
        Whether coefficients must be positive, for those who know the polarity. With
        ``n_components="auto"`` they are: the other polarity is a component of its own.
    integer_shifts : bool
        Whether waveforms begin at integer samples only: for comparison, and for data that are
        aligned already.
    detrend : bool
        Take off first what is slower than a waveform, so that none can explain it: medians of
        stretches of that length, joined by cubic splines. `reconstruct`, `denoise` and `complete`
        put it back.
    preprocessing : sequence of steps, optional
        Steps of `orbitdl.preprocessing`, such as ``[Pick("MLII"), HighPass(0.5), Notch(50)]``, that
        recordings go through first, here and in every other method: filters, choice and reference
        of channels, another sampling rate. The model file holds them.
    max_iter, tol, n_restarts, random_state, n_jobs, verbose, callback, checkpoint
        As in `OrbitDictionaryLearning`. The gap is that of whole recordings. Waveforms that growth
        finds are final: `max_iter`, `n_restarts` and `random_state` play no role, `n_iter_` is 0.
    init : {"data", "random"} or array-like of shape (q, length) or (q, length, channels)
        "data" starts from the waveforms that growth finds; with ``noise="white"`` and an integer
        `n_components` from stretches of the recordings that are unlike each other at any shift.
        "random" starts from noise, an array from given waveforms: both are learned by alternation.
    batch_size : int, None or "auto"
        Recordings per dictionary step, as in `OrbitDictionaryLearning`; a single recording is one
        batch. "auto" is None: all of them.

    Attributes
    ----------
    n_components_ : int
        Number of waveforms, also where it was chosen.
    components_ : ndarray of shape (q, length) or (q, length, channels)
        The waveforms at integer samples, of unit norm on the time axis; an event of amplitude b
        is b times one of them, in the unit of the data. A local optimum, as in all dictionary
        learning.
    components_sd_ : ndarray of the same shape or None
        Standard errors of the waveforms; None if noise is white.
    coefficients_ : ndarray of the same shape
        Of cubic B-splines: ``a_j(t) = sum_n coefficients_[j, n] B(t - n)``, of unit norm on the
        time axis. These are the waveforms that recordings are coded with, whitened ones if there
        is a noise model.
    whitened_components_ : ndarray of the same shape
        Those at integer samples.
    event_model_ : EventModel or None
        Noise model, calibrated detector and waveforms in the unit of the data; None if noise is
        white.
    alpha_ : float
        The weight that was used, and that coding with this model uses.
    codes_ : Codes or None
        What the last iteration coded recordings with; None if an earlier process did that, if
        the model was loaded, or if the recordings are somewhere else.
    preprocessing_ : list
        The fitted preprocessing steps.
    acquisition_ : dict
        What is known of the recordings after these steps: sampling rate, names, units and scale of
        the channels. ``sfreq_``, ``ch_names_`` and ``unit_`` are taken from it.
    starts_, history_, n_iter_, converged_, n_steps_, seconds_, provenance_
        As in `OrbitDictionaryLearning`; a data point is a recording. ``provenance_["alpha"]`` says
        why an automatic alpha is what it is.

    Notes
    -----
    Minimises, over any number of atoms at any times and over waveforms of unit norm,

        1/2 ||M (x - sum_k c_k a_{j_k}(. - tau_k))||^2 + alpha sum_k |c_k|,

    summed over recordings; M keeps what was observed. Atoms may overhang the ends of a recording
    and reach into gaps. The norm of a shifted waveform at the samples depends on the fraction of a
    sample, hardly for smooth waveforms, but by some percent for white noise. Events are refitted
    without the penalty, which would pull the times of such sharp waveforms to integer samples.

    With ``noise="auto"`` x is the whitened recording ``h * x / scale``, and the penalty of an atom
    is ``alpha sigma(tau) |c|`` with the local noise level sigma. The objective, the duality gap and
    alpha are those of this whitened, weighted problem; `events`, `denoise` and `complete` answer in
    the unit of the data.

    With ``noise="auto"`` and ``init="data"`` the waveforms minimise no objective: they are averages
    of their events, added one at a time (see `n_components`). Where growth ends with fewer than an
    integer `n_components`, the best candidate in the residual is added, or the component with most
    events is divided along its first principal axis. Events of either sign are then detected,
    unless `positive`.

    Recordings are read, coded and learned from a chunk at a time: an array on disk that can be
    sliced is never in memory as a whole.

    Examples
    --------
    >>> from orbitdl.datasets import make_ecg_recording
    >>> heart = make_ecg_recording(duration=60, premature=0.0, random_state=0)
    >>> model = WaveformLearning(length=200).fit(heart.signal)
    >>> model.n_components_
    1
    >>> events = model.events(heart.signal, heart.sfreq)
    >>> bool(len(events) == heart.beats["inside"].sum())
    True
    """

    def __init__(
        self,
        n_components: int | str = "auto",
        length: int = 100,
        alpha: float | str = "auto",
        noise: str = "auto",
        positive: bool = False,
        integer_shifts: bool = False,
        detrend: bool = True,
        preprocessing: Iterable[Any] | None = None,
        max_iter: int = 50,
        tol: float = 1e-4,
        init: str | ArrayLike = "data",
        n_restarts: int = 5,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Iteration], bool | None] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        batch_size: int | str | None = "auto",
    ) -> None:
        self.n_components = n_components
        self.length = length
        self.alpha = alpha
        self.noise = noise
        self.positive = positive
        self.integer_shifts = integer_shifts
        self.detrend = detrend
        self.preprocessing = preprocessing
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.n_restarts = n_restarts
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.checkpoint = checkpoint
        self.batch_size = batch_size

    @single_threaded_blas()
    def fit(self, recording: Any, y: None = None) -> Self:
        """Learn waveforms from a recording, or from a list of recordings.

        Parameters
        ----------
        recording : array-like of shape (T,) or (T, channels), or a list of such arrays
            NaN means missing. A `io.Recording`, or the path of a file, will do, and so will
            anything of that shape that can be sliced, such as a memory map or an array of h5py or
            zarr: it is read a part at a time, and so is a `.npy` file. What gives recordings one
            after another is kept in a scratch folder first. Of a list of `dask.delayed` objects
            each computes to one recording, on the workers of a Dask cluster if there is a client
            of one, where it is coded as a whole; their codes are not kept (`codes_` is None).
        """
        self._check_parameters()
        began = time.perf_counter()
        steps, recording = self._fit_steps(open_files(recording))
        require_no_windows(recording)
        known = acquired(recording)
        with self._dataset(recording) as dataset:
            stopped = self._learn_from(dataset)
        self.preprocessing_, self.acquisition_ = steps, known
        self.seconds_ = time.perf_counter() - began
        self._warn_unless_converged(stopped)
        if self.n_components_ == 0:
            warn_user(NOTHING)
        elif self.event_model_ is not None:
            self._warn_of_little(self.event_model_.explained)
        elif self.codes_ is not None and self.max_iter > 0 and not stopped:
            for codes, samples in zip(self.codes_, dataset.lengths, strict=True):
                warn_of_codes(codes, self._waveforms(), samples)
        return self

    def _warn_of_little(self, explained: float) -> None:
        """Warn if the events explain little of what is above the noise."""
        if explained < LITTLE:
            warn_user(
                f"the waveforms explain {100 * explained:.2g} % of the energy above the noise: "
                "most of what stands out does not recur, or not within length= samples; try "
                "another length, or remove artefacts first (missing samples are NaN)."
            )

    def _learn_from(self, dataset: RecordingDataset) -> bool:
        """Choose noise, number, alpha and starts, then learn; return whether a callback stopped."""
        found = self._discover(dataset.shards)
        shards, data, q = found.shards, dataset.fingerprint, found.number
        origin = provenance(dataset.samples, data) | found.reasons
        if q == 0:
            return self._present_nothing(dataset, found, origin)
        self._require_tables(q)
        pool, seed = Pool.of(shards), self._seed()
        choose = partial(choose_waveforms, pool=pool, q=q, kind=self._kind)
        choose(found.init, generators=[])  # refuses what cannot be one
        alpha, why = self._choose_alpha(shards, pool, found)
        size, count = None if found.is_final else self._size_of_batches(), len(dataset.lengths)
        origin |= why | ({} if size is None else self._batches(count, size, "recordings"))
        shards = self._watched(shards.at(alpha))
        identity = partial(self._identity, alpha, size, data)
        with self._open_checkpoint(shards, seed, identity, self._kind) as runs:
            starts = choose(found.init, generators=self._generators(runs.seed))
            most = 0 if found.is_final else None
            best = self._learn(shards, starts, runs, float(self.tol), size=size, max_iter=most)
        self.converged_ = self.converged_ or found.is_final
        self._present(best.dictionary.components, dataset.one_axis, found)
        self.codes_: Codes | None = best.codes
        self.alpha_, self.provenance_ = alpha, origin
        return best.stopped

    def _discover(self, shards: RecordingShards | OutOfCoreRecordings) -> Found:
        """Estimate noise and number of components as the parameters ask for."""
        number = self._number
        if self.noise == "white" and number != AUTO:
            self.n_components_, self.event_model_ = int(number), None
            return Found(shards, self.n_components_, self.init)
        announce("estimating noise and waveforms", self.callback, self.verbose)
        signed = not self.positive and number != AUTO
        found = found_in(shards, number, self.noise, self.init, signed=signed)
        self.n_components_ = found.number
        for reason in found.reasons.values():
            if self.verbose:
                print(reason)
        return found

    def _present_nothing(
        self, dataset: RecordingDataset, found: Found, origin: dict[str, Any]
    ) -> bool:
        """Present a model without waveforms."""
        _, width, channels = dataset.shards.space.block_shape
        self.starts_, self.history_ = np.zeros(0), History()
        self.n_iter_, self.converged_, self.n_steps_, self._progress = 0, True, 0, None
        self._present(np.zeros((0, 1, width, channels)), dataset.one_axis, found)
        self.alpha_, self.codes_, self.provenance_ = 1.0, None, origin
        return False

    @single_threaded_blas()
    def partial_fit(self, recording: Any, y: None = None) -> Self:
        """Take one dictionary step from a recording, or several, that need not come again.

        The first call chooses alpha, if it is "auto", and the start from what it is given; after
        `fit` the fitted waveforms are gone on from. ``components_`` are then those after this step,
        ``codes_`` those of these recordings with them, and ``history_`` has one record more.
        """
        self._check_parameters()
        recording = open_files(recording)
        if self._has_begun:
            recording, steps = self._apply_steps(recording)[0], self.preprocessing_
        else:
            steps, recording = self._fit_steps(recording)
        known = acquired(recording)
        if self._has_begun:
            compare(self.acquisition_, known)
        with self._dataset(recording) as dataset:
            batch, one_axis, why = dataset.shards, dataset.one_axis, dict[str, Any]()
            if self._has_begun:
                one_axis, alpha, u = self.coefficients_.ndim == 2, self.alpha_, self._waveforms().u
                require_own_channels(batch.space.block_shape[2], u.shape[2], name_of(None))
                found = Found.again(batch, u, self.event_model_)
                batch = found.shards.at(alpha)
                progress = self._go_on(self._kind(to_blocks(u)), dataset.samples)
            else:
                found = self._discover(batch)
                if found.number == 0:
                    raise ValueError(f"{NOTHING[:-1]}; begin with a batch that has some.")
                pool = Pool.of(found.shards)
                alpha, why = self._choose_alpha(found.shards, pool, found)
                why |= found.reasons
                choose = partial(choose_waveforms, found.init, pool, found.number, self._kind)
                batch = found.shards.at(alpha)
                progress = self._start_stream(batch, choose, float(self.tol))
                self.preprocessing_, self.acquisition_ = steps, known
            stepped = self._step(progress, batch, float(self.tol))
        self._present(stepped.dictionary.components, one_axis, found)
        self.alpha_, self.codes_ = alpha, stepped.codes
        self.provenance_ = self._origin(provenance(dataset.samples, dataset.fingerprint) | why)
        return self

    @contextmanager
    def _dataset(self, recording: Any) -> Iterator[RecordingDataset]:
        """Check recordings to be learned from, and return them ready for it."""
        flags = {"positive": bool(self.positive), "integer_shifts": bool(self.integer_shifts)}
        loader = RecordingLoader(
            self.length, 1, 1.0, detrend=bool(self.detrend), noise=None, **flags
        )
        with recording_dataset(recording, loader, self.n_jobs) as dataset:
            if self._number != AUTO:  # after the lengths of recordings, which say more
                self._require_tables(int(self._number))
            yield dataset

    def _present(self, A: Blocks, one_axis: bool, found: Found) -> None:
        """Present waveforms, in the shape of recordings."""
        waveforms = Waveforms(from_blocks(A) if len(A) else A[:, 0])
        self.coefficients_ = waveforms.u[:, :, 0] if one_axis else waveforms.u
        self.event_model_: EventModel | None = found.calibrated(waveforms)
        self._present_components()

    def _present_components(self) -> None:
        """Present the waveforms in the unit of the data."""
        waveforms, model = self._waveforms(), self.event_model_
        self.whitened_components_ = self._shaped(waveforms.samples())
        self.components_, self.components_sd_ = self.whitened_components_, None
        if model is not None:
            self.components_ = self._shaped(Waveforms(model.templates).unit().samples())
            self.components_sd_ = self._shaped(model.bands)

    def _size_of_batches(self) -> int | None:
        """Return how many recordings a step takes; None: all."""
        size = require_batch_size(self.batch_size)
        return None if isinstance(size, str) else size

    def _check_parameters(self) -> None:
        self._check_learning()
        require_count(self.length, "length", least=SHORTEST)
        if self.noise not in NOISE:
            raise ValueError(f'noise must be "auto" or "white", not {self.noise!r}.')

    @property
    def _kind(self) -> Kind:
        """Kind of dictionary that waveforms are."""
        return UnitBall

    @property
    def _number(self) -> int | str:
        """Number of components, or that it is to be found; a given start has one."""
        if self.n_components == AUTO and not isinstance(self.init, str):
            return len(as_components(self.init, "init"))
        return AUTO if self.n_components == AUTO else int(self.n_components)

    def _check_number(self) -> None:
        if isinstance(self.n_components, str) and self.n_components != AUTO:
            raise ValueError(
                f'n_components must be an integer or "auto", not {self.n_components!r}.'
            )
        if self.n_components != AUTO:
            super()._check_number()

    def _require_tables(self, q: int) -> None:
        """Refuse waveforms whose statistics do not fit into memory."""
        side = q * (self.length + 2 * max_shift_of(self.length))
        if 8 * side**2 > LARGEST:
            raise ValueError(
                f"{q} waveforms of {self.length} samples would take tables of "
                f"{8 * side**2 / 2**30:.0f} GB; take fewer or shorter ones, or fewer samples per "
                "second."
            )

    def _choose_alpha(
        self, recordings: Recordings, pool: Pool, found: Found
    ) -> tuple[float, dict[str, Any]]:
        """Return the regularisation weight, and why if it is chosen; warn if it is within noise."""
        given, q = require_positive_or(self.alpha, "alpha", "auto"), found.number
        if given is None and found.g is not None:
            chosen = above_white_noise(found.g, sum(recordings.sizes))
            return chosen.value, {"alpha": chosen.reason}
        if given is None:
            announce("choosing alpha", self.callback, self.verbose)
            own = (
                []
                if isinstance(self.init, str)
                else choose_waveforms(self.init, pool, q, self._kind, [])
            )
            start = own[0] if own else self._kind(greedy_start(pool, q))
            chosen = alpha_of_recordings(recordings, start, pool.typical_size(q))
            if self.verbose:
                print(f"alpha {chosen.reason}")
            return chosen.value, {"alpha": chosen.reason}
        require_above_noise(given, recordings)
        return given, {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
