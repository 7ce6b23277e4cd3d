"""Heart beats in added noise that resembles muscle activity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.signal import butter, sosfiltfilt

from benchmarks.data import Floats
from benchmarks.trust.beats import LENGTH, f1s, gross
from benchmarks.trust.ecg import NEAR, Record, load, onsets, peers_on
from benchmarks.trust.peers import absent
from benchmarks.trust.rows import Row, Section, Settings, Table
from benchmarks.trust.sources import fit

RECORDS = ("101", "115", "208")
TARGETS = {6: 0.995, 0: 0.97}
"""Signal-to-noise ratios in dB, and the F1 to be reached."""
BAND, DRIFT = (20.0, 120.0), 0.5
"""Hz of the noise, and below which the ECG is drift."""
NOTE = (
    "White noise between 20 and 120 Hz in bursts: intervals of 1 to 3 s with and without noise "
    "alternate, smoothed over 0.2 s. The signal-to-noise ratio is the power of the ECG above "
    "0.5 Hz over the power of the noise, both over the whole record. Seeds: the number of the "
    "record. The best lag of every peer is removed."
)


def run(settings: Settings) -> Section:
    """Compare all tools at every signal-to-noise ratio."""
    chosen = RECORDS[:1] if settings.quick else RECORDS
    records = [load(name) for name in chosen]
    rows, cells = list[Row](), list[tuple[str, ...]]()
    for decibel, least in TARGETS.items():
        noisy = [with_noise(record, decibel) for record in records]
        row, more = compare(noisy, decibel, least)
        rows.append(row)
        cells += more
    columns = "SNR", "record", "ours", "components", "peers"
    tables = [Table("F1 at 50 ms of every record", columns, cells)]
    return Section("MIT-BIH with muscle-like noise", rows, tables, f"{NOTE} {absent()}".strip())


def compare(noisy: list[Record], decibel: int, least: float) -> tuple[Row, list[tuple[str, ...]]]:
    """Return the row of one signal-to-noise ratio, and the cells of its records."""
    fits = [fit(r.signal, round(LENGTH * r.sfreq), r.sfreq) for r in noisy]
    times = [onsets(one) for one in fits]
    peers = {name: found for name, (found, _) in peers_on(noisy).items()}
    own, theirs = f1s(noisy, times, NEAR), {k: f1s(noisy, v, NEAR) for k, v in peers.items()}
    cells = [
        (f"{decibel} dB", r.name, f"{own[k]:.4f}", f"{len(fits[k].components)}",
         ", ".join(f"{name} {value[k]:.4f}" for name, value in theirs.items()))
        for k, r in enumerate(noisy)
    ]  # fmt: skip
    row = Row(
        f"MIT-BIH {', '.join(r.name for r in noisy)}, noise at {decibel} dB",
        "gross F1 at 50 ms", gross(noisy, times, NEAR),
        {name: gross(noisy, found, NEAR) for name, found in peers.items()},
        low=least, seconds=float(np.mean([one.seconds for one in fits])),
    )  # fmt: skip
    return row, cells


def with_noise(record: Record, decibel: float) -> Record:
    """Return a record with muscle-like noise at a signal-to-noise ratio."""
    rng = np.random.default_rng(int(record.name))
    noise = muscle(rng, len(record.signal), record.sfreq)
    highpass = butter(2, DRIFT, "highpass", fs=record.sfreq, output="sos")
    power = np.mean(sosfiltfilt(highpass, record.signal) ** 2)
    scale = np.sqrt(power / np.mean(noise**2) / 10 ** (decibel / 10))
    return replace(record, signal=record.signal + scale * noise)


def muscle(rng: np.random.Generator, n: int, sfreq: float) -> Floats:
    """Return n samples of band-passed noise in bursts."""
    band = butter(4, BAND, "bandpass", fs=sfreq, output="sos")
    envelope = np.zeros(n)
    at, on = 0, bool(rng.integers(2))
    while at < n:
        until = at + round(rng.uniform(1.0, 3.0) * sfreq)
        envelope[at:until] = on
        at, on = until, not on
    smooth = gaussian_filter1d(envelope, 0.2 * sfreq)
    return np.asarray(smooth * sosfiltfilt(band, rng.standard_normal(n)))
