"""Section 6: learning with a subgroup of the continuous shifts. How many subdivisions suffice?

Shifts by multiples of 1/K of a sample are a subgroup of all shifts; whole samples, K = 1, are a
subgroup of them in turn.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import signal as filters

from orbitdl import OrbitDictionaryLearning, encode
from orbitdl.datasets import segment
from orbitdl.groups import ContinuousShift, Group, InterpolatedShift
from orbitdl.groups.base import Floats
from orbitdl.plot.canvas import plain_ticks
from reproduction.claims import Finding
from reproduction.curves import stop_after
from reproduction.ecg_data import COUNT, LENGTH, STEP, Lead, signal, windows
from reproduction.figures import COLOURS, Picture, Table, panels
from reproduction.narration import Tell, silent
from reproduction.shapes import RATE, similarity

LEAD: Lead = "mean of leads"


@dataclass(frozen=True)
class Settings:
    """One generator from the same start; grids of shifts from whole samples to a twelfth."""

    n_windows: int = 1000
    subdivisions: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12)
    cutoffs: tuple[float, ...] = (180.0, 45.0, 20.0, 10.0)
    rates: tuple[int, ...] = (1, 2, 4, 6)
    alpha: float = 0.1
    iterations: int = 40
    seed: int = 0
    n_jobs: int = 2


FULL = Settings()
QUICK = Settings(n_windows=200, subdivisions=(1, 2, 4), cutoffs=(180.0, 10.0), rates=(1, 4),
                 iterations=10)  # fmt: skip


def run(settings: Settings = FULL, tell: Tell = silent) -> dict[str, Any]:
    """Return objectives, distances and seconds by K; distances by smoothness and by rate."""
    s, X = settings, windows(LEAD, settings.n_windows)
    total = len(s.subdivisions) + len(s.cutoffs) + len(s.rates)
    full = learn(s, X, ContinuousShift())
    best, seconds = code(s, X, full, ContinuousShift())
    table = {"continuous": {"coded": best, "learned": best, "distance": 0.0, "seconds": seconds}}
    for done, K in enumerate(s.subdivisions):
        tell(f"{K} subdivisions", done, total)
        table[str(K)] = compare(s, X, full, best, K)
    smooth, coarse = [], []
    for done, cutoff in enumerate(s.cutoffs, start=len(s.subdivisions)):
        tell(f"smoothed to {cutoff:g} Hz", done, total)
        smooth.append(integer_distance(s, smoothed(s, cutoff)))
    for done, every in enumerate(s.rates, start=total - len(s.rates)):
        tell(f"sampled at {RATE / every:g} Hz", done, total)
        coarse.append(integer_distance(s, resampled(s, every)))
    tell("done", total, total)
    return {
        "by K": table, "generator": full, "cutoffs": list(s.cutoffs), "smooth": smooth,
        "rates": [RATE / every for every in s.rates], "coarse": coarse,
    }  # fmt: skip


def learn(settings: Settings, X: Floats, group: Group) -> Floats:
    """Return one generator, shape (1, length)."""
    s = settings
    model = OrbitDictionaryLearning(
        1, group, alpha=s.alpha, max_iter=s.iterations, tol=1e-7, n_restarts=1,
        random_state=s.seed, n_jobs=s.n_jobs, callback=stop_after(s.iterations),
    )  # fmt: skip
    components: Floats = model.fit(X).components_
    return components


def code(settings: Settings, X: Floats, A: Floats, group: Group) -> tuple[float, float]:
    """Return the objective, and the least time of three coding steps."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        codes = encode(X, A, group=group, alpha=settings.alpha)
        times.append(time.perf_counter() - began)
    return float(codes.objective.sum()), min(times)


def compare(settings: Settings, X: Floats, full: Floats, best: float, K: int) -> dict[str, float]:
    """Code with the generator of continuous shifts and with one learned at K subdivisions."""
    group = InterpolatedShift(K)
    own = learn(settings, X, group)
    coded, seconds = code(settings, X, full, group)
    learned, _ = code(settings, X, own, group)
    return {
        "coded": coded, "learned": learned, "distance": 2 - 2 * float(similarity(full, own)[0, 0]),
        "seconds": seconds,
    }  # fmt: skip


