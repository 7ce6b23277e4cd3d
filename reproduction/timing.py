"""Section 5.2, Fig. 8: the time of a coding step, our coders beside the paper's algorithms."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from orbitdl import Codes, OrbitDictionaryLearning, encode
from orbitdl.coding.base import Coder
from orbitdl.groups import ContinuousShift, Group, IntegerShift, InterpolatedShift, Trivial
from orbitdl.groups.base import Floats
from orbitdl.plot.canvas import plain_ticks
from reproduction.claims import Finding
from reproduction.curves import stop_after
from reproduction.ecg_data import Lead, windows
from reproduction.expected import SECONDS
from reproduction.figures import COLOURS, Picture, Table, panels
from reproduction.narration import Tell, silent
from reproduction.printed import crude_coder
from reproduction.semidefinite import Semidefinite

LEAD: Lead = "mean of leads"


@dataclass(frozen=True)
class Settings:
    """Windows coded by ours, and by the paper's algorithms, whose time is scaled up."""

    n_windows: int = 1000
    printed_windows: int = 200
    semidefinite_windows: int = 50
    iterations: int = 5
    repeats: int = 5
    finest: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    regular_atoms: int = 201
    alpha: float = 0.1
    continuous_alpha: float = 0.2
    regular_alpha: float = 0.02


FULL = Settings()
QUICK = Settings(n_windows=200, printed_windows=40, semidefinite_windows=5, repeats=3,
                 finest=(1, 4, 16), iterations=2)  # fmt: skip


def run(settings: Settings = FULL, tell: Tell = silent) -> dict[str, Any]:
    """Return CPU seconds a coding step of 1000 windows, one thread, by method."""
    s, table, by_grid = settings, {}, {}
    X, methods = windows(LEAD, s.n_windows), methods_of(settings)
    total = len(methods) + len(s.finest)
    with threadpool_limits(1):
        for done, (name, (group, q, alpha)) in enumerate(methods.items()):
            tell(name, done, total)
            table[name] = time_method(s, X, group, q, alpha)
        A = learn(s, X, ContinuousShift(), 1, s.alpha)
        for done, K in enumerate(s.finest, start=len(methods)):
            tell(f"{K} subdivisions", done, total)
            by_grid[K] = least_time(s.repeats, X, A, InterpolatedShift(K), s.alpha)[0]
        continuous = least_time(s.repeats, X, A, ContinuousShift(), s.alpha)[0]
    tell("done", total, total)
    scale = 1000 / s.n_windows
    return {
        "methods": table, "windows": s.n_windows,
        "by K": {K: scale * seconds for K, seconds in by_grid.items()},
        "continuous": scale * continuous,
    }  # fmt: skip


def methods_of(settings: Settings) -> dict[str, tuple[Group, int, float]]:
    """Return group, number of generators and alpha of each row of Fig. 8."""
    s = settings
    return {
        "continuous": (ContinuousShift(), 1, s.continuous_alpha),
        "integer": (IntegerShift(), 1, s.alpha),
        "interpolated 2x": (InterpolatedShift(2), 1, s.alpha),
        "interpolated 4x": (InterpolatedShift(4), 1, s.alpha),
        "regular": (Trivial(), s.regular_atoms, s.regular_alpha),
    }


def learn(settings: Settings, X: Floats, group: Group, q: int, alpha: float) -> Floats:
    """Return components as they are after a few iterations."""
    model = OrbitDictionaryLearning(
        q, group, alpha=alpha, max_iter=settings.iterations, n_restarts=1, random_state=0,
        callback=stop_after(settings.iterations),
    )  # fmt: skip
    components: Floats = model.fit(X).components_
    return components


def least_time(
    repeats: int, X: Floats, A: Floats, group: Group, alpha: float, coder: Coder | None = None
) -> tuple[float, Codes]:
    """Return the least CPU time of some repeats, and the codes."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        codes = encode_quietly(X, A, group, alpha, coder)
        times.append(time.process_time() - began)
    return min(times), codes


def encode_quietly(X: Floats, A: Floats, group: Group, alpha: float, coder: Coder | None) -> Codes:
    """Code; the paper's coder may stop where it likes."""
    if coder is None:
        plain: Codes = encode(X, A, group=group, alpha=alpha)
        return plain
    on = group.on(X.shape[1:])
    return coder.code(on, on.analyze(X), on.analyze(A), alpha, warn=False)


def time_method(
    settings: Settings, X: Floats, group: Group, q: int, alpha: float
) -> dict[str, float]:
    """Time our coder on all windows and the paper's on some, both scaled to 1000."""
    s, A = settings, learn(settings, X, group, q, alpha)
    ours, codes = least_time(s.repeats, X, A, group, alpha)
    coder = crude_coder(group.on(X.shape[1:]).base)
    few = s.semidefinite_windows if isinstance(coder, Semidefinite) else s.printed_windows
    every = len(X) // few
    some = X[::every][:few]
    printed, crude = least_time(1, some, A, group, alpha, coder)
    return {
        "ours": ours * 1000 / len(X),
        "gap": float(codes.gap.max()),
        "printed": printed * 1000 / few,
        "printed_windows": few,
        "printed_excess": float(crude.objective.sum() / codes.objective[::every][:few].sum() - 1),
    }


