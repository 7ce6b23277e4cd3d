"""False-discovery rate, confidence intervals and power on simulated recordings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.data import Floats
from benchmarks.trust.oracle import heights, recall_at
from benchmarks.trust.rows import Row, Section, Settings
from benchmarks.trust.scores import Counts, by_component, pairs
from benchmarks.trust.simulated import LENGTH, Planted, simulate
from benchmarks.trust.sources import Fit, fit

RATES = (0.01, 0.05, 0.1)
"""Nominal false-discovery rates q."""
COLOURS, OVERLAPS = ("white", "pink"), (0.0, 0.5)
TOLERANCE = LENGTH / 8
QUANTILE = 1.96
NOTE = (
    "Recordings of 20 000 samples with 100 events of one waveform of 64 samples, at any times, "
    "amplitudes log-uniform from 3 to 15 noise standard deviations in the matched filter. With "
    "50 % overlap half of the events are in pairs, 0.25 to 0.75 lengths apart. An event is true "
    "within an eighth of a length, the constant lag of its component removed. Realised FDR is the "
    "mean share of false events over seeds. Intervals are estimate +- 1.96 sd, of matched events "
    "at q = .05; amplitudes are compared by magnitude. The oracle is a matched filter with the "
    "true waveform and noise spectrum, at the threshold with the same pooled share of false "
    "events."
)


@dataclass(frozen=True)
class Trial:
    """One simulated recording.

    Attributes
    ----------
    counts : dict of float to Counts
        At every nominal rate.
    errors : DataFrame
        Matched events at q = .05: `time` and `amplitude` in units of their sd, `alone`.
    candidates : ndarray of shape (n, 2)
        Heights of the oracle's candidates, and whether they are events.
    """

    counts: dict[float, Counts]
    errors: pd.DataFrame
    candidates: Floats
    seconds: float
    reason: str


def run(settings: Settings) -> Section:
    """Judge every combination of noise and overlap."""
    rows = list[Row]()
    for colour in COLOURS:
        for overlap in OVERLAPS:
            trials = [trial(seed, colour, overlap) for seed in range(settings.seeds)]
            noise = "1/f" if colour == "pink" else colour
            name = f"simulated, {noise} noise, {overlap:.0%} overlap"
            rows += rate_rows(name, trials) + interval_rows(name, trials) + [power(name, trials)]
    title = "Calibration of events"
    return Section(title, rows, note=f"{settings.seeds} seeds per condition. {NOTE}")


def trial(seed: int, colour: str, overlap: float) -> Trial:
    """Simulate a recording, list its events at every rate, and compare."""
    truth = simulate(seed, colour, overlap)
    found = fit(truth.x, LENGTH)
    counts, errors = {}, pd.DataFrame({"time": [], "amplitude": [], "alone": []})
    reason = found.reason if found.model is None else ""
    for q in RATES:
        try:
            events = listed(found, truth.x, q)
        except Exception as error:  # counted as a list without events, and named on the page
            events, reason = found.events.iloc[:0], f"failed: {type(error).__name__}: {error}"
        at = aligned(events, truth)
        chosen = pairs(at, truth.times, TOLERANCE)
        counts[q] = Counts(len(chosen), len(events), len(truth.times))
        if q == 0.05 and "sample_sd" in events:
            errors = standardised(events, at, chosen, truth)
    return Trial(counts, errors, candidates(truth, colour), found.seconds, reason)


def listed(found: Fit, x: Floats, q: float) -> pd.DataFrame:
    """Return the events at a nominal false-discovery rate; none if the fit failed."""
    events = found.events if found.model is None else found.model.events(x, sfreq=1.0, fdr=q)
    return pd.DataFrame(events)


def aligned(events: pd.DataFrame, truth: Planted) -> Floats:
    """Return the times of events, the constant lag of every component removed."""
    at, component = events["sample"].to_numpy(), events["component"].to_numpy()
    return by_component(at, component, truth.times, LENGTH / 2)


def standardised(
    events: pd.DataFrame, at: Floats, chosen: np.ndarray, truth: Planted
) -> pd.DataFrame:
    """Return the errors of matched events in units of their standard deviations."""
    own, i = events.iloc[chosen[:, 0]], chosen[:, 1]
    late = at[chosen[:, 0]] - truth.times[i]
    larger = np.abs(own["amplitude"].to_numpy()) - truth.amplitudes[i]
    return pd.DataFrame(
        {
            "time": late / own["sample_sd"].to_numpy(),
            "amplitude": larger / own["amplitude_sd"].to_numpy(),
            "alone": truth.alone[i],
        }
    )


def candidates(truth: Planted, colour: str) -> Floats:
    """Return height and truth of every candidate of the oracle."""
    at, height = heights(truth, colour)
    true = np.zeros(len(at))
    true[pairs(at, truth.times, TOLERANCE, rank=-height)[:, 0]] = 1.0
    return np.column_stack([height, true])


def rate_rows(name: str, trials: list[Trial]) -> list[Row]:
    """Judge the realised false-discovery rates; without any event there is no verdict to hold."""
    rows, seconds = [], float(np.mean([one.seconds for one in trials]))
    failures = [one.reason for one in trials if one.reason]
    note = f"{len(failures)} failures, such as: {failures[0]}" if failures else ""
    for q in RATES:
        counts = [one.counts[q] for one in trials]
        share = float(np.mean([c.false / max(c.found, 1) for c in counts]))
        value = share if sum(c.found for c in counts) else float("nan")
        what = f"realised FDR at q = {q:g}"
        rows.append(Row(name, what, value, high=1.1 * q, seconds=seconds, note=note))
        note = ""
    return rows


def interval_rows(name: str, trials: list[Trial]) -> list[Row]:
    """Judge the coverage of 95 % intervals, of isolated and of overlapping events."""
    errors, rows = pd.concat([one.errors for one in trials]), list[Row]()
    alone = errors["alone"].astype(bool)
    for which, own, limits in (
        ("isolated", errors[alone], {"low": 0.94, "high": 0.96}),
        ("overlapping", errors[~alone], {"low": 0.93}),
    ):
        if which == "overlapping" and name.endswith(" 0% overlap"):
            continue
        for what in ("time", "amplitude"):
            inside = float(np.mean(own[what].abs() <= QUANTILE)) if len(own) else float("nan")
            measure = f"coverage of 95 % intervals of {what}, {which} events"
            rows.append(Row(name, measure, inside, **limits))
    return rows


def power(name: str, trials: list[Trial]) -> Row:
    """Judge recall at q = .05 against the oracle with the same share of false events."""
    counts = sum((one.counts[0.05] for one in trials), Counts())
    pool = np.concatenate([one.candidates for one in trials])
    true = pool[np.argsort(-pool[:, 0], kind="stable"), 1] > 0
    best = recall_at(counts.false / max(counts.found, 1), true, counts.true)
    recall = counts.matched / counts.true
    note = f"recall {recall:.4f}, oracle {best:.4f}."
    value = recall / best if best else float("nan")
    return Row(name, "recall at q = .05 over the oracle's", value, low=0.95, note=note)
