"""The scikit-learn estimator: parameters and learning."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin

from orbitdl.arrays.validation import require_batch_size, require_positive_or
from orbitdl.arrays.warnings import warn_user
from orbitdl.coding.base import Coder, require_coder
from orbitdl.coding.codes import Codes
from orbitdl.dictionaries.base import Kind
from orbitdl.dictionaries.tied import dictionary_of
from orbitdl.estimators.orbit_records import OrbitRecordsMixin
from orbitdl.estimators.orbit_use import FittedMixin
from orbitdl.estimators.preprocessed import PreprocessedMixin
from orbitdl.estimators.sample_dataset import SampleDataset
from orbitdl.estimators.streaming import StreamMixin
from orbitdl.estimators.windows import acquired_by
from orbitdl.groups import Group
from orbitdl.groups.base import Action, Blocks, require_group
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.learning.alpha import automatic_alpha
from orbitdl.learning.progress import announce
from orbitdl.learning.restarts import Outcome
from orbitdl.learning.starts import Points, choose_starts
from orbitdl.learning.state import Iteration
from orbitdl.storage.provenance import fingerprint, provenance

LARGE = 20_000
"""Data points from which on mini-batches are much quicker than steps of all data."""
AUTOMATIC = 512
"""Data points in a mini-batch then."""
NOTHING = (
    "nothing in these data points recurs: components learned from half of them explain no more of "
    "the other half than of Gaussian noise with the same covariance; try other windows or another "
    "group, or pass alpha= to learn regardless."
)


class OrbitDictionaryLearning(
    ClassNamePrefixFeaturesOutMixin,
    FittedMixin,
    PreprocessedMixin,
    OrbitRecordsMixin,
    StreamMixin,
    BaseEstimator,
):
    """Learn components such that every data point is a sparse sum of transformed copies of them.

    Parameters
    ----------
    n_components : int
        Number of components q.
    group : Group, optional
        How they may be transformed; `IntegerShift` if left out.
    alpha : float or "auto"
        Weight of the sparsity term, in the units of the data: at
        ``max_j max_g |<y, g a_j>|`` and above, y is coded by nothing. "auto" takes what
        `suggest_alpha` says of the data: half the size of a typical event, or what noise alone
        reaches if that is more. It warns where nothing recurs in 60 data points or more, for groups
        of shifts: where they cannot be distinguished from Gaussian noise of the same covariance.
    max_iter : int
        Dictionary steps at most. A `ConvergenceWarning` says when they were not enough; with 0,
        which only chooses the start, none is given.
    tol : float
        Stop when an iteration lowers the objective by less than this fraction. Also the certified
        gap of the last codes, unless `coder` brings its own.
    coder : Coder, optional
        The right one for the group if left out.
    init : {"data", "random"} or array-like of shape (q, ...)
        Start from samples far from each other's orbits, from noise, or from given components.
    n_restarts : int
        Different starts, unless `init` gives one. Each is run for a few iterations, and the one of
        least objective then is continued to the end.
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional
        Threads to use; None is one, -1 all cores. The result does not depend on it.
    verbose : int
        With 1, print a line per iteration.
    callback : callable, optional
        Called with an `Iteration` after each; returning True stops the run.
    normalize_after : bool
        Take the paper's dictionary step, least squares and then normalise, instead of the minimum
        over components of norm at most one. The objective may then rise.
    checkpoint : path-like, optional
        A file in which `fit` keeps where it stands: every few seconds, at its end and when it is
        interrupted. If the file exists, `fit` goes on from there, to the same result as without
        the interruption (of data that are read in parts, whose codes are not stored, within the
        tolerance); a finished one it returns at once, and with a larger `max_iter` or
        `n_restarts` it continues it. A file of other data or of other parameters
        that change the result is refused.
    batch_size : int, None or "auto"
        Data points per dictionary step. None takes all of them: the objective falls with every
        iteration. A number learns from mini-batches, as online dictionary learning does: an
        iteration is then a pass over the data, its objective that of the codes made on the way.
        Passes end when one lowers the objective by less than 0.1 %, or `tol` if that is more. If
        the last ones promise that more is to come, iterations with all data follow until `tol` is
        met; else one that codes all data with the components found. That mostly comes within
        1 % of the objective in far fewer passes, in flat valleys in as many. Of up to 32
        components a step of a mini-batch is exact, as one of all data is; more are updated one
        after the other, once a step, as in online dictionary learning (with all data so only
        without a group, twice an iteration). "auto" does so from 20 000 data points on, about 512
        at a time; of data that are somewhere else it is whole pieces, which may hold thousands.
        ``provenance_["batches"]`` says how many.

    preprocessing : sequence of steps, optional
        Steps of `orbitdl.preprocessing` that recordings go through first, here and in every other
        method. The last one splits them into windows: ``[HighPass(0.5), SplitWindows(201)]``.

    Attributes
    ----------
    components_ : ndarray of shape (q, d) or (q, d, channels)
        Unit norm. A local optimum, as in all dictionary learning.
    alpha_ : float
        The weight that was used, and that coding with this model uses.
    codes_ : Codes or None
        What the last iteration coded the data with; None if an earlier process did that, or if the
        model was loaded.
    starts_ : ndarray of shape (n_starts,)
        The objective that each start had come to when the best of them was chosen.
    history_ : History
        One record per iteration of the run that was chosen, the start included: objective, largest
        gap, atoms per sample, unused components, seconds. ``history_.to_frame()`` is a table.
    n_iter_ : int
        Dictionary steps done.
    converged_ : bool
        Whether the last of them lowered the objective by less than `tol`; if not, a larger
        `max_iter` will.
    n_steps_ : int
        Batches that `partial_fit` was given since.
    seconds_ : float
        How long `fit` took, with everything before and between the iterations of all starts.
    n_features_in_ : int
    provenance_ : dict
        Versions of the software, date, number of samples and fingerprint (SHA-256) of the data;
        with ``alpha="auto"`` also why `alpha` is what it is.
    preprocessing_ : list
        The fitted preprocessing steps.
    acquisition_ : dict
        What is known of the recordings that windows are from: sampling rate, names, units and scale
        of the channels; empty for arrays. ``sfreq_``, ``ch_names_`` and ``unit_`` are taken from
        it.

    Notes
    -----
    Minimises, over codes and over components of unit norm,

        sum_i 1/2 ||y_i - sum_j Z_ij a_j||^2 + alpha sum_j ||Z_ij||_G.

    float32 input is accepted; all work is done in float64.

    Examples
    --------
    >>> from orbitdl.datasets import make_shift_data
    >>> data = make_shift_data(n_samples=300, length=20, n_components=2, n_atoms=2, random_state=0)
    >>> model = OrbitDictionaryLearning(n_components=2, alpha=0.1, random_state=0).fit(data.X)
    >>> from orbitdl import dictionary_distance
    >>> from orbitdl.groups import IntegerShift
    >>> dictionary_distance(data.components, model.components_, IntegerShift()) < 0.01
    True
    """

    def __init__(
        self,
        n_components: int = 1,
        group: Group | None = None,
        alpha: float | str = "auto",
        max_iter: int = 50,
        tol: float = 1e-4,
        coder: Coder | None = None,
        init: str | ArrayLike = "data",
        n_restarts: int = 5,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Iteration], bool | None] | None = None,
        normalize_after: bool = False,
        checkpoint: str | PathLike[str] | None = None,
        batch_size: int | str | None = "auto",
        preprocessing: Iterable[Any] | None = None,
    ) -> None:
        self.n_components = n_components
        self.group = group
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.coder = coder
        self.init = init
        self.n_restarts = n_restarts
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.normalize_after = normalize_after
        self.checkpoint = checkpoint
        self.batch_size = batch_size
        self.preprocessing = preprocessing

    @single_threaded_blas()
    def fit(self, X: ArrayLike, y: None = None, *, mask: ArrayLike | None = None) -> Self:
        """Learn components from data (n, d) or (n, d, channels), in which NaN means missing.

        Parameters
        ----------
        X : array-like of shape (n, d) or (n, d, channels), or what the group acts on
            Or data that are read a part at a time, and never in memory as a whole: a memory map, an
            array of h5py, zarr or Dask, the path of a `.npy` file or of a Parquet dataset, an
            iterator of arrays. Their codes are not kept (`codes_` is None). Also
            `orbitdl.windows.Windows`, and with `preprocessing` that ends in windows an
            `orbitdl.io.Recording`, a list of them, or the path of a file of one.
        mask : array-like of bool, optional
            In the shape of X, True where an entry was observed: another way to say what is
            missing. Only observed entries count.
        """
        self._check_parameters()
        began = time.perf_counter()
        steps, windows = self._fit_windows(X)
        with self._dataset(X if windows is None else windows.values, mask) as dataset:
            best = self._learn_from(dataset)
        self.preprocessing_, self.acquisition_ = steps, acquired_by(windows)
        self.seconds_ = time.perf_counter() - began
        if best.codes is not None and not best.stopped:
            dataset.coder.warn_unless_converged(best.codes.gap)
        self._warn_unless_converged(best.stopped)
        return self

    def _learn_from(self, dataset: SampleDataset) -> Outcome:
        """Choose alpha and starts, learn, and keep what comes of it."""
        points, data = dataset.points, dataset.fingerprint
        alpha, why = self._choose_alpha(points)
        size = self._size_of_batches(len(points))
        origin = provenance(len(points), data) | why
        if size is not None:
            origin |= self._batches(len(points), points.nearest_batch(size), "data points")
        shards, coder = self._watched(points.at(alpha)), dataset.coder
        kind = self._kind(points.action)
        identity = partial(self._identity, points.action.group, coder, alpha, size, data)
        with self._open_checkpoint(shards, self._seed(), identity, kind) as runs:
            generators = self._generators(runs.seed)
            starts = choose_starts(self.init, shards, self.n_components, generators, kind)
            best = self._learn(shards, starts, runs, coder.tol, size=size)
        self._present(points.action, best.dictionary.components, best.codes)
        self.alpha_, self.provenance_ = alpha, origin
        return best

    @single_threaded_blas()
    def partial_fit(self, X: ArrayLike, y: None = None, *, mask: ArrayLike | None = None) -> Self:
        """Take one dictionary step from a batch of data that need not come again.

        The first call chooses alpha, if it is "auto", and the start from its batch; after `fit`
        the fitted components are gone on from. ``components_`` are then those after this step,
        ``codes_`` those of this batch with them, and ``history_`` has one record more.

        Examples
        --------
        >>> from orbitdl.datasets import make_shift_data
        >>> X = make_shift_data(n_samples=300, length=20, n_components=2, random_state=0).X
        >>> model = OrbitDictionaryLearning(n_components=2, alpha=0.1, random_state=0)
        >>> for batch in np.array_split(X, 10):
        ...     model = model.partial_fit(batch)
        >>> model.n_steps_
        10
        """
        self._check_parameters()
        begun = self._has_begun
        if begun:
            X = self._values(X)
        else:
            steps, windows = self._fit_windows(X)
            X = X if windows is None else windows.values
        with self._dataset(X, mask, self.components_.shape[1:] if begun else None) as dataset:
            points = dataset.points
            alpha, why = (self.alpha_, {}) if begun else self._choose_alpha(points)
            batch, coder = points.at(alpha), dataset.coder
            kind = self._kind(points.action)
            if begun:
                fitted = kind(points.space.analyze(self.components_))
                progress = self._go_on(fitted, len(batch))
            else:
                choose = partial(choose_starts, self.init, batch, self.n_components, kind=kind)
                progress = self._start_stream(batch, choose, coder.tol)
                self.preprocessing_, self.acquisition_ = steps, acquired_by(windows)
            stepped = self._step(progress, batch, coder.tol)
            self._present(points.action, stepped.dictionary.components, stepped.codes)
        now = provenance(len(batch), dataset.fingerprint)
        self.alpha_, self.provenance_ = alpha, self._origin(now | why)
        return self

    def _present(self, representation: Action, A: Blocks, codes: Codes | None) -> None:
        """Keep components, and codes with them if they are here."""
        self.components_, self.codes_ = representation.synthesize(A), codes
        self._coded_with = fingerprint(self.components_)
        self._n_features_out = len(self.components_)

    def _kind(self, action: Action) -> Kind:
        """What a dictionary is made of components by."""
        return partial(dictionary_of, action, normalize_after=bool(self.normalize_after))

    def _choose_alpha(self, points: Points) -> tuple[float, dict[str, Any]]:
        """Return the weight of sparsity, and for the provenance why, if it is chosen here."""
        weight = require_positive_or(self.alpha, "alpha", "auto")
        if weight is not None:
            return weight, {}
        announce("choosing alpha", self.callback, self.verbose)
        chosen = automatic_alpha(points, self.n_components, self.n_jobs)
        if not chosen.recurs:
            warn_user(NOTHING)
        return chosen.value, {"alpha": chosen.reason}

    def _size_of_batches(self, n: int) -> int | None:
        """Return about how many of n data points a step takes; None: all."""
        size = require_batch_size(self.batch_size)
        if isinstance(size, str):
            return AUTOMATIC if n >= LARGE and not self.normalize_after else None
        return size

    def _check_parameters(self) -> None:
        self._check_learning()
        require_group(self._group())
        require_coder(self.coder)
        if self.normalize_after and isinstance(require_batch_size(self.batch_size), int):
            raise ValueError(
                "normalize_after=True is a step of all data, not of batches; set batch_size=None."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        tags.input_tags.allow_nan = True
        return tags
