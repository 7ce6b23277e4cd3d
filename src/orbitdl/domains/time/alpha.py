"""The automatic alpha: just above the largest correlation of q waveforms with noise alone.

``alpha = sigma sqrt(2 log(q T))`` is about the largest of q T correlations with noise. Noise is the
residual of the events, sigma the standard deviation of its correlations with the waveforms: so both
are learned first, roughly and from some of the data.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.chunks import atoms_of
from orbitdl.domains.time.coder import residual_of
from orbitdl.domains.time.coordinates import from_blocks
from orbitdl.domains.time.noise import LOOKED_AT, correlation_level
from orbitdl.domains.time.refit import amplitudes_of
from orbitdl.domains.time.shards import Recordings, RecordingShards
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.groups.base import Blocks, Floats
from orbitdl.learning.alpha import ChosenAlpha
from orbitdl.learning.alternation import learn
from orbitdl.learning.state import State

ROUNDS, FIRST, LOOSE = 5, 3, 1e-2
"""The rough learning: how often alpha is chosen at most, iterations of each round, gap of codes."""
SAME = 0.2
"""Part by which alpha may fall in a round that was the last."""
HALF = 0.5
"""Part of a typical event that the first alpha is at most: where events are dense, most places are
not noise."""
AT_MOST = 2**24
"""Values that the rough learning sees, all in memory: as many chunks as noise is taken from, of
eight channels; fewer of more."""
DENSE = 8.0
"""Atoms per length of a waveform from which codes are dense: events then follow each other faster
than they could be told apart, most atoms mend what waveforms miss, and coding takes long."""
LEAST = 0.01
"""Part of a typical event that alpha is at least, where there is no noise."""


def automatic_alpha(recordings: Recordings, start: Blocks, typical: float) -> ChosenAlpha:
    """Choose alpha for recordings from a start, some of whose chunks are learned from for that.

    `typical` is the size of a median event, from the windows that starts are drawn from.
    """
    some, samples = excerpts(recordings), sum(recordings.sizes)
    waveforms, A = Waveforms(from_blocks(start)), start
    alpha = min(above_noise(some, waveforms, samples).value, HALF * typical) or 1.0
    for _ in range(ROUNDS):
        *_, last = learn(State(some.at(alpha), UnitBall(A)), gap=LOOSE, max_iter=FIRST, tol=LOOSE)
        A, waveforms = last.components, Waveforms(from_blocks(last.components))
        if (count := atoms_per_length(last.shards, waveforms)) > DENSE:
            value = float(f"{alpha:.3g}")
            reason = (
                f"dense codes, {count:.0f} atoms per waveform length; a smaller alpha adds more"
            )
            return ChosenAlpha(value, f"{value:g}: {reason}")
        chosen = above_noise(left_by(last.shards, waveforms), waveforms, samples, LEAST * typical)
        if chosen.value > (1.0 - SAME) * alpha:
            break
        alpha = chosen.value
    return chosen


def atoms_per_length(shards: Any, waveforms: Waveforms) -> float:
    """Return how many atoms there are for every length of a waveform."""
    counts = [len(atoms_of(recording)) for recording in shards.recordings]
    return sum(counts) * waveforms.length / max(int(sum(shards.sizes)), 1)


def above_noise(
    shards: RecordingShards, waveforms: Waveforms, samples: int, least: float = 0.0
) -> ChosenAlpha:
    """Return ``sigma sqrt(2 log(q T))``, or a least value, and the reason."""
    sigma, q = correlation_level(shards, waveforms), len(waveforms)
    factor = float(np.sqrt(2.0 * np.log(max(q * samples, 2))))
    value = float(f"{max(sigma * factor, least):.3g}") or 1.0  # the same on every machine
    if sigma * factor < least:
        return ChosenAlpha(
            value, f"{value:g}: a hundredth of the median event, {least / LEAST:.3g}"
        )
    size = f"q = {q} and T = {samples} samples" if q > 1 else f"T = {samples} samples"
    rule = "sigma * sqrt(2 log(q T))" if q > 1 else "sigma * sqrt(2 log T)"
    return ChosenAlpha(value, f"{value:g}: {rule} with noise level sigma = {sigma:.3g}, {size}")


def above_white_noise(g: Floats, samples: int) -> ChosenAlpha:
    """Return ``g sqrt(2 log(q T))`` of whitened recordings, where noise has the deviation one.

    g (q,) are the standard deviations of the correlations of the waveforms with that noise.
    """
    value = float(f"{g.max() * np.sqrt(2.0 * np.log(max(len(g) * samples, 2))):.3g}")
    return ChosenAlpha(
        value,
        f"{value:g}: g * sqrt(2 log(q T)) noise standard deviations, with g = {g.max():.3g} of the "
        f"correlations, q = {len(g)} and T = {samples} samples",
    )


def left_by(shards: Any, waveforms: Waveforms) -> RecordingShards:
    """Return what the events of recordings leave, once they are refitted without shrinkage."""
    signals = list[Signal]()
    for recording in shards.recordings:
        atoms = atoms_of(recording)
        full = replace(atoms, coefficient=amplitudes_of(recording, waveforms, atoms))
        for chunk in recording:
            (x, observed), start = chunk.read(0, 0)
            left = residual_of(x, observed, waveforms, full.later(-start))
            signals.append(Signal(np.where(observed[:, None], left, np.nan)))
    return RecordingShards.cut(signals, waveforms.length, shards.alpha)


def excerpts(recordings: Recordings) -> RecordingShards:
    """Return chunks, evenly spread, as recordings of their own in memory."""
    _, width, channels = recordings.space.block_shape
    most = max(min(AT_MOST // (channels * max(recordings.sizes)), LOOKED_AT), 1)
    signals = map(Signal, recordings.of_some(known_values, most))
    flags = {"positive": recordings.positive, "whole": recordings.whole}
    return RecordingShards.cut(signals, width, recordings.alpha, recordings.n_jobs, **flags)


def known_values(chunk: Chunk) -> Floats:
    """Return the samples of a chunk (n, channels), NaN where one is missing."""
    (x, observed), _ = chunk.read(0, 0)
    return np.where(observed[:, None], x, np.nan)
