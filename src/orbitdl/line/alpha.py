"""The alpha that works untouched: just above what noise alone would be worth.

``alpha = sigma sqrt(2 log T)`` is what the largest of T correlations with noise comes to; sigma is
their standard deviation as the waveforms see it, so it is estimated again once they have an
idea of what they will be.
"""

from __future__ import annotations

import numpy as np

from orbitdl.alpha import ChosenAlpha
from orbitdl.groups.base import Blocks
from orbitdl.learning.alternation import learn
from orbitdl.learning.iteration import State
from orbitdl.line.coordinates import from_blocks
from orbitdl.line.noise import levels_of, spread
from orbitdl.line.shards import RecordingShards
from orbitdl.line.signal import Signal
from orbitdl.line.waveforms import Waveforms

FIRST = 3
"""Iterations after which waveforms have an idea of what they will be."""
LEAST, MOST = 0.01, 0.9
"""Parts of the largest correlation between which alpha stays, where there is no noise, or nothing
but events."""


def automatic_alpha(shards: RecordingShards, start: Blocks) -> ChosenAlpha:
    """Choose alpha for recordings from a start, some of whose chunks are learned from for that."""
    some = excerpts(shards)
    first = above_noise(some, Waveforms(from_blocks(start)), _samples(shards))
    trial = some.at(first.value)
    *_, last = learn(State(trial, start), gap=1e-2, max_iter=FIRST, tol=1e-3)
    return above_noise(some, Waveforms(from_blocks(last.components)), _samples(shards))


def above_noise(shards: RecordingShards, waveforms: Waveforms, samples: int) -> ChosenAlpha:
    """Return ``sigma sqrt(2 log T)``, within bounds, and say so."""
    sigma, top = levels_of(shards, waveforms)
    factor = float(np.sqrt(2.0 * np.log(max(samples, 2))))
    value = _rounded(min(max(sigma * factor, LEAST * top), MOST * top)) or 1.0
    if value == _rounded(sigma * factor):
        return ChosenAlpha(
            value,
            f"{value:g}: {sigma:.3g}, the level of noise as the waveforms see it, times sqrt(2 log {samples})"
            f" = {factor:.2f}: what the largest chance likeness in {samples} samples comes to",
        )
    share = "a hundredth" if sigma * factor < LEAST * top else "nine tenths"
    return ChosenAlpha(
        value, f"{value:g}: {share} of {top:.3g}, the strongest likeness to a waveform"
    )


def excerpts(shards: RecordingShards) -> RecordingShards:
    """Return chunks, evenly spread, as recordings of their own in memory."""
    signals = [
        Signal.of(chunk.signal.raw(chunk.first, chunk.last) - chunk.signal.level)
        for chunk in spread(shards.parts)
    ]
    flags = {"positive": shards.positive, "whole": shards.whole}
    width, jobs = shards.parts[0].width, shards.n_jobs
    return RecordingShards.cut(signals, width, shards.alpha, jobs, **flags)


def _samples(shards: RecordingShards) -> int:
    return sum(chunk.last - chunk.first for chunk in shards.parts)


def _rounded(alpha: float) -> float:
    """Return a number to three digits: the same on every machine."""
    return float(f"{alpha:.3g}")
