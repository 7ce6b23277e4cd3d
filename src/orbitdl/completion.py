"""Fill in what is missing: the least dictionary norm that agrees with what was observed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from orbitdl.codes import Atoms
from orbitdl.coding.base import Coder
from orbitdl.encoding import as_representation, decode_atoms, encode
from orbitdl.groups.base import Blocks, Combination, Floats, Group, Representation, correlate
from orbitdl.groups.finite_base import lightest_combination
from orbitdl.validation import as_masked_data

ROUNDS = 60
"""Linear programs a sample at most."""


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


class _Lightest(NamedTuple):
    atoms: Combination
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
    tol: float = 1e-6,
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

    a linear program over all atoms ``g a_j``. It is solved over a few of them, to which those are
    added that violate its dual, ``max_p <p, M y>  s.t.  |<p, g a_j>| <= 1``, until none does.
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
    data, observed = as_masked_data(X, mask)
    if alpha is not None:
        codes = encode(
            data, components, group=group, alpha=alpha, coder=coder, n_jobs=n_jobs, mask=observed
        )
        atoms, value, bound = codes.atoms, codes.objective, codes.objective * (1 - codes.gap)
    else:
        atoms, value, bound = _agree(data, observed, components, group, tol)
    if observed is None:
        return Completion(data, atoms, value, bound)
    representation, A = as_representation(group, data, components)
    filling = decode_atoms(representation, atoms, A)
    return Completion(np.where(observed, data, filling), atoms, value, bound)


def _agree(
    data: Floats,
    observed: NDArray[np.bool_] | None,
    components: ArrayLike,
    group: Group,
    tol: float,
) -> tuple[Atoms, Floats, Floats]:
    representation, A = as_representation(group, data, components)
    seen = np.ones(data.shape, dtype=bool) if observed is None else observed
    q = len(A)
    found = [
        lightest_code(representation, A, y, m, f"sample {i}", tol)
        for i, (y, m) in enumerate(zip(data, seen, strict=True))
    ]
    value, bound = (np.array([one[k] for one in found]) for k in (1, 2))
    if (late := int(np.sum(value - bound > 10 * tol * value))) > 0:
        warnings.warn(
            f"{late} of {len(data)} completions stopped before value and bound met; "
            "compare the two in what orbitdl.complete returns.",
            ConvergenceWarning,
            stacklevel=3,
        )
    rows = np.concatenate([i * q + one.atoms.row for i, one in enumerate(found)])
    c, element = (np.concatenate([one.atoms[k] for one in found]) for k in (1, 2))
    return Atoms.of_pairs(Combination(rows, c, element), len(data), q), value, bound


def lightest_code(
    representation: Representation,
    A: Blocks,
    y: Floats,
    observed: NDArray[np.bool_],
    name: str,
    tol: float,
) -> _Lightest:
    """Solve ``min sum |c_k|  s.t.  sum_k c_k M g_k a_k = M y`` over all atoms, for one y."""
    q, seen, target = len(A), observed.ravel(), y[observed]
    element = representation.cover()
    row = np.repeat(np.arange(q), len(element))
    element = np.tile(element, (q, 1))
    table = _columns(representation, A, row, element, seen)
    _require_agreement(table, target, name)
    value = bound = 0.0
    for _ in range(ROUNDS):
        c, dual = lightest_combination(table, target)
        value = float(np.abs(c).sum())
        p = np.zeros(observed.shape)
        p[observed] = dual
        C = correlate(representation.analyze(p[None]), A)[0]
        bound = max(bound, float(dual @ target) / max(1.0, float(representation.polar(C).max())))
        fresh = representation.peaks(C, 1.0 + 0.1 * tol)
        if value - bound <= tol * value or len(fresh.row) == 0:
            break
        row, element = np.append(row, fresh.row), np.concatenate([element, fresh.element])
        more = _columns(representation, A, fresh.row, fresh.element, seen)
        table = np.concatenate([table, more], axis=1)
    used = np.flatnonzero(np.abs(c) > 1e-12 * np.abs(c).max(initial=0.0))
    return _Lightest(Combination(row[used], c[used], element[used]), value, bound)


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


def _require_agreement(table: Floats, target: Floats, name: str) -> None:
    """Refuse a target that no combination of the columns reaches."""
    if len(target) == 0 or not target.any():
        return
    nearest = table @ np.linalg.lstsq(table, target, rcond=1e-12)[0]
    distance = float(np.linalg.norm(nearest - target) / np.linalg.norm(target))
    if distance > 1e-7:
        raise ValueError(
            f"the observed entries of {name} are no combination of moved components (the nearest "
            f"one is {distance:.1g} of their norm away); use exact=False, or an alpha for noise."
        )
