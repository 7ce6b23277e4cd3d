"""Section 5.4: matrices turned by unknown rotations, one generator and two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from orbitdl import dictionary_distance
from orbitdl.coding import Matching, Proximal
from orbitdl.coding.base import Coder
from orbitdl.datasets import make_synchronization_data
from orbitdl.groups import Orthogonal
from orbitdl.groups.base import Floats
from reproduction.claims import Finding
from reproduction.curves import follow, padded, random_start
from reproduction.expected import BOUNDS, SUCCESS
from reproduction.figures import COLOURS, Picture, Table, panels
from reproduction.narration import Tell, silent


@dataclass(frozen=True)
class Settings:
    """The paper's sizes. Its regularisation is not in the text; ours is."""

    n_samples: int = 1000
    dimension: int = 3
    n_devices: int = 20
    noise: float = 0.1
    convex_alpha: float = 0.5
    matching_alpha: float = 0.02
    iterations: int = 100
    starts: int = 10
    seed: int = 0
    n_jobs: int = 2


FULL = Settings()
QUICK = Settings(n_samples=500, iterations=40, starts=2)

METHODS = ("convex", "matching", "as printed")
NUMBERS = {1: "one", 2: "two"}


def run(settings: Settings = FULL, tell: Tell = silent) -> dict[str, Any]:
    """Return error curves (starts, iterations + 1, 2) by number of generators and method.

    Distances are squared, both directions, in the paper's scale: a generator's squared norm is
    the number of devices.
    """
    s, curves = settings, {}
    jobs = [(q, method) for q in NUMBERS for method in METHODS]
    for done, (q, method) in enumerate(jobs):
        tell(f"{NUMBERS[q]} generator{'s' * (q > 1)}, {method}", done, len(jobs))
        curves[f"{NUMBERS[q]}, {method}"] = error_curves(s, q, method)
    tell("done", len(jobs), len(jobs))
    return {"curves": curves}


def error_curves(settings: Settings, q: int, method: str) -> Floats:
    """Return the distances of every start and iteration."""
    s, group = settings, Orthogonal()
    data = make_synchronization_data(
        s.n_samples, s.dimension, s.n_devices, q, noise=s.noise, random_state=s.seed
    )
    truth = data.components / np.sqrt(s.n_devices)
    coder, alpha = coders_of(settings)[method]
    both = []
    for seed in range(s.starts):
        start = random_start(group, q, data.X.shape[1:], seed)
        path = follow(
            data.X, group, start, alpha=alpha, iterations=s.iterations, coder=coder, tol=1e-5,
            crude=coder is None, n_jobs=s.n_jobs,
        )  # fmt: skip
        there = [s.n_devices * dictionary_distance(truth, A, group) for A in path]
        back = [s.n_devices * dictionary_distance(A, truth, group) for A in path]
        both.append(padded([there, back], s.iterations + 1).T)
    return np.array(both)


def coders_of(settings: Settings) -> dict[str, tuple[Coder | None, float]]:
    """Return the coder and alpha of each method; None is the paper's algorithm as printed."""
    return {
        "convex": (Proximal(), settings.convex_alpha),
        "matching": (Matching(), settings.matching_alpha),
        "as printed": (None, settings.convex_alpha),
    }


def final(results: dict[str, Any], name: str) -> Floats:
    """Return the last squared error of every start, the worse direction."""
    ends: Floats = np.asarray(results["curves"][name])[:, -1].max(axis=1)
    return ends


def slowest(results: dict[str, Any], name: str) -> int:
    """Return the iteration from which on every start that succeeds counts as a recovery."""
    curves = np.asarray(results["curves"][name]).max(axis=2)
    done = curves <= SUCCESS["synchronization"]
    return int(done.argmax(axis=1)[done.any(axis=1)].max(initial=0))


def judge(results: dict[str, Any]) -> dict[str, Finding]:
    """Compare the numbers of successful starts."""
    limit = SUCCESS["synchronization"]
    ends = {name: final(results, name) for name in results["curves"]}
    share = {name: float(np.mean(values <= limit)) for name, values in ends.items()}

    def got(name: str) -> str:
        return (
            f"{round(share[name] * len(ends[name]))} of {len(ends[name])}; squared distance "
            f"{np.median(ends[name]):.2g} (median), {ends[name].max():.2g} (worst)"
        )

    return {
        "synchronization.one": Finding(
            share["one, convex"], got("one, convex"),
            "The convex coder with the right proximal map of the spectral norm (the printed one "
            f"clips wrongly); we ask for {BOUNDS['synchronization.one squared']:g}.",
        ),
        "synchronization.two": Finding(
            share["two, matching"], got("two, matching"),
            "With one atom per component (Matching), which is the model the data were drawn from; "
            f"we ask for {BOUNDS['synchronization.two squared']:g}. No columns are normalised.",
        ),
        "synchronization.convex_two": Finding(
            share["two, convex"], got("two, convex"),
            "Coded to convergence with the right proximal map. The algorithm as printed (5 steps, "
            f"the printed map, unit columns) gives {got('two, as printed')}; with one generator "
            f"{got('one, as printed')}. Starts differ in speed: the slowest needs "
            f"{slowest(results, 'two, convex')} iterations, and would fail if stopped before.",
        ),
    }  # fmt: skip


def draw(results: dict[str, Any]) -> list[Picture]:
    """Draw both panels of Fig. 13."""
    figure, axes = panels(1, 2, height=3.4, sharey=True)
    labels = {
        "convex": "the convex coder, converged",
        "matching": "Matching, one atom per component",
        "as printed": "the convex coder as printed, 5 steps",
    }
    for axis, number in zip(axes[0], NUMBERS.values(), strict=True):
        for method in METHODS:
            curves = np.asarray(results["curves"][f"{number}, {method}"]).max(axis=2)
            for k, curve in enumerate(curves):
                axis.plot(curve, color=COLOURS[method], lw=1, label=labels[method] * (k == 0))
        axis.axhline(SUCCESS["synchronization"], color="black", lw=0.7, ls=":")
        axis.set(yscale="log", xscale="symlog", xlabel="iteration", xlim=(0, None))
        axis.set_title(f"{number} generator{'s' * (number != 'one')}")
    axes[0, 0].set_ylabel("squared distance to the truth")
    axes[0, 0].legend(loc="upper right")
    axes[0, 1].annotate("a recovery lies below", (0.01, SUCCESS["synchronization"]), (0, 2),
                        textcoords="offset points", xycoords=("axes fraction", "data"),
                        fontsize=7)  # fmt: skip
    caption = (
        "Fig. 13. Distance of every iterate to the planted generators, in the paper's scale (a "
        "generator has squared norm 20); a line a random start."
    )
    return [Picture("synchronization", caption, figure)]


def tabulate(results: dict[str, Any]) -> list[Table]:
    """Return the last errors."""
    limit, rows = SUCCESS["synchronization"], []
    for name in results["curves"]:
        ends = final(results, name)
        successes = f"{int(np.sum(ends <= limit))} of {len(ends)}"
        rows.append((name, *(f"{v:.2g}" for v in (ends.min(), np.median(ends), ends.max())),
                     successes))  # fmt: skip
    columns = ("generators, coder", "best", "median", "worst", "recovered")
    return [Table("Last squared distances, the worse direction", columns, rows)]
