"""The same on an electrocardiogram of neurokit2: a simulator that is not ours."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from orbitdl import WaveformLearning
from orbitdl.groups.base import Floats

RATE, SECONDS, LENGTH = 250, 120, 0.6
"""Hz, seconds of the recording, and of a waveform."""
NOISE = 0.1
"""Standard deviation of white noise, where R peaks are about one high."""
NEAR = 0.05
"""Seconds within which an event is that of a beat."""


def simulated(random_state: int = 0) -> tuple[Floats, Floats]:
    """Return a noisy recording, and the samples of the R peaks of the noiseless one."""
    import neurokit2

    clean = neurokit2.ecg_simulate(
        duration=SECONDS, sampling_rate=RATE, noise=0, random_state=random_state
    )
    _, peaks = neurokit2.ecg_peaks(clean, sampling_rate=RATE)
    noise = NOISE * np.random.default_rng(random_state).standard_normal(len(clean))
    return clean + noise, np.asarray(peaks["ECG_R_Peaks"], dtype=float)


def figures() -> dict[str, int]:
    """Return how many beats there are, how many are found, and how many events are none.

    Nothing if neurokit2 is not installed.
    """
    if find_spec("neurokit2") is None:
        return {}
    x, beats = simulated()
    model = WaveformLearning(length=round(LENGTH * RATE), random_state=0).fit(x)
    time = model.events(x)["sample"].to_numpy()
    late = np.abs(time[:, None] - beats).min(axis=0, initial=np.inf)
    found = int(np.sum(late <= NEAR * RATE))
    return {
        "beats_of_neurokit2": len(beats),
        "found_of_neurokit2": found,
        "events_of_neurokit2_that_are_none": len(time) - found,
        "components_of_neurokit2": model.n_components_,
    }


def describe(of: dict[str, int]) -> str:
    """Return them as a sentence."""
    if not of:
        return "With neurokit2 installed, its simulator is tried too."
    beats, found, none, components = of.values()
    return (
        f"In {SECONDS // 60} min simulated by neurokit2: {found} of {beats} beats found, {none} "
        f"events that are none, {components} component{'s' * (components != 1)}."
    )
