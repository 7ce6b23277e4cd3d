"""Noise without events: no component should be found."""

from __future__ import annotations

from collections import Counter

import numpy as np

from benchmarks.trust.rows import Row, Section, Settings
from benchmarks.trust.simulated import LENGTH, SAMPLES, SPECTRA, noise
from benchmarks.trust.sources import Fit, fit

NOTE = (
    "Gaussian noise of 20 000 samples, waveforms of 64 samples: white, pink (1/f), brown (1/f^2, "
    "high-passed at 0.002 cycles per sample), blue (f) and band-limited (0.02 to 0.2 cycles per "
    "sample). The share of recordings in which no component was found. A fit that fails is not "
    "counted as one without components."
)


def run(settings: Settings) -> Section:
    """Judge every colour of noise."""
    rows = [row(colour, settings.seeds) for colour in SPECTRA]
    return Section("Pure noise", rows, note=f"{settings.seeds} seeds per colour. {NOTE}")


def row(colour: str, seeds: int) -> Row:
    """Count the recordings without a component."""
    fits = [
        fit(noise(np.random.default_rng([1, seed, k]), colour, SAMPLES), LENGTH)
        for k in [list(SPECTRA).index(colour)]
        for seed in range(seeds)
    ]
    share = float(np.mean([empty(one) for one in fits]))
    components = Counter(len(one.components) for one in fits)
    parts = ", ".join(f"{count} with {q}" for q, count in sorted(components.items()))
    seconds = float(np.mean([one.seconds for one in fits]))
    failures = [one.reason for one in fits if one.model is None]
    note = f"recordings by number of components: {parts}."
    note += f" {len(failures)} failures, such as: {failures[0]}" if failures else ""
    what = "share of recordings without a component"
    return Row(f"{colour} noise", what, share, low=0.95, seconds=seconds, note=note)


def empty(found: Fit) -> bool:
    """Return whether a fit succeeded and found no component."""
    return found.model is not None and not len(found.components)
