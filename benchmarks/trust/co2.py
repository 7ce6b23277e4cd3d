"""Weekly CO2 at Mauna Loa with gaps that were observed, filled by several methods."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.data import Floats
from benchmarks.trust.rows import Row, Section, Settings, Table
from benchmarks.trust.sources import MissingDataError
from benchmarks.trust.ssa import fill as fill_by_ssa
from orbitdl import WaveformLearning

GAP, GAPS, LENGTH = 20, 10, 52
"""Weeks of a gap, gaps of a series, and weeks of a waveform."""
SEEDS = 5
NOTE = (
    "Ten gaps of 20 weeks are hidden at random, at least a year apart; 5 seeds. Weeks that were "
    "never observed are missing for all methods and not scored. Relative squared error: sum of "
    "squared errors over the sum of squared deviations of the hidden values from the mean of the "
    "series. Waveforms of 52 weeks. A hidden week that `complete` leaves missing is scored as the "
    "straight line. SSA: iterated low-rank approximation of the trajectory matrix, window of 104 "
    "weeks, rank chosen by hiding further gaps."
)


def run(settings: Settings) -> Section:
    """Compare the errors in hidden gaps."""
    series = load()
    seeds = range(1 if settings.quick else SEEDS)
    methods = {"ours": complete, "straight line": straight, "SSA": fill_by_ssa}
    errors, seconds, left, problems = {name: [] for name in methods}, [], 0, set[str]()
    for seed in seeds:
        hidden = hide(series, seed)
        x = np.where(hidden, np.nan, series)
        for name, method in methods.items():
            began = time.process_time()
            try:
                filled = method(x)
            except Exception as error:  # scored as the straight line, and named on the page
                filled = x
                problems.add(f"{name} failed: {type(error).__name__}: {error}")
            if name == "ours":
                seconds.append(time.process_time() - began)
                left += int(np.isnan(filled[hidden]).sum())
            filled = np.where(np.isnan(filled), straight(x), filled)
            errors[name].append(relative_error(filled, series, hidden))
    means = {name: float(np.mean(values)) for name, values in errors.items()}
    peers = {name: value for name, value in means.items() if name != "ours"}
    note = " ".join([f"{left} hidden weeks left missing.", *sorted(problems)])
    row = Row(
        "weekly CO2, gaps of 20 weeks", "relative squared error", means["ours"], peers,
        high=0.0008, seconds=float(np.mean(seconds)), note=note,
    )  # fmt: skip
    cells = [(str(seed), *(f"{errors[name][seed]:.5f}" for name in methods)) for seed in seeds]
    return Section("Weekly CO2", [row], [Table("Seeds", ("seed", *methods), cells)], NOTE)


def load() -> Floats:
    """Return the weekly series of statsmodels, NaN where it was not observed."""
    try:
        from statsmodels.datasets import co2
    except ImportError as error:
        raise MissingDataError("statsmodels is not installed") from error
    return np.asarray(co2.load_pandas().data["co2"], dtype=float)


def hide(series: Floats, seed: int, gaps: int = GAPS) -> np.ndarray:
    """Return which observed samples are hidden: gaps at least a year apart."""
    rng, step = np.random.default_rng(seed), (len(series) - 2 * LENGTH) // gaps
    starts = LENGTH + step * np.arange(gaps) + rng.integers(0, step - GAP - LENGTH, gaps)
    hidden = np.zeros(len(series), dtype=bool)
    hidden[(starts[:, None] + np.arange(GAP)).ravel()] = True
    return hidden & ~np.isnan(series)


def relative_error(filled: Floats, series: Floats, hidden: np.ndarray) -> float:
    """Return the squared error over the squared deviation from the mean, in the gaps."""
    deviation = series[hidden] - np.nanmean(series)
    return float(np.sum((filled - series)[hidden] ** 2) / np.sum(deviation**2))


def complete(x: Floats) -> Floats:
    """Fill gaps by the library, untuned."""
    model = WaveformLearning(length=LENGTH, random_state=0).fit(x)
    return np.asarray(model.complete(x))


def straight(x: Floats) -> Floats:
    """Fill gaps by straight lines."""
    t, seen = np.arange(len(x)), ~np.isnan(x)
    return np.interp(t, t[seen], x[seen])
