"""What a fitted model does with data: validation and glue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from orbitdl.arrays.validation import (
    as_alphas,
    as_masked_data,
    require_jobs,
    require_positive,
    require_positive_or,
)
from orbitdl.coding.base import Coder, require_coder
from orbitdl.coding.choice import default_coder
from orbitdl.coding.codes import Codes
from orbitdl.data.dask_arrays import DaskSource, is_of_dask
from orbitdl.data.opening import as_source
from orbitdl.display.estimator_html import ShownMixin
from orbitdl.encoding import encode as encoding
from orbitdl.encoding.denoise import noise_threshold, some_of
from orbitdl.encoding.encode import SampleCoder
from orbitdl.encoding.samples import Samples
from orbitdl.estimators.apply import (
    Application,
    Deferred,
    applied,
    codes_of,
    uncoded,
)
from orbitdl.estimators.on_samples import (
    InMemory,
    approximation_of,
    completed_by,
    completed_exactly,
    energy_of,
    invariants_of,
    sample_chunks,
)
from orbitdl.estimators.sample_dataset import SampleDataset, in_memory, out_of_core
from orbitdl.estimators.windows import WindowsMixin
from orbitdl.groups import Action, Group
from orbitdl.groups.base import Floats, require_group
from orbitdl.groups.default import group_or_default
from orbitdl.groups.presentation import Presentation, View
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.storage.provenance import data_fingerprint, fingerprint


class FittedMixin(WindowsMixin, ShownMixin, TransformerMixin):
    """Codes, and what follows from them, with the components of a fitted model."""

    group: Group | None
    tol: float
    coder: Coder | None
    n_jobs: int | None
    components_: Floats
    alpha_: float
    codes_: Codes | None
    provenance_: dict[str, Any]
    _coded_with: str

    @single_threaded_blas()
    def encode(
        self,
        X: Any,
        *,
        mask: Any = None,
        alpha: float | None = None,
        debias: bool = False,
        to: str | PathLike[str] | None = None,
    ) -> Any:
        """Write every data point as a sparse sum of transformed components; NaN means missing.

        Parameters
        ----------
        X, mask
            As in `fit`.
        alpha : float, optional
            Weight of the sparsity term; this model's if left out.
        debias : bool
            Refit the coefficients of the atoms found by least squares, which undoes the shrinkage;
            objective, gap and status stay those of the penalised code. See `orbitdl.encode`.
        to : path-like, optional
            A folder that is not there yet: codes are written to it, a part at a time, as two
            Parquet datasets, instead of being kept in memory.

        Returns
        -------
        Codes, or StoredCodes where `to` is given
            Of a Dask array without `to`, a lazy Dask dataframe with a row per atom.
        """
        check_is_fitted(self)
        weight = self.alpha_ if alpha is None else require_positive(alpha, "alpha")
        X = self._values(X)
        if to is None and is_of_dask(X):
            return self._deferred(X, mask, weight, debias).table("encode", codes_of)
        with self._application(X, mask, weight, debias) as model:
            if to is not None:
                return model.stored(to)
            return Codes.concatenate(model.each("encode", codes_of))

    @single_threaded_blas()
    def encode_path(self, X: Any, alphas: Iterable[float], *, mask: Any = None) -> list[Codes]:
        """Code data at every one of some alphas, each from the codes before: `orbitdl.encode_path`.

        X is as in `fit`. Returns one `Codes` for every alpha, in their order.
        """
        check_is_fitted(self)
        weights = as_alphas(alphas)
        with self._application(self._values(X), mask, min(weights)) as model:
            return model.path(weights)

    @single_threaded_blas()
    def codes_of(self, X: Any, *, mask: Any = None) -> Any:
        """Return codes of data points: those that `fit` ended with if it had these data.

        They are as good as those of `encode`, which makes them anew.
        """
        check_is_fitted(self)
        X, codes = self._values(X), getattr(self, "codes_", None)
        if codes is None or self._coded_with != fingerprint(self.components_):
            return self.encode(X, mask=mask)
        coder = self._coder(codes.representation)
        is_good = codes.gap.max() <= coder.tol or not coder.is_convex
        data = self.provenance_["fingerprint"]
        return codes if is_good and data == data_fingerprint(X, mask) else self.encode(X, mask=mask)

    @single_threaded_blas()
    def decode(self, codes: Codes) -> Floats:
        """Return the data that codes describe, shape (n, ...)."""
        check_is_fitted(self)
        return encoding.decode(codes, self.components_)

    def inverse_transform(self, codes: Codes) -> Floats:
        """Return the data that codes describe: `decode`. Features say how much, and not where."""
        if not isinstance(codes, Codes):
            raise ValueError(
                "features say how much each component is used, and not where; pass the codes that "
                "encode returns."
            )
        return self.decode(codes)

    @single_threaded_blas()
    def reconstruct(self, X: Any, *, mask: Any = None) -> Any:
        """Return the sparse approximation of every data point, in the shape of X.

        X is as in `fit`; of a Dask array this is a lazy one. Windows of a recording are put
        together again.
        """
        return self._restored("reconstruct", approximation_of, X, mask, self._alpha())

    @single_threaded_blas()
    def complete(
        self,
        X: Any,
        *,
        mask: Any = None,
        exact: bool = False,
        debias: bool = True,
    ) -> Any:
        """Fill missing entries (NaN, or False in the mask); observed ones stay as they are.

        Missing entries are taken from the sparse code of the observed ones at this model's alpha,
        its atoms fitted to them again by least squares, which mostly fills better. With
        ``debias=False`` they are as the code has them, shrunk by the cost of sparsity: the better
        choice where so little was observed that least squares has no hold.
        With ``exact=True`` the filling has the least dictionary norm ``sum_j ||Z_j||_G`` among all
        that agree with the observed entries exactly (the paper's program; for data without noise).
        `orbitdl.complete` returns value and bound of either program, too.
        """
        make, code = (
            (completed_exactly, uncoded) if exact else (partial(completed_by, debias=debias), None)
        )
        return self._restored("complete", make, X, mask, self._alpha(), code)

    @single_threaded_blas()
    def denoise(
        self,
        X: Any,
        *,
        mask: Any = None,
        alpha: float | str | None = None,
        debias: bool = False,
    ) -> Any:
        """Remove noise: the proximal map of ``alpha`` times the dictionary norm.

        Without `alpha` this model's is used; "noise" chooses one from the level of noise in X, as
        `orbitdl.noise_level` estimates it. `debias` refits the atoms found by least squares, which
        undoes the shrinkage. See `orbitdl.denoise`.
        """
        weight = self._alpha() if alpha is None else require_positive_or(alpha, "alpha", "noise")
        data = self.prepared(X)
        X = data.values
        if weight is None:
            chunks = sample_chunks(X, mask)
            weight = self._noise_threshold(chunks)
            X, mask = (X, mask) if is_of_dask(X) else (chunks, None)
        made = self._array("denoise", approximation_of, X, mask, weight, debias=debias)
        return data.restored(made)

    @single_threaded_blas()
    def transform(self, X: Any, *, mask: Any = None) -> Any:
        """Return ``||Z_ij||_G``, how much each component is used: (n, q), unmoved by the group.

        X is as in `fit`; of a Dask array this is a lazy one.
        """
        return self._array("transform", invariants_of, self._values(X), mask, self._alpha())

    @single_threaded_blas()
    def score(self, X: Any, y: None = None, *, mask: Any = None) -> float:
        """Return ``1 - sum_i objective_i / sum_i 1/2 ||M_i y_i||^2``, M_i what was observed.

        X is as in `fit`. The fraction of the energy explained, net of the cost of the codes: 0 when
        nothing is explained, below 1 always. It compares numbers of components, groups and starts
        at one alpha; it grows as alpha falls, so it cannot choose alpha.
        """
        check_is_fitted(self)
        with self._application(self._values(X), mask, self.alpha_) as model:
            return model.score(energy_of)

    def _alpha(self) -> float:
        """Return this model's alpha, once there is one."""
        check_is_fitted(self)
        return self.alpha_

    def _noise_threshold(self, chunks: Any) -> float:
        """Return the alpha of "noise", estimated from some data points."""
        part = chunks.take(some_of(len(chunks)))
        work = self._work(chunks, chunks.shape, self.alpha_)
        return noise_threshold(work.prepare(part), work.A, self.coder, require_jobs(self.n_jobs))

    def _coder(self, representation: Action) -> Coder:
        """Return the coder to use: the one given, or the right one for the group."""
        tol = require_positive(self.tol, "tol")
        return require_coder(self.coder) or default_coder(representation, tol)

    def _group(self) -> Group:
        return group_or_default(self.group)

    def _presentation(self) -> Presentation:
        return self._group().on(self.components_.shape[1:]).presentation

    def _view_of_components(self) -> View:
        return self._presentation().view

    def _moves(self) -> str:
        return self._presentation().description

    def _restored(
        self, name: str, make: Any, X: Any, mask: Any, alpha: float, code: Any = None
    ) -> Any:
        """Return an array of what is made of data points, as the recording that they are from."""
        data = self.prepared(X)
        return data.restored(self._array(name, make, data.values, mask, alpha, code))

    def _array(
        self,
        name: str,
        make: Any,
        X: Any,
        mask: Any,
        alpha: float,
        code: Any = None,
        *,
        debias: bool = False,
    ) -> Any:
        """Return an array of what is made of data points; of a Dask array a lazy one."""
        if is_of_dask(X):
            lazy = self._deferred(X, mask, alpha, debias)
            is_features = make is invariants_of
            shape = (len(self.components_),) if is_features else lazy.source.shape
            return lazy.array(name, make, code, shape)
        with self._application(X, mask, alpha, debias) as model:
            return np.concatenate(model.each(name, make, code))

    @contextmanager
    def _application(
        self, X: Any, mask: Any, alpha: float, debias: bool = False
    ) -> Iterator[Application]:
        """Check data, and return this model at work on them, wherever they are."""
        chunks, n_jobs = sample_chunks(X, mask), require_jobs(self.n_jobs)
        within = n_jobs if isinstance(chunks, InMemory) else None  # threads share the only chunk
        work = self._work(X, chunks.shape, alpha, debias, within)
        with applied(chunks, work, n_jobs) as model:
            yield model

    def _deferred(self, X: Any, mask: Any, alpha: float, debias: bool = False) -> Deferred:
        """Check what is known of a Dask array, and return how it will be coded."""
        source = DaskSource(X, mask)
        return Deferred(source, self._work(X, source.shape, alpha, debias))

    def _work(
        self,
        X: Any,
        shape: tuple[int, ...],
        alpha: float,
        debias: bool = False,
        n_jobs: int | None = None,
    ) -> SampleCoder:
        """Return how data points of this shape are coded with this model."""
        action = self._representation(X, shape, self.components_.shape[1:])
        A, coder = action.analyze(self.components_), self._coder(action)
        return SampleCoder(action, A, coder, alpha, debias, n_jobs)

    @contextmanager
    def _dataset(
        self, X: Any, mask: Any, fitted: tuple[int, ...] | None = None
    ) -> Iterator[SampleDataset]:
        """Check data to be learned from, of this shape if the model has one; make them ready."""
        source = as_source(X, mask)
        if source is None:
            samples = self._samples(X, mask, fitted)
            yield in_memory(samples, self._coder(samples.representation), self.n_jobs)
            return
        representation = self._representation(X, source.shape, fitted)
        coder = self._coder(representation)
        with out_of_core(source, representation, coder, self.n_jobs) as dataset:
            yield dataset

    def _samples(
        self, X: ArrayLike, mask: ArrayLike | None, fitted: tuple[int, ...] | None = None
    ) -> Samples:
        """Check data, of this shape unless the model is to be fitted on them, and analyse them."""
        n_jobs, (data, observed) = require_jobs(self.n_jobs), as_masked_data(X, mask)
        return Samples.on(self._representation(X, data.shape[1:], fitted), data, observed, n_jobs)

    def _representation(
        self, X: Any, shape: tuple[int, ...], fitted: tuple[int, ...] | None = None
    ) -> Action:
        """Return how the group acts on data points, of this shape if the model has one."""
        table = getattr(X, "table", X)
        named = table if hasattr(table, "columns") else np.broadcast_to(0.0, (1, *shape))
        validate_data(self, named, reset=fitted is None, skip_check_array=True)
        if fitted not in (None, shape):
            raise ValueError(
                f"X has data points of shape {shape}, but this model was fitted on shape "
                f"{fitted}; reshape X."
            )
        return require_group(self._group()).on(shape)
