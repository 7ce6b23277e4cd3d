"""The automatic alpha: just above the largest correlation of q waveforms with noise alone.

``alpha = sigma sqrt(2 log(q T))`` is about the largest of q T correlations with noise (universal
threshold). Noise is the residual of the events, and sigma the standard deviation of its
correlations with the waveforms: both are first learned approximately from a part of the data.
Noise levels of recordings are estimated by medians.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.arrays.warnings import warn_user
from orbitdl.dictionaries.base import Dictionary
from orbitdl.domains.time.atoms import later
from orbitdl.domains.time.chunk import Chunk, Recordings
from orbitdl.domains.time.chunks import atoms_of
from orbitdl.domains.time.coordinates import from_blocks
from orbitdl.domains.time.correlations import correlations, residual_of
from orbitdl.domains.time.refit import amplitudes_of
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.splines import ON_SAMPLES
from orbitdl.domains.time.waveforms import Waveforms, reached
from orbitdl.learning.alternation import learn
from orbitdl.learning.history import ChosenAlpha
from orbitdl.learning.state import State

GAUSSIAN = 1.4826
"""Standard deviation of a Gaussian whose absolute values have median 1."""
FAR_BELOW = 1e-3
"""Ratio of alpha to the noise level below which codes would fit all noise."""
MAX_CHUNKS = 32
"""Number of equally spaced chunks for estimates of the noise level: two million samples suffice."""


ROUNDS, FIRST, LOOSE = 5, 3, 1e-2
"""Preliminary learning: maximum number of rounds, iterations per round, duality gap of codes."""
SAME = 0.2
"""Relative decrease of alpha in a round below which it has converged."""
HALF = 0.5
"""Upper bound of the first alpha, relative to a median event: with dense events most positions are
not noise."""
AT_MOST = 2**24
"""Maximum number of values for the preliminary learning, all in memory."""
DENSE = 8.0
"""Atoms per waveform length above which codes are dense: events could not be resolved, and most
atoms compensate for errors of the waveforms."""
LEAST = 0.01
"""Lower bound of alpha, relative to a median event, for recordings without noise."""


def correlation_sizes(chunk: Chunk, waveforms: Waveforms) -> Floats:
    """Return the absolute correlations (q, positions) of a chunk at integer positions with samples.

    Correlations with the waveforms, ``eta_j(m) = (e_j[m-1] + 4 e_j[m] + e_j[m+1]) / 6``, not those
    with their spline coefficients, e, which are larger for short waveforms.
    """
    (x, observed), _ = chunk.read(0, 0)
    e = correlations(x, waveforms)
    eta = ON_SAMPLES[0] * e[:, :-2] + ON_SAMPLES[1] * e[:, 1:-1] + ON_SAMPLES[2] * e[:, 2:]
    is_observed = reached(observed, waveforms.length)
    margin = (eta.shape[1] - len(is_observed)) // 2
    return np.asarray(np.abs(eta[:, margin : margin + len(is_observed)][:, is_observed]))


def correlation_noise(recordings: Recordings, waveforms: Waveforms) -> float:
    """Return the largest standard deviation, over waveforms, of correlations with noise.

    Estimated by the median absolute value over integer positions, most of which are noise. In
    coloured noise it differs between waveforms, and alpha must exceed each.
    """
    parts = recordings.of_some(partial(correlation_sizes, waveforms=waveforms), MAX_CHUNKS)
    sizes = np.concatenate(parts, axis=1)
    return float(GAUSSIAN * np.median(sizes, axis=1).max()) if sizes.size else 0.0


def white_noise(recordings: Recordings) -> float:
    """Return the standard deviation of white noise of the noisiest channel.

    Estimated by the median absolute second difference of a median chunk, which smooth events and
    drift hardly change. The second difference of white noise has six times its variance.
    """
    levels = [
        one for one in recordings.of_some(median_second_difference, MAX_CHUNKS) if one is not None
    ]
    return float(GAUSSIAN / np.sqrt(6.0) * np.median(levels, axis=0).max()) if levels else 0.0


def median_second_difference(chunk: Chunk) -> Floats | None:
    """Return the median absolute second difference of a chunk, (channels,), if there are any."""
    (x, observed), _ = chunk.read(0, 0)
    complete = observed[:-2] & observed[1:-1] & observed[2:]
    return np.median(np.abs(np.diff(x, 2, axis=0))[complete], axis=0) if complete.any() else None


def require_above_noise(alpha: float, recordings: Recordings) -> None:
    """Raise ValueError for an alpha far below the noise level; warn if it is below."""
    noise = white_noise(recordings)
    if alpha < FAR_BELOW * noise:
        raise ValueError(
            f"alpha={alpha:g} is too small: codes would need as many atoms as there are samples; "
            f'pass an alpha above the noise level, about {noise:.2g}, or alpha="auto".'
        )
    if alpha < noise:
        warn_user(
            f"alpha={alpha:g} is below the noise level, about {noise:.2g}: codes will have very "
            'many atoms and take long; a larger alpha, or alpha="auto", is faster.',
            RuntimeWarning,
        )


def alpha_of_recordings(recordings: Recordings, start: Dictionary, typical: float) -> ChosenAlpha:
    """Choose alpha by preliminary learning from some chunks of recordings.

    `typical` is the size of a median event, from the windows that starts are drawn from.
    """
    some, samples = excerpts(recordings), sum(recordings.sizes)
    waveforms, dictionary = Waveforms(from_blocks(start.components)), start
    alpha = min(above_noise(some, waveforms, samples).value, HALF * typical) or 1.0
    for _ in range(ROUNDS):
        *_, last = learn(State(some.at(alpha), dictionary), gap=LOOSE, max_iter=FIRST, tol=LOOSE)
        dictionary, waveforms = last.dictionary, Waveforms(from_blocks(last.components))
        if (count := atoms_per_length(last.shards, waveforms)) > DENSE:
            value = float(f"{alpha:.3g}")
            reason = (
                f"dense codes, {count:.0f} atoms per waveform length; a smaller alpha adds more"
            )
            return ChosenAlpha(value, f"{value:g}: {reason}")
        chosen = above_noise(
            residuals_after(last.shards, waveforms), waveforms, samples, LEAST * typical
        )
        if chosen.value > (1.0 - SAME) * alpha:
            break
        alpha = chosen.value
    return chosen


def atoms_per_length(shards: Any, waveforms: Waveforms) -> float:
    """Return the number of atoms per waveform length."""
    counts = [len(atoms_of(recording).time) for recording in shards.recordings]
    return sum(counts) * waveforms.length / max(int(sum(shards.sizes)), 1)


def above_noise(
    shards: RecordingShards, waveforms: Waveforms, samples: int, least: float = 0.0
) -> ChosenAlpha:
    """Return ``sigma sqrt(2 log(q T))``, at least `least`, and the reason."""
    sigma, q = correlation_noise(shards, waveforms), len(waveforms)
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
    """Return ``g sqrt(2 log(q T))`` of whitened recordings with unit noise level.

    g (q,) are the standard deviations of the correlations of the waveforms with the noise.
    """
    value = float(f"{g.max() * np.sqrt(2.0 * np.log(max(len(g) * samples, 2))):.3g}")
    return ChosenAlpha(
        value,
        f"{value:g}: g * sqrt(2 log(q T)) noise standard deviations, with g = {g.max():.3g} of the "
        f"correlations, q = {len(g)} and T = {samples} samples",
    )


def residuals_after(shards: Any, waveforms: Waveforms) -> RecordingShards:
    """Return the residuals of recordings after subtraction of refitted events."""
    signals = list[Signal]()
    for recording in shards.recordings:
        atoms = atoms_of(recording)
        full = replace(atoms, coefficient=amplitudes_of(recording, waveforms, atoms))
        for chunk in recording:
            (x, observed), start = chunk.read(0, 0)
            left = residual_of(x, observed, waveforms, later(full, -start))
            signals.append(Signal(np.where(observed[:, None], left, np.nan)))
    return RecordingShards.cut(signals, waveforms.length, shards.alpha)


def excerpts(recordings: Recordings) -> RecordingShards:
    """Return equally spaced chunks as recordings in memory."""
    _, width, channels = recordings.space.block_shape
    most = max(min(AT_MOST // (channels * max(recordings.sizes)), MAX_CHUNKS), 1)
    signals = map(Signal, recordings.of_some(Chunk.known_values, most))
    flags = {"positive": recordings.positive, "integer_shifts": recordings.integer_shifts}
    return RecordingShards.cut(signals, width, recordings.alpha, recordings.n_jobs, **flags)
