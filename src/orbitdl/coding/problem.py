"""The coding problem, with and without missing entries, in units that suit it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import (
    Blocks,
    Combination,
    Floats,
    Integers,
    as_real_rows,
    correlate,
    inner,
)
from orbitdl.arrays.validation import LARGEST, SMALLEST
from orbitdl.coding.atoms import Atoms
from orbitdl.groups.base import Representation


@dataclass(frozen=True, eq=False)
class Masked:
    """Data of which only some entries were observed.

    Attributes
    ----------
    signal : ndarray of shape (n, ...)
        Zero where nothing was observed.
    observed : bool ndarray of shape (n, ...)
    """

    signal: Floats
    observed: NDArray[np.bool_]

    def take(self, samples: slice | NDArray[Any]) -> Masked:
        """Return some samples."""
        return Masked(self.signal[samples], self.observed[samples])

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Whether a sample has no missing entry, shape (n,)."""
        return np.asarray(self.observed.reshape(len(self.observed), -1).all(axis=1))

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Whether nothing of a sample was observed, shape (n,)."""
        return ~np.asarray(self.observed.reshape(len(self.observed), -1).any(axis=1))


@dataclass(frozen=True, eq=False)
class Misfit:
    """The residual r of a fit to data y: in block coordinates, with some inner products, (n,) each.

    Attributes
    ----------
    residual : ndarray of shape (n, F, d, m)
    product, energy, data : ndarray of shape (n,)
        ``<y, r>``, ``||r||^2`` and ``||y||^2``.
    """

    residual: Blocks
    product: Floats
    energy: Floats
    data: Floats


@dataclass(frozen=True, eq=False)
class Problem:
    """``min_Z 1/2 ||M_i (y_i - sum_j Z_j a_j)||^2 + alpha sum_j ||Z_j||_G`` for every sample i.

    M_i keeps the observed entries of a sample, all of them where `masked` is None.

    Attributes
    ----------
    representation : Representation
    Y : ndarray of shape (n, F, d, m)
        Data in block coordinates; missing entries count as zero.
    A : ndarray of shape (q, F, d, m)
        Components.
    alpha : float
    masked : Masked, optional
        The data as signals, where entries are missing.
    n_copies : int
        So many consecutive components are transformed copies of one: a limit on the atoms of a
        component counts those of all its copies.
    """

    representation: Representation
    Y: Blocks
    A: Blocks
    alpha: float
    masked: Masked | None = None
    n_copies: int = 1

    def take(self, samples: slice | NDArray[Any]) -> Problem:
        """Return the problem of some samples."""
        masked = None if self.masked is None else self.masked.take(samples)
        return replace(self, Y=self.Y[samples], masked=masked)

    def in_units_of(self, unit: float) -> Problem:
        """Measure data, and so alpha and the coefficients, in another unit."""
        if unit == 1.0:
            return self
        masked = self.masked
        if masked is not None:
            masked = replace(masked, signal=masked.signal / unit)
        return replace(self, Y=self.Y / unit, alpha=self.alpha / unit, masked=masked)

    @property
    def data(self) -> Blocks:
        """What is fitted: the observed entries as signals, or all of them in block coordinates."""
        return self.Y if self.masked is None else self.masked.signal

    def observe(self, blocks: Blocks) -> Blocks:
        """Return what is observed of signals given in block coordinates, like `data`."""
        if self.masked is None:
            return blocks
        return np.asarray(self.masked.observed * self.representation.synthesize(blocks))

    def observe_matrices(self, H: Floats) -> Floats:
        """Return what is observed of symmetric real maps of block coordinates, as maps of `data`.

        H has the shape (n, F d m, F d m), and what is returned (n, entries, entries).
        """
        if self.masked is None:
            return H
        observed = self.masked.observed.reshape(len(H), -1)
        for _ in range(2):  # one side, then the other
            blocks = H.reshape(*H.shape[:2], *self.representation.block_shape)
            H = self.representation.synthesize(blocks).reshape(*H.shape[:2], -1)
            H = (observed[:, None] * H).swapaxes(1, 2)
        return H

    def rows(self, sample: Integers, blocks: Blocks) -> Floats:
        """Return what is observed of K signals, each in a sample, as real rows (K, ..., entries).

        Signals are given in block coordinates (K, ..., F, d, m).
        """
        if self.masked is None:
            return as_real_rows(blocks, 3)
        observed, axes = self.masked.observed[sample], len(self.representation.shape)
        observed = observed.reshape(len(sample), *(1,) * (blocks.ndim - 4), *observed.shape[1:])
        return as_real_rows(observed * self.representation.synthesize(blocks), axes)

    def residual_of(self, rows: Floats) -> Blocks:
        """Return misfits given as rows (n, entries), like `targets`, in block coordinates."""
        if np.iscomplexobj(self.data):
            return rows.view(np.complex128).reshape(self.data.shape)
        return self.in_blocks(rows.reshape(self.data.shape))

    @property
    def targets(self) -> Floats:
        """What is fitted, as real rows (n, entries)."""
        return as_real_rows(self.data, self.data.ndim - 1)

    def in_blocks(self, data: Blocks) -> Blocks:
        """Return block coordinates (n, F, d, m) of something like `data`: `observe`'s adjoint."""
        return data if self.masked is None else self.representation.analyze(data)

    def data_residual(self, fitted: Blocks) -> Blocks:
        """Return ``M_i (y_i - fitted_i)`` for a fit in block coordinates, like `data`."""
        return np.asarray(self.data - self.observe(fitted))

    def residual(self, fitted: Blocks) -> Blocks:
        """Return the same in block coordinates, shape (n, F, d, m)."""
        return self.in_blocks(self.data_residual(fitted))

    def misfit(self, fitted: Blocks) -> Misfit:
        """Return the same with the inner products of a certificate."""
        r = self.data_residual(fitted)
        axes = r.ndim - 1
        products = inner(self.data, r, axes), inner(r, r, axes), self.energy()
        return Misfit(self.in_blocks(r), *products)

    def energy(self) -> Floats:
        """Return ``||M_i y_i||^2``, shape (n,)."""
        return inner(self.data, self.data, self.data.ndim - 1)

    def is_zero(self) -> NDArray[np.bool_]:
        """Return which samples are zero, shape (n,): energies of small numbers may underflow."""
        signal = self.Y if self.masked is None else self.masked.signal
        return np.asarray(~np.any(signal.reshape(len(signal), -1), axis=1))

    def tiny_coefficients(self, component: Integers) -> Floats:
        """Return negligible coefficients: 1e-9 of what the penalty takes from such an atom."""
        norms: Floats = inner(self.A, self.A)[component]
        return 1e-9 * self.alpha / np.where(norms > 0, norms, 1.0)

    def with_best_match(self, atoms: Atoms) -> Atoms:
        """Add to each sample the atom that fits its residual best, with a negligible weight."""
        fitted = atoms.superpose(self.representation, self.A)
        value, element = self.representation.match(correlate(self.residual(fitted), self.A))
        n, q = value.shape
        component = np.abs(value).argmax(axis=1)
        best = np.arange(n), component
        weight = self.tiny_coefficients(component) * np.sign(value[best])
        return atoms.add(Combination(np.arange(n) * q + component, weight, element[best]))


