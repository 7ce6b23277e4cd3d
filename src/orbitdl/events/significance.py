"""Significance of events: p-values of peaks, false discovery rates, standard errors.

Noise correlated with a unit-norm waveform is a Gaussian process with spectral moments

    lambda_0 = 1,      lambda_2 = ||a'||^2,      lambda_4 = ||a''||^2

in units of its variance. One of its local maxima exceeds u standard deviations with probability

    p(u) = Q(u / sqrt(1 - nu^2)) + nu exp(-u^2/2) Phi(nu u / sqrt(1 - nu^2)),
    nu = lambda_2 / sqrt(lambda_0 lambda_4),      Q = 1 - Phi

(Rice), and it has ``sqrt(lambda_4 / lambda_2) / (2 pi)`` of them per sample. The variance at an
event is that of noise around it and of the misfit of larger events nearby,
``s^2 = n^2 + sum_k c_k^2 V_{j_k j}(tau - tau_k)``.

Errors beyond noise are measured by halves of events, a grouped jackknife. A real event deviates
from its waveform, and so its time is not that of a rigid copy. The residual r at the optimum tells
nothing along a', because ``<r, a'> = 0``. But the two halves of an event, each with a share of
about w = 1/2 of ``||a'||^2``, have times of their own. If halves vary independently, the jackknife
variance of a time is

    w (1 - w) (d_1 - d_2)^2,      d_1 = <r, a'>_1 / (c w ||a'||^2),      d_2 likewise,

and ``s^2 / (c ||a'||)^2`` is its expectation if they vary by noise of variance s^2 only. With a in
place of a' it is the relative variance of an amplitude. What moves both halves alike is not seen;
what moves them apart, such as a change of width, counts although it moves no time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtr

from orbitdl.arrays.blocks import Floats
from orbitdl.coding.atoms import Atoms
from orbitdl.discovery.background import MAD_SCALE
from orbitdl.discovery.coding import HALF, Detector
from orbitdl.discovery.misfit import CHANCE
from orbitdl.discovery.pursuit import gram_of
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.refit import columns_of_atoms
from orbitdl.domains.time.waveforms import Waveforms

BATCH = 64
"""Batch size of covariances."""
MAX_SHARE = 0.5
"""Maximum fraction of the noise variance removed by events."""


def moments(A: Floats) -> tuple[Floats, Floats]:
    """Return ``||a'||^2`` and ``||a''||^2`` of unit-norm waveforms (q, W, channels), (q,) each."""
    padded = np.pad(A, [(0, 0), (2, 2), (0, 0)])
    norms = np.maximum(np.sum(A**2, axis=(1, 2)), 1e-300)
    slope, curvature = (np.diff(padded, order, axis=1) for order in (1, 2))
    return tuple(np.sum(d**2, axis=(1, 2)) / norms for d in (slope, curvature))


def tail(u: Floats, nu: Floats) -> Floats:
    """Return the probability that a local maximum of Gaussian noise exceeds u.

    Examples
    --------
    >>> tail(np.array([3.0]), np.array([0.0])).round(5)  # many small maxima: a plain Gaussian
    array([0.00135])
    """
    root = np.sqrt(np.maximum(1.0 - nu**2, 1e-12))
    bulk = ndtr(-u / root)
    return np.asarray(bulk + nu * np.exp(-0.5 * u**2) * ndtr(nu * u / root))


def p_values(height: Floats, component: NDArray[np.intp], s: Floats, A: Floats) -> Floats:
    """Return the p-values of events with correlations `height` in noise of standard deviation s."""
    slope, curvature = moments(A)
    nu = slope / np.sqrt(np.maximum(curvature, 1e-300))
    return np.clip(tail(height / np.maximum(s, 1e-300), nu[component]), 0.0, 1.0)


def noise_maxima(A: Floats, samples: int) -> float:
    """Return the expected number of local maxima of noise for all waveforms."""
    slope, curvature = moments(A)
    return float(np.sum(np.sqrt(curvature / np.maximum(slope, 1e-300))) / (2 * np.pi) * samples)


