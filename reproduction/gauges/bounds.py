"""The gauge of any representation, its bounds, and the atoms that attain it."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import as_real
from orbitdl.coding.basis_pursuit import minimum_l1_combination
from orbitdl.groups import CircleRepresentation, FiniteRepresentation, Representation
from orbitdl.groups.base import Blocks, Combination, Floats
from reproduction.gauges.bracket import Bracket, lightest_atoms, warn_if_wide
from reproduction.gauges.lightest_measure import lightest_measure

PROMISED = 1e-6
"""Relative distance of the two bounds from which on there is a warning."""
CLOSE = 1e-9
"""Relative distance of the bounds at which the semidefinite program of a circle ends."""
NOTHING = 1e-13
"""Coefficients up to this fraction of the largest are rounding."""


def gauge(representation: Representation, Z: Blocks) -> Floats:
    """Return ``inf {t : Z in t conv(G u -G)}`` for every Z of shape (..., F, d, d).

    A ConvergenceWarning is given where its bounds differ by more than a relative 1e-6.

    Examples
    --------
    >>> from orbitdl.groups import ContinuousShift
    >>> shifts = ContinuousShift().on((9,))
    >>> Z = shifts.represent(np.array([[0.0], [4.5]]))
    >>> float(gauge(shifts, Z[0] - 2 * Z[1]).round(6))
    3.0
    """
    lower, upper = gauge_bracket(representation, Z)
    warn_if_wide(lower, upper, PROMISED)
    return upper


def gauge_bracket(representation: Representation, Z: Blocks) -> tuple[Floats, Floats]:
    """Return a lower and an upper bound of the gauge of every Z (..., F, d, d), (...) each.

    Both are the gauge itself where it has a closed form.
    """
    if representation.has_gauge:
        exact = representation.gauge(Z)
        return exact, exact
    found = _bracket(representation, Z.reshape(-1, *Z.shape[-3:]))
    return found.lower.reshape(Z.shape[:-3]), found.upper.reshape(Z.shape[:-3])


def decompose(representation: Representation, Z: Blocks) -> Combination:
    """Write every Z (n, F, d, d) as atoms with the least sum of absolute coefficients.

    A ConvergenceWarning is given where that sum is not known to a relative 1e-6.
    """
    if representation.has_gauge:
        return representation.decompose(Z)
    found = _bracket(representation, Z)
    warn_if_wide(found.lower, found.upper, PROMISED)
    return found.atoms


def _bracket(representation: Representation, Z: Blocks) -> Bracket:
    if isinstance(representation, CircleRepresentation):
        return _of_circle(representation, Z)
    if isinstance(representation, FiniteRepresentation):
        return _of_finite_group(representation, Z)
    return lightest_atoms(representation, Z)


def _of_circle(representation: CircleRepresentation, Z: Blocks) -> Bracket:
    """Solve a semidefinite program for each Z: the measure of least total variation."""
    measures = [lightest_measure(z[:, 0, 0].conj(), CLOSE) for z in Z]
    row = np.repeat(np.arange(len(Z)), [len(measure.weight) for measure in measures])
    weight = np.concatenate([np.zeros(0), *(measure.weight for measure in measures)])
    angle = np.concatenate([np.zeros(0), *(measure.angle for measure in measures)])
    period = representation.period
    element = np.mod(angle * (period / (2 * np.pi)), period)[:, None]
    lower, upper = np.array([(measure.lower, measure.total) for measure in measures]).T
    return Bracket(Combination(row, weight, element), lower, upper)


def _of_finite_group(representation: FiniteRepresentation, Z: Blocks) -> Bracket:
    """Solve a linear program for each Z: basis pursuit over all elements."""
    table = as_real(representation.represent(representation.elements)).T
    c = np.array([minimum_l1_combination(table, row)[0] for row in as_real(Z)])
    size = np.abs(c)
    row, number = np.nonzero(size > NOTHING * size.max(axis=-1, keepdims=True))
    total = size.sum(axis=1)
    atoms = Combination(row, c[row, number], representation.elements[number])
    return Bracket(atoms, total, total)
