"""The two objects of every symmetry: a group, and its action on data of one shape.

After one orthonormal change of basis a compact group acts block by block,

    analyze(g y) = rho(g) @ analyze(y),      analyze(y) of shape (F, d, m):

F irreducible blocks of size d, each acting on m independent columns. Codes live in the same
coordinates: ``Z`` of shape (F, d, d) is a combination ``sum_k c_k rho(g_k)`` of group elements.
Inner products are ``<A, B> = Re sum conj(A) B`` everywhere.

Axes: samples first, then components, then blocks. Signs belong to every group: an atom is
``c * g a`` with a signed coefficient, and gauges are those of conv(G u -G).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Blocks = NDArray[Any]
"""Block coordinates, float64 or complex128, of shape (..., F, d, m) or (..., F, d, d)."""
CHUNK = 4096
"""Moved copies formed at a time."""


class Combination(NamedTuple):
    """Group elements that add up to ``Z[row]``: flat arrays over atoms."""

    row: Integers
    coefficient: Floats
    element: Floats


class Group(ABC):
    """A symmetry, independent of the data's shape. Subclasses are frozen dataclasses.

    Files hold the fields of the dataclass, and the attributes that `also_stored` names with their
    types; `from_stored` gets all of them back.
    """

    also_stored: ClassVar[Mapping[str, type]] = {}

    @abstractmethod
    def on(self, shape: tuple[int, ...]) -> Representation:
        """Return the action of this group on data points of the given shape."""

    @classmethod
    def from_stored(cls, values: dict[str, Any]) -> Self:
        """Build the group from what a file holds, or refuse what cannot be built here."""
        return cls(**values)

    @property
    def name(self) -> str:
        """The name in words, for messages and tables."""
        return type(self).__name__


def require_group(group: object) -> Group:
    """Return the group, or say how to make one."""
    if not isinstance(group, Group):
        raise ValueError(
            f"group must be an object from orbitdl.groups such as IntegerShift(), not {group!r}."
        )
    return group


class Representation(ABC):
    """The action of a group on arrays of one shape.

    Attributes
    ----------
    group : Group
    shape : tuple of int
        Shape of one data point.
    block_shape : tuple of int
        ``(F, d, m)``: number, size and multiplicity of the blocks.
    parameters : tuple of str
        Names of the numbers that describe a group element: an element is a row of them.
    metric : ndarray of shape (F,)
        Weights ``w`` of the norm ``||Z||^2 = sum_f w_f ||Z_f||^2`` in which `prox` is taken.
    moves_all : bool
        Whether `analyze` keeps everything; if not, the rest of the data stays unexplained.
    counted : bool
        Whether parameters are whole numbers.
    dimension : int
        Of the group as a manifold: real numbers that an element is free to choose.
    """

    group: Group
    shape: tuple[int, ...]
    block_shape: tuple[int, int, int]
    dtype: type[np.float64] | type[np.complex128] = np.float64
    parameters: tuple[str, ...] = ()
    metric: Floats
    moves_all: bool = True
    counted: bool = False
    dimension: int = 0

    def __repr__(self) -> str:
        return f"{self.group!r}.on({self.shape})"

    @abstractmethod
    def analyze(self, x: Floats) -> Blocks:
        """Map data (..., *shape) to block coordinates (..., F, d, m)."""

    @abstractmethod
    def synthesize(self, blocks: Blocks) -> Floats:
        """Map block coordinates back: the adjoint of `analyze`, and its inverse on its range."""

    @abstractmethod
    def represent(self, element: Floats) -> Blocks:
        """Return ``rho(g)`` of shape (..., F, d, d) for elements (..., p)."""

    @abstractmethod
    def compose(self, left: Floats, right: Floats) -> Floats:
        """Return the element whose representation is ``rho(left) @ rho(right)``."""

    @abstractmethod
    def inverse(self, element: Floats) -> Floats:
        """Return the inverse elements."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw n elements from the uniform (Haar) measure, shape (n, p)."""

    def contains(self, element: Floats) -> bool:
        """Tell whether numbers (..., p) may be elements of this group: here, if they are finite."""
        return bool(np.isfinite(element).all())

    def cover(self) -> Floats:
        """Return elements spread over the group, (k, p), whose ``rho(g)`` span all of them."""
        return self.sample(np.random.default_rng(0), 4 * int(np.prod(self.block_shape[:2])) ** 2)

    @abstractmethod
    def polar(self, correlation: Blocks) -> Floats:
        """Return ``max_g |<C, rho(g)>|`` for every C of shape (..., F, d, d)."""

    def largest_polar(self, correlation: Blocks) -> Floats:
        """Return ``max_j polar(C_ij)`` for every sample, (n, q, F, d, d) to (n,)."""
        return np.asarray(self.polar(correlation).max(axis=1))

    def largest_product(self, Y: Blocks, A: Blocks) -> Floats:
        """Return ``max_{j,g} |<Y_i, rho(g) A_j>|`` for every sample, shape (n,)."""
        return self.largest_polar(correlate(Y, A))

    @abstractmethod
    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        """Return ``<C, rho(g)>`` and g at a maximiser of its absolute value (assumption A4)."""

    def peaks(self, correlation: Blocks, level: float) -> Combination:
        """Return elements where ``|<C, rho(g)>|`` peaks above a level, with the signed values.

        For every C of shape (n, F, d, d) the largest is among them. Where elements have neighbours,
        as shifts do, so is every other local maximum.
        """
        value, element = self.match(correlation)
        row = np.flatnonzero(np.abs(value) > level)
        return Combination(row, value[row], element[row])

    @abstractmethod
    def decompose(self, Z: Blocks) -> Combination:
        """Write every Z (n, F, d, d) as atoms with the least sum of absolute coefficients."""

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
        here, size = self.prox(Z, step), 1e-7 * float(np.abs(Z).max(initial=0.0))

        def derivative(H: Blocks) -> Blocks:
            t = size / float(np.abs(H).max(initial=0.0)) if H.any() else 1.0
            return np.asarray((self.prox(Z + t * H, step) - here) / t)

        return derivative

    def gauge(self, Z: Blocks) -> Floats:
        """Return ``inf {t : Z in t conv(G u -G)}`` for every Z of shape (..., F, d, d)."""
        flat = Z.reshape(-1, *Z.shape[-3:])
        atoms = self.decompose(flat)
        total = np.bincount(atoms.row, np.abs(atoms.coefficient), len(flat))
        return total.astype(np.float64, copy=False).reshape(Z.shape[:-3])

    def gauge_bracket(self, Z: Blocks) -> tuple[Floats, Floats]:
        """Return bounds of the gauge, from below and from above, (...) each.

        The same twice, where the gauge has a closed form or is the value of a linear program.
        """
        exact = self.gauge(Z)
        return exact, exact

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        """Return ``sum_k c_k rho(g_k) A[source_k]`` over the atoms of each of n rows.

        A has shape (q, F, d, m), the result (n, F, d, m).
        """
        moved = self.represent(atoms.element) @ A[source]
        place = (atoms.row, np.arange(len(source)))
        gather = sparse.csr_array((atoms.coefficient, place), shape=(n, len(source)))
        flat = moved.reshape(len(source), int(np.prod(moved.shape[1:])))  # atoms may be none
        return np.asarray(gather @ flat).reshape(n, *moved.shape[1:])

    def act(self, element: Floats, x: Floats) -> Floats:
        """Apply group elements (..., p) to data (..., *shape)."""
        return self.synthesize(self.represent(element) @ self.analyze(x))

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

    def adopt(self, x: Floats) -> Floats:
        """Remove from x what the group cannot move (see the shift groups: the Nyquist term)."""
        return self.synthesize(self.analyze(x))


