"""MIT-BIH records: lead 0, annotated beats, and the beats that the library and peers find."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.data import Floats
from benchmarks.trust.peers import detected, installed
from benchmarks.trust.rows import Settings
from benchmarks.trust.scores import Counts, count, pooled
from benchmarks.trust.sources import Fit, MissingDataError, fit, folder
from orbitdl.datasets import load_ecg

BEATS = "NLRBAaJSVrFejnE/fQ?"
"""Annotation symbols of beats."""
NEAR, FAR = 0.050, 0.150
"""Tolerances in seconds."""
LAGS = np.arange(-0.06, 0.061, 0.0025)
"""Seconds by which a peer may report beats later than their annotations."""
QUICK = ("101", "208")


@dataclass(frozen=True)
class Record:
    """Lead 0 of a record and its annotated beats, those in ventricular flutter left out."""

    name: str
    signal: Floats
    sfreq: float
    beats: Floats
    symbols: np.ndarray
    flutter: tuple[tuple[float, float], ...] = ()

    def outside(self, times: Floats) -> np.ndarray:
        """Return which times are outside ventricular flutter."""
        inside = np.zeros(len(times), dtype=bool)
        for begin, end in self.flutter:
            inside |= (times >= begin) & (times <= end)
        return ~inside

    def count(self, found: Floats, tolerance: float) -> Counts:
        """Compare found times with the annotated beats."""
        return count(found[self.outside(found)], self.beats, tolerance)


def names(settings: Settings) -> tuple[str, ...]:
    """Return the records of this run: the requested ones, or all with annotations."""
    present = tuple(sorted(path.stem for path in folder("mitdb").glob("*.atr")))
    chosen = settings.records or (QUICK if settings.quick else present)
    if missing := set(chosen) - set(present):
        raise MissingDataError(f"no annotations of records {', '.join(sorted(missing))}")
    if not present:
        raise MissingDataError("$ORBITDL_DATA/mitdb has no annotations (.atr)")
    return chosen


@cache
def load(name: str) -> Record:
    """Read lead 0 and the annotations of a record."""
    try:
        from wfdb import rdann
    except ImportError as error:
        raise MissingDataError("wfdb is not installed") from error
    recording = load_ecg(name)
    notes = rdann(str(folder("mitdb") / name), "atr")
    times, symbols = np.asarray(notes.sample) / recording.sfreq, np.asarray(notes.symbol)
    flutter = intervals(times, symbols, len(recording.signal) / recording.sfreq)
    whole = Record(name, recording.signal, recording.sfreq, times, symbols, flutter)
    chosen = np.isin(symbols, list(BEATS)) & whole.outside(times)
    return Record(name, recording.signal, recording.sfreq, times[chosen], symbols[chosen], flutter)


def intervals(times: Floats, symbols: np.ndarray, end: float) -> tuple[tuple[float, float], ...]:
    """Return begin and end of ventricular flutter: from "[" to the next "]"."""
    begins, ends = times[symbols == "["], times[symbols == "]"]
    return tuple((float(begin), float(min(ends[ends > begin], default=end))) for begin in begins)


@cache
def ours(name: str, seconds: float) -> Fit:
    """Fit waveforms of so many seconds to a record; without its model, to save memory."""
    record = load(name)
    found = fit(record.signal, round(seconds * record.sfreq), record.sfreq)
    return Fit(found.events, found.components, found.seconds, found.reason)


def onsets(found: Fit) -> Floats:
    """Return the times of all events in seconds, as the library lists them."""
    return np.asarray(found.events["onset"], dtype=float)


def peers_on(records: list[Record]) -> dict[str, tuple[list[Floats], list[float]]]:
    """Return times of beats and CPU seconds per record of every installed peer.

    One lag per peer is removed, the best one, which favours the peers.
    """
    listed = {}
    for name, detect in installed().items():
        done = [detected(detect, record.signal, record.sfreq) for record in records]
        times, seconds = [found for found, _ in done], [cpu for _, cpu in done]
        lag = best_lag(records, times)
        listed[name] = ([found - lag for found in times], seconds)
    return listed


def best_lag(records: list[Record], times: list[Floats]) -> float:
    """Return the lag whose removal gives the largest gross F1 at 50 ms."""

    def gross(lag: float) -> float:
        both = zip(records, times, strict=True)
        return pooled(record.count(found - lag, NEAR) for record, found in both).f1

    return float(max(LAGS, key=gross))