def q_values(p: Floats, tests: float) -> Floats:
    """Return the q-values: the false discovery rate with each event as the last one.

    Benjamini-Hochberg over all `tests` maxima of the noise, not over those that were selected.

    Examples
    --------
    >>> q_values(np.array([0.001, 0.04, 0.01]), tests=10).round(3)
    array([0.01 , 0.133, 0.05 ])
    """
    order = np.argsort(p, kind="stable")
    rate = p[order] * max(tests, len(p)) / np.arange(1, len(p) + 1)
    result = np.empty(len(p))
    result[order] = np.minimum(np.minimum.accumulate(rate[::-1])[::-1], 1.0)
    return result


def deviations(detector: Detector, atoms: Atoms, noise: Floats) -> Floats:
    """Return the standard deviation s of correlations at events, misfit of others included, (K,).

    Atoms are sorted by time.
    """
    reach = detector.V.shape[2] // 2
    square = noise**2
    energy = atoms.coefficient**2
    first = np.searchsorted(atoms.time, atoms.time - reach)
    last = np.searchsorted(atoms.time, atoms.time + reach, "right")
    for k in np.flatnonzero(last - first > 1):
        near = np.delete(np.arange(first[k], last[k]), k - first[k])
        near = near[energy[near] > energy[k]]
        lag = np.rint(atoms.time[k] - atoms.time[near]).astype(np.intp) + reach
        V = detector.V[atoms.component[near], atoms.component[k], lag]
        square[k] += np.sum(energy[near] * V)
    return np.sqrt(square)


def free_variance(detector: Detector) -> Floats:
    """Return the fraction of the noise variance that remains after subtraction of events, (q,).

    An event of waveform j, whose amplitude and time are fitted, takes the noise along a_j and a'_j.
    Of the variance of correlations with a_l in T samples these are

        1/T sum_d <a_j, a_l(. - d)>^2 + <a'_j, a_l(. - d)>^2 / ||a'_j||^2.
    """
    gram, (slope, _) = gram_of(detector.A), moments(detector.A)
    steps = np.diff(gram, axis=2) / np.sqrt(np.maximum(slope, 1e-300))[:, None, None]
    taken = detector.counts @ (np.sum(gram**2, axis=2) + np.sum(steps**2, axis=2))
    return np.asarray(1.0 - np.minimum(taken / max(detector.samples, 1), MAX_SHARE))


def standard_errors(gram: Any, neighbours: NDArray[np.intp], count: int) -> Floats:
    """Return the roots of the diagonal of the inverse of a matrix of events, (2, K).

    Parameters
    ----------
    gram : sparse array of shape (2 K, 2 K)
        Products of ``[a_1 .. a_K, c_1 a'_1 .. c_K a'_K]``.
    neighbours : ndarray of shape (K, 2)
        From which event up to which each one overlaps others.
    count : int
        Number of events K.
    """
    result = np.zeros((2, count))
    for begin in range(0, count, BATCH):
        end = min(begin + BATCH, count)
        low = min(int(neighbours[begin:end, 0].min()), begin)
        high = max(int(neighbours[begin:end, 1].max()), end)
        own = np.concatenate([np.arange(low, high), count + np.arange(low, high)])
        part = gram[own][:, own].toarray()
        scale = np.sqrt(np.maximum(np.diag(part), 1e-300))
        inverse = np.linalg.pinv(part / np.outer(scale, scale), rcond=1e-10, hermitian=True)
        variance = np.maximum(np.diag(inverse), 1.0) / scale**2
        inside = slice(begin - low, end - low)
        result[0, begin:end] = np.sqrt(variance[: high - low][inside])
        result[1, begin:end] = np.sqrt(variance[high - low :][inside])
    return result


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
    for part in columns_of_atoms(recording, waveforms, atoms):
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