def inner(a: Blocks, b: Blocks, axes: int = 3) -> Floats:
    """Return ``Re sum conj(a) b`` over the last axes."""
    if np.iscomplexobj(a) != np.iscomplexobj(b):
        a, b = a.real, b.real
    result: Floats = np.vecdot(_as_real_rows(a, axes), _as_real_rows(b, axes))
    return result


def _as_real_rows(a: Blocks, axes: int) -> Floats:
    """Return the last axes as one, of real numbers: real and imaginary parts of complex ones."""
    rows = np.ascontiguousarray(a).reshape(*a.shape[: a.ndim - axes], -1)
    return rows.view(np.float64) if np.iscomplexobj(rows) else rows


def correlate(Y: Blocks, A: Blocks) -> Blocks:
    """Return ``C_ij = Y_i A_j^H`` (n, q, F, d, d): ``<Y_i, rho(g) A_j> = <C_ij, rho(g)>``."""
    (n, n_blocks, d, m), q = Y.shape, len(A)
    adjoint = A.conj().swapaxes(-1, -2)
    if m == 1:
        return Y[:, None] * adjoint
    rows = Y.swapaxes(0, 1).reshape(n_blocks, n * d, m)
    columns = adjoint.transpose(1, 2, 0, 3).reshape(n_blocks, m, q * d)
    return (rows @ columns).reshape(n_blocks, n, d, q, d).transpose(1, 3, 0, 2, 4)


def as_real(Z: Blocks) -> Floats:
    """Return blocks (n, F, d, m) as real rows (n, -1), real parts first."""
    flat = Z.reshape(len(Z), -1)
    return np.concatenate([flat.real, flat.imag], axis=1) if np.iscomplexobj(flat) else flat
