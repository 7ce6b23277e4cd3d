"""Fill in what is missing: the least dictionary norm that agrees with what was observed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from orbitdl.arrays.blocks import Blocks, Floats, inner
from orbitdl.arrays.warnings import warn_user
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.basis_pursuit import minimum_l1_codes
from orbitdl.coding.codes import Codes
from orbitdl.coding.problem import Masked
from orbitdl.dictionaries.tied import dictionary_of
from orbitdl.encoding.encode import decode_atoms, refit
from orbitdl.encoding.samples import Samples


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
