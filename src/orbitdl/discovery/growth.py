"""Growth of a dictionary: candidates from the residual are added and tested, components are split.

A candidate is tested by three rounds of coding and averaging together with all waveforms. It is
accepted if its events predict each other and differ from those of other components.
After two consecutive rejections, components with two clusters of events are split. If more
components are requested than pass the tests, further ones are added untested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.discovery.candidates import MIN_EVENTS, candidate, strongest_segment
from orbitdl.discovery.coding import Detector, DetectorCoding, Whitened, code, with_waveforms
from orbitdl.discovery.kinds import halves, is_own_kind, recurrences, sides
from orbitdl.discovery.misfit import learned, updated_waveforms
from orbitdl.discovery.occurrences import is_event

GENUINE = 2 / 3
"""Minimum fraction of a component's atoms after subtraction of decoys and bursts of noise."""
MAX_COMPONENTS, REJECTIONS, ROUNDS = 12, 2.0, 3
"""Maximum number of components, consecutive rejections that end growth, and rounds of a test."""
RARE, HALF = f"the next candidate occurs fewer than {MIN_EVENTS} times", 0.5
"""A candidate with too few events counts as half a rejection: a single artefact yields one or two
of them, each rejected after one coding."""


@dataclass(frozen=True, eq=False)
class GrowthState:
    """State of the growth of a dictionary.

    Attributes
    ----------
    coded : Coded
        Coding of the recording.
    detector : Detector
        Detector calibrated on that coding.
    sigma : ndarray of shape (P,)
        The local noise level.
    """

    coded: DetectorCoding
    detector: Detector
    sigma: Floats


def grow(
    w: Whitened, rng: np.random.Generator, most: int = MAX_COMPONENTS
) -> tuple[GrowthState, str]:
    """Grow a dictionary of components that pass all tests; return it, and why growth ended."""
    now, reason = add_recurring(w, rng, most)
    return drop_spurious(w, now, rng), reason


def grow_exactly(
    w: Whitened, rng: np.random.Generator, number: int, *, signed: bool
) -> tuple[GrowthState, int, str]:
    """Grow a dictionary to a given number of components.

    Returns it, how many of them pass the tests, and why no more do. What is found upside down as
    often passes where events may have either sign.
    """
    now, reason = add_recurring(w, rng, number)
    own = len(now.detector) if signed else int(np.sum(now.coded.share >= GENUINE))
    if own < len(now.detector):
        reason = "what recurs is found upside down, or in bursts of noise, as often"
    while len(now.detector) < number:
        now = add_untested(w, now, rng)
    return now, own, reason


def add_recurring(w: Whitened, rng: np.random.Generator, most: int) -> tuple[GrowthState, str]:
    """Add and split components while the tests accept new ones."""
    sigma = w.level(w.y)
    empty = Detector.start(np.zeros((0, w.length, w.y.shape[1])))
    now = GrowthState(code(w, empty, sigma), empty, sigma)
    while len(now.detector) < most:
        now, reason = add_components(w, now, rng, most)
        before = len(now.detector)
        now = split_components(w, now, rng, most)
        if len(now.detector) == before:
            break
    if len(now.detector) >= most:
        reason = f"the largest number, {most}, was reached"
    return now, reason


def add_untested(w: Whitened, now: GrowthState, rng: np.random.Generator) -> GrowthState:
    """Add a component without tests, if possible such that all components have atoms."""
    for detector in additions(now, rng):
        coded = code_and_average(w, detector, now.sigma, rng)
        after = GrowthState(coded, *learned(w, coded, rng))
        if np.all(after.detector.counts > 0):
            break
    return after


def additions(now: GrowthState, rng: np.random.Generator) -> Iterator[Detector]:
    """Yield detectors with one more component.

    The best candidate; the component with most events divided in two; the loudest stretch.
    """
    a, counts = candidate(now.coded, now.sigma, rng), now.detector.counts
    if a is not None:
        yield now.detector.with_more(a[None])
    if counts.max(initial=0.0) > 1:
        j = int(np.argmax(counts))
        others = now.detector.take(np.delete(np.arange(len(counts)), j))
        yield others.with_more(sides(now.coded, j, rng))
    yield now.detector.with_more(strongest_segment(now.coded, now.sigma)[None])


