"""Simulated spikes in four channels: speed, events, and how well they are timed."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from benchmarks.data import Floats
from benchmarks.harness import Row, Table, interleave
from benchmarks.matching import matched, score
from orbitdl import WaveformLearning
from orbitdl.datasets import make_spike_recording
from orbitdl.datasets.gaussian_waves import GaussianWaves
from orbitdl.datasets.spike_recordings import SpikeRecording
from orbitdl.domains.time.waveforms import Waveforms

LENGTH, NEURONS, NEAR = 61, 3, 6.0
"""Samples of a waveform, how many there are, and samples within which an event is a spike."""
FASTER, F1, TIMING = 40.0, 0.985, 1.1
"""What is asked for: times real time, F1, and error over what a matched filter can do at best."""


@dataclass(frozen=True)
class Heard:
    """A recording, and what was learned from it."""

    recording: SpikeRecording
    model: WaveformLearning


@dataclass(frozen=True)
class Found:
    """Events beside the truth: how many are spikes, and their errors and bounds in samples."""

    f1: float
    events: int
    error: Floats
    bound: Floats


def listen(duration: float) -> Heard:
    """Simulate a recording and learn from it, all automatic."""
    recording = make_spike_recording(duration=duration, random_state=0)
    model = WaveformLearning(NEURONS, LENGTH, random_state=0, noise="white").fit(recording.signal)
    return Heard(recording, model)


def speed_row(heard: Heard, repeats: int) -> Row:
    """Compare coding with the time that the recording took."""
    x, model = heard.recording.signal, heard.model
    took = interleave({"code": partial(model.encode, x)}, repeats)["code"]
    return Row(
        f"spikes, 4 channels at 24 kHz, 3 waveforms of {LENGTH}, alpha={model.alpha_:g} "
        "(automatic), coded cold",
        took.median, "real time", len(x) / heard.recording.sfreq, FASTER,
        accuracy=f"{len(took.result.atoms.coefficient)} atoms, gap {took.result.gap.max():.1e}",
    )  # fmt: skip


def table(heard: Heard) -> Table:
    """Compare the events with the truth, with atoms merged that cannot be told apart, or not."""
    x, model, cells = heard.recording.signal, heard.model, []
    listed = {
        "merged": model.events(x),
        "every atom, refractory=0": model.events(x, refractory=0.0),
        "merged, of the true waveforms": knowing(heard).events(x),
    }
    for name, events in listed.items():
        found = compare(heard, events)
        error, bound = (float(np.sqrt(np.mean(e**2))) for e in (found.error, found.bound))
        holds = f"{found.f1:.4f} (>= {F1})", f"{error / bound:.3f} (<= {TIMING})"
        counts = f"{len(inside(heard.recording))}", f"{found.events}"
        cells.append((name, *counts, holds[0], f"{error:.4f}", f"{bound:.4f}", holds[1]))
    columns = "events", "spikes", "listed", "F1", "timing, samples", "matched filter", "ratio"
    note = (
        f"F1: the right neuron within {NEAR:.0f} samples. Timing: root mean squares over spikes "
        f"with no other within {LENGTH} samples, of the error about the median of each neuron "
        "and of sigma / (c ||a'||), from the truth."
    )
    return Table("Spikes: events against the truth", columns, cells, note)


def knowing(heard: Heard) -> WaveformLearning:
    """Return the same model with the waveforms that were simulated: what coding alone can do."""
    model, times = copy(heard.model), (np.arange(LENGTH) - LENGTH // 2) / heard.recording.sfreq
    model.coefficients_ = Waveforms.through(
        np.stack([waves.at(times) for waves in heard.recording.waveforms])
    ).u
    return model


def compare(heard: Heard, events: pd.DataFrame) -> Found:
    """Match components with neurons, and events with spikes."""
    spikes = inside(heard.recording)
    listed = [events.loc[events["component"] == j, "sample"].to_numpy() for j in range(NEURONS)]
    true = [spikes[spikes["neuron"] == n] for n in range(NEURONS)]
    at = [own["position"].to_numpy() for own in true]
    offsets = np.array([[offset(a, b) for b in at] for a in listed])
    counts = np.array(
        [[len(matched(listed[j] - offsets[j, n], at[n], NEAR)) for n in range(NEURONS)]
         for j in range(NEURONS)]
    )  # fmt: skip
    errors, bounds, position = list[Floats](), list[Floats](), spikes["position"].to_numpy()
    own = linear_sum_assignment(-counts)
    for j, n in zip(*own, strict=True):
        pairs = np.array(matched(listed[j] - offsets[j, n], at[n], NEAR)).reshape(-1, 2)
        chosen = pairs[alone(at[n], position)[pairs[:, 1]]]
        error = listed[j][chosen[:, 0]] - at[n][chosen[:, 1]]
        errors.append(error - np.median(error))
        size = true[n]["amplitude"].to_numpy()[chosen[:, 1]]
        bounds.append(timing(heard.recording, n) / size)
    f1 = score(int(counts[own].sum()), len(events), len(spikes))
    return Found(f1, len(events), np.concatenate(errors), np.concatenate(bounds))


def inside(recording: SpikeRecording) -> pd.DataFrame:
    """Return the spikes whose troughs are in the recording."""
    return recording.spikes[recording.spikes["inside"]]


def offset(found: Floats, true: Floats) -> float:
    """Return by how much events are later than the spikes that are most often near them."""
    after = np.clip(np.searchsorted(true, found), 1, len(true) - 1)
    nearest = np.where(
        found - true[after - 1] < true[after] - found, found - true[after - 1], found - true[after]
    )
    counts, edges = np.histogram(nearest, np.arange(-LENGTH, LENGTH + 1, 1.0))
    near = np.abs(nearest - edges[np.argmax(counts)] - 0.5) < NEAR
    return float(np.median(nearest[near])) if near.any() else 0.0


def alone(at: Floats, everything: Floats) -> np.ndarray:
    """Tell which spikes have no other, of any neuron, as near as a waveform is long."""
    low = np.searchsorted(everything, at - LENGTH, side="left")
    high = np.searchsorted(everything, at + LENGTH, side="right")
    return np.asarray(high - low == 1)


def timing(recording: SpikeRecording, neuron: int) -> float:
    """Return the standard deviation of the time of a spike of amplitude 1, in samples."""
    return recording.noise / float(
        np.linalg.norm(slope(recording.waveforms[neuron], recording.sfreq))
    )


def slope(waves: GaussianWaves, sfreq: float) -> Floats:
    """Return the derivative of a waveform, per sample, at samples: (n, channels)."""
    t, step = np.arange(-200, 201) / sfreq, 1e-3 / sfreq
    return np.asarray((waves.at(t + step) - waves.at(t - step)) / 2e-3)