def judge(results: dict[str, Any]) -> dict[str, Finding]:
    """Compare each row of Fig. 8, their order, and where the cost of grids meets."""
    rows = results["methods"]
    keys = ("continuous", "integer", "interpolated_2", "interpolated_4", "regular")
    findings = {
        f"timing.{key}": Finding(
            row["ours"], f"{row['ours']:.3g} s, certified to a gap of {row['gap']:.0e}",
            f"As printed in the paper (5 crude steps), on this machine: {row['printed']:.3g} s, "
            f"scaled up from {row['printed_windows']} windows, and an objective "
            f"{row['printed_excess']:+.0%} away from ours.",
        )
        for key, (_, row) in zip(keys, rows.items(), strict=True)
    }  # fmt: skip
    order = ("integer", "interpolated 2x", "interpolated 4x", "continuous")
    printed = [rows[name]["printed"] for name in order]
    ours = [rows[name]["ours"] for name in order]
    steps = float(np.min(np.divide(printed[1:], printed[:-1])))
    grid = np.array(list(results["by K"].values()))
    dearer = [K for K, seconds in results["by K"].items() if seconds >= results["continuous"]]
    return findings | {
        "timing.order": Finding(
            steps, "as printed: " + " < ".join(f"{seconds:.3g}" for seconds in printed) + " s",
            "With our coders: " + ", ".join(f"{seconds:.2g}" for seconds in ours) + " s; "
            "at equal alpha continuous shifts cost "
            f"{results['continuous'] / grid[0]:.1f} times integer shifts, not 127 times.",
        ),
        "timing.modest": Finding(
            float(dearer[0]) if dearer else np.inf,
            f"from K = {dearer[0]} on a grid costs as much as continuous shifts"
            if dearer else f"no grid up to K = {max(results['by K'])} costs as much",
            f"Seconds by K: {', '.join(f'{K}: {v:.2g}' for K, v in results['by K'].items())}; "
            f"continuous {results['continuous']:.2g}, the same generator and alpha; the finest "
            f"costs {grid[-1] / grid[0]:.1f} times the coarsest.",
        ),
    }  # fmt: skip


def draw(results: dict[str, Any]) -> list[Picture]:
    """Draw the rows of Fig. 8 as bars: the paper, its algorithms here, ours."""
    figure, axes = panels(1, 2, height=3.4, width_ratios=(1.7, 1))
    axis, rows = axes[0, 0], results["methods"]
    for place, (name, row) in enumerate(rows.items()):
        bars = [(SECONDS[name], "0.8", None), (row["printed"], COLOURS[name], "////"),
                (row["ours"], COLOURS[name], None)]  # fmt: skip
        for k, (seconds, colour, hatch) in enumerate(bars):
            face = "white" if hatch else colour
            axis.barh(
                place + 0.27 * (k - 1), seconds, 0.25, color=face, edgecolor=colour, hatch=hatch
            )
            axis.annotate(f"{seconds:.3g}", (seconds, place + 0.27 * (k - 1)), (3, 0), va="center",
                          textcoords="offset points", fontsize=7)  # fmt: skip
    axis.set(xscale="log", xlabel="CPU seconds, 1000 windows of 201 samples", xlim=(0.01, 2000))
    axis.set_yticks(range(len(rows)), list(rows))
    axis.invert_yaxis()
    axis.grid(False, axis="y")
    for label, face, hatch in (("the paper's table", "0.8", None), ("its algorithm here", "white",
                               "////"), ("ours, certified", "0.35", None)):  # fmt: skip
        axis.barh(
            [0], [0], color=face, edgecolor="0.35" if hatch else face, hatch=hatch, label=label
        )
    axis.legend(loc="lower right")
    axis.set_title("a coding step: continuous shifts need not be dear")
    K = list(results["by K"])
    axes[0, 1].plot(K, list(results["by K"].values()), "o-", color=COLOURS["integer"], ms=4,
                    label="grid of 1/K sample")  # fmt: skip
    axes[0, 1].axhline(
        results["continuous"], color=COLOURS["continuous"], label="continuous shifts"
    )
    axes[0, 1].set(xscale="log", xlabel="subdivisions K", ylabel="CPU seconds", ylim=(0, None))
    plain_ticks(axes[0, 1].xaxis, K)
    axes[0, 1].legend()
    axes[0, 1].set_title("finer grids, our coders")
    caption = (
        "Fig. 8. Left: seconds a coding step in the paper's table (grey), of the paper's "
        "algorithms on this machine (hatched), and of our coders, each to a certified gap of 1e-4 "
        "(full). Right: where a fine grid becomes dearer than no grid."
    )
    return [Picture("timing", caption, figure)]


def tabulate(results: dict[str, Any]) -> list[Table]:
    """Return the table of Fig. 8."""
    rows = [
        (name, f"{SECONDS[name]:g}", f"{row['printed']:.3g}", f"{row['printed_excess']:+.0%}",
         f"{row['ours']:.3g}", f"{row['gap']:.0e}", f"{row['printed'] / row['ours']:.0f}")
        for name, row in results["methods"].items()
    ]  # fmt: skip
    columns = ("method", "the paper (s)", "its algorithm here (s)", "its objective against ours",
               "ours (s)", "our gap", "times faster")  # fmt: skip
    return [Table("Seconds a coding step, 1000 windows", columns, rows)]
