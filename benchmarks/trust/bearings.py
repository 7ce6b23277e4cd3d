"""Impacts of damaged bearings (Case Western Reserve University) against their geometry."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.io import loadmat
from scipy.signal import butter, hilbert, sosfiltfilt

from benchmarks.data import Floats
from benchmarks.trust.rows import Row, Section, Settings, Table
from benchmarks.trust.sources import Fit, MissingDataError, fit, folder

RATE, SECONDS = 12_000.0, 0.0035
"""Hz, and the length of a waveform."""
IMPACTS = {"IR": 5.4152, "OR": 3.5848}
"""Impacts per revolution of damage on the inner and outer race, drive end SKF 6205."""
ORDERS = (2.0, 20.0)
"""Multiples of the shaft rate that are searched, for any damage."""
WINDOW = 1.0
"""Seconds within which impacts are in phase: slip breaks the phase in longer ones."""
SHARE = 0.5
"""A fundamental has at least this share of the largest statistic."""
LIMIT = 0.01
NOTE = (
    "Drive-end accelerometer at 12 kHz, about 10 s, waveforms of 3.5 ms. Judged is the frequency "
    "with the largest Rayleigh statistic of all event times, the sum over windows of 1 s of "
    "|sum exp(2 pi i f t)|^2 / n, between 2 and 20 times the shaft rate; or the lowest of its "
    "divisors by 2 to 8 with at least half of that statistic. The geometry is not used. This "
    "measure tolerates missed impacts: the errors of the median interval of the strongest "
    "component and of the number of events are reported too, without a target. The peer is the "
    "envelope spectrum: Hilbert envelope above 2 kHz, same range, same rule."
)


def run(settings: Settings) -> Section:
    """Compare the repetition of impacts with the geometry, one row per file."""
    files = sorted(folder("cwru").glob("*.mat"))
    known = [(path, kind) for path in files for kind in IMPACTS if f"_{kind}0" in path.name]
    if not known:
        raise MissingDataError("$ORBITDL_DATA/cwru has no .mat file of damage IR or OR")
    rows, cells = list[Row](), list[tuple[str, ...]]()
    for path, kind in known:
        judged_row, more, cell = judged(path, kind)
        rows += [judged_row, *more]
        cells.append(cell)
    columns = (
        "file", "geometry", "Rayleigh", "interval of the strongest component",
        "events per revolution", "events", "components",
    )  # fmt: skip
    table = Table("Impacts per revolution", columns, cells)
    return Section("Bearing vibration", rows, [table], NOTE)


def judged(path: Path, kind: str) -> tuple[Row, list[Row], tuple[str, ...]]:
    """Return the row with a target, the rows without, and the table line of one file."""
    x, shaft = read(path)
    found = fit(x, round(SECONDS * RATE), RATE)
    times, truth = found.events["onset"].to_numpy(), IMPACTS[kind]
    own = repetition(rayleigh(times, grid(shaft)), grid(shaft)) / shaft
    peer = repetition(envelope_power(x, grid(shaft)), grid(shaft)) / shaft
    name = f"bearing {path.stem}"
    row = Row(
        name, "relative error of impacts per revolution, by periodicity", abs(own / truth - 1),
        {"envelope spectrum": abs(peer / truth - 1)}, high=LIMIT, seconds=found.seconds,
        note=found.reason,
    )  # fmt: skip
    intervals = 1 / (shaft * median_interval(found)) if len(times) > 1 else float("nan")
    per_revolution = len(times) / (len(x) / RATE * shaft)
    figures = [f"{value:.3f}" for value in (truth, own, intervals, per_revolution)]
    more = [
        Row(name, f"relative error, by the {how}", abs(value / truth - 1))
        for how, value in (("median interval", intervals), ("number of events", per_revolution))
    ]
    return row, more, (path.stem, *figures, f"{len(times)}", f"{len(found.components)}")


def read(path: Path) -> tuple[Floats, float]:
    """Return the drive-end signal and the shaft rate in Hz."""
    content = loadmat(path)
    signal = next(value for key, value in content.items() if key.endswith("_DE_time"))
    rpm = next(value for key, value in content.items() if key.endswith("RPM"))
    return np.asarray(signal, dtype=float).ravel(), float(np.ravel(rpm)[0]) / 60


def grid(shaft: float) -> Floats:
    """Return the frequencies that are searched, in Hz."""
    return np.arange(ORDERS[0] * shaft, ORDERS[1] * shaft, 0.05 / WINDOW)


def rayleigh(times: Floats, frequencies: Floats) -> Floats:
    """Return the Rayleigh statistic of event times, summed over windows."""
    total = np.zeros(len(frequencies))
    window = np.floor(times / WINDOW)
    for k in np.unique(window):
        own = times[window == k]
        total += np.abs(np.exp(2j * np.pi * np.outer(frequencies, own)).sum(1)) ** 2 / len(own)
    return total


def envelope_power(x: Floats, frequencies: Floats) -> Floats:
    """Return the power spectrum of the envelope above 2 kHz, summed over windows."""
    highpass = butter(4, 2000.0, "highpass", fs=RATE, output="sos")
    envelope = np.abs(hilbert(sosfiltfilt(highpass, x)))
    size = int(WINDOW * RATE)
    waves = np.exp(-2j * np.pi * np.outer(frequencies, np.arange(size) / RATE))
    chunks = envelope[: len(x) // size * size].reshape(-1, size)
    taper = np.hanning(size)
    centred = (chunks - chunks.mean(axis=1, keepdims=True)) * taper
    return np.asarray((np.abs(waves @ centred.T) ** 2).sum(axis=1))


def repetition(power: Floats, frequencies: Floats) -> float:
    """Return the frequency of the largest power, or of its lowest divisor with half of it."""
    best = int(np.argmax(power))
    for divisor in range(8, 1, -1):
        near = np.abs(frequencies * divisor / frequencies[best] - 1) < LIMIT
        if near.any() and power[near].max() >= SHARE * power[best]:
            inside = np.flatnonzero(near)
            return float(frequencies[inside[np.argmax(power[near])]])
    return float(frequencies[best])


def median_interval(found: Fit) -> float:
    """Return the median interval of the component with the largest energy, in seconds."""
    events = found.events
    energy = (events["amplitude"] ** 2).groupby(events["component"]).sum()
    own = events.loc[events["component"] == energy.idxmax(), "onset"].to_numpy()
    return float(np.median(np.diff(np.sort(own)))) if len(own) > 1 else float("nan")
