"""Which atoms are events: those that explain what is there, and are not the misfit of others.

An atom stands alone if none larger is within half a waveform length. It is an event if it has a
quarter of its component's median coefficient and explains a quarter of the energy around it. One
next to a larger atom may be that one's misfit: it must have half the median, and explain nearly
all. Where events avoid each other, so that pairs that close are ten times rarer than independent
arrivals would bring, it must do even better.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from orbitdl.arrays.blocks import Floats
from orbitdl.discovery.coding import HALF, DetectorCoding
from orbitdl.discovery.pursuit import Pursued

FLOOR, LEAST = 0.25, 0.25
"""Parts of the median coefficient, and of the energy around it, of an event that stands alone."""
STRICT = 0.7
"""Least product of both where events avoid each other."""
RARE, EXPECTED, STEPS, MAJORITY = 0.1, 10.0, 16, 2 / 3
"""Pairs of events, in parts of how many independent arrivals would bring, that count as rare; how
many of these make a statement; lags that are looked at; and share of the events that suffices, in
components that avoid each other."""
RANGE, BELOW, ENOUGH = 0.05, 0.75, 20
"""Share of isolated events that may be smaller than what is taken for the smallest, part of that
which an event next to a larger one has at least, and isolated events that it takes to know it."""
NARROW = 8
"""Part of a waveform length that its energy is smoothed over, to weigh residuals with it."""


def is_event(coded: DetectorCoding, samples: int) -> NDArray[np.bool_]:
    """Return which atoms are events, (K,), by the rules of a calibrated detector, if it is one."""
    good, size, fit = fitting(coded)
    apart = coded.detector.apart
    if not coded.detector.samples:
        apart = avoided_lag(coded.atoms.take(good), samples, coded.detector.A.shape[1] // 2)
    return good & ~shadowed(coded, good, size * fit >= STRICT, apart)


def fitting(coded: DetectorCoding) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Return which atoms explain what is there; return their relative size and their fit, too."""
    atoms, length = coded.atoms, coded.detector.A.shape[1]
    typical = coded.median
    size = np.minimum(np.abs(atoms.c) / np.maximum(typical[atoms.component], 1e-300), 1.0)
    fit, alone = fits(coded, size), ~atoms.larger_within(length // 2)
    near = (size >= HALF) & (fit >= 1.0 - 0.5 * size)
    near &= np.abs(atoms.c) >= BELOW * coded.detector.smallest[atoms.component]
    return np.where(alone, (size >= FLOOR) & (fit >= LEAST), near), size, fit


def smallest_isolated(coded: DetectorCoding, good: NDArray[np.bool_]) -> Floats:
    """Return a coefficient that nearly all good atoms without a larger neighbour exceed, (q,).

    What is next to a larger event and smaller than that mends its misfit. 0 where it is not known.
    """
    alone = good & ~coded.atoms.larger_within(coded.detector.A.shape[1] // 2)
    own = (np.abs(coded.atoms.c[alone & (coded.atoms.component == j)]) for j in range(len(coded.u)))
    return np.array([np.quantile(c, RANGE) if len(c) >= ENOUGH else 0.0 for c in own])


def fits(coded: DetectorCoding, size: Floats) -> Floats:
    """Return the share of the energy around every atom that it explains, noise subtracted.

    Energy is weighted by that of the waveform, smoothed. The expectation of noise, and two of its
    standard deviations for an atom of typical size, are subtracted from what is left.
    """
    atoms, A = coded.atoms, coded.detector.A
    (_, length, channels), fit = A.shape, np.empty(len(atoms))
    weights = uniform_filter1d(np.sum(A**2, axis=2), max(length // NARROW, 1), axis=1)
    weights /= np.maximum(weights.max(axis=1, keepdims=True), 1e-300)
    noise = channels * weights.sum(axis=1)
    spread = np.sqrt(2.0 * channels * np.sum(weights**2, axis=1))
    for j in range(len(A)):
        own = coded.own(j)
        r = coded.residual[atoms.sample[own][:, None] + np.arange(length)]
        left = np.einsum("knc,n->k", r**2, weights[j])
        there = r + atoms.c[own][:, None, None] * A[j]
        total = np.einsum("knc,n->k", there**2, weights[j])
        variance = coded.levels(own) ** 2
        left = left - variance * (noise[j] + 2.0 * spread[j] * size[own])
        total = np.maximum(total - variance * noise[j], 1e-300)
        fit[own] = 1.0 - np.maximum(left, 0.0) / total
    return fit


def avoided_lag(atoms: Pursued, samples: int, most: int) -> float:
    """Return up to which lag pairs of events are rare, 0 if they are not.

    Of all events, or of most of them: components are added, those with most events first, if pairs
    stay rare, up to half the lag at least. So neither artefacts, which arrive independently, nor
    events that are listed twice hide that most events avoid each other.
    """
    counts, lag = np.bincount(atoms.component), 0.0
    avoiding = np.zeros(len(counts), dtype=bool)
    for j in np.argsort(-counts, kind="stable"):
        avoiding[j] = True
        with_more = rare_lag(atoms.sample[avoiding[atoms.component]], samples, most)
        avoiding[j] = with_more > 0.0 and with_more >= HALF * lag
        lag = with_more if avoiding[j] else lag
    if counts[avoiding].sum() < MAJORITY * counts.sum():
        lag = 0.0
    return max(lag, rare_lag(atoms.sample, samples, most))


def rare_lag(sample: NDArray[np.int64], samples: int, most: int) -> float:
    """Return up to which lag pairs of times are rare, 0 if they are not.

    n independent arrivals in T samples have ``n^2 d / T`` pairs at lags up to d.
    """
    time, count = np.sort(sample), len(sample)
    lags, at = np.arange(1, STEPS + 1) * most / STEPS, np.arange(count)
    pairs = np.array([np.sum(np.searchsorted(time, time + d, "right") - at - 1) for d in lags])
    expected = count**2 / max(samples, 1) * lags
    rare = (expected >= EXPECTED) & (pairs <= RARE * expected)
    return float(lags[rare][-1]) if rare.any() else 0.0


def shadowed(
    coded: DetectorCoding, good: NDArray[np.bool_], strong: NDArray[np.bool_], apart: float
) -> NDArray[np.bool_]:
    """Return which good atoms are nearer than `apart` to a larger one, and not strong."""
    result, own = np.zeros(len(good), dtype=bool), np.flatnonzero(good)
    own = own[np.argsort(coded.atoms.sample[own], kind="stable")]
    time, size = coded.atoms.sample[own], np.abs(coded.atoms.c[own])
    first, last = np.searchsorted(time, time - apart, "right"), np.searchsorted(time, time + apart)
    for k in np.argsort(-size, kind="stable"):
        if not result[own[k]]:
            for m in own[first[k] : last[k]]:
                if m != own[k] and not strong[m] and abs(coded.atoms.c[m]) <= size[k]:
                    result[m] = True
    return result
