"""The lightest combination of group elements where nothing better is known, between two bounds.

    min sum_k |c_k|   s.t.   sum_k c_k rho(g_k) = Z

has the dual ``max_p <p, Z>  s.t.  polar(p) <= 1``. It is solved over the elements at hand, to which
those are added where ``|<p, rho(g)>|`` peaks. The sum that is reached bounds the gauge from above,
and ``<p, Z> / polar(p)`` bounds it from below, for any p.

The p of such a linear program is a corner far outside of the polar ball, and cuts there say little.
Points between it and the best p so far (Ben-Ameur and Neto's "in" and "out") are looked at too: the
bracket then narrows by a steady factor a round, also where the ball is smooth.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg import qr
from sklearn.exceptions import ConvergenceWarning

from orbitdl.arrays.blocks import Blocks, Combination, Floats, Integers, as_real
from orbitdl.arrays.warnings import warn_user
from orbitdl.coding.basis_pursuit import minimum_l1_combination

TOL = 1e-8
"""Relative width at which the search ends."""
ROUNDS, STALLED = 150, 25
"""Linear programs at most, and after how many that did not halve the width the search ends."""
INWARDS = np.array([0.0, 0.3, 0.7, 0.9])
"""How far from p to the best one the points lie at which elements are looked for."""
NEAR_TOP = 0.5
"""Peaks from this fraction of the largest value on become elements."""
AT_FIRST, AT_HAND = 6, 20
"""Elements to begin with, and those kept from one round to the next, in multiples of the dimension:
with few, they leave and come back, and the bracket narrows no more."""
SAME = 1e-5
"""Relative distance of two elements up to which one does for both: weights change by its square,
and linear programs are hard to solve with both."""
NOTHING = 1e-13
"""Coefficients up to this fraction of all are rounding."""
DEPENDENT = 1e-9
"""Relative size below which a direction is rounding."""
IN_SPAN = 1e-7
"""Relative distance from the span of all elements that counts as rounding."""


class Searchable(Protocol):
    """What is asked of a representation."""

    parameters: tuple[str, ...]

    def spanning_elements(self) -> Floats: ...
    def represent(self, element: Floats) -> Blocks: ...
    def match(self, correlation: Blocks) -> tuple[Floats, Floats]: ...
    def peaks(self, correlation: Blocks, level: float) -> Combination: ...
    def largest_polar(self, correlation: Blocks, eps: float = ...) -> Floats: ...


class Bracket(NamedTuple):
    """Atoms that add up to every Z, and bounds (n,) of the least weight of any such ones."""

    atoms: Combination
    lower: Floats
    upper: Floats


def lightest_atoms(representation: Searchable, Z: Blocks) -> Bracket:
    """Return light combinations of elements that add up to Z (n, F, d, d)."""
    space = _Span(representation)
    found = [_search(space, z) for z in space.coordinates(Z)]
    row = np.repeat(np.arange(len(Z)), [len(one.coefficient) for one in found])
    c = np.concatenate([np.zeros(0), *(one.coefficient for one in found)])
    none = np.zeros((0, len(representation.parameters)))
    element = np.concatenate([none, *(one.element for one in found)])
    lower, upper = (np.array([getattr(one, name) for one in found]) for name in ("lower", "upper"))
    return Bracket(Combination(row, c, element), lower, upper)


def warn_if_wide(lower: Floats, upper: Floats, promised: float) -> None:
    """Warn, in the name of who asked for gauges, if they are not as well known as promised."""
    width = (upper - lower) / np.maximum(upper, np.finfo(float).tiny)
    late = width[width > promised]
    if len(late):
        warn_user(
            f"the gauge of {len(late)} of {len(width)} matrices is known to a relative "
            f"{late.max():.1e} only, not to {promised:.0e}; gauge_bracket returns both bounds.",
            ConvergenceWarning,
        )


class _Span:
    """Real coordinates in the span of all ``rho(g)``, in which inner products are kept.

    Attributes
    ----------
    start : ndarray of shape (k, p)
        Elements whose matrices span it.
    dimension : int
    """

    def __init__(self, representation: Searchable) -> None:
        self.representation = representation
        cover = representation.spanning_elements()
        matrices = representation.represent(cover)
        self._shape, self._is_complex = matrices.shape[1:], np.iscomplexobj(matrices)
        basis, triangle, order = qr(as_real(matrices).T, mode="economic", pivoting=True)
        size = np.abs(np.diagonal(triangle))
        self.dimension = int(np.sum(size > DEPENDENT * size[0]))
        self._basis: Floats = basis[:, : self.dimension]
        self.start: Floats = cover[order[: AT_FIRST * self.dimension]]

    def coordinates(self, Z: Blocks) -> Floats:
        """Return combinations of elements (n, F, d, d) as rows (n, dimension)."""
        rows = as_real(Z)
        inside = rows @ self._basis
        rest = np.linalg.norm(rows - inside @ self._basis.T, axis=1)
        if np.any(rest > IN_SPAN * np.linalg.norm(rows, axis=1)):
            raise ValueError("Z is not a combination of group elements; pass blocks in their span.")
        return inside

    def table(self, element: Floats) -> Floats:
        """Return ``rho(g)`` as columns, (dimension, K)."""
        return np.asarray((as_real(self.representation.represent(element)) @ self._basis).T)

    def distinct(self, element: Floats) -> Floats:
        """Leave out elements that are, up to the sign of their matrix, nearly an earlier one."""
        table = self.table(element)
        table /= np.linalg.norm(table, axis=0)
        same = np.tril(np.abs(table.T @ table) > 1.0 - 0.5 * SAME**2, -1)
        return element[~same.any(axis=1)]

    def blocks(self, p: Floats) -> Blocks:
        """Return coordinates (n, dimension) as blocks (n, F, d, d)."""
        rows = p @ self._basis.T
        if self._is_complex:
            real, imaginary = np.split(rows, 2, axis=1)
            rows = real + 1j * imaginary
        return np.asarray(rows.reshape(len(p), *self._shape))


class _Light(NamedTuple):
    """Coefficients (K,) and elements (K, p) that add up to one Z, and a bound of their weight."""

    coefficient: Floats
    element: Floats
    lower: float

    @property
    def upper(self) -> float:
        return float(np.abs(self.coefficient).sum())


def _search(space: _Span, z: Floats) -> _Light:
    """Solve, look, and add elements, for z (dimension,), until the bracket is narrow."""
    light, inner, widths = _Light(np.zeros(0), space.start[:0], 0.0), np.zeros_like(z), [np.inf]
    fresh = space.start
    while z.any() and len(widths) <= ROUNDS and not _is_done(light, widths):
        element = space.distinct(np.concatenate([light.element, fresh]))
        table = space.table(element)
        c, outer = minimum_l1_combination(table, z)
        points = outer + INWARDS[:, None] * (inner - outer)
        tops, fresh = _look(space, points)
        bounds = points @ z / tops
        if bounds.max() > light.lower:
            inner = points[bounds.argmax()] / tops[bounds.argmax()]
        kept = _near(np.abs(outer @ table), c, AT_HAND * space.dimension)
        light = _Light(c[kept], element[kept], max(light.lower, float(bounds.max())))
        widths.append(light.upper - light.lower)
    used = np.abs(light.coefficient) > NOTHING * light.upper
    return _Light(light.coefficient[used], light.element[used], min(light.lower, light.upper))


def _is_done(light: _Light, widths: list[float]) -> bool:
    """Tell whether the bracket is as narrow as asked for, or narrows no more."""
    stalled = len(widths) > STALLED and widths[-1] > 0.5 * widths[-1 - STALLED]
    return stalled or widths[-1] <= TOL * light.upper


def _look(space: _Span, points: Floats) -> tuple[Floats, Floats]:
    """Return polars (k,) of points (k, dimension), bounded from above, and elements at peaks."""
    C = space.blocks(points)
    tops = space.representation.largest_polar(C[:, None])
    peaks = space.representation.peaks(C / tops[:, None, None, None], NEAR_TOP).element
    # of two peaks side by side, `peaks` may have found the lower one only
    return tops, np.concatenate([space.representation.match(C)[1], peaks])


def _near(height: Floats, c: Floats, most: int) -> Integers:
    """Return the numbers of the elements in use and of those that come closest to it."""
    order = np.argsort(-height, kind="stable")
    return np.union1d(order[:most], np.flatnonzero(c))
