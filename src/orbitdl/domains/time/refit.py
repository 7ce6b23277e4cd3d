"""Amplitudes without shrinkage, and what each atom explains: sums over the chunks of a recording.

With the atoms of a code as columns a_k at observed samples, all of them refitted together are

    min_b ||x - sum_k b_k a_k||^2,      so      G b = (<a_k, x>)_k,      G_kl = <a_k, a_l>,

where G, which is sparse, and the right-hand side add up over chunks; and so does all that is said
about the neighbourhood of an atom in what is left, ``y = x - sum_k b_k a_k``.

The penalty shrinks coefficients, and it shifts times: the norm of a sampled spline varies with the
fraction of a sample (by 7 % for white noise), so that sharp waveforms are pulled to where it is
largest. Times are therefore refitted too, by Levenberg-Marquardt steps of all amplitudes and times
together: events that overlap would otherwise push each other back and forth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from orbitdl.domains.time.atoms import LineAtoms
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.splines import TAPS
from orbitdl.domains.time.waveforms import Waveforms, fill_signals
from orbitdl.groups.base import Floats, Integers

STEPS, LONGEST = 8, 0.5
"""Steps of times at most, and the longest of them in samples."""
DAMPING, CONVERGED = 1e-2, 1e-2
"""Relative weight that damps the first step, and steps in samples that are none."""
RIDGE = 1e-9
"""Relative weight that keeps amplitudes finite of atoms that explain the same."""


@dataclass(frozen=True, eq=False)
class Refit:
    """What is known of atoms once they are refitted, all of shape (K,).

    Attributes
    ----------
    amplitude : ndarray
        The b_k.
    share : ndarray
        How much of the energy of its span is explained, by all atoms there.
    fit : ndarray
        Cosine between the atom and what is left with it put back.
    is_cut : ndarray of bool
        Whether a sample of its span is missing, or beyond an end.
    height : ndarray
        Correlation of the atom, at unit norm, with what is left with it put back.
    left : ndarray
        Root mean square of the residual over its span.
    """

    amplitude: Floats
    share: Floats
    fit: Floats
    is_cut: NDArray[np.bool_]
    height: Floats
    left: Floats


class Columns:
    """The atoms that reach into a chunk, at its observed samples.

    Attributes
    ----------
    x : ndarray of shape (n channels,)
    which : slice
        Numbers of the atoms, which are in the order of time.
    matrix : sparse array of shape (n channels, k)
    first, last : ndarray of shape (k,)
        Which samples of the chunk their spans cover.
    """

    def __init__(self, chunk: Chunk, waveforms: Waveforms, atoms: LineAtoms) -> None:
        (x, self.observed), start = chunk.read(0, 0)
        self.which = atoms.stretch(start - waveforms.length - TAPS, start + len(x) + TAPS)
        mine = atoms.take(self.which).later(-start)
        begin = np.floor(mine.time).astype(np.intp) - 1
        ends = begin, begin + waveforms.length + TAPS - 1
        self.first, self.last = (np.clip(place, 0, len(x)) for place in ends)
        self.x, self.channels = x.ravel(), x.shape[1]
        self._columns = partial(atoms_as_columns, self.observed, waveforms, mine)
        self.matrix = self._columns()

    def derivatives(self) -> sparse.csc_array:
        """Return the derivatives of all atoms by their times, as columns."""
        return self._columns(order=1)

    def over_spans(self, values: Floats) -> Floats:
        """Return the sum of values, one a sample, over the span of every atom."""
        total = np.concatenate([[0.0], np.cumsum(values)])
        return np.asarray(total[self.last] - total[self.first])

    def energies(self, y: Floats) -> Floats:
        """Return the energy of a signal (n channels,) over the span of every atom."""
        return self.over_spans(np.sum(y.reshape(-1, self.channels) ** 2, axis=1))


def refitted(recording: list[Chunk], waveforms: Waveforms, atoms: LineAtoms) -> Refit:
    """Refit all atoms of a recording, which are in the order of time, together."""
    amplitude = amplitudes_of(recording, waveforms, atoms)
    count = len(atoms)
    norm, product, before, after, seen = np.zeros((5, count))
    for part in columns_of(recording, waveforms, atoms):
        y = part.x - np.asarray(part.matrix @ amplitude[part.which])
        norm[part.which] += np.asarray(part.matrix.multiply(part.matrix).sum(axis=0)).ravel()
        product[part.which] += np.asarray(part.matrix.T @ y)
        before[part.which] += part.energies(part.x)
        after[part.which] += part.energies(y)
        seen[part.which] += part.over_spans(part.observed.astype(np.float64))
    own = product + amplitude * norm  # <a_k, y + b_k a_k>
    size = np.sqrt(norm * np.maximum(after + amplitude * (product + own), 0.0))
    return Refit(
        amplitude,
        1.0 - _ratio(after, before, 1.0),
        _ratio(np.abs(own), size, 0.0),
        np.asarray(seen < waveforms.length + TAPS - 1.5),
        _ratio(own, np.sqrt(norm), 0.0),
        np.sqrt(_ratio(after, seen * waveforms.u.shape[2], 0.0)),
    )


def retimed(
    recording: list[Chunk], waveforms: Waveforms, atoms: LineAtoms, free: NDArray[np.bool_]
) -> LineAtoms:
    """Move the free ones of atoms, in the order of time, to where all fit best; the others stay."""
    best, least, damping, step = atoms, np.inf, DAMPING, np.zeros(len(atoms))
    for _ in range(STEPS + 1 if len(atoms) else 0):
        now = NormalEquations.of(recording, waveforms, atoms)
        amplitude, energy = now.fitted()
        if energy < least:
            best, least, damping = atoms, energy, damping / 10.0
            gram = now.scaled(amplitude)
            right = np.concatenate([np.zeros(len(atoms)), now.slopes(amplitude)])
        else:
            damping *= 100.0
        if least <= 0.0:
            break
        diagonal = np.maximum(gram.diagonal(), RIDGE * gram.diagonal().max())
        step = splu((gram + damping * sparse.diags_array(diagonal)).tocsc()).solve(right)
        step = np.where(free, np.clip(step[len(atoms) :], -LONGEST, LONGEST), 0.0)
        atoms = replace(best, time=np.maximum.accumulate(best.time + step))
        if np.max(np.abs(step)) < CONVERGED:  # the error that is left is of the order of its square
            return atoms
    return best


@dataclass(frozen=True, eq=False)
class NormalEquations:
    """Products of atoms a_k and of their derivatives by times a'_k, at observed samples.

    Attributes
    ----------
    gram : sparse array of shape (2 K, 2 K)
        Of ``[a_1 .. a_K, a'_1 .. a'_K]``.
    right : ndarray of shape (2 K,)
        Their products with the recording.
    energy : float
        That of the recording.
    """

    gram: sparse.csr_array
    right: Floats
    energy: float

    @classmethod
    def of(cls, recording: list[Chunk], waveforms: Waveforms, atoms: LineAtoms) -> NormalEquations:
        """Add up over the chunks of a recording; atoms are in the order of time."""
        count, energy = len(atoms), 0.0
        gram, right = sparse.csr_array((2 * count, 2 * count)), np.zeros(2 * count)
        for part in columns_of(recording, waveforms, atoms):
            both = sparse.hstack([part.matrix, part.derivatives()], format="csc")
            at = np.arange(part.which.start, part.which.stop)
            at = np.concatenate([at, at + count])
            own = (both.T @ both).tocoo()
            place = at[own.row], at[own.col]
            gram = gram + sparse.csr_array((own.data, place), shape=gram.shape)
            right[at] += both.T @ part.x
            energy += float(part.x @ part.x)
        return cls(gram, right, energy)

    def fitted(self) -> tuple[Floats, float]:
        """Return the amplitudes b that fit best, and the energy of what they leave."""
        count = len(self.right) // 2
        gram, right = self.gram[:count, :count].tocsc(), self.right[:count]
        b = solved(gram, right)
        return b, self.energy + float(b @ (gram @ b - 2.0 * right))

    def slopes(self, b: Floats) -> Floats:
        """Return ``b_k <a'_k, x - sum_l b_l a_l>``, (K,)."""
        count = len(b)
        return np.asarray(b * (self.right[count:] - self.gram[count:, :count] @ b))

    def scaled(self, b: Floats) -> sparse.csr_array:
        """Return the products of ``[a_1 .. a_K, b_1 a'_1 .. b_K a'_K]``."""
        both = sparse.diags_array(np.concatenate([np.ones(len(b)), b]))
        return (both @ self.gram @ both).tocsr()


