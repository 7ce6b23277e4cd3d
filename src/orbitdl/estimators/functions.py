"""Functions that code data of all kinds with given components, by the path of fitted models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import (
    as_alphas,
    require_jobs,
    require_positive,
    require_positive_or,
)
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import Coder, require_coder
from orbitdl.coding.choice import default_coder
from orbitdl.coding.codes import Codes
from orbitdl.data.dask_arrays import DaskSource, is_of_dask
from orbitdl.encoding.complete import Completion, complete_by, complete_exactly
from orbitdl.encoding.denoise import noise_threshold, some_of
from orbitdl.encoding.encode import SampleCoder
from orbitdl.encoding.samples import blocks_of
from orbitdl.estimators.apply import Application, Deferred, applied, codes_of, uncoded
from orbitdl.estimators.on_samples import InMemory, approximation_of, sample_chunks
from orbitdl.groups.base import Group, require_group
from orbitdl.io.recording import Recording
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.windows.windows import Windows


class Coding:
    """Checked data, and how they are coded with given components.

    Attributes
    ----------
    chunks : InMemory or Source
    work : SampleCoder
    """

    def __init__(
        self,
        X: Any,
        components: ArrayLike,
        group: Group,
        coder: Coder | None,
        n_jobs: int | None,
        mask: Any,
        *,
        debias: bool = False,
    ) -> None:
        coder, self.n_jobs = require_coder(coder), require_jobs(n_jobs)
        data = data_points(X)
        self.is_lazy = is_of_dask(data)
        self.chunks: Any = DaskSource(data, mask) if self.is_lazy else sample_chunks(data, mask)
        action = require_group(group).on(self.chunks.shape)
        within = self.n_jobs if isinstance(self.chunks, InMemory) else None
        own = coder or default_coder(action)
        self.work = SampleCoder(action, blocks_of(action, components), own, 1.0, debias, within)

    @contextmanager
    def at(self, alpha: float) -> Iterator[Application]:
        """Return the components at work with a regularisation weight."""
        with applied(self.chunks, replace(self.work, alpha=alpha), self.n_jobs) as model:
            yield model

    def deferred(self, alpha: float) -> Deferred:
        """Return how data of Dask will be coded."""
        return Deferred(self.chunks, replace(self.work, alpha=alpha))


def data_points(X: Any) -> Any:
    """Return data points; of windows their values; refuse a recording, which is none of them."""
    if isinstance(X, Windows):
        return X.values
    if isinstance(X, Recording) and X.kind == "samples":
        raise ValueError(
            "a recording has to be split into windows first: pass those of "
            "orbitdl.windows.split_recording(recording, length)."
        )
    return X


@single_threaded_blas()
def encode(
    X: Any,
    components: ArrayLike,
    *,
    group: Group,
    alpha: float,
    coder: Coder | None = None,
    n_jobs: int | None = None,
    mask: Any = None,
    debias: bool = False,
) -> Any:
    """Write every data point as a sparse sum of transformed components.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n, d, channels), or what the group acts on
        NaN means missing: only observed entries count. Also `Windows` of a recording, and data
        that are read a part at a time: memory maps, arrays of h5py, zarr or Dask, names of `.npy`
        files and Parquet datasets, iterators of arrays.
    components : array-like of shape (q, d) or (q, d, channels)
        Any norm; with unit norm, coefficients are amplitudes.
    group : Group
    alpha : float
        Weight of the sparsity term.
    coder : Coder, optional
        The right one for the group if left out.
    n_jobs : int, optional
        Threads to use; None is one, -1 all cores. The result does not depend on it.
    mask : array-like of bool, optional
        In the shape of X, True where an entry was observed: another way to say what is missing.
    debias : bool
        Fit the atoms found to the observed entries once more, by least squares: the penalty has
        shrunk their coefficients by up to alpha. Objective, gap and status stay those of the
        penalised code, which found the atoms.

    Returns
    -------
    Codes
        With the objective and its certified relative gap for every data point. Of a Dask array a
        lazy Dask dataframe with a row per atom.

    Notes
    -----
    Solves ``min_Z 1/2 ||M (y - sum_j Z_j a_j)||^2 + alpha sum_j ||Z_j||_G`` for every row y, where
    M keeps the observed entries. The certificate is that of this very problem. With `debias` the
    coefficients c of the K atoms found become ``argmin_c 1/2 ||M (y - sum_k c_k g_k a_k)||^2``,
    those of least norm where several fit as well.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import IntegerShift
    >>> wave = np.array([0.6, 0.8, 0.0, 0.0, 0.0])
    >>> codes = encode([3 * np.roll(wave, 2)], [wave], group=IntegerShift(), alpha=0.3)
    >>> codes.to_frame().round(6)
       sample  component  coefficient  shift
    0       0          0          2.7    2.0

    The penalty has taken alpha from the coefficient; `debias` gives it back:

    >>> encode(
    ...     [3 * np.roll(wave, 2)], [wave], group=IntegerShift(), alpha=0.3, debias=True
    ... ).to_frame().round(6)
       sample  component  coefficient  shift
    0       0          0          3.0    2.0
    """
    coding = Coding(X, components, group, coder, n_jobs, mask, debias=debias)
    weight = require_positive(alpha, "alpha")
    if coding.is_lazy:
        return coding.deferred(weight).table("encode", codes_of)
    with coding.at(weight) as model:
        return Codes.concatenate(model.each("encode", codes_of))


@single_threaded_blas()
def encode_path(
    X: Any,
    components: ArrayLike,
    alphas: Iterable[float],
    *,
    group: Group,
    coder: Coder | None = None,
    n_jobs: int | None = None,
    mask: Any = None,
) -> list[Codes]:
    """Write every data point as a sparse sum of transformed components, at each of some alphas.

    Parameters
    ----------
    X : as in `encode`
        NaN means missing.
    components : array-like of shape (q, d) or (q, d, channels)
    alphas : iterable of float
        Weights of the sparsity term, in any order.
    group, coder, n_jobs, mask
        As in `encode`.

    Returns
    -------
    list of Codes
        One for every alpha, in their order, each certified as those of `encode` are.

    Notes
    -----
    From the largest alpha to the smallest, codes begin with those of the alpha before: the atoms
    ``c_k g_k a_k`` found there are most of those that are needed. Where each alpha is half of the
    one before, five of them take about one and a half times as long as the smallest alone with
    `ActiveSet` and `Sliding`, and three times with `Proximal`, which hardly gains from where it
    begins. The optimum does not depend on that.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import IntegerShift
    >>> wave = np.array([0.6, 0.8, 0.0, 0.0, 0.0])
    >>> X = [3 * np.roll(wave, 2), wave]
    >>> path = encode_path(X, [wave], [2.0, 0.5], group=IntegerShift())
    >>> [codes.invariants().round(6).ravel().tolist() for codes in path]
    [[1.0, 0.0], [2.5, 0.5]]
    """
    weights = as_alphas(alphas)
    with Coding(X, components, group, coder, n_jobs, mask).at(min(weights)) as model:
        return model.path(weights)


@single_threaded_blas()
def denoise(
    X: Any,
    components: ArrayLike,
    *,
    group: Group,
    alpha: float | str,
    debias: bool = False,
    coder: Coder | None = None,
    n_jobs: int | None = None,
    mask: Any = None,
) -> Any:
    """Return data without noise: transformed components, thresholded.

    Parameters
    ----------
    X : as in `encode`
        NaN means missing; the result has no gaps.
    components : array-like of shape (q, d) or (q, d, channels)
    group : Group
    alpha : float or "noise"
        The threshold; with "noise", ``sigma * kappa``, sigma the level of white noise in X and
        kappa the mean of ``max_{j,g} |<w, g a_j>|`` over white noise w of level 1: what noise
        alone reaches. Both are estimated as `noise_level` says; sigma is at least 1e-4 of the
        size of the data.
    debias : bool
        Fit the atoms found to the data once more, by least squares: the penalty has shrunk their
        coefficients by up to alpha.
    coder, n_jobs, mask
        As in `encode`.

    Notes
    -----
    Without missing entries and without `debias`, this is the atomic norm soft threshold

        prox(y) = argmin_x 1/2 ||y - x||^2 + alpha ||x||,

    where ``||x||`` is the dictionary norm, the least ``sum_j ||Z_j||_G`` with
    ``x = sum_j Z_j a_j``.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import IntegerShift
    >>> wave = np.array([0.6, 0.8, 0.0, 0.0, 0.0])
    >>> x = 3 * np.roll(wave, 2)
    >>> bool(np.allclose(denoise([x], [wave], group=IntegerShift(), alpha=0.3), 0.9 * x))
    True
    >>> bool(np.allclose(denoise([x], [wave], group=IntegerShift(), alpha=0.3, debias=True), x))
    True
    """
    threshold = require_positive_or(alpha, "alpha", "noise")
    coding = Coding(X, components, group, coder, n_jobs, mask, debias=debias)
    if threshold is None:
        work, chunks = coding.work, coding.chunks
        part = work.prepare(chunks.take(some_of(len(chunks))))
        threshold = noise_threshold(part, work.A, coder, coding.n_jobs)
    if coding.is_lazy:
        shape = coding.chunks.shape
        return coding.deferred(threshold).array("denoise", approximation_of, None, shape)
    with coding.at(threshold) as model:
        return np.concatenate(model.each("denoise", approximation_of))


@single_threaded_blas()
def complete(
    X: Any,
    components: ArrayLike,
    *,
    group: Group,
    alpha: float | None = None,
    coder: Coder | None = None,
    n_jobs: int | None = None,
    mask: Any = None,
    debias: bool = True,
    tol: float = 1e-4,
) -> Completion:
    """Fill the missing entries of data points.

    Parameters
    ----------
    X : as in `encode`
        NaN means missing.
    components : array-like of shape (q, d) or (q, d, channels)
    group : Group
    alpha : float, optional
        For noisy data: weight of the dictionary norm against the misfit. If left out, the
        completion agrees with the observed entries exactly.
    coder, n_jobs, mask
        As in `encode`; without alpha the coder is not used.
    debias : bool
        With alpha: fill with the atoms found, fitted to the observed entries by least squares,
        which mostly fills better; the penalty has shrunk their coefficients, and without `debias`
        they stay so. Value and bound are those of the penalised program.
    tol : float
        Without alpha: relative distance of value and bound to aim at.

    Returns
    -------
    Completion
        With the value reached and a bound that no other completion can beat. Where nothing was
        observed the filling is zero.

    Notes
    -----
    Without alpha this is the program of Section 5.3 of the paper,

        min_Z sum_j ||Z_j||_G   s.t.   M sum_j Z_j a_j = M y,

    a linear program over all atoms ``g a_j``. It is solved over a few of them, those of a code with
    a small penalty first, to which those are added that violate its dual,
    ``max_p <p, M y>  s.t.  |<p, g a_j>| <= 1``, until none does.
    Exact agreement with noise takes many atoms: expect as many as there are observed entries, and
    give an alpha where data are noisy.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import IntegerShift
    >>> wave = np.array([0.6, 0.8, 0.0, 0.0, 0.0])
    >>> holed = np.array([[np.nan, 0.0, 1.8, 2.4, 0.0]])
    >>> complete(holed, [wave], group=IntegerShift()).X.round(6) + 0.0
    array([[0. , 0. , 1.8, 2.4, 0. ]])
    """
    weight, tol = require_positive_or_none(alpha), require_positive(tol, "tol")
    coding = Coding(X, components, group, coder, n_jobs, mask)
    make = partial(completion_of, tol=tol if weight is None else None, debias=debias)
    with coding.at(weight or 1.0) as model:
        parts = model.each("complete", make, uncoded if weight is None else None)
    columns = (np.concatenate([getattr(one, name) for one in parts]) for name in ("value", "bound"))
    filled = np.concatenate([one.X for one in parts])
    return Completion(filled, Atoms.concatenate([one.atoms for one in parts]), *columns)


def completion_of(
    work: SampleCoder, samples: Any, codes: Codes | None, *, tol: float | None, debias: bool
) -> Completion:
    """Return the completion of a chunk, by its codes or by agreement within a tolerance."""
    if codes is None:
        assert tol is not None
        return complete_exactly(samples, work.A, tol)
    return complete_by(samples, work.A, codes, debias)


def require_positive_or_none(alpha: float | None) -> float | None:
    """Return a regularisation weight, if any."""
    return None if alpha is None else require_positive(alpha, "alpha")
