"""Simulated spikes of eight units in four channels, many of them overlapping."""

from __future__ import annotations

import numpy as np

from benchmarks.data import Floats
from benchmarks.trust.rows import Row, Section, Settings, Table
from benchmarks.trust.scores import unit_scores
from benchmarks.trust.sources import Fit, fit
from orbitdl.datasets import GaussianWaves, make_spike_recording
from orbitdl.datasets.superposition import superpose

UNITS, CHANNELS, RATE, LENGTH = 8, 4, 24000.0, 61
FIRING, OVERLAPS, REACH = 7.0, 0.1, 3.3e-3
"""Spikes per second, planted share of overlaps (27 % overlap in all), and seconds of a spike."""
SMALLEST, LARGEST = 4.0, 8.0
"""Depth of the troughs in standard deviations of the noise."""
TOLERANCE = 0.5e-3
SEEDS = (0, 1, 2, 3)
NOTE = (
    "Recordings of 60 s at 24 kHz. Troughs are 4 to 8 noise standard deviations deep; 27 % of the "
    "spikes have one of another unit within 1 ms. Components are assigned to units one to one by "
    "the Hungarian method. A spike is found by an event within 0.5 ms, the constant lag of the "
    "component removed. Sorters of SpikeInterface (spykingcircus2, tridesclous2) are not run here."
)


def run(settings: Settings) -> Section:
    """Measure the F1 of every unit in several recordings, each with waveforms of its own."""
    duration, seeds = (10.0, SEEDS[:1]) if settings.quick else (60.0, SEEDS)
    done = [measured(*simulate(duration, seed)) for seed in seeds]
    name = f"spikes, {UNITS} units, {CHANNELS} channels, {len(done)} recordings"
    scores = np.array([own for _, own in done])
    seconds = float(np.mean([found.seconds for found, _ in done]))
    rows = [
        Row(name, "mean F1 over units", float(scores.mean()), low=0.85, seconds=seconds),
        Row(name, "units with F1 above .5, per recording", float(np.sum(scores > 0.5) / len(done))),
    ]
    heads = [f"{depth:.1f}" for depth in depths()]
    cells = [
        (f"{seed}", f"{len(found.components)}", f"{own.mean():.3f}", *(f"{v:.3f}" for v in own))
        for seed, (found, own) in zip(seeds, done, strict=True)
    ]
    columns = ("seed", "components", "mean F1", *heads)
    table = Table("F1 of units by their depth over the noise", columns, cells)
    return Section("Simulated spikes, hard", rows, [table], NOTE)


def measured(signal: Floats, spikes: list[Floats]) -> tuple[Fit, Floats]:
    """Return what was found in a recording, and the F1 of every unit."""
    found = fit(signal, LENGTH, RATE)
    at, component = found.events["onset"].to_numpy(), found.events["component"].to_numpy()
    listed = [at[component == j] for j in range(len(found.components))]
    return found, unit_scores(listed, spikes, TOLERANCE)


def depths() -> Floats:
    """Return the depth of every unit's trough."""
    return np.linspace(SMALLEST, LARGEST, UNITS)


def simulate(duration: float, seed: int = 0) -> tuple[Floats, list[Floats]]:
    """Return a recording with unit noise (T, channels), and the spike times of every unit."""
    clean = make_spike_recording(
        duration, RATE, n_channels=CHANNELS, n_neurons=UNITS, firing_rate=FIRING,
        overlaps=OVERLAPS, snr=np.inf, random_state=seed,
    )  # fmt: skip
    signal = np.random.default_rng(seed + 1).standard_normal(clean.signal.shape)
    inside = clean.spikes[clean.spikes["inside"]]
    for unit, (waves, depth) in enumerate(zip(clean.waveforms, depths(), strict=True)):
        height = depth * waves.height / np.abs(waves.height[1]).max()
        scaled = GaussianWaves(height, waves.centre, waves.width)
        own = clean.spikes[clean.spikes["neuron"] == unit]
        times, sizes = own["seconds"].to_numpy(), own["amplitude"].to_numpy()
        superpose(signal, scaled, times, sizes, sfreq=RATE, reach=REACH)
    times = [inside.loc[inside["neuron"] == unit, "seconds"].to_numpy() for unit in range(UNITS)]
    return signal, times
