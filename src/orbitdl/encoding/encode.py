"""Code data with given components."""

from __future__ import annotations

from numpy.typing import ArrayLike

from orbitdl.arrays.validation import as_components, require_jobs, require_positive
from orbitdl.coding.base import Coder, require_coder
from orbitdl.coding.choice import default_coder
from orbitdl.coding.codes import Codes
from orbitdl.encoding.sample_coder import SampleCoder, decode_atoms
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Floats, Group
from orbitdl.kernels.blas import single_threaded_blas


@single_threaded_blas()
def encode(
    X: ArrayLike,
    components: ArrayLike,
    *,
    group: Group,
    alpha: float,
    coder: Coder | None = None,
    n_jobs: int | None = None,
    mask: ArrayLike | None = None,
    debias: bool = False,
) -> Codes:
    """Write every data point as a sparse sum of transformed components.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n, d, channels), or what the group acts on
        NaN means missing: only observed entries count.
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
        With the objective and its certified relative gap for every data point.

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
    n_jobs = require_jobs(n_jobs)
    samples, alpha = Samples.of(X, group, mask, n_jobs), require_positive(alpha, "alpha")
    A = samples.analyze(components)
    coder = require_coder(coder) or default_coder(samples.representation)
    codes = SampleCoder(samples.representation, A, coder, alpha, debias, n_jobs).code(samples)
    coder.warn_unless_converged(codes.gap)
    return codes


@single_threaded_blas()
def decode(codes: Codes, components: ArrayLike) -> Floats:
    """Return ``sum_k c_k g_k a_k`` for every coded data point, shape (n, ...)."""
    if not isinstance(codes, Codes):
        raise ValueError(f"codes must be what encode returns, not {codes!r}.")
    representation, A = codes.representation, as_components(components)
    if A.shape != (codes.atoms.n_components, *representation.shape):
        raise ValueError(
            f"codes of {codes.atoms.n_components} components of shape {representation.shape} "
            f"cannot be decoded with components of shape {A.shape}; pass the components that they "
            "were made with."
        )
    return decode_atoms(representation, codes.atoms, representation.analyze(A))
