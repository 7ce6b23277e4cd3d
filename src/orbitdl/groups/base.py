"""Abstract bases: a group, its action on data of one shape, its matrix representation.

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
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import (
    Blocks,
    Combination,
    EventRows,
    Floats,
    Integers,
    as_real,
    correlate,
    in_columns,
    inner,
)
from orbitdl.groups.presentation import (
    ElementSlider,
    Presentation,
    parameters_label,
    view_of_entries,
)
from orbitdl.groups.transforms.base import Transform

if TYPE_CHECKING:
    from orbitdl.groups.vectors.matrix_group import MatrixGroup
    from orbitdl.groups.vectors.shifts import Shifts

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
"""Transformed copies formed at a time; bounds the memory of `Action.locate`."""
CLOSE = 1e-9
"""Default relative tolerance of upper bounds: far below the duality gaps that are requested."""


class Group(ABC):
    """A symmetry, independent of the data's shape. Subclasses are frozen dataclasses.

    Files store the fields of the dataclass and the attributes that `also_stored` lists with their
    types. `from_stored` receives all of them.
    """

    also_stored: ClassVar[Mapping[str, type]] = {}

    @abstractmethod
    def on(self, shape: tuple[int, ...]) -> Action:
        """Return the action of this group on data points of the given shape."""

    @classmethod
    def from_stored(cls, values: dict[str, Any]) -> Self:
        """Build the group from the values in a file; raise ValueError if they are not valid."""
        return cls(**values)

    @property
    def name(self) -> str:
        """Name of the group, for messages and tables."""
        return type(self).__name__

    def matrix_group(self, d: int) -> MatrixGroup:
        """Return this group as d x d matrices that act on the channels of a `Product`."""
        raise ValueError(
            f"{self.name} does not act on channels by matrices; pass Product a matrix group such "
            "as Orthogonal()."
        )

    def shifts(self, length: int) -> Shifts:
        """Return the shifts of this group on signals of that length, for a `Product`."""
        raise ValueError(
            f"{self.name} does not shift signals; pass Product a group of shifts such as "
            "ContinuousShift() or IntegerShift()."
        )

    def short_name(self) -> str:
        """Return a description of the group on one short line."""
        return repr(self)

    def as_code(self) -> str:
        """Return the Python expression that constructs the group."""
        return repr(self)


def require_group(group: object) -> Group:
    """Return the group; raise ValueError if it is not one."""
    if not isinstance(group, Group):
        raise ValueError(
            f"group must be an object from orbitdl.groups such as IntegerShift(), not {group!r}."
        )
    return group


class Maps(NamedTuple):
    """Fixed linear maps L_f of components, the identity first, each sparse in blocks.

    Parameters theta are real blocks o of size D, shape (F', D, m). Blocks of components are

        (L_f theta)[member[o, i]] = matrices[f, o, i] @ theta[o].

    Attributes
    ----------
    member : ndarray of shape (F', s)
        Blocks that real block o maps to; -1: none.
    matrices : ndarray of shape (maps, F', s, d, D)
        Real or complex; every L_f is an isometry.
    """

    member: Integers
    matrices: Blocks


class Action(ABC):
    """The action of a group on arrays of one shape, and a transform to block coordinates.

    Codes, event tables and reports use this interface. A `Representation` acts by matrices on
    blocks. Any other action is reduced to one: its elements are (g, f) with g in a `base` group and
    f one of finitely many maps L_f. The orbit of a component a_j is then the union of the orbits of
    the copies ``L_f a_j`` under the base group.

    Attributes
    ----------
    group : Group
    transform : Transform
        Isometry to the block coordinates in which `base` acts.
    shape : tuple of int
        Shape of one data point.
    block_shape : tuple of int
        ``(F, d, m)``: number, size and multiplicity of the blocks.
    data_point : str
        What a data point is called in tables.
    parameters : tuple of str
        Names of the parameters of a group element; an element is a row of them.
    is_invertible : bool
        Whether `analyze` is invertible. If not, data outside its range stay in the residual.
    is_integer : bool
        Whether parameters are integers.
    dimension : int
        Dimension of the group as a manifold.
    maps : Maps or None
        The maps L_f; None: the identity only.
    n_copies : int
        Number of maps.
    """

    data_point: str = "sample"
    parameters: tuple[str, ...] = ()
    is_integer: bool = False
    dimension: int = 0
    maps: Maps | None = None
    n_copies: int = 1

    def __init__(self, group: Group, transform: Transform) -> None:
        self.group, self.transform = group, transform
        self.shape, self.block_shape = transform.shape, transform.block_shape
        self.dtype, self.is_invertible = transform.dtype, transform.is_invertible

    def __repr__(self) -> str:
        return f"{self.group!r}.on({self.shape})"

    @property
    @abstractmethod
    def base(self) -> Representation:
        """The base group, without the maps; coders use this one."""

    def copies(self, A: Blocks) -> Blocks:
        """Return ``L_f a_j`` for components (q, F, d, m), shape (q * n_copies, F, d, m)."""
        return A

    def to_copies(self, component: Integers, element: Floats) -> tuple[Integers, Floats]:
        """Return the copies of atoms, and their elements of the base group."""
        return component, element

    def from_copies(self, copy: Integers, element: Floats) -> tuple[Integers, Floats]:
        """Return components and elements (g, f) of atoms of copies: the inverse of `to_copies`."""
        return copy, element

    def analyze(self, x: Floats) -> Blocks:
        """Map data ``(..., *shape)`` to block coordinates (..., F, d, m)."""
        return self.transform.analyze(x)

    def synthesize(self, blocks: Blocks) -> Floats:
        """Map block coordinates back: the adjoint of `analyze`, and its inverse on its range."""
        return self.transform.synthesize(blocks)

    @abstractmethod
    def compose(self, left: Floats, right: Floats) -> Floats:
        """Return the product ``left right``, which acts as right followed by left."""

    @abstractmethod
    def inverse(self, element: Floats) -> Floats:
        """Return the inverse elements."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw n elements from the uniform (Haar) measure, shape (n, p)."""

    def contains(self, element: Floats) -> bool:
        """Return whether all rows (..., p) are elements of this group; here: finite numbers."""
        return bool(np.isfinite(element).all())

    @cached_property
    def presentation(self) -> Presentation:
        """Labels, view and sliders for reports; here: defaults for any group."""
        description, view = (
            f"may be transformed by the group {self.group.name}",
            view_of_entries(self.shape),
        )
        return Presentation(description, parameters_label, view, (ElementSlider(),))

    def examples(self, most: int) -> Floats:
        """Return at most `most` example elements, (k, p)."""
        return self.sample(np.random.default_rng(0), most)

    def principal(self, element: Floats) -> Floats:
        """Return elements (..., p) with periodic parameters in their principal range around zero.

        A shift to the left is then negative.
        """
        return element

    def act(self, element: Floats, x: Floats) -> Floats:
        """Apply group elements (..., p) to data ``(..., *shape)``."""
        return self.synthesize(self.act_on_blocks(element, self.analyze(x)))

    def locate(self, element: Floats, source: Integers, x: Floats) -> Floats:
        """Return the position of the peak ``max |g_k x[source_k]|`` along the first axis, (K,).

        Here it is the index of a sample. Groups of shifts interpolate between samples.
        """
        position = np.zeros(len(source))
        for k in range(0, len(source), CHUNK):
            part = slice(k, k + CHUNK)
            copies = np.abs(self.act(element[part], x[source[part]]))
            position[part] = copies.reshape(*copies.shape[:2], -1).max(axis=2).argmax(axis=1)
        return position

    def describe(self, element: Floats) -> dict[str, NDArray[Any]]:
        """Return the parameters of elements (k, p) as columns of a table."""
        kind = np.intp if self.is_integer else np.float64
        return {name: element[:, k].astype(kind) for k, name in enumerate(self.parameters)}

    def events(self, atoms: Combination, within: float) -> EventRows:
        """Return the event table of atoms; here: one event per atom.

        Groups of shifts merge atoms of one data point at most `within` samples apart, where a sum
        of transformed copies is a multiple of one of them.
        """
        return EventRows(
            atoms.row, {"coefficient": atoms.coefficient, **self.describe(atoms.element)}
        )

    def project(self, x: Floats) -> Floats:
        """Project x onto the range of the transform (for shifts: remove the Nyquist term)."""
        return self.synthesize(self.analyze(x))

    def act_on_blocks(self, element: Floats, B: Blocks) -> Blocks:
        """Apply elements (..., p) to blocks (..., F, d, m)."""
        front, back = B.shape[:-3], B.shape[-3:]
        shape = np.broadcast_shapes(element.shape[:-1], front)
        count, each = prod(shape), np.arange(prod(front)).reshape(front)
        one = np.broadcast_to(element, (*shape, element.shape[-1]))
        atoms = Combination(np.arange(count), np.ones(count), one.reshape(count, one.shape[-1]))
        source = np.broadcast_to(each, shape).flatten()  # a copy that may be written to
        rows = self.superpose(atoms, count, source, B.reshape(prod(front), *back))
        return rows.reshape(*shape, *back)

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        """Return ``sum_k c_k g_k A[source_k]`` over the atoms of each of n rows.

        A has shape (q, F, d, m), the result (n, F, d, m).
        """
        copy, element = self.to_copies(source, atoms.element)
        return self.base.superpose(atoms._replace(element=element), n, copy, self.copies(A))

    def largest_product(self, Y: Blocks, A: Blocks, eps: float = CLOSE) -> Floats:
        """Return an upper bound of ``max_{j,g} |<Y_i, g A_j>|`` for every sample, (n,).

        It exceeds the maximum by a factor of at most 1 + eps; duality gaps rely on it.
        """
        return self.base.largest_product(Y, self.copies(A), eps)

    def match_pairs(self, Y: Blocks, A: Blocks) -> tuple[Floats, Floats]:
        """Return ``<Y_i, g A_i>`` and g that maximises its absolute value, (n,) and (n, p)."""
        copies = self.copies(A).reshape(len(A), self.n_copies, *A.shape[1:])
        value, element = self.base.match(Y[:, None] @ copies.conj().swapaxes(-1, -2))
        each, best = np.arange(len(A)), np.abs(value).argmax(axis=1)
        _, element = self.from_copies(each * self.n_copies + best, element[each, best])
        return value[each, best], element


class Representation(Action):
    """The action of a group by matrices, on the blocks of a transform.

    Parameters
    ----------
    group : Group
    transform : Transform
        To the block coordinates in which the group acts.
    metric : ndarray of shape (F,), optional
        Weights ``w`` of the norm ``||Z||^2 = sum_f w_f ||Z_f||^2`` that `prox` refers to; ones by
        default.
    """

    def __init__(self, group: Group, transform: Transform, metric: Floats | None = None) -> None:
        super().__init__(group, transform)
        self.metric = np.ones(self.block_shape[0]) if metric is None else metric

    @property
    def base(self) -> Representation:
        return self

    @abstractmethod
    def represent(self, element: Floats) -> Blocks:
        """Return ``rho(g)`` of shape (..., F, d, d) for elements (..., p)."""

    def spanning_elements(self) -> Floats:
        """Return elements (k, p) whose matrices ``rho(g)`` span those of the whole group."""
        return self.sample(np.random.default_rng(0), 4 * int(np.prod(self.block_shape[:2])) ** 2)

    @abstractmethod
    def polar(self, correlation: Blocks) -> Floats:
        """Return ``max_g |<C, rho(g)>|`` for every C of shape (..., F, d, d)."""

    def largest_polar(self, correlation: Blocks, eps: float = CLOSE) -> Floats:
        """Return an upper bound of ``max_j polar(C_ij)`` for every sample, (n, q, F, d, d) to (n,).

        It exceeds the maximum by a factor of at most 1 + eps; duality gaps rely on it.
        """
        return np.asarray(self.polar(correlation).max(axis=1))

    def largest_product(self, Y: Blocks, A: Blocks, eps: float = CLOSE) -> Floats:
        """Return an upper bound of ``max_{j,g} |<Y_i, rho(g) A_j>|``, (n,), within 1 + eps."""
        return self.largest_polar(correlate(Y, A), eps)

    @abstractmethod
    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        """Return ``<C, rho(g)>`` and g that maximises its absolute value (assumption A4)."""

    def peaks(self, correlation: Blocks, threshold: float) -> Combination:
        """Return local maxima of ``|<C, rho(g)>|`` above a threshold, with their signed values.

        The result holds the global maximum of every C of shape (n, F, d, d). On a continuous group
        it holds the other local maxima, too.
        """
        value, element = self.match(correlation)
        row = np.flatnonzero(np.abs(value) > threshold)
        return Combination(row, value[row], element[row])

    def decompose(self, Z: Blocks) -> Combination:
        """Return a minimum-l1 decomposition of every Z (n, F, d, d) into group elements.

        Only where it has a closed form (`has_gauge`).
        """
        raise ValueError(
            f"the gauge of {self.group.name} has no closed form; compute it with "
            "reproduction.gauges, a package in the repository of orbitdl."
        )

    @property
    def has_gauge(self) -> bool:
        """Whether `gauge` and `decompose` have a closed form."""
        return type(self).decompose is not Representation.decompose

    @property
    def has_prox(self) -> bool:
        """Whether `prox` has a closed form."""
        return type(self).prox is not Representation.prox

    def prox(self, Z: Blocks, step: float) -> Blocks:
        """Return ``argmin_V 1/2 ||V - Z||^2 + step * gauge(V)`` in the norm given by `metric`."""
        raise ValueError(
            f"{self.group.name} has no closed-form proximal map; use its default coder instead."
        )

    def prox_derivative(self, Z: Blocks, step: float) -> Callable[[Blocks], Blocks]:
        """Return ``H -> d/dt prox(Z + t H, step)`` at t = 0; here: a finite difference."""
        # a step of about sqrt(machine epsilon) balances truncation and rounding errors
        here, size = self.prox(Z, step), 1e-7 * float(np.abs(Z).max(initial=0.0))

        def derivative(H: Blocks) -> Blocks:
            t = size / float(np.abs(H).max(initial=0.0)) if H.any() else 1.0
            return np.asarray((self.prox(Z + t * H, step) - here) / t)

        return derivative

    def gauge(self, Z: Blocks) -> Floats:
        """Return ``inf {t : Z in t conv(G u -G)}`` for every Z of shape (..., F, d, d).

        Only where it has a closed form (`has_gauge`).
        """
        flat = Z.reshape(-1, *Z.shape[-3:])
        atoms = self.decompose(flat)
        total = np.bincount(atoms.row, np.abs(atoms.coefficient), len(flat))
        return total.astype(np.float64, copy=False).reshape(Z.shape[:-3])

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        """Return ``sum_k c_k rho(g_k) A[source_k]`` over the atoms of each of n rows.

        A has shape (q, F, d, m), the result (n, F, d, m).
        """
        copies = self.act_on_blocks(atoms.element, A[source])
        gather = in_columns(atoms, np.arange(len(source)), (n, len(source)))
        flat = copies.reshape(len(source), int(np.prod(copies.shape[1:])))  # no -1: K may be 0
        return np.asarray(gather @ flat).reshape(n, *copies.shape[1:])

    def act_on_blocks(self, element: Floats, B: Blocks) -> Blocks:
        """Return ``rho(g) B`` for elements (..., p) and blocks (..., F, d, m)."""
        return self.represent(element) @ B

    @property
    def has_tangents(self) -> bool:
        """Whether `tangents` and `retract` are implemented; trivially true for finite groups."""
        return self.dimension == 0 or type(self).tangents is not Representation.tangents

    def tangents(self, B: Blocks) -> Blocks:
        """Return ``X_a B`` for a basis of the Lie algebra, (..., F, d, m) to (..., D, F, d, m).

        D is the dimension of the group, and ``d/dt rho(exp(t X_a) g) = X_a rho(g)`` at t = 0. The
        generators X_a are antisymmetric: ``<X_a B, C> = -<B, X_a C>``.
        """
        return np.zeros((*B.shape[:-3], 0, *B.shape[-3:]), dtype=B.dtype)

    def retract(self, element: Floats, by: Floats) -> Floats:
        """Return ``exp(sum_a by_a X_a) g`` for elements (..., p) and coordinates (..., D)."""
        return element
