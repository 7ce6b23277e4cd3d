"""Debiased amplitudes and times of events: least squares over the chunks of a recording.

With the atoms of a code as columns a_k at observed samples, the joint refit is

    min_b ||x - sum_k b_k a_k||^2,      so      G b = (<a_k, x>)_k,      G_kl = <a_k, a_l>,

where the sparse G and the right-hand side are sums over chunks, and so are statistics of the
residual ``y = x - sum_k b_k a_k`` around each atom.

The penalty shrinks coefficients and biases times: the norm of a sampled spline varies with the
fractional shift (by 7 % for white noise), which favours shifts with a large norm. Times are
therefore refitted too, by Levenberg-Marquardt steps in all amplitudes and times jointly, since the
times of overlapping events are correlated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.atoms import later, range_of
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.splines import TAPS
from orbitdl.domains.time.waveforms import Waveforms, fill_signals

STEPS, LONGEST = 8, 0.5
"""Maximum number of steps in time, and their maximum length in samples."""
DAMPING, CONVERGED = 1e-2, 1e-2
"""Initial relative damping, and tolerance of steps in samples."""
RIDGE = 1e-9
"""Relative ridge that keeps the amplitudes of collinear atoms finite."""


@dataclass(frozen=True, eq=False)
class Refit:
    """Statistics of refitted atoms, all of shape (K,).

    Attributes
    ----------
    amplitude : ndarray
        The b_k.
    share : ndarray
        Fraction of the energy in the atom's support that all atoms explain.
    fit : ndarray
        Cosine similarity of the atom and the residual with the atom added back.
    is_truncated : ndarray of bool
        Whether a sample of its support is missing or outside the recording.
    height : ndarray
        Correlation of the unit-norm atom with the residual with the atom added back.
    left : ndarray
        Root mean square of the residual over its support.
    """

    amplitude: Floats
    share: Floats
    fit: Floats
    is_truncated: NDArray[np.bool_]
    height: Floats
    left: Floats


class Columns:
    """The atoms that overlap a chunk, at its observed samples.

    Attributes
    ----------
    x : ndarray of shape (n channels,)
    which : slice
        Indices of the atoms, which are sorted by time.
    matrix : sparse array of shape (n channels, k)
    time : ndarray of shape (k,)
        Times of the atoms, from the first sample of the chunk.
    first, last : ndarray of shape (k,)
        Half-open range of samples of the chunk in their supports.
    """

    def __init__(self, chunk: Chunk, waveforms: Waveforms, atoms: Atoms) -> None:
        (x, self.observed), start = chunk.read(0, 0)
        self.which = range_of(atoms, start - waveforms.length - TAPS, start + len(x) + TAPS)
        mine = later(atoms.select(self.which), -start)
        self.time, begin = mine.time, np.floor(mine.time).astype(np.intp) - 1
        ends = begin, begin + waveforms.length + TAPS - 1
        self.first, self.last = (np.clip(end, 0, len(x)) for end in ends)
        self.x, self.channels = x.ravel(), x.shape[1]
        self._columns = partial(atoms_as_columns, self.observed, waveforms, mine)
        self.matrix = self._columns()

    def derivatives(self) -> sparse.csc_array:
        """Return the derivatives of all atoms by their times, as columns."""
        return self._columns(order=1)

    def over_supports(self, values: Floats) -> Floats:
        """Return the sum of values, one per sample, over the support of every atom."""
        total = np.concatenate([[0.0], np.cumsum(values)])
        return np.asarray(total[self.last] - total[self.first])

    def energies(self, y: Floats) -> Floats:
        """Return the energy of a signal (n channels,) over the support of every atom."""
        return self.over_supports(np.sum(y.reshape(-1, self.channels) ** 2, axis=1))


def refitted(recording: list[Chunk], waveforms: Waveforms, atoms: Atoms) -> Refit:
    """Refit all atoms of a recording jointly; atoms are sorted by time."""
    amplitude = amplitudes_of(recording, waveforms, atoms)
    count = len(atoms.time)
    norm, product, before, after, observed = np.zeros((5, count))
    for part in columns_of_atoms(recording, waveforms, atoms):
        y = part.x - np.asarray(part.matrix @ amplitude[part.which])
        norm[part.which] += np.asarray(part.matrix.multiply(part.matrix).sum(axis=0)).ravel()
        product[part.which] += np.asarray(part.matrix.T @ y)
        before[part.which] += part.energies(part.x)
        after[part.which] += part.energies(y)
        observed[part.which] += part.over_supports(part.observed.astype(np.float64))
    own = product + amplitude * norm  # <a_k, y + b_k a_k>
    size = np.sqrt(norm * np.maximum(after + amplitude * (product + own), 0.0))
    return Refit(
        amplitude,
        1.0 - _ratio(after, before, 1.0),
        _ratio(np.abs(own), size, 0.0),
        np.asarray(observed < waveforms.length + TAPS - 1.5),
        _ratio(own, np.sqrt(norm), 0.0),
        np.sqrt(_ratio(after, observed * waveforms.u.shape[2], 0.0)),
    )


def retimed(
    recording: list[Chunk], waveforms: Waveforms, atoms: Atoms, free: NDArray[np.bool_]
) -> Atoms:
    """Refit the times of `free` atoms, with all amplitudes; atoms are sorted by time."""
    count = len(atoms.time)
    best, least, damping, step = atoms, np.inf, DAMPING, np.zeros(count)
    for _ in range(STEPS + 1 if count else 0):
        now = NormalEquations.of(recording, waveforms, atoms)
        amplitude, energy = now.fitted()
        if energy < least:
            best, least, damping = atoms, energy, damping / 10.0
            gram = now.scaled(amplitude)
            right = np.concatenate([np.zeros(count), now.slopes(amplitude)])
        else:
            damping *= 100.0
        if least <= 0.0:
            break
        diagonal = np.maximum(gram.diagonal(), RIDGE * gram.diagonal().max())
        step = splu((gram + damping * sparse.diags_array(diagonal)).tocsc()).solve(right)
        step = np.where(free, np.clip(step[count:], -LONGEST, LONGEST), 0.0)
        atoms = replace(best, element=np.maximum.accumulate(best.time + step)[:, None])
        if np.max(np.abs(step)) < CONVERGED:  # by quadratic convergence the error is its square
            return atoms
    return best


@dataclass(frozen=True, eq=False)
class NormalEquations:
    """Normal equations of atoms a_k and their time derivatives a'_k, at observed samples.

    Attributes
    ----------
    gram : sparse array of shape (2 K, 2 K)
        Gram matrix of ``[a_1 .. a_K, a'_1 .. a'_K]``.
    right : ndarray of shape (2 K,)
        Their inner products with the recording.
    energy : float
        Energy of the recording.
    """

    gram: sparse.csr_array
    right: Floats
    energy: float

    @classmethod
    def of(cls, recording: list[Chunk], waveforms: Waveforms, atoms: Atoms) -> NormalEquations:
        """Sum over the chunks of a recording; atoms are sorted by time."""
        count, energy = len(atoms.time), 0.0
        gram, right = sparse.csr_array((2 * count, 2 * count)), np.zeros(2 * count)
        for part in columns_of_atoms(recording, waveforms, atoms):
            both = sparse.hstack([part.matrix, part.derivatives()], format="csc")
            at = np.arange(part.which.start, part.which.stop)
            at = np.concatenate([at, at + count])
            own = (both.T @ both).tocoo()
            index = at[own.row], at[own.col]
            gram = gram + sparse.csr_array((own.data, index), shape=gram.shape)
            right[at] += both.T @ part.x
            energy += float(part.x @ part.x)
        return cls(gram, right, energy)

    def fitted(self) -> tuple[Floats, float]:
        """Return the least-squares amplitudes b, and the energy of the residual."""
        count = len(self.right) // 2
        gram, right = self.gram[:count, :count].tocsc(), self.right[:count]
        b = solved(gram, right)
        return b, self.energy + float(b @ (gram @ b - 2.0 * right))

    def slopes(self, b: Floats) -> Floats:
        """Return ``b_k <a'_k, x - sum_l b_l a_l>``, (K,)."""
        count = len(b)
        return np.asarray(b * (self.right[count:] - self.gram[count:, :count] @ b))

    def scaled(self, b: Floats) -> sparse.csr_array:
        """Return the Gram matrix of ``[a_1 .. a_K, b_1 a'_1 .. b_K a'_K]``."""
        both = sparse.diags_array(np.concatenate([np.ones(len(b)), b]))
        return (both @ self.gram @ both).tocsr()


