"""Recordings whose gaps are filled by the waveforms and the noise model of a fitted model."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.parallel import chunks_of, in_threads
from orbitdl.domains.time.chunks import Coded, atoms_of
from orbitdl.domains.time.inputs import detrended
from orbitdl.domains.time.signal import Signal, complete_samples, long_gaps
from orbitdl.estimators.signal_coder import AT_ONCE, SignalCoder
from orbitdl.events.population import Population
from orbitdl.gaps.filling import Filler, windows_of
from orbitdl.gaps.interpolation import merged_runs, predicts_better, with_long_memory
from orbitdl.groups.base import Floats


def gaps_filled(work: SignalCoder, signal: Signal, coded: Coded, *, with_sd: bool = False) -> Any:
    """Return a recording whose gaps are filled, but for those as long as a waveform.

    With a noise model the expected noise, given the samples around a gap, is added to the events.
    `with_sd` also returns standard deviations.
    """
    known = signal.raw(0, len(signal))
    missing = ~complete_samples(known)
    unfilled = long_gaps(missing, work.length)
    values = work.explained_part(signal, coded)
    sd, trend = np.zeros_like(values), trend_of(work, signal, signal.values)
    if work.model is not None:
        x = np.where(missing[:, None], 0.0, known - trend)
        fill = partial(filled, work, coded)
        mean, sd = fill(x, missing)
        values = np.where(sd > 0.0, mean, values)
        if predicts_better(x, missing, work.length, fill):
            guess = np.where(missing[:, None], values + trend, known)
            of_values = partial(trend_of, work, signal)
            values, sd = with_long_memory(known, guess, missing, work.length, of_values)
            values = values - trend
    values = values + trend
    values[unfilled], sd[unfilled] = np.nan, np.nan
    np.copyto(values, known, where=~np.isnan(known))
    return (work.shaped(values), work.shaped(sd)) if with_sd else work.shaped(values)


def trend_of(work: SignalCoder, signal: Signal, values: Any) -> Floats:
    """Return the trend (T, channels) of a recording that has these values."""
    slow = detrended(replace(signal, values=values), work.length, detrend=work.detrend)
    parts = chunks_of(len(signal), AT_ONCE)
    return np.concatenate([slow.trend(part.start, part.stop) for part in parts])


def filled(
    work: SignalCoder, coded: Coded, x: Floats, missing: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Fill gaps of less than a waveform; return means and deviations (T, channels)."""
    assert work.model is not None
    values, sd = np.zeros((2, *x.shape))
    recording, background = coded.chunks, work.model.background
    population = Population.of_code(work.model, recording, work.coder.waveforms)
    penalty, atoms = recording[0].signal.penalty, atoms_of(recording)
    assert penalty is not None
    fill = Filler(work.coder, background, penalty, population, x, missing, atoms, work.debias)
    own = merged_runs(missing, background.order)
    gaps = [(a, b) for a, b in own if missing[a:b].sum() < work.length]
    for at, mean, deviation in in_threads(fill, windows_of(gaps, work.length, len(x)), work.n_jobs):
        values[at], sd[at] = mean, deviation
    return values, sd
