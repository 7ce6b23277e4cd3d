"""The dictionary step: all components together, from sums over the data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from orbitdl.codes import Atoms
from orbitdl.coding.certificate import CHUNK, stack, stack_components
from orbitdl.groups.base import Blocks, Floats, Representation, inner
from orbitdl.groups.listed import ListedRepresentation
from orbitdl.learning.unit_balls import Dual, descend, maximise_dual, multipliers, shorten


@dataclass(frozen=True)
class Statistics:
    """All the dictionary step needs to know of data and codes; sums over samples.

    Attributes
    ----------
    normal : ndarray of shape (F, q d, q d)
        ``H_f = sum_i W_i^H W_i`` with ``W_i = [Z_i1 .. Z_iq]``.
    cross : ndarray of shape (F, q d, m)
        ``R_f = sum_i W_i^H Y_i``.
    usage : ndarray of shape (q,)
        ``sum_i sum |c|`` for each component.
    """

    normal: Blocks
    cross: Blocks
    usage: Floats

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(
            self.normal + other.normal, self.cross + other.cross, self.usage + other.usage
        )

    def in_own_unit(self) -> Statistics:
        """Measure codes in a unit, a power of two, in which H is about 1: components stay."""
        unit = np.ldexp(1.0, np.frexp(np.abs(self.normal).max(initial=0.0))[1])
        return Statistics(self.normal / unit, self.cross / unit, self.usage)

    @cached_property
    def steepest(self) -> float:
        """A bound of the eigenvalues of H."""
        return float(np.linalg.norm(self.normal, axis=(1, 2)).max())

    @classmethod
    def of(cls, representation: Representation, Y: Blocks, atoms: Atoms) -> Statistics:
        """Sum over samples Y (n, F, d, m) and their atoms, a chunk at a time."""
        starts = range(0, len(Y), CHUNK)
        parts = (
            cls._of_chunk(representation, Y[k : k + CHUNK], atoms.take(slice(k, k + CHUNK)))
            for k in starts
        )
        total = next(parts)
        for part in parts:
            total = total + part
        return total

    @classmethod
    def _of_chunk(cls, representation: Representation, Y: Blocks, atoms: Atoms) -> Statistics:
        n_blocks, d, m = representation.block_shape
        usage = atoms.invariants().sum(axis=0)
        if d > 1 and isinstance(representation, ListedRepresentation):
            return cls(*listed_sums(representation, Y, atoms), usage)
        W = stack(atoms.embed(representation))
        adjoint = W.conj().swapaxes(1, 2)
        rows = Y.swapaxes(0, 1).reshape(n_blocks, len(Y) * d, m)
        return cls(adjoint @ W, adjoint @ rows, usage)


def listed_sums(
    representation: ListedRepresentation, Y: Blocks, atoms: Atoms
) -> tuple[Blocks, Blocks]:
    """Return ``sum_i W_i^H W_i`` and ``sum_i W_i^H Y_i`` without the matrices W_i.

    With ``S_i,gj`` the coefficient of component j moved by g in sample i,

        H_jl = sum_{g,h} (S^T S)_{gj,hl} rho(g^-1 h),      R_j = sum_g rho(g)^H (S^T Y)_gj.
    """
    q, size, (n_blocks, d, m) = atoms.n_components, representation.size, Y.shape[1:]
    number = representation.index(atoms.element) * q + atoms.component
    used, column = np.unique(number, return_inverse=True)
    g, j = np.divmod(used, q)
    S = sparse.csr_array((atoms.coefficient, (atoms.sample, column)), shape=(len(Y), len(used)))
    left, right = (gram := (S.T @ S).tocoo()).coords
    place = (j[left] * q + j[right]) * size + representation.divide(g[left], g[right])
    weight = np.bincount(place, gram.data, q * q * size).reshape(q * q, size)
    rho = representation.represent(representation.elements)
    H = (weight @ rho.reshape(size, -1)).reshape(q, q, n_blocks, d, d)
    R = np.zeros((q, n_blocks, d, m), dtype=representation.dtype)
    sums = (S.T @ Y.reshape(len(Y), -1)).reshape(len(used), n_blocks, d, m)
    np.add.at(R, j, rho[g].conj().swapaxes(-1, -2) @ sums)
    return H.transpose(2, 0, 3, 1, 4).reshape(n_blocks, q * d, q * d), stack_components(R)


def least_squares(statistics: Statistics, A: Blocks) -> Blocks:
    """Return ``argmin_A sum_i ||Y_i - W_i A||^2``, like A (q, F, d, m): the paper's step 2."""
    return unstack(solve_blocks(statistics, np.zeros(len(A)), A.shape)[0], A.shape)