def smoothed(settings: Settings, cutoff: float) -> Floats:
    """Return the windows of the recording without what lies above a frequency in Hz."""
    recording = signal(LEAD)[: STEP * COUNT + LENGTH]
    if cutoff < RATE / 2:
        shape = filters.butter(4, cutoff, fs=RATE, output="sos")
        recording = filters.sosfiltfilt(shape, recording)
    return segment(recording, LENGTH, STEP)[:: COUNT // settings.n_windows]


def resampled(settings: Settings, every: int) -> Floats:
    """Return windows of the same duration at a lower sampling rate."""
    recording = signal(LEAD)[: STEP * COUNT + LENGTH]
    if every > 1:
        recording = filters.decimate(recording, every, ftype="fir")
    length = LENGTH // every | 1
    return segment(recording, length, 1)[:: max(1, COUNT * STEP // every // settings.n_windows)]


def integer_distance(settings: Settings, X: Floats) -> dict[str, float]:
    """Return how far the generators of integer and continuous shifts are, and the objectives."""
    cts, whole = (learn(settings, X, group) for group in (ContinuousShift(), InterpolatedShift(1)))
    objective = [
        code(settings, X, A, group)[0]
        for A, group in ((cts, ContinuousShift()), (whole, InterpolatedShift(1)))
    ]
    distance = 2 - 2 * float(similarity(cts, whole)[0, 0])
    return {"distance": distance, "excess": objective[1] / objective[0] - 1}


def judge(results: dict[str, Any]) -> dict[str, Finding]:
    """Check the inner approximation, and answer how many subdivisions suffice."""
    table = results["by K"]
    best = table["continuous"]["coded"]
    excess = {int(K): row["coded"] / best - 1 for K, row in table.items() if K != "continuous"}
    ordered = [excess[K] >= excess[L] - 1e-4 for K in excess for L in excess if L % K == 0]
    inner = all(ordered) and min(excess.values()) >= -1e-4
    enough = next((K for K in sorted(excess) if excess[K] <= 1e-3), None)
    distances = [row["distance"] for row in results["smooth"]]
    listed = ", ".join(f"K = {K}: {value:+.2%}" for K, value in excess.items())
    rates = "; ".join(
        f"{sfreq:g} Hz: {row['distance']:.1g}, objective {row['excess']:+.1%}"
        for sfreq, row in zip(results["rates"], results["coarse"], strict=True)
    )
    return {
        "ecg.smooth": Finding(
            1 - distances[-1] / 2,
            f"squared distance {distances[-1]:.1g} when smoothed to {results['cutoffs'][-1]:g} Hz",
            f"Even as recorded it is {distances[0]:.1g}: 360 Hz is fine enough for this spike. "
            f"Sampled more coarsely instead: {rates}.",
        ),
        "ecg.inner": Finding(
            float(inner), f"objective above that of continuous shifts: {listed}",
            "The same generator coded on each grid, to a gap of 1e-4.",
        ),
        "ecg.subdivisions": Finding(
            float(enough or np.nan),
            f"K = {enough} comes within 0.1 % of the objective" if enough
            else "none of these K comes within 0.1 % of the objective",
            f"Whole samples lose {max(excess.values()):.1%}: at 360 Hz the heartbeat is smooth on "
            "the scale of a sample. Generators learned on the grids differ from the continuous one "
            "by at most "
            f"{max(row['distance'] for row in table.values()):.1g} (squared).",
        ),
    }  # fmt: skip


def draw(results: dict[str, Any]) -> list[Picture]:
    """Draw loss, distance and time against K, and the role of smoothness."""
    figure, axes = panels(1, 3, height=3.0, width=10)
    table = {int(K): row for K, row in results["by K"].items() if K != "continuous"}
    full, K = results["by K"]["continuous"], list(table)
    for key, label, style in (("coded", "the continuous generator", "o-"),
                              ("learned", "its own generator", "s--")):  # fmt: skip
        excess = [100 * (row[key] / full["coded"] - 1) for row in table.values()]
        axes[0, 0].plot(K, excess, style, color=COLOURS["integer"], label=label, ms=4)
    axes[0, 0].axhline(0, color=COLOURS["continuous"])
    axes[0, 0].set(ylabel="objective above continuous (%)", title="statistics: what a grid loses")
    milliseconds = [1e3 * row["seconds"] for row in table.values()]
    axes[0, 1].plot(K, milliseconds, "o-", color=COLOURS["integer"], label="grid", ms=4)
    axes[0, 1].axhline(1e3 * full["seconds"], color=COLOURS["continuous"], label="continuous")
    axes[0, 1].set(ylabel="coding step (ms)", title="computation: what it costs")
    axes[0, 1].set_ylim(0, None)
    for axis in axes[0, :2]:
        axis.set(xlabel="subdivisions K of a sample", xscale="log")
        plain_ticks(axis.xaxis, K)
        axis.legend()
    coarse, smooth = ([row["distance"] for row in results[key]] for key in ("coarse", "smooth"))
    band = 2 * np.asarray(results["cutoffs"])
    axes[0, 2].plot(results["rates"], coarse, "o-", color="0.3", label="sampled at", ms=4)
    axes[0, 2].plot(band, smooth, "s--", color="0.6", label="smoothed to half of", ms=4)
    axes[0, 2].set(xscale="log", yscale="log", xlabel="frequency (Hz)")
    axes[0, 2].set(ylabel="squared distance of generators", title="integer against continuous")
    plain_ticks(axes[0, 2].xaxis, sorted({*results["rates"], *band}))
    axes[0, 2].legend()
    caption = (
        "Section 6. One generator on grids of 1/K sample: objective, time of a coding step, and "
        "the distance between generators of integer and continuous shifts when the recording is "
        "smoothed (they agree) or sampled coarsely (they part)."
    )
    return [Picture("ecg-subdivisions", caption, figure)]


def tabulate(results: dict[str, Any]) -> list[Table]:
    """Return the numbers by K."""
    rows = [
        (K, f"{row['coded']:.3f}", f"{row['learned']:.3f}", f"{row['distance']:.1g}",
         f"{1e3 * row['seconds']:.0f}")
        for K, row in results["by K"].items()
    ]  # fmt: skip
    columns = ("K", "objective, the continuous generator", "objective, its own generator",
               "squared distance of the generators", "coding step (ms)")  # fmt: skip
    return [Table("Grids of 1/K sample against continuous shifts", columns, rows)]
