"""Errors beyond noise, by halves of events: the grouped jackknife.

A real event deviates from its waveform, and so its time is not that of a rigid copy. The residual r
at the optimum tells nothing along a', because ``<r, a'> = 0``. But the two halves of an event, each
with a share of about w = 1/2 of ``||a'||^2``, have times of their own. If halves vary
independently, the jackknife variance of a time is

    w (1 - w) (d_1 - d_2)^2,      d_1 = <r, a'>_1 / (c w ||a'||^2),      d_2 likewise,

and ``s^2 / (c ||a'||)^2`` is its expectation if they vary by noise of variance s^2 only. With a in
place of a' it is the relative variance of an amplitude. What moves both halves alike is not seen;
what moves them apart, such as a change of width, counts although it moves no time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from orbitdl.coding.atoms import Atoms
from orbitdl.discovery.background import MAD_SCALE
from orbitdl.discovery.coding import HALF
from orbitdl.discovery.misfit import CHANCE
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.refit import columns_of
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.groups.base import Floats


def misfit_variance(
    recording: list[Chunk], waveforms: Waveforms, atoms: Atoms, s: Floats
) -> Floats:
    """Return the misfit variance of amplitudes and of times of each component, (2, q).

    Parameters
    ----------
    recording : list of Chunk
    waveforms : Waveforms
    atoms : Atoms
        Refitted events, sorted by time.
    s : ndarray of shape (K,)
        Standard deviation of the noise at each event, as its waveform sees it.

    Returns
    -------
    ndarray of shape (2, q)
        v such that ``s^2 + c^2 v`` in place of ``s^2`` gives the variance of an estimate.

    Notes
    -----
    With the squares ``D_k`` of `contrasts`, v is ``median_k (D_k / .6745^2 - s_k^2) / c_k^2`` over
    the events of at least half the median amplitude. An event exceeds 0 there with probability 1/2
    if noise is Gaussian and there is no misfit, whatever its amplitude. What n events exceed by
    chance is no misfit: v is 0 below ``4.7 / sqrt(n)`` of the variance of noise.
    """
    square = MAD_SCALE**2 * contrasts(recording, waveforms, atoms) ** 2
    size, v = np.abs(atoms.coefficient), np.zeros((2, len(waveforms)))
    for j in np.unique(atoms.component):
        own = np.flatnonzero(atoms.component == j)
        own = own[size[own] >= max(HALF * float(np.median(size[own])), 1e-300)]
        noise = (s[own] / size[own]) ** 2
        excess = np.median(square[:, own] / size[own] ** 2 - noise, axis=1)
        by_chance = CHANCE / np.sqrt(max(len(own), 1)) * np.median(noise)
        v[:, j] = np.where(excess > by_chance, excess, 0.0)
    return v


def contrasts(recording: list[Chunk], waveforms: Waveforms, atoms: Atoms) -> Floats:
    """Return correlations of the residual with the contrast of two halves, (2, K).

    Of the atoms and of their time derivatives. With ``n = ||a||^2``, a share w of it in the first
    half, ``p = <r, a>_1`` and ``q = <r, a>``,

        (p - w q) / sqrt(n w (1 - w)),

    which has the variance of noise: it is the correlation with a vector of unit norm that is
    orthogonal to a, ``(1 - w) a`` on the first half and ``-w a`` on the second.
    """
    ends, sums = middles(waveforms), np.zeros((2, 4, len(atoms.time)))
    for part in columns_of(recording, waveforms, atoms):
        own = atoms.select(part.which)
        y = part.x - np.asarray(part.matrix @ own.coefficient)
        for order, columns in enumerate((part.matrix, part.derivatives())):
            last = part.channels * np.ceil(part.time + ends[order, own.component])
            sums[order][:, part.which] += half_sums(columns, y, last)
    norm, first, every, early = np.moveaxis(sums, 1, 0)
    w = first / np.maximum(norm, 1e-300)
    return np.asarray((early - w * every) / np.sqrt(np.maximum(norm * w * (1.0 - w), 1e-300)))


def half_sums(columns: sparse.csc_array, y: Floats, last: Floats) -> Floats:
    """Return squared norms of columns and their products with y, (4, K).

    ``||a||^2``, that of rows before `last` (K,) only, ``<a, y>``, and that of these rows only.
    """
    count = columns.shape[1]
    of = np.repeat(np.arange(count), np.diff(columns.indptr))
    is_first: NDArray[np.bool_] = columns.indices < last[of]
    squares, products = columns.data**2, columns.data * y[columns.indices]
    every = (squares, squares * is_first, products, products * is_first)
    return np.stack([np.bincount(of, values, minlength=count) for values in every])


def middles(waveforms: Waveforms) -> Floats:
    """Return the samples at which half of the energy of each a, and of each a', is over, (2, q)."""
    a = waveforms.samples()
    steps = np.diff(a, axis=1, prepend=0.0, append=0.0)
    return np.stack([middle(a) + 0.5, middle(steps)])


def middle(values: Floats) -> Floats:
    """Return the index at which the cumulative energy of each signal (q, n, channels) is half."""
    energy = np.cumsum(np.sum(values**2, axis=2), axis=1)
    return np.asarray(np.argmax(energy >= 0.5 * energy[:, -1:], axis=1), dtype=np.float64)