@dataclass(frozen=True, eq=False)
class Components:
    """Components in their own unit, and in one that is near the largest of their norms.

    Attributes
    ----------
    original : ndarray of shape (q, F, d, m)
    size : float
        That unit, a power of two: 1 for norms that are 1 but for rounding, and for zeros.
    scaled : ndarray of shape (q, F, d, m)
    """

    original: Blocks
    size: float
    scaled: Blocks

    @classmethod
    def of(cls, A: Blocks) -> Components:
        """Choose the unit."""
        largest = float(np.sqrt(inner(A, A).max()))
        size = float(np.ldexp(1.0, round(np.log2(largest)))) if largest > 0 else 1.0
        return cls(A, size, A / size)


def rescaled(components: Components, problem: Problem) -> tuple[Problem, Floats]:
    """Return the problem in units, powers of two, in which data and norms are about 1.

    ``y/u = sum_k (c_k v/u) g_k a_k/v``: coefficients are measured in u/v, (q,), and alpha in u v.
    """
    unit = float(np.ldexp(1.0, np.frexp(np.abs(as_real_rows(problem.Y, 3)).max())[1]))
    scaled = problem.in_units_of(unit)
    alpha = min(max(scaled.alpha / components.size, SMALLEST), LARGEST)  # beyond, codes stay
    scaled = replace(scaled, A=components.scaled, alpha=alpha)
    return scaled, np.full(len(problem.A), unit / components.size)


def parts_of(problem: Problem) -> list[tuple[NDArray[np.bool_] | None, Problem]]:
    """Return the samples without missing entries as if there were no others, and the others."""
    if problem.masked is None or not (complete := problem.masked.complete).any():
        return [(None, problem)]
    parts: list[tuple[NDArray[np.bool_] | None, Problem]]
    parts = [(complete, replace(problem.take(complete), masked=None))]
    return parts if complete.all() else [*parts, (~complete, problem.take(~complete))]