def add_components(
    w: Whitened, now: GrowthState, rng: np.random.Generator, most: int
) -> tuple[GrowthState, str]:
    """Add candidates until two consecutive rejections; return the reason of the last one."""
    rejected, reason = 0.0, ""
    while rejected < REJECTIONS and len(now.detector) < most:
        a = candidate(now.coded, now.sigma, rng)
        if a is None:
            return now, "nothing in the residual recurs"
        after, reason = try_detector(w, now, now.detector.with_more(a[None]), 1, rng)
        rejected += HALF if reason == RARE else 1.0
        now, rejected = (now, rejected) if after is None else (after, 0.0)
    return now, reason


def split_components(
    w: Whitened, now: GrowthState, rng: np.random.Generator, most: int
) -> GrowthState:
    """Split components with several clusters of events, until none is left."""
    while len(now.detector) < most:
        trials = (try_detector(w, now, pair, 2, rng)[0] for pair in splits(now, rng))
        after = next((one for one in trials if one is not None), None)
        if after is None or len(after.detector) <= len(now.detector):
            break
        now = after
    return now


def drop_spurious(w: Whitened, now: GrowthState, rng: np.random.Generator) -> GrowthState:
    """Drop components with too many decoys: noise is symmetric, events are not.

    Of the first one at the end only: before, decoys may be events of waveforms still to be found.
    """
    used = np.flatnonzero(now.coded.share >= GENUINE)
    if len(used) == len(now.detector):
        return now
    return calibrated_coding(w, now.detector.take(used), now.sigma, rng)


def splits(now: GrowthState, rng: np.random.Generator) -> Iterator[Detector]:
    """Yield detectors in which one component is replaced by two."""
    every = np.arange(len(now.detector))
    for j in range(len(every)):
        for pair in halves(now.coded, j, rng):
            yield now.detector.take(every[every != j]).with_more(pair)


def try_detector(
    w: Whitened, now: GrowthState, detector: Detector, new: int, rng: np.random.Generator
) -> tuple[GrowthState | None, str]:
    """Code and average repeatedly; return the result, or None and the reason of the rejection."""
    coded, added = code_and_average(w, detector, now.sigma, rng, new), range(len(detector))[-new:]
    if any(len(coded.own(j)) < MIN_EVENTS for j in added):
        return None, RARE
    listed = is_event(coded, w.samples)
    for j in added:
        count = recurrences(w, coded, j, listed)
        if count < MIN_EVENTS:
            return None, f"the next candidate recurs {count} times, fewer than {MIN_EVENTS}"
        if len(now.detector) and coded.share[j] < GENUINE:
            return None, "the next candidate is found upside down, or in bursts of noise, as often"
        if not is_own_kind(coded, j):
            return None, "the next candidate is a variant of a component, not a kind of its own"
    return without_unused(w, GrowthState(coded, *learned(w, coded, rng)), rng), ""


def code_and_average(
    w: Whitened, detector: Detector, sigma: Floats, rng: np.random.Generator, new: int = 0
) -> DetectorCoding:
    """Code and average repeatedly; return the last coding.

    Or one in which one of the `new` components at the end has too few atoms to recur.
    """
    for _ in range(ROUNDS):
        coded = code(w, detector, sigma)
        if any(len(coded.own(len(detector) - j)) < MIN_EVENTS for j in range(1, new + 1)):
            return coded
        detector, sigma = learned(w, coded, rng)
        detector = with_waveforms(detector, updated_waveforms(coded, rng))
    return code(w, detector, sigma)


def calibrated_coding(
    w: Whitened,
    detector: Detector,
    sigma: Floats,
    rng: np.random.Generator,
    *,
    signed: bool = False,
    chance: float = 0.0,
) -> GrowthState:
    """Return a recording coded by a detector, and the detector calibrated on it."""
    coded = code(w, detector, sigma, signed=signed)
    return GrowthState(coded, *learned(w, coded, rng, chance))


def without_unused(w: Whitened, after: GrowthState, rng: np.random.Generator) -> GrowthState:
    """Drop components without events."""
    listed, every = is_event(after.coded, w.samples), range(len(after.detector))
    counts = np.array([recurrences(w, after.coded, j, listed) for j in every])
    used = np.flatnonzero(counts >= MIN_EVENTS)
    if len(used) == len(counts):
        return after
    return calibrated_coding(w, after.detector.take(used), after.sigma, rng)