def amplitudes_of(recording: list[Chunk], waveforms: Waveforms, atoms: Atoms) -> Floats:
    """Return the least-squares amplitudes (K,) of atoms sorted by time."""
    count = len(atoms.time)
    if count == 0:
        return np.zeros(0)
    products, right = list[tuple[Floats, Integers, Integers]](), np.zeros(count)
    for part in columns_of_atoms(recording, waveforms, atoms):
        own, first = (part.matrix.T @ part.matrix).tocoo(), part.which.start
        products.append((own.data, own.row + first, own.col + first))
        right[part.which] += np.asarray(part.matrix.T @ part.x)
    # csc_array sums duplicate entries
    values, row, column = map(np.concatenate, zip(*products, strict=True))
    return solved(sparse.csc_array((values, (row, column)), shape=(count, count)), right)


def solved(gram: sparse.csc_array, right: Floats) -> Floats:
    """Solve normal equations with a tiny ridge."""
    ridge = RIDGE * float(gram.diagonal().max()) or 1.0
    one = sparse.eye_array(len(right), format="csc")
    return np.asarray(splu(gram + ridge * one).solve(right))


def columns_of_atoms(
    recording: list[Chunk], waveforms: Waveforms, atoms: Atoms
) -> Iterator[Columns]:
    """Yield the atoms of one chunk after the other."""
    return (Columns(chunk, waveforms, atoms) for chunk in recording)


def atoms_as_columns(
    observed: NDArray[np.bool_], waveforms: Waveforms, atoms: Atoms, order: int = 0
) -> sparse.csc_array:
    """Return atoms at the observed samples, with stacked channels, as columns.

    Or their time derivatives of order 1 or 2.
    """
    channels, size = waveforms.u.shape[2], waveforms.length + TAPS - 1
    signals = np.zeros((len(atoms.time), size, channels))
    fill_signals(atoms.component, atoms.time, waveforms.u, order, signals)
    sample = (np.floor(atoms.time).astype(np.intp) - 1)[:, None] + np.arange(size)
    inside = (sample >= 0) & (sample < len(observed))
    is_observed = inside & observed[np.clip(sample, 0, len(observed) - 1)]
    row: Integers = (sample[:, :, None] * channels + np.arange(channels))[is_observed]
    ends = np.concatenate([[0], np.cumsum(is_observed.sum(axis=1) * channels)])
    shape = len(observed) * channels, len(atoms.time)
    return sparse.csc_array((signals[is_observed].ravel(), row.ravel(), ends), shape=shape)


def _ratio(above: Floats, below: Floats, otherwise: float) -> Floats:
    """Return a quotient, or `otherwise` where the denominator is not positive."""
    result: Floats = np.full(len(above), otherwise)
    np.divide(above, below, out=result, where=below > 0)
    return result
