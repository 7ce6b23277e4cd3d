"""The objects of every symmetry: a group, and its action on data of one shape, by matrices.

After one orthonormal change of basis a compact group acts block by block,

    analyze(g y) = rho(g) @ analyze(y),      analyze(y) of shape (F, d, m):

F irreducible blocks of size d, each acting on m independent columns. Codes live in the same
coordinates: ``Z`` of shape (F, d, d) is a combination ``sum_k c_k rho(g_k)`` of group elements.

Signs belong to every group: an atom is
``c * g a`` with a signed coefficient, and gauges are those of conv(G u -G).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from math import prod
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import (
    Blocks,
    Combination,
    Floats,
    Integers,
    as_real,
    correlate,
    in_columns,
    inner,
)
from orbitdl.groups.presentation import ListSlider, Presentation, parameters_in_words
from orbitdl.groups.transforms.base import Transform
from orbitdl.groups.vectors.matrix_group import Fibre
from orbitdl.groups.vectors.merged_atoms import Events
from orbitdl.groups.vectors.shift_grid import Times
from orbitdl.groups.views import view_of_entries

__all__ = [
    "Action",
    "Blocks",
    "Combination",
    "Floats",
    "Group",
    "Integers",
    "Maps",
    "Representation",
    "as_real",
    "correlate",
    "inner",
    "require_group",
]

CHUNK = 4096
"""Moved copies formed at a time."""
CLOSE = 1e-9
"""How closely, relatively, a largest value is bounded where nothing else is asked for."""


class Group(ABC):
    """A symmetry, independent of the data's shape. Subclasses are frozen dataclasses.

    Files hold the fields of the dataclass, and the attributes that `also_stored` names with their
    types; `from_stored` gets all of them back.
    """

    also_stored: ClassVar[Mapping[str, type]] = {}

    @abstractmethod
    def on(self, shape: tuple[int, ...]) -> Action:
        """Return the action of this group on data points of the given shape."""

    @classmethod
    def from_stored(cls, values: dict[str, Any]) -> Self:
        """Build the group from what a file holds, or refuse what cannot be built here."""
        return cls(**values)

    @property
    def name(self) -> str:
        """The name in words, for messages and tables."""
        return type(self).__name__

    def fibre(self, d: int) -> Fibre:
        """Return this group as matrices that act on vectors of length d, for a `Product`."""
        raise ValueError(
            f"{self.name} is no group of matrices that act on vectors of channels; give Product "
            "one that is, such as Orthogonal()."
        )

    def times(self, length: int) -> Times:
        """Return the shifts of this group on signals of that length, for a `Product`."""
        raise ValueError(
            f"{self.name} is no group of shifts; give Product one that is, such as "
            "ContinuousShift() or IntegerShift()."
        )

    def in_short(self) -> str:
        """Return the group as people write it, on one short line."""
        return repr(self)

    def as_code(self) -> str:
        """Return the group as it would be typed in Python."""
        return repr(self)


def require_group(group: object) -> Group:
    """Return the group, or say how to make one."""
    if not isinstance(group, Group):
        raise ValueError(
            f"group must be an object from orbitdl.groups such as IntegerShift(), not {group!r}."
        )
    return group


class Maps(NamedTuple):
    """Fixed linear maps L_f of components, the identity first, which mix few blocks each.

    Parameters come in real blocks o of size D, (F', D, m), and become blocks of components,

        (L_f theta)[member[o, i]] = matrices[f, o, i] @ theta[o].

    Attributes
    ----------
    member : ndarray of shape (F', s)
        The blocks that real block o makes; -1: none.
    matrices : ndarray of shape (maps, F', s, d, D)
        Real or complex; every L_f keeps norms.
    """

    member: Integers
    matrices: Blocks


class Action(ABC):
    """How a group acts on arrays of one shape, and a transform to block coordinates.

    This is what codes, tables and reports ask for. A `Representation` acts by matrices on blocks.
    Any other action is said in terms of one: its group is an `alone` part, and finitely many maps
    that atoms begin with, so that components a_j under both are the copies ``L_f a_j`` under the
    group alone.

    Attributes
    ----------
    group : Group
    transform : Transform
        To the block coordinates in which `alone` acts.
    shape : tuple of int
        Shape of one data point.
    block_shape : tuple of int
        ``(F, d, m)``: number, size and multiplicity of the blocks.
    parameters : tuple of str
        Names of the numbers that describe a group element: an element is a row of them.
    moves_all : bool
        Whether `analyze` keeps everything; if not, the rest of the data stays unexplained.
    counted : bool
        Whether parameters are whole numbers.
    dimension : int
        Of the group as a manifold: real numbers that an element is free to choose.
    maps : Maps or None
        Those that atoms begin with; None: the identity only.
    n_copies : int
        How many of them there are.
    """

    parameters: tuple[str, ...] = ()
    counted: bool = False
    dimension: int = 0
    maps: Maps | None = None
    n_copies: int = 1

    def __init__(self, group: Group, transform: Transform) -> None:
        self.group, self.transform = group, transform
        self.shape, self.block_shape = transform.shape, transform.block_shape
        self.dtype, self.moves_all = transform.dtype, transform.keeps_all

    def __repr__(self) -> str:
        return f"{self.group!r}.on({self.shape})"

    @property
    @abstractmethod
    def alone(self) -> Representation:
        """The group without the maps that atoms begin with, which coders code with."""

    def copies(self, A: Blocks) -> Blocks:
        """Return ``L_f a_j`` for components (q, F, d, m), shape (q * n_copies, F, d, m)."""
        return A

    def apart(self, component: Integers, element: Floats) -> tuple[Integers, Floats]:
        """Return which copies atoms have, and by which elements of `alone` these are moved."""
        return component, element

    def together(self, copy: Integers, element: Floats) -> tuple[Integers, Floats]:
        """Return components and elements of atoms of copies: undo `apart`."""
        return copy, element

    def analyze(self, x: Floats) -> Blocks:
        """Map data ``(..., *shape)`` to block coordinates (..., F, d, m)."""
        return self.transform.analyze(x)

    def synthesize(self, blocks: Blocks) -> Floats:
        """Map block coordinates back: the adjoint of `analyze`, and its inverse on its range."""
        return self.transform.synthesize(blocks)

    @abstractmethod
    def compose(self, left: Floats, right: Floats) -> Floats:
        """Return the element that acts as right and then left."""

    @abstractmethod
    def inverse(self, element: Floats) -> Floats:
        """Return the inverse elements."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw n elements from the uniform (Haar) measure, shape (n, p)."""

    def contains(self, element: Floats) -> bool:
        """Tell whether numbers (..., p) may be elements of this group: here, if they are finite."""
        return bool(np.isfinite(element).all())

    @cached_property
    def presentation(self) -> Presentation:
        """How the moves are said and drawn: here, in words and pictures that serve any group."""
        moves, view = f"may be moved by the group {self.group.name}", view_of_entries(self.shape)
        return Presentation(moves, parameters_in_words, view, (ListSlider(),))

    def examples(self, most: int) -> Floats:
        """Return elements to look at, (k, p), k <= most."""
        return self.sample(np.random.default_rng(0), most)

    def shortest(self, element: Floats) -> Floats:
        """Return the same elements (..., p) with parameters nearest to zero, if there are others.

        A shift to the left is then negative.
        """
        return element

    def act(self, element: Floats, x: Floats) -> Floats:
        """Apply group elements (..., p) to data ``(..., *shape)``."""
        return self.synthesize(self.moved(element, self.analyze(x)))

    def locate(self, element: Floats, source: Integers, x: Floats) -> Floats:
        """Return where along the first axis ``max |g_k x[source_k]|`` lies, (K,): for K elements.

        Here it is a sample's number. Groups of shifts answer as finely as they move.
        """
        place = np.zeros(len(source))
        for k in range(0, len(source), CHUNK):
            part = slice(k, k + CHUNK)
            moved = np.abs(self.act(element[part], x[source[part]]))
            place[part] = moved.reshape(*moved.shape[:2], -1).max(axis=2).argmax(axis=1)
        return place

    def describe(self, element: Floats) -> dict[str, NDArray[Any]]:
        """Return elements (k, p) as columns of a table: their parameters."""
        kind = np.intp if self.counted else np.float64
        return {name: element[:, k].astype(kind) for k, name in enumerate(self.parameters)}

    def events(self, atoms: Combination, within: float) -> Events:
        """Return atoms as a table of events, rows of data and columns: here, each atom is one.

        Groups of shifts put atoms of one row together whose times are at most `within` apart, if
        these can be seen as one.
        """
        return Events(atoms.row, {"coefficient": atoms.coefficient, **self.describe(atoms.element)})

    def adopt(self, x: Floats) -> Floats:
        """Remove from x what the group cannot move (see the shift groups: the Nyquist term)."""
        return self.synthesize(self.analyze(x))

    def moved(self, element: Floats, B: Blocks) -> Blocks:
        """Return blocks (..., F, d, m) moved by elements (..., p)."""
        front, back = B.shape[:-3], B.shape[-3:]
        shape = np.broadcast_shapes(element.shape[:-1], front)
        count, each = prod(shape), np.arange(prod(front)).reshape(front)
        one = np.broadcast_to(element, (*shape, element.shape[-1]))
        atoms = Combination(np.arange(count), np.ones(count), one.reshape(count, one.shape[-1]))
        source = np.broadcast_to(each, shape).ravel()
        rows = self.superpose(atoms, count, source, B.reshape(prod(front), *back))
        return rows.reshape(*shape, *back)

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        """Return ``sum_k c_k g_k A[source_k]`` over the atoms of each of n rows.

        A has shape (q, F, d, m), the result (n, F, d, m).
        """
        copy, element = self.apart(source, atoms.element)
        return self.alone.superpose(atoms._replace(element=element), n, copy, self.copies(A))

    def largest_product(self, Y: Blocks, A: Blocks, eps: float = CLOSE) -> Floats:
        """Return ``max_{j,g} |<Y_i, g A_j>|`` for every sample, (n,).

        Never less, and more by a factor of at most 1 + eps: certificates rely on it.
        """
        return self.alone.largest_product(Y, self.copies(A), eps)

    def match_pairs(self, Y: Blocks, A: Blocks) -> tuple[Floats, Floats]:
        """Return ``<Y_i, g A_i>`` and g where its absolute value is largest, (n,) and (n, p)."""
        copies = self.copies(A).reshape(len(A), self.n_copies, *A.shape[1:])
        value, element = self.alone.match(Y[:, None] @ copies.conj().swapaxes(-1, -2))
        each, best = np.arange(len(A)), np.abs(value).argmax(axis=1)
        _, element = self.together(each * self.n_copies + best, element[each, best])
        return value[each, best], element


class Representation(Action):
    """The action of a group by matrices, on the blocks of a transform.

    Parameters
    ----------
    group : Group
    transform : Transform
        To the block coordinates in which the group acts.
    metric : ndarray of shape (F,), optional
        Weights ``w`` of the norm ``||Z||^2 = sum_f w_f ||Z_f||^2`` in which `prox` is taken;
        all are 1 by default.
    """

    def __init__(self, group: Group, transform: Transform, metric: Floats | None = None) -> None:
        super().__init__(group, transform)
        self.metric = np.ones(self.block_shape[0]) if metric is None else metric

    @property
    def alone(self) -> Representation:
        return self

    @abstractmethod
    def represent(self, element: Floats) -> Blocks:
        """Return ``rho(g)`` of shape (..., F, d, d) for elements (..., p)."""

    def cover(self) -> Floats:
        """Return elements spread over the group, (k, p), whose ``rho(g)`` span all of them."""
        return self.sample(np.random.default_rng(0), 4 * int(np.prod(self.block_shape[:2])) ** 2)

    @abstractmethod
    def polar(self, correlation: Blocks) -> Floats:
        """Return ``max_g |<C, rho(g)>|`` for every C of shape (..., F, d, d)."""

    def largest_polar(self, correlation: Blocks, eps: float = CLOSE) -> Floats:
        """Return ``max_j polar(C_ij)`` for every sample, (n, q, F, d, d) to (n,).

        Never less, and more by a factor of at most 1 + eps: certificates rely on it.
        """
        return np.asarray(self.polar(correlation).max(axis=1))

    def largest_product(self, Y: Blocks, A: Blocks, eps: float = CLOSE) -> Floats:
        """Return ``max_{j,g} |<Y_i, rho(g) A_j>|`` for every sample, (n,), bounded likewise."""
        return self.largest_polar(correlate(Y, A), eps)

    @abstractmethod
    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        """Return ``<C, rho(g)>`` and g where its absolute value is largest (assumption A4)."""

    def peaks(self, correlation: Blocks, level: float) -> Combination:
        """Return elements where ``|<C, rho(g)>|`` peaks above a level, with the signed values.

        For every C of shape (n, F, d, d) the largest is among them. Where elements have neighbours,
        as shifts do, so is every other local maximum.
        """
        value, element = self.match(correlation)
        row = np.flatnonzero(np.abs(value) > level)
        return Combination(row, value[row], element[row])

    def decompose(self, Z: Blocks) -> Combination:
        """Write every Z (n, F, d, d) as atoms with the least sum of absolute coefficients.

        Only where this has a closed form (`knows_gauge`).
        """
        raise ValueError(
            f"the gauge of {self.group.name} has no closed form; search for it with "
            "reproduction.gauges, a package in the repository of orbitdl."
        )

    @property
    def knows_gauge(self) -> bool:
        """Whether `gauge` and `decompose` have a closed form."""
        return type(self).decompose is not Representation.decompose

    @property
    def has_prox(self) -> bool:
        """Whether `prox` has a closed form."""
        return False

    def prox(self, Z: Blocks, step: float) -> Blocks:
        """Return ``argmin_V 1/2 ||V - Z||^2 + step * gauge(V)`` in the norm given by `metric`."""
        raise ValueError(
            f"{self.group.name} has no closed-form proximal map; use its default coder instead."
        )

    def prox_derivative(self, Z: Blocks, step: float) -> Callable[[Blocks], Blocks]:
        """Return ``H -> d/dt prox(Z + t H, step)`` at t = 0, for H like Z: here, a difference."""
        # a difference of rounded numbers is best at about the root of their precision
        here, size = self.prox(Z, step), 1e-7 * float(np.abs(Z).max(initial=0.0))

        def derivative(H: Blocks) -> Blocks:
            t = size / float(np.abs(H).max(initial=0.0)) if H.any() else 1.0
            return np.asarray((self.prox(Z + t * H, step) - here) / t)

        return derivative

    def gauge(self, Z: Blocks) -> Floats:
        """Return ``inf {t : Z in t conv(G u -G)}`` for every Z of shape (..., F, d, d).

        Only where this has a closed form (`knows_gauge`).
        """
        flat = Z.reshape(-1, *Z.shape[-3:])
        atoms = self.decompose(flat)
        total = np.bincount(atoms.row, np.abs(atoms.coefficient), len(flat))
        return total.astype(np.float64, copy=False).reshape(Z.shape[:-3])

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        """Return ``sum_k c_k rho(g_k) A[source_k]`` over the atoms of each of n rows.

        A has shape (q, F, d, m), the result (n, F, d, m).
        """
        moved = self.moved(atoms.element, A[source])
        gather = in_columns(atoms, np.arange(len(source)), (n, len(source)))
        flat = moved.reshape(len(source), int(np.prod(moved.shape[1:])))  # atoms may be none
        return np.asarray(gather @ flat).reshape(n, *moved.shape[1:])

    def moved(self, element: Floats, B: Blocks) -> Blocks:
        """Return ``rho(g) B`` for elements (..., p) and blocks (..., F, d, m)."""
        return self.represent(element) @ B

    @property
    def has_tangents(self) -> bool:
        """Whether `tangents` and `move` are there: always, where elements have no neighbours."""
        return self.dimension == 0

    def tangents(self, B: Blocks) -> Blocks:
        """Return ``X_a B`` for a basis of the Lie algebra, (..., F, d, m) to (..., D, F, d, m).

        D is the dimension of the group, and ``d/dt rho(exp(t X_a) g) = X_a rho(g)`` at t = 0. The
        X_a are antisymmetric: ``<X_a B, C> = -<B, X_a C>``.
        """
        return np.zeros((*B.shape[:-3], 0, *B.shape[-3:]), dtype=B.dtype)

    def move(self, element: Floats, by: Floats) -> Floats:
        """Return ``exp(sum_a by_a X_a) g`` for elements (..., p) and amounts (..., D)."""
        return element
