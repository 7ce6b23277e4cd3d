"""Significance of events: p-values of peaks, false discovery rates, standard errors.

Noise correlated with a unit-norm waveform is a Gaussian process with spectral moments

    lambda_0 = 1,      lambda_2 = ||a'||^2,      lambda_4 = ||a''||^2

in units of its variance. One of its local maxima exceeds u standard deviations with probability

    p(u) = Q(u / sqrt(1 - nu^2)) + nu exp(-u^2/2) Phi(nu u / sqrt(1 - nu^2)),
    nu = lambda_2 / sqrt(lambda_0 lambda_4),      Q = 1 - Phi

(Rice), and it has ``sqrt(lambda_4 / lambda_2) / (2 pi)`` of them per sample. The variance at an
event is that of noise around it and of the misfit of larger events nearby,
``s^2 = n^2 + sum_k c_k^2 V_{j_k j}(tau - tau_k)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from orbitdl.coding.atoms import Atoms
from orbitdl.discovery.coding import Detector
from orbitdl.discovery.pursuit import gram_of
from orbitdl.groups.base import Floats

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