def amplitudes_of(recording: list[Chunk], waveforms: Waveforms, atoms: LineAtoms) -> Floats:
    """Return the amplitudes (K,) with which atoms, in the order of time, fit a recording best."""
    count = len(atoms)
    if count == 0:
        return np.zeros(0)
    products, right = list[tuple[Floats, Integers, Integers]](), np.zeros(count)
    for part in columns_of(recording, waveforms, atoms):
        own, first = (part.matrix.T @ part.matrix).tocoo(), part.which.start
        products.append((own.data, own.row + first, own.col + first))
        right[part.which] += np.asarray(part.matrix.T @ part.x)
    # values at the same place add up
    values, row, column = map(np.concatenate, zip(*products, strict=True))
    return solved(sparse.csc_array((values, (row, column)), shape=(count, count)), right)


def solved(gram: sparse.csc_array, right: Floats) -> Floats:
    """Return the solution of normal equations, finite where atoms explain the same."""
    ridge = RIDGE * float(gram.diagonal().max()) or 1.0
    one = sparse.eye_array(len(right), format="csc")
    return np.asarray(splu(gram + ridge * one).solve(right))


def columns_of(recording: list[Chunk], waveforms: Waveforms, atoms: LineAtoms) -> Iterator[Columns]:
    """Yield the atoms of one chunk after the other."""
    return (Columns(chunk, waveforms, atoms) for chunk in recording)


def atoms_as_columns(
    observed: NDArray[np.bool_], waveforms: Waveforms, atoms: LineAtoms, order: int = 0
) -> sparse.csc_array:
    """Return every atom at the observed samples, all channels below each other, as a column.

    Or its derivative by its time, of order 1 or 2.
    """
    channels, span = waveforms.u.shape[2], waveforms.length + TAPS - 1
    signals = np.zeros((len(atoms), span, channels))
    fill_signals(atoms.component, atoms.time, waveforms.u, order, signals)
    sample = (np.floor(atoms.time).astype(np.intp) - 1)[:, None] + np.arange(span)
    inside = (sample >= 0) & (sample < len(observed))
    seen = inside & observed[np.clip(sample, 0, len(observed) - 1)]
    row: Integers = (sample[:, :, None] * channels + np.arange(channels))[seen]
    ends = np.concatenate([[0], np.cumsum(seen.sum(axis=1) * channels)])
    shape = len(observed) * channels, len(atoms)
    return sparse.csc_array((signals[seen].ravel(), row.ravel(), ends), shape=shape)


def _ratio(above: Floats, below: Floats, otherwise: float) -> Floats:
    """Return a quotient, and something else where it is not known."""
    result: Floats = np.full(len(above), otherwise)
    np.divide(above, below, out=result, where=below > 0)
    return result
