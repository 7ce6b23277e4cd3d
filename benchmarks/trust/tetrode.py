"""A tetrode in a locust: components that both halves of the recording agree on."""

from __future__ import annotations

import numpy as np
from scipy.signal import correlate

from benchmarks.data import Floats
from benchmarks.trust.rows import Row, Section, Settings, Table
from benchmarks.trust.scores import assigned
from benchmarks.trust.sources import MissingDataError, fit, folder

RATE, CHANNELS, LENGTH = 15_000.0, 4, 30
"""Hz, channels, and samples of a waveform: 2 ms."""
SIMILAR, LEAST = 0.9, 4
NOTE = (
    "Locust antennal lobe, 4 channels at 15 kHz, waveforms of 2 ms. There is no ground truth. The "
    "two halves of the recording are learned from separately. Components of the halves are "
    "assigned one to one by the largest normalised cross-correlation over lags and all channels. "
    "A component is stable above 0.9."
)


def run(settings: Settings) -> Section:
    """Count the stable components."""
    files = sorted(folder("locust").glob("*.raw"))
    if not files:
        raise MissingDataError("$ORBITDL_DATA/locust has no .raw file")
    x = np.fromfile(files[0], dtype=np.int16).reshape(-1, CHANNELS).astype(float)
    x = x[: int(4 * RATE)] if settings.quick else x
    halves = [fit(part, LENGTH, RATE) for part in (x[: len(x) // 2], x[len(x) // 2 :])]
    likeness = similarities(halves[0].components, halves[1].components)
    matches = [(i, k, likeness[i, k]) for i, k in assigned(likeness)] if likeness.size else []
    stable = sum(value > SIMILAR for *_, value in matches)
    counts = " and ".join(str(len(half.components)) for half in halves)
    note = f"{counts} components. " + " ".join(half.reason for half in halves if half.reason)
    seconds = float(np.mean([half.seconds for half in halves]))
    what = "components that both halves agree on"
    row = Row("locust tetrode", what, stable, low=LEAST, seconds=seconds, note=note.strip())
    cells = [(str(i), str(k), f"{value:.3f}") for i, k, value in matches]
    table = Table("Assignment", ("first half", "second half", "correlation"), cells)
    return Section("Locust tetrode", [row], [table], NOTE)


def similarities(first: Floats, second: Floats) -> Floats:
    """Return the largest normalised cross-correlation of every pair of components."""
    return np.array([[similarity(a, b) for b in second] for a in first]).reshape(
        len(first), len(second)
    )


def similarity(a: Floats, b: Floats) -> float:
    """Return the largest correlation of two waveforms (L, channels) over lags."""
    lags = sum(correlate(a[:, c], b[:, c], method="direct") for c in range(a.shape[1]))
    return float(np.max(lags) / (np.linalg.norm(a) * np.linalg.norm(b)))
