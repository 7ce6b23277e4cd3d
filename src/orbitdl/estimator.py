"""The scikit-learn estimator: parameters and learning."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin

from orbitdl.alpha import automatic_alpha
from orbitdl.coding.base import Coder, require_coder
from orbitdl.fitted import FittedMixin
from orbitdl.groups import Group
from orbitdl.groups.base import require_group
from orbitdl.learner import LearnerMixin
from orbitdl.learning.iteration import Iteration
from orbitdl.learning.restarts import Outcome
from orbitdl.learning.starts import choose_starts
from orbitdl.orbit_records import OrbitRecordsMixin
from orbitdl.points import Given
from orbitdl.storage.provenance import fingerprint, provenance
from orbitdl.validation import require_positive_or


class OrbitDictionaryLearning(
    ClassNamePrefixFeaturesOutMixin, FittedMixin, OrbitRecordsMixin, LearnerMixin, BaseEstimator
):
    """Learn components such that every data point is a sparse sum of moved copies of them.

    Parameters
    ----------
    n_components : int
        Number of components q.
    group : Group, optional
        What may move them; `IntegerShift` if left out.
    alpha : float or "auto"
        Weight of the sparsity term, in the units of the data: at
        ``max_j max_g |<y, g a_j>|`` and above, y is coded by nothing. "auto" takes what
        `suggest_alpha` says of the data, half the size of a typical event.
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
    random_state : int, RandomState or None
    n_jobs : int, optional
        Threads to use; None is one, -1 all cores. The result does not depend on it.
    verbose : int
        With 1, print a line per iteration.
    callback : callable, optional
        Called with an `Iteration` after each; returning True stops the run.
    normalise_after : bool
        Take the paper's dictionary step, least squares and then normalise, instead of the exact
        minimum over components of norm at most one. The objective may then rise.
    checkpoint : path-like, optional
        A file in which `fit` keeps where it stands: every few seconds, at its end and when it is
        interrupted. If the file exists, `fit` goes on from there, to the same result
        as without the interruption; a finished one it returns at once, and with a larger
        `max_iter` or `n_restarts` it continues it. A file of other data or of other parameters
        that change the result is refused.

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
    n_features_in_ : int
    provenance_ : dict
        Versions of the software, date, number of samples and fingerprint (SHA-256) of the data;
        with ``alpha="auto"`` also why `alpha` is what it is.
    preprocessing_ : dict
        How the data were made from a recording, as the model file says; empty after `fit`.

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
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Iteration], bool | None] | None = None,
        normalise_after: bool = False,
        checkpoint: str | PathLike[str] | None = None,
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
        self.normalise_after = normalise_after
        self.checkpoint = checkpoint

    def fit(self, X: ArrayLike, y: None = None, *, mask: ArrayLike | None = None) -> Self:
        """Learn components from data (n, d) or (n, d, channels), in which NaN means missing.

        Parameters
        ----------
        X : array-like of shape (n, d) or (n, d, channels), or what the group acts on
            Or data that are read a part at a time, and never in memory as a whole: a memory map, an
            array of h5py, zarr or Dask, the path of a `.npy` file or of a Parquet dataset, an
            iterator of arrays. Their codes are not kept (`codes_` is None).
        mask : array-like of bool, optional
            In the shape of X, True where an entry was observed: another way to say what is
            missing. Only observed entries count.
        """
        self._check_parameters()
        with self._given(X, mask) as given:
            best = self._learn_from(given)
        self._n_features_out = len(self.components_)
        self._warn_of_gaps(best)
        self._warn_unless_converged(best)
        return self

    def _learn_from(self, given: Given) -> Outcome:
        """Choose alpha and starts, learn, and keep what comes of it."""
        points, data = given.points, given.fingerprint
        origin = provenance(len(points), data)
        alpha = require_positive_or(self.alpha, "alpha", "auto")
        if alpha is None:
            chosen = automatic_alpha(points, self.n_components, self.n_jobs)
            alpha, origin["alpha"] = chosen.value, chosen.reason
        shards, coder = self._watched(points.at(alpha)), self._coder(points.space)
        identity = partial(self._identity, points.space.group, coder, alpha, data)
        earlier = None if given.arrays is None else partial(fingerprint, *given.arrays)
        with self._open_checkpoint(shards, self._seed(), identity, earlier) as runs:
            generators = self._generators(runs.seed)
            starts = choose_starts(self.init, shards, self.n_components, generators)
            best = self._learn(
                shards, starts, runs, coder.tol, normalise_after=self.normalise_after
            )
        self.components_ = points.space.synthesize(best.components)
        self.codes_ = best.codes
        self._coded_with = fingerprint(self.components_)
        self.alpha_, self.provenance_ = alpha, origin
        self.preprocessing_: dict[str, Any] = {}
        return best

    def _warn_of_gaps(self, outcome: Outcome) -> None:
        """Say if some data points were not coded to the tolerance by the last iteration."""
        if outcome.stopped or outcome.codes is None:
            return
        coder = self._coder(outcome.codes.representation)
        coder.warn_unless_converged(outcome.codes.gap, stacklevel=4)

    def _check_parameters(self) -> None:
        self._check_learning()
        require_group(self._group())
        require_coder(self.coder)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        tags.input_tags.allow_nan = True
        return tags
