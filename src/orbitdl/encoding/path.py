"""Codes along alphas, each begun from those of the alpha before."""

from __future__ import annotations

from collections.abc import Iterable

from numpy.typing import ArrayLike

from orbitdl.arrays.validation import as_alphas, require_jobs
from orbitdl.coding.base import Coder, require_coder
from orbitdl.coding.choice import default_coder
from orbitdl.coding.codes import Codes
from orbitdl.encoding.sample_coder import SampleCoder
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Group
from orbitdl.kernels.blas import single_threaded_blas


@single_threaded_blas()
def encode_path(
    X: ArrayLike,
    components: ArrayLike,
    alphas: Iterable[float],
    *,
    group: Group,
    coder: Coder | None = None,
    n_jobs: int | None = None,
    mask: ArrayLike | None = None,
) -> list[Codes]:
    """Write every data point as a sparse sum of transformed components, at each of some alphas.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n, d, channels), or what the group acts on
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
    n_jobs = require_jobs(n_jobs)
    samples, weights = Samples.of(X, group, mask, n_jobs), as_alphas(alphas)
    A = samples.analyze(components)
    coder = require_coder(coder) or default_coder(samples.representation)
    work = SampleCoder(samples.representation, A, coder, min(weights), n_jobs=n_jobs)
    path = work.path(samples, weights)
    for codes in path:
        coder.warn_unless_converged(codes.gap)
    return path
