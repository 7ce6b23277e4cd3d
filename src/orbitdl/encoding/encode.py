"""Code data with given components: at one alpha, along several, and from codes back to data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.arrays.validation import as_alphas, as_components, require_jobs, require_positive
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import Coder, require_coder
from orbitdl.coding.certificate import reconstruct
from orbitdl.coding.choice import default_coder
from orbitdl.coding.codes import Codes
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Action, Group
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


@dataclass(frozen=True, eq=False)
class SampleCoder:
    """What codes data points; everything in here is checked. It can be pickled.

    Attributes
    ----------
    action : Action
    A : ndarray of shape (q, F, d, m)
        Components in block coordinates.
    coder : Coder
    alpha : float
    debias : bool
        Whether coefficients are refitted by least squares.
    n_jobs : int or None
    """

    action: Action
    A: Blocks
    coder: Coder
    alpha: float
    debias: bool = False
    n_jobs: int | None = None
    noun: ClassVar[str] = "samples"

    def prepare(self, checked: tuple[Floats, NDArray[np.bool_] | None]) -> Samples:
        """Return checked values and mask, (n, ...) each, in block coordinates."""
        signal, observed = checked
        return Samples.on(self.action, signal, observed, self.n_jobs)

    def code(self, samples: Samples) -> Codes:
        """Return the codes of data points; without a warning if some have not converged."""
        codes = self.coder.prepare(self.action, self.A).code(
            samples.Y, self.alpha, masked=samples.masked, n_jobs=self.n_jobs, warn=False
        )
        if self.debias:
            codes = replace(codes, atoms=refit(samples, codes.atoms, self.A))
        return samples.with_unseen(codes, self.coder.tol)

    def path(self, samples: Samples, alphas: list[float]) -> list[Codes]:
        """Return the codes at every alpha, from the largest to the smallest, in their order."""
        prepared, found = self.coder.prepare(self.action, self.A), dict[int, Codes]()
        warm = None
        for k in np.argsort(-np.array(alphas), kind="stable"):
            codes = prepared.code(
                samples.Y,
                alphas[k],
                warm,
                masked=samples.masked,
                n_jobs=self.n_jobs,
                warn=False,
            )
            warm, found[int(k)] = codes.atoms, samples.with_unseen(codes, self.coder.tol)
        return [found[k] for k in range(len(alphas))]

    def codes(self, coded: Codes) -> Codes:
        """Return the codes: what is known of coded data points."""
        return coded

    def no_codes(self) -> Codes:
        """Return the codes of no data points."""
        none, atoms = np.zeros(0), Atoms.none(0, len(self.A), len(self.action.parameters))
        return Codes(self.action, atoms, none, none, np.zeros(0, dtype=object))


def refit(samples: Samples, atoms: Atoms, A: Blocks) -> Atoms:
    """Return the same atoms with the coefficients that fit the observed entries best."""
    return atoms.updated(refitted(samples, atoms, A), atoms.element)


def refitted(samples: Samples, atoms: Atoms, A: Blocks) -> Floats:
    """Return the coefficients (K,) of atoms that fit the observed entries best."""
    representation, y = samples.representation, samples.signal.reshape(len(samples), -1)
    transformed = representation.synthesize(
        representation.act_on_blocks(atoms.element, A[atoms.component])
    )
    columns = transformed.reshape(len(transformed), y.shape[1])
    if samples.observed is not None:
        columns = columns * samples.observed.reshape(y.shape)[atoms.sample]
    c = np.zeros(len(columns))
    for i in np.flatnonzero(np.diff(atoms.offsets)):
        own = slice(atoms.offsets[i], atoms.offsets[i + 1])
        c[own] = np.linalg.lstsq(columns[own].T, y[i], rcond=1e-10)[0]
    return c


def decode_atoms(action: Action, atoms: Atoms, A: Blocks) -> Floats:
    """Return the data (n, ...) that atoms of components A (q, F, d, m) add up to."""
    return action.synthesize(reconstruct(action, atoms, A))
