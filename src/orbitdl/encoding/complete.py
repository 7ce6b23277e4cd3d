"""Fill in what is missing: the least dictionary norm that agrees with what was observed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from orbitdl.arrays.blocks import Blocks, Floats, inner
from orbitdl.arrays.validation import require_jobs, require_positive
from orbitdl.arrays.warnings import warn_user
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import Coder, require_coder
from orbitdl.coding.basis_pursuit import minimum_l1_codes
from orbitdl.coding.choice import default_coder
from orbitdl.coding.codes import Codes
from orbitdl.coding.problem import Masked
from orbitdl.dictionaries.tied import dictionary_of
from orbitdl.encoding.encode import SampleCoder, decode_atoms, refit
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Group
from orbitdl.kernels.blas import single_threaded_blas


@dataclass(frozen=True)
class Completion:
    """Completed data, and how good the completion is.

    Attributes
    ----------
    X : ndarray of shape (n, ...)
        Observed entries as they were, the others filled in.
    atoms : Atoms
        What the filling was made of.
    value : ndarray of shape (n,)
        What was minimised: the dictionary norm (`exact`), or the penalised objective.
    bound : ndarray of shape (n,)
        No completion reaches less than this.
    """

    X: Floats
    atoms: Atoms
    value: Floats
    bound: Floats


@single_threaded_blas()
def complete(
    X: ArrayLike,
    components: ArrayLike,
    *,
    group: Group,
    alpha: float | None = None,
    coder: Coder | None = None,
    n_jobs: int | None = None,
    mask: ArrayLike | None = None,
    debias: bool = True,
    tol: float = 1e-4,
) -> Completion:
    """Fill the missing entries of data points.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n, d, channels), or what the group acts on
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
    coder, n_jobs = require_coder(coder), require_jobs(n_jobs)
    samples = Samples.of(X, group, mask, n_jobs)
    A, tol = samples.analyze(components), require_positive(tol, "tol")
    coder = coder or default_coder(samples.representation)
    weight = 1.0 if alpha is None else require_positive(alpha, "alpha")
    work = SampleCoder(samples.representation, A, coder, weight, n_jobs=n_jobs)
    if alpha is None:
        return complete_exactly(samples, A, tol)
    codes = work.code(samples)
    coder.warn_unless_converged(codes.gap)
    return complete_by(samples, A, codes, debias)


def complete_by(samples: Samples, A: Blocks, codes: Codes, debias: bool) -> Completion:
    """Return data points completed by their penalised codes."""
    atoms, value = codes.atoms, codes.objective
    if debias and samples.observed is not None:
        atoms = refit(samples, atoms, A)
    return filled_in(samples, A, atoms, value, value * (1 - codes.gap))


def complete_exactly(samples: Samples, A: Blocks, tol: float) -> Completion:
    """Return data points completed by the least dictionary norm that agrees with them."""
    return filled_in(samples, A, *_agree(samples, A, tol))


def filled_in(
    samples: Samples, A: Blocks, atoms: Atoms, value: Floats, bound: Floats
) -> Completion:
    """Return data points with the sum of atoms in place of missing entries."""
    if samples.observed is None:
        return Completion(samples.signal, atoms, value, bound)
    filling = decode_atoms(samples.representation, atoms, A)
    return Completion(np.where(samples.observed, samples.signal, filling), atoms, value, bound)


def _agree(samples: Samples, A: Blocks, tol: float) -> tuple[Atoms, Floats, Floats]:
    size = float(np.sqrt(inner(A, A).max())) or 1.0
    A = A / size
    data, observed = samples.signal, samples.observed
    seen = np.ones(data.shape, dtype=bool) if observed is None else observed
    norms = np.sqrt(inner(data, data, axes=data.ndim - 1))
    unit = np.where(norms > 0, norms, 1.0)
    masked = Masked(data / unit.reshape(-1, *[1] * (data.ndim - 1)), seen)
    Y = samples.Y / unit[:, None, None, None]
    action = samples.representation
    copies = dictionary_of(action, A).expand()
    atoms, value, bound = minimum_l1_codes(action.base, Y, copies, masked, tol)
    unit = unit / size
    value, bound = value * unit, bound * unit
    _warn_unless_met(value, bound, 10 * tol)
    atoms = atoms.updated(atoms.coefficient * unit[atoms.sample], atoms.element)
    return atoms.from_copies(action), value, bound


def _warn_unless_met(value: Floats, bound: Floats, tol: float) -> None:
    late = int(np.sum(value - bound > tol * value))
    if late:
        warn_user(
            f"{late} of {len(value)} completions stopped before value and bound met to {tol:.0e}; "
            "compare the two in what orbitdl.complete returns.",
            ConvergenceWarning,
        )
