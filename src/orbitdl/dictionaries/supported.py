"""Components with a fixed support: short or small atoms, waveforms of different lengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats, Integers, as_real_rows
from orbitdl.dictionaries.embedded import Embedded
from orbitdl.dictionaries.statistics import Statistics, stack_components, unstack
from orbitdl.dictionaries.unit_ball import UnitBall

NOTHING = 1e-12
"""Eigenvalues below this fraction of the largest are rounding errors."""
LOST = 1e-9
"""Relative loss of energy in the transform that is a rounding error."""


@dataclass(frozen=True, eq=False)
class Supported(Embedded):
    """Components of norm at most one with a fixed support.

    Attributes
    ----------
    inner : UnitBall
        The parameters theta (q, B, K, 1): coordinates of component j in its basis.
    basis : ndarray of shape (q, B, K, F, d, m / B)
        Basis of the allowed entries in block coordinates, for every component j and group b of
        columns, orthonormal over the real numbers, padded with zeros.

    Notes
    -----
    For groups of shifts an entry has all frequencies, so the step couples them: with the basis B_j
    of component j and statistics of complete spectra,

        min over theta  1/2 <theta, N theta> - <r, theta>  s.t.  ||theta_j|| <= 1,
        N_jl = Re B_j^H H_jl B_l,     r_j = Re B_j^H R_j,

    a dense problem with one unknown per allowed entry, solved exactly as for `UnitBall`. If the
    transform acts on channels separately, channels are blocks.
    """

    inner: UnitBall
    basis: Blocks

    @classmethod
    def of(
        cls, A: Blocks, units: Blocks, allowed: NDArray[np.bool_], *, lossy: bool = False
    ) -> Supported:
        """Project components A (q, F, d, m) onto allowed entries.

        Parameters
        ----------
        A : ndarray of shape (q, F, d, m)
        units : ndarray of shape (entries, F, d, m)
            Entries in block coordinates: ``analyze`` of unit vectors for windows, the blocks of
            unit spline coefficients for waveforms.
        allowed : bool ndarray of shape (q, ...)
            Which entries of a component may differ from zero.
        lossy : bool
            Whether the transform is not invertible (see `Action.is_invertible`). Then only
            those combinations of allowed entries are taken of which nothing is left out.
        """
        group, count = columns_of(units)
        parts = np.split(units, count, axis=-1)
        found = [
            [spanned(part[own & (group == b)], lossy) for b, part in enumerate(parts)]
            for own in allowed.reshape(len(A), -1)
        ]
        basis = filled_up(found, parts[0])
        return cls(UnitBall(np.zeros((*basis.shape[:3], 1))), basis).near(A)

    def embed(self, theta: Blocks) -> Blocks:
        blocks = np.einsum("jbk,jbkfdc->jfdbc", theta[..., 0], self.basis)
        return np.ascontiguousarray(blocks).reshape(*blocks.shape[:3], -1)

    def restrict(self, A: Blocks) -> Floats:
        q, n_columns, _, n_blocks, d, _ = self.basis.shape
        columns = A.reshape(q, n_blocks, d, n_columns, -1)
        products = np.einsum("jbkfdc,jfdbc->jbk", self.basis.conj(), columns)
        return np.ascontiguousarray(products.real)[..., None]

    def pull(self, statistics: Statistics) -> Statistics:
        q, n_columns, most, n_blocks, d, c = self.basis.shape
        normal = statistics.normal.reshape(n_blocks, q * d, q, d)
        rows = self.basis.conj().reshape(q, n_columns, most, -1)
        pulled = np.empty((n_columns, q, most, q, most))
        for l in range(q):  # noqa: E741
            columns = self.basis[l].transpose(2, 3, 0, 1, 4).reshape(n_blocks, d, -1)
            image = (normal[:, :, l] @ columns).reshape(n_blocks, q, d, n_columns, most, c)
            image = image.transpose(1, 3, 0, 2, 5, 4).reshape(q, n_columns, -1, most)
            pulled[:, :, :, l] = (rows @ image).real.swapaxes(0, 1)
        both = pulled.reshape(n_columns, q * most, q * most)
        shape = (q, n_blocks, d, n_columns * c)
        cross = stack_components(self.restrict(unstack(statistics.cross, shape)))
        return Statistics(0.5 * (both + both.swapaxes(1, 2)), cross, statistics.usage)


def columns_of(units: Blocks) -> tuple[Integers, int]:
    """Return the column of blocks of every entry, and the number of columns.

    All columns count as one if some entry extends over several.
    """
    nonzero = np.any(units, axis=(1, 2))
    if (nonzero.sum(axis=1) <= 1).all():
        return nonzero.argmax(axis=1), units.shape[-1]
    return np.zeros(len(units), dtype=np.intp), 1


def spanned(vectors: Blocks, lossy: bool) -> Blocks:
    """Return an orthonormal basis, over the real numbers, of the span of vectors (n, F, d, m).

    If the transform is lossy, of the combinations in its range.
    """
    rows = as_real_rows(vectors, 3)
    energy, directions = np.linalg.eigh(rows @ rows.T)
    least = 1.0 - LOST if lossy else NOTHING * energy.max(initial=0.0)
    found = energy > least
    weights = directions[:, found] / np.sqrt(energy[found])
    return np.tensordot(weights.T, vectors, 1)


def filled_up(found: list[list[Blocks]], like: Blocks) -> Blocks:
    """Return the bases of all components and groups of columns as one zero-padded array."""
    most = max(len(vectors) for own in found for vectors in own)
    basis = np.zeros((len(found), len(found[0]), most, *like.shape[1:]), like.dtype)
    for j, own in enumerate(found):
        if not sum(map(len, own)):
            raise ValueError(
                f"no signal in the range of the transform is supported on the entries allowed for "
                f"component {j}; allow more entries."
            )
        for b, vectors in enumerate(own):
            basis[j, b, : len(vectors)] = vectors
    return basis