def constrained_least_squares(statistics: Statistics, A: Blocks) -> Blocks:
    """Return the same minimiser under ``||a_j|| <= 1``, exactly, found from A.

    Where codes do not determine components, some within the balls that are no worse than A.

    With multipliers mu >= 0, ``(H_f + diag(mu) (x) I) A_f = R_f`` on every block, and mu maximises

        g(mu) = -1/2 sum_f tr R_f^H (H_f + diag(mu) (x) I)^-1 R_f - 1/2 sum_j mu_j.
    """
    statistics = statistics.in_own_unit()
    right = unstack(statistics.cross, A.shape)

    def apply(V: Blocks) -> Blocks:
        return unstack(statistics.normal @ stack_components(V), A.shape)

    def slide(V: Blocks, pull: Blocks) -> Blocks:
        return shorten(V + pull / statistics.steepest)

    def value(V: Blocks) -> float:
        return float(inner(V, 0.5 * apply(V) - right, axes=4))

    mu = multipliers(A, right - apply(A))
    new, is_exact = maximise_dual(lambda mu: _dual(statistics, mu, A.shape), mu, 1e-9)
    if is_exact:
        return new
    best = min(shorten(A), shorten(new), key=value)
    return descend(apply, right, slide, best, accuracy=0.0, max_iter=300)


def normalise(A: Blocks, atoms: Atoms) -> tuple[Blocks, Atoms]:
    """Give every component unit norm and move the norm into its coefficients."""
    norms = np.sqrt(inner(A, A))
    safe = np.where(norms > 0, norms, 1.0)
    return A / safe[:, None, None, None], atoms.scale(norms)


def unit_norm(A: Blocks) -> Blocks:
    """Scale every component to unit norm."""
    norms: Floats = np.sqrt(inner(A, A))
    return A / np.where(norms > 0, norms, 1.0)[:, None, None, None]


def replace_unused(A: Blocks, R: Blocks, usage: Floats) -> tuple[Blocks, int]:
    """Put the largest residuals, scaled to unit norm, in the place of unused components.

    Returns the components and how many were unused. Where every residual is zero there is
    nothing left to explain and a component stays as it was.
    """
    unused = np.flatnonzero(usage == 0)
    energy = inner(R, R)
    worst = np.argsort(-energy, kind="stable")[: len(unused)]
    A = A.copy()
    for j, i in zip(unused, worst, strict=False):
        if energy[i] > 0:
            A[j] = R[i] / np.sqrt(energy[i])
    return A, len(unused)


def _dual(statistics: Statistics, mu: Floats, shape: tuple[int, ...]) -> Dual:
    stacked, inverse = solve_blocks(statistics, mu, shape)
    value = -0.5 * float(inner(statistics.cross, stacked)) - 0.5 * float(mu.sum())
    A = unstack(stacked, shape)
    return Dual(value, A, 0.5 * (inner(A, A) - 1.0), curvature(stacked, inverse, shape))


def curvature(stacked: Blocks, inverse: Blocks, shape: tuple[int, ...]) -> Floats:
    """Return the negative Hessian of g: ``Re sum_f tr(a_j^H S_jk a_k)``, S the inverse.

    For ``d a / d mu_k = -S[:, k] a_k``.
    """
    q, n_blocks, d, _ = shape
    products = inverse * (stacked @ stacked.conj().swapaxes(1, 2)).swapaxes(1, 2)
    result: Floats = products.real.reshape(n_blocks, q, d, q, d).sum(axis=(0, 2, 4))
    return result


def solve_blocks(
    statistics: Statistics, mu: Floats, shape: tuple[int, ...]
) -> tuple[Blocks, Blocks]:
    """Return ``(H_f + diag(mu) (x) I)^-1 R_f`` and the inverse; a tiny ridge keeps it finite.

    With ``L L^H`` the matrix, ``L^-H (L^-1 R)`` is as accurate as the root of its condition allows.
    """
    H, d = statistics.normal, shape[2]
    ridge = max(1e-13, 1e-15 * H.shape[1]) * float(np.abs(H).max()) or 1.0
    system = H + np.diag(np.repeat(mu, d) + ridge)
    root = triangular_inverse(np.linalg.cholesky(system))
    adjoint = root.conj().swapaxes(1, 2)
    return adjoint @ (root @ statistics.cross), adjoint @ root


def triangular_inverse(L: Blocks, small: int = 32) -> Blocks:
    """Invert lower triangular matrices (F, n, n) by halves: nearly all of it is multiplication.

    ``[[P, 0], [Q, S]]^-1 = [[P^-1, 0], [-S^-1 Q P^-1, S^-1]]``.
    """
    n = L.shape[1]
    if n <= small:
        return np.linalg.inv(L)
    half = n // 2
    inverse = np.zeros_like(L)
    inverse[:, :half, :half] = first = triangular_inverse(L[:, :half, :half], small)
    inverse[:, half:, half:] = second = triangular_inverse(L[:, half:, half:], small)
    inverse[:, half:, :half] = -second @ L[:, half:, :half] @ first
    return inverse


def unstack(stacked: Blocks, shape: tuple[int, ...]) -> Blocks:
    q, n_blocks, d, m = shape
    return stacked.reshape(n_blocks, q, d, m).transpose(1, 0, 2, 3)
