"""Fill in what is missing: the least dictionary norm that agrees with what was observed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from orbitdl.codes import Atoms
from orbitdl.coding.base import Coder, require_coder
from orbitdl.coding.choice import default_coder
from orbitdl.coding.problem import Masked, Problem
from orbitdl.denoising import refit
from orbitdl.encoding import decode_atoms, encode_samples
from orbitdl.groups.base import Blocks, Combination, Floats, Group, Representation, correlate, inner
from orbitdl.groups.finite_base import lightest_combination
from orbitdl.samples import Samples
from orbitdl.validation import require_jobs, require_positive

ROUNDS, STALLED = 60, 4
"""Linear programs a sample at most, and how many without progress are enough."""
PENALTIES = (1e-2, 1e-4)
"""Penalties, for data of unit norm, that prepare exact agreement."""


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


class Lightest(NamedTuple):
    """Atoms of the least norm for one data point, that norm, and a bound it cannot fall below."""

    atoms: Atoms
    value: float
    bound: float


def complete(
    X: ArrayLike,
    components: ArrayLike,
    *,
    group: Group,
    alpha: float | None = None,
    coder: Coder | None = None,
    n_jobs: int | None = None,
    mask: ArrayLike | None = None,
    debias: bool = False,
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
        With alpha: fill with the atoms found, fitted to the observed entries by least squares; the
        penalty has shrunk their coefficients. Value and bound are those of the penalised program.
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
    samples = Samples.of(X, group, mask)
    A, coder, n_jobs = samples.analyze(components), require_coder(coder), require_jobs(n_jobs)
    alpha = None if alpha is None else require_positive(alpha, "alpha")
    return complete_samples(samples, A, alpha, coder, n_jobs, debias, require_positive(tol, "tol"))


def complete_samples(
    samples: Samples,
    A: Blocks,
    alpha: float | None,
    coder: Coder | None,
    n_jobs: int | None,
    debias: bool,
    tol: float = 1e-4,
) -> Completion:
    """Do the same with what is checked and in block coordinates, components A (q, F, d, m) too."""
    if alpha is not None:
        coder = coder or default_coder(samples.representation)
        codes = encode_samples(samples, A, alpha, coder, n_jobs)
        atoms, value, bound = codes.atoms, codes.objective, codes.objective * (1 - codes.gap)
    else:
        atoms, value, bound = _agree(samples, A, tol)
    if samples.observed is None:
        return Completion(samples.signal, atoms, value, bound)
    if debias and alpha is not None:
        atoms = refit(samples, atoms, A)
    filling = decode_atoms(samples.representation, atoms, A)
    return Completion(np.where(samples.observed, samples.signal, filling), atoms, value, bound)


def _agree(samples: Samples, A: Blocks, tol: float) -> tuple[Atoms, Floats, Floats]:
    size = float(np.sqrt(inner(A, A).max())) or 1.0
    A = A / size
    representation, data, observed = samples.representation, samples.signal, samples.observed
    seen = np.ones(data.shape, dtype=bool) if observed is None else observed
    norms = np.sqrt(inner(data, data, axes=data.ndim - 1))
    unit = np.where(norms > 0, norms, 1.0)
    masked = Masked(data / unit.reshape(-1, *[1] * (data.ndim - 1)), seen)
    guess, bounds = _penalised(representation, samples.Y / unit[:, None, None, None], A, masked)
    found = [
        lightest_code(representation, A, y, m, guess.take(np.array([i])), bounds[i], tol)
        for i, (y, m) in enumerate(zip(masked.signal, seen, strict=True))
    ]
    atoms = Atoms.concatenate([one.atoms for one in found])
    unit = unit / size
    value, bound = (np.array([one[k] for one in found]) * unit for k in (1, 2))
    _warn_unless_met(value, bound, 10 * tol)
    return atoms.moved(atoms.coefficient * unit[atoms.sample], atoms.element), value, bound


def _penalised(
    representation: Representation, Y: Blocks, A: Blocks, masked: Masked
) -> tuple[Atoms, Floats]:
    """Return codes with a small penalty, and the bounds ``<y, r> / max_j polar(r a_j^H)``.

    The residuals r of the penalised program are feasible for the dual when scaled, and close to
    its solution; the atoms are close to those of the equality program.
    """
    prepared = default_coder(representation).prepare(representation, A)
    atoms, bounds = None, np.zeros(len(Y))
    for alpha in PENALTIES:
        atoms = prepared.code(Y, alpha, atoms, masked=masked, warn=False).atoms
        problem = Problem(representation, Y, A, alpha, masked)
        misfit = problem.misfit(atoms.superpose(representation, A))
        polar = representation.largest_product(misfit.residual, A)
        bounds = np.maximum(bounds, misfit.product / np.maximum(polar, 1e-300))
    assert atoms is not None
    return atoms, bounds


def _warn_unless_met(value: Floats, bound: Floats, tol: float) -> None:
    late = int(np.sum(value - bound > tol * value))
    if late:
        warnings.warn(
            f"{late} of {len(value)} completions stopped before value and bound met to {tol:.0e}; "
            "compare the two in what orbitdl.complete returns.",
            ConvergenceWarning,
            stacklevel=5,
        )


def lightest_code(
    representation: Representation,
    A: Blocks,
    y: Floats,
    observed: NDArray[np.bool_],
    guess: Atoms,
    bound: float,
    tol: float,
) -> Lightest:
    """Solve ``min sum |c_k|  s.t.  sum_k c_k M g_k a_k = M y`` over all atoms, for one y.

    `guess` has atoms to begin with, besides those of the group's cover; `bound` is what the value
    cannot fall below as far as is known.
    """
    q, seen, target = len(A), observed.ravel(), y[observed]
    if not target.any():
        return Lightest(Atoms.none(1, q, len(representation.parameters)), 0.0, 0.0)
    cover = representation.cover()
    row = np.append(np.repeat(np.arange(q), len(cover)), guess.component)
    element = np.concatenate([np.tile(cover, (q, 1)), guess.element])
    table = _columns(representation, A, row, element, seen)
    _require_agreement(table, target)
    values = [np.inf] * STALLED
    for _ in range(ROUNDS):
        c, dual = lightest_combination(table, target)
        values.append(float(np.abs(c).sum()))
        p = np.zeros(observed.shape)
        p[observed] = dual
        C = correlate(representation.analyze(p[None]), A)[0]
        bound = max(bound, float(dual @ target) / max(1.0, float(representation.polar(C).max())))
        fresh = representation.peaks(C, 1.0 + 0.1 * tol)
        met = values[-1] - bound <= tol * values[-1] or len(fresh.row) == 0
        if met or values[-STALLED] - values[-1] <= 0.1 * tol * values[-1]:
            break
        row, element = np.append(row, fresh.row), np.concatenate([element, fresh.element])
        more = _columns(representation, A, fresh.row, fresh.element, seen)
        table = np.concatenate([table, more], axis=1)
    used = np.flatnonzero(np.abs(c) > 1e-12 * np.abs(c).max())
    atoms = Atoms.of_pairs(Combination(row[used], c[used], element[used]), 1, q)
    return Lightest(atoms, values[-1], min(bound, values[-1]))


def _columns(
    representation: Representation,
    A: Blocks,
    row: NDArray[np.intp],
    element: Floats,
    seen: NDArray[np.bool_],
) -> Floats:
    """Return the observed entries of moved components as columns."""
    moved = representation.synthesize(representation.represent(element) @ A[row])
    return np.ascontiguousarray(moved.reshape(len(row), len(seen))[:, seen].T)


def _require_agreement(table: Floats, target: Floats) -> None:
    """Refuse a target that no combination of the columns reaches."""
    nearest = table @ np.linalg.lstsq(table, target, rcond=1e-12)[0]
    distance = float(np.linalg.norm(nearest - target) / np.linalg.norm(target))
    if distance > 1e-7:
        raise ValueError(
            "the observed entries of a data point are no combination of moved components (the "
            f"nearest is {distance:.1g} of their norm away): use exact=False, or an alpha."
        )
