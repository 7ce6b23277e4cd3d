"""Section 6: how much of the symmetry must one know? A trade-off, measured on the planted data.

Shifts by multiples of m samples are a subgroup of all shifts. A dictionary of 3 components under
all 30 shifts is one of ``3 m`` components under the subgroup: m = 1 is Section 5.1's integer
shifts, m = 30 regular dictionary learning. All describe the same 90 atoms; they differ in what is
known beforehand.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from orbitdl import dictionary_distance, encode
from orbitdl.datasets import make_shift_data
from orbitdl.groups import IntegerShift, Trivial
from orbitdl.groups.base import Floats
from orbitdl.plot.canvas import plain_ticks
from reproduction.claims import Finding
from reproduction.curves import follow, random_start
from reproduction.figures import COLOURS, Picture, Table, panels
from reproduction.narration import Tell, silent


@dataclass(frozen=True)
class Settings:
    """The planted data of Section 5.1, learned with subgroups of the shifts."""

    multiples: tuple[int, ...] = (1, 2, 3, 5, 10, 30)
    sizes: tuple[int, ...] = (100, 300, 1000, 3000)
    length: int = 30
    n_components: int = 3
    n_atoms: int = 5
    alpha: float = 0.4
    iterations: int = 100
    starts: int = 3
    seed: int = 0
    n_jobs: int = 2


FULL = Settings()
QUICK = Settings(multiples=(1, 3, 30), sizes=(300, 1000), iterations=30, starts=1)


def run(settings: Settings = FULL, tell: Tell = silent) -> dict[str, Any]:
    """Return errors (sizes, multiples, starts), squared, and seconds of a coding step."""
    s = settings
    data = make_shift_data(max(s.sizes), s.length, s.n_components, s.n_atoms, random_state=s.seed)
    truth = np.concatenate([np.roll(data.components, r, axis=1) for r in range(s.length)])
    errors = np.empty((len(s.sizes), len(s.multiples), s.starts))
    seconds = np.empty((len(s.sizes), len(s.multiples)))
    for i, n in enumerate(s.sizes):
        for k, m in enumerate(s.multiples):
            tell(f"shifts by multiples of {m}, n = {n}", i * len(s.multiples) + k, seconds.size)
            for seed in range(s.starts):
                learned = learn(s, data.X[:n], m, seed)
                every = all_shifts(learned, m)
                errors[i, k, seed] = dictionary_distance(truth, every, Trivial())
            seconds[i, k] = coding_seconds(s, data.X[:n], learned, m)
    tell("done", seconds.size, seconds.size)
    return {
        "multiples": list(s.multiples), "sizes": list(s.sizes), "length": s.length,
        "errors": errors, "seconds": seconds,
    }  # fmt: skip


def folded(X: Floats, m: int) -> Floats:
    """Fold time into (length / m, m): a shift by m samples is one step along the first axis."""
    return X.reshape(len(X), X.shape[1] // m, m)


def learn(settings: Settings, X: Floats, m: int, seed: int) -> Floats:
    """Return ``3 m`` components learned with shifts by multiples of m, shape (3 m, length)."""
    s, data = settings, folded(X, m)
    start = random_start(IntegerShift(), s.n_components * m, data.shape[1:], seed)
    path = follow(
        data, IntegerShift(), start, alpha=s.alpha, iterations=s.iterations, n_jobs=s.n_jobs
    )
    return path[-1].reshape(len(start), s.length)


def all_shifts(components: Floats, m: int) -> Floats:
    """Return every component at every shift of the subgroup."""
    shifts = range(0, components.shape[1], m)
    return np.concatenate([np.roll(components, r, axis=1) for r in shifts])


def coding_seconds(settings: Settings, X: Floats, components: Floats, m: int) -> float:
    """Return the least time of three coding steps."""
    data, A = folded(X, m), folded(components, m)
    times = []
    for _ in range(3):
        began = time.perf_counter()
        encode(data, A, group=IntegerShift(), alpha=settings.alpha)
        times.append(time.perf_counter() - began)
    return min(times)


def judge(results: dict[str, Any]) -> dict[str, Finding]:
    """Answer the question of Section 6."""
    error = np.sqrt(np.median(results["errors"], axis=2))
    n, multiples = results["sizes"], results["multiples"]
    needed = [
        next((size for size, e in zip(n, column, strict=True) if e <= 0.1), None)
        for column in error.T
    ]
    words = "; ".join(
        f"{results['length'] // m} of {results['length']} shifts: "
        + (f"n = {size}" if size else f"more than {n[-1]}")
        for m, size in zip(multiples, needed, strict=True)
    )
    ratio = results["seconds"][-1, -1] / results["seconds"][-1, 0]
    return {
        "recovery.tradeoff": Finding(
            float(error[0, 0]), f"Data needed for a root error of 0.1: {words}",
            "On data that have the full symmetry, every part of it left out must be paid for with "
            "data. It saves no time either: the atoms to code with stay as many, and a coding step "
            f"without any symmetry takes {ratio:.1f} times as long as with all of it.",
        )
    }  # fmt: skip


def draw(results: dict[str, Any]) -> list[Picture]:
    """Draw error and time against the size of the subgroup."""
    figure, axes = panels(1, 2, height=3.4)
    size = results["length"] // np.asarray(results["multiples"])
    shades = np.linspace(0.75, 0.0, len(results["sizes"]))
    for i, n in enumerate(results["sizes"]):
        colour = str(shades[i])
        error = np.sqrt(np.asarray(results["errors"][i]))
        axes[0, 0].plot(size, np.median(error, axis=1), "o-", color=colour, label=f"n = {n}", ms=3)
        axes[0, 0].fill_between(size, error.min(axis=1), error.max(axis=1), color=colour, alpha=0.1)
        each = 1e6 * np.asarray(results["seconds"][i]) / n
        axes[0, 1].plot(size, each, "o-", color=colour, label=f"n = {n}", ms=3)
    for axis, label in zip(axes[0], ("distance to the truth (root)", "microseconds a data point"),
                           strict=True):  # fmt: skip
        axis.set(xscale="log", yscale="log", xlabel="shifts in the group", ylabel=label)
        plain_ticks(axis.xaxis, size)
        plain_ticks(axis.yaxis)
        axis.legend()
    axes[0, 0].axvline(1, color=COLOURS["regular"], lw=4, alpha=0.25)
    axes[0, 0].axvline(results["length"], color=COLOURS["integer"], lw=4, alpha=0.25)
    axes[0, 0].set_title("statistics: the error falls with each symmetry")
    axes[0, 1].set_title("computation: the coding step")
    caption = (
        "Section 6. Subgroups of the shifts on the planted data of Section 5.1: from none (left, "
        "regular DL, 90 components) to all 30 (right, 3 components). Median and range over starts."
    )
    return [Picture("subgroups", caption, figure)]


def tabulate(results: dict[str, Any]) -> list[Table]:
    """Return the errors."""
    error = np.sqrt(np.median(results["errors"], axis=2))
    columns = ("shifts by multiples of", *(f"n = {n}" for n in results["sizes"]))
    rows = [
        (str(m), *(f"{value:.3f}" for value in error[:, k]))
        for k, m in enumerate(results["multiples"])
    ]
    return [Table("Root distance to the planted dictionary (median over starts)", columns, rows)]
