"""Simulated recordings in which every event should be found and nothing else."""

from __future__ import annotations

import numpy as np

from benchmarks.data import Floats
from benchmarks.trust.rows import Row, Section, Settings
from benchmarks.trust.scores import by_component, count
from benchmarks.trust.simulated import add_events, wavelet
from benchmarks.trust.sources import fit

NOTE = (
    "Two amplitudes: one waveform of unit norm with coefficients 10 and 4 in white noise of "
    "standard deviation 0.05, 68 and 32 events. Sharp spikes: 200 pulses of 1 or 2 samples, 8 "
    "noise standard deviations in norm, in 40 000 samples. Vibration: the data of the tutorial. "
    "The constant lag of a component is removed."
)


def run(settings: Settings) -> Section:
    """Count the events that are found, and those that are false."""
    rows = judged("two amplitudes, 10 and 4", *two_amplitudes(), 80, 100, 0)
    for width in (1, 2):
        name = f"sharp spikes of {width} sample{'s' * (width > 1)}"
        rows += judged(name, *sharp(width), 16, 190, 4)
    rows += judged("vibration tutorial", *vibration(), 80, 240, 0)
    return Section("Simulated events", rows, note=NOTE)


def judged(
    name: str, x: Floats, true: Floats, length: int, least: int, most_false: int
) -> list[Row]:
    """Judge the numbers of found and false events of one recording."""
    found = fit(x, length)
    at, component = found.events["sample"].to_numpy(), found.events["component"].to_numpy()
    near = max(2.0, length / 20)
    counts = count(by_component(at, component, true, length / 2), true, near)
    note = f"{len(found.components)} components. {found.reason}".strip()
    what = f"events found of {len(true)}, within {near:g} samples"
    return [
        Row(name, what, counts.matched, low=least, seconds=found.seconds, note=note),
        Row(name, "false events", counts.false, high=most_false),
    ]


def two_amplitudes(seed: int = 0) -> tuple[Floats, Floats]:
    """Return a recording with two amplitude classes of one waveform, and the times."""
    rng = np.random.default_rng(seed)
    x = 0.05 * rng.standard_normal(20_000)
    times = 150 + 195 * np.arange(100) + rng.uniform(0, 60, 100)
    add_events(x, wavelet, times, rng.permutation(np.repeat([10.0, 4.0], [68, 32])))
    return x, times


def sharp(width: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Return white noise with 200 pulses of 8 standard deviations, and their positions."""
    rng = np.random.default_rng(seed)
    x, shape = rng.standard_normal(40_000), np.ones(width) / np.sqrt(width)
    position = 100 + 190 * np.arange(200) + rng.integers(0, 10, 200)
    for start in position:
        x[start : start + width] += 8 * shape
    return x, position.astype(float)


def vibration() -> tuple[Floats, Floats]:
    """Return the recording of the tutorial on vibration, and the impacts in samples."""
    rng, sfreq, shaft, repetition = np.random.default_rng(0), 20_000, 29.95, 162.2
    t = np.arange(30_000) / sfreq
    impacts = 0.003 + np.cumsum((1 + 0.01 * rng.standard_normal(240)) / repetition)
    size = 1 + 0.3 * np.cos(2 * np.pi * shaft * impacts)
    after = np.maximum(t - impacts[:, None], 0.0)
    signal = size @ (np.exp(-after / 0.0008) * np.sin(2 * np.pi * 3000 * after))
    signal += 0.5 * np.sin(2 * np.pi * shaft * t) + 0.15 * rng.standard_normal(len(t))
    return signal, sfreq * impacts
