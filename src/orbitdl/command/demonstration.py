"""Learn the beats of a simulated heart, say and draw what was found: see ``orbitdl demo``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from orbitdl import Codes, OrbitDictionaryLearning, positions
from orbitdl.datasets import EcgLikeData
from orbitdl.groups import ContinuousShift
from orbitdl.groups.base import Floats
from orbitdl.learning.iteration import Iteration

COLOURS = ("#0072b2", "#d55e00")
RESTARTS = 3


def learn_beats(
    X: Floats, callback: Callable[[Iteration], None] | None = None
) -> tuple[OrbitDictionaryLearning, Codes]:
    """Learn two components that may be shifted by any amount, and code the windows with them."""
    model = OrbitDictionaryLearning(
        n_components=2, group=ContinuousShift(), alpha=0.1, n_restarts=RESTARTS, random_state=0
    )
    model.set_params(callback=callback).fit(X).set_params(callback=None)
    model.components_ = np.array([peak_first(a) for a in model.components_])
    return model, model.encode(X)


def peak_first(a: Floats) -> Floats:
    """Move a component's highest point to sample 0, upright: then a shift says where it lies."""
    top = int(np.argmax(np.abs(a)))
    return np.asarray(np.roll(a, -top) * np.sign(a[top]))


def describe(model: OrbitDictionaryLearning, codes: Codes, data: EcgLikeData) -> str:
    """Return what was found, in a few lines."""
    X = data.X
    events = codes.to_frame().assign(position=positions(codes, model.components_))
    lost = np.sum((X - model.decode(codes)) ** 2) / np.sum(X**2)
    beats = events[events["coefficient"] > 0.25]
    counts = np.bincount(beats["component"])
    usage = ", ".join(f"{n} of component {j}" for j, n in enumerate(counts))
    return "\n".join(
        [
            f"Learned {len(model.components_)} components from {len(X)} windows of {X.shape[1]} "
            f"samples in {model.n_iter_} iterations.",
            f"Their moved copies carry {1 - lost:.1%} of the energy, with "
            f"{len(events) / len(X):.1f} atoms per window.",
            f"Strong atoms (size above 0.25): {usage}.",
            f"Normal beats are placed to {timing_error(beats, data):.3f} samples (median).",
            "Certified: for these components, which are a local optimum, no other code lowers the "
            f"objective of any window by more than {codes.gap.max():.2%}.",
        ]
    )


def timing_error(beats: pd.DataFrame, data: EcgLikeData) -> float:
    """Return the median distance from a true normal beat to the nearest strong atom, in samples.

    Where in a component its beat lies is a convention: a constant offset is taken out.
    """
    truth = data.beats.loc[data.beats["kind"] == "normal", "time"].to_numpy() * data.rate
    found = np.sort(beats["sample"].to_numpy() * data.X.shape[1] + beats["position"].to_numpy())
    place = np.clip(np.searchsorted(found, truth), 1, len(found) - 1)
    after, before = found[place] - truth, found[place - 1] - truth
    error = np.where(np.abs(after) < np.abs(before), after, before)
    error = error[np.abs(error) < 2]
    return float(np.median(np.abs(error - np.median(error))))


def draw(model: OrbitDictionaryLearning, codes: Codes, X: Floats, path: Path) -> None:
    """Draw data, components, and one window as the sum of its atoms."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    draw_data(axes[0], X)
    draw_components(axes[1], model.components_)
    chosen = int(np.argmax(codes.invariants().min(axis=1)))
    draw_decomposition(axes[2], model, codes, X[chosen], chosen)
    for axis in axes:
        axis.set_xlabel("time (samples)")
        axis.set_yticks([])
        axis.spines[["top", "right", "left"]].set_visible(False)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw_data(axis: Any, X: Floats) -> None:
    """Draw a few windows below each other."""
    for row, x in enumerate(X[:7]):
        axis.plot(x - 0.6 * row, color="0.25", lw=1)
    axis.set_title("1  The data: windows of a recording", loc="left")


def draw_components(axis: Any, components: Floats) -> None:
    """Draw each component with its peak in the middle."""
    for j, a in enumerate(components):
        axis.plot(np.roll(a, len(a) // 2) - 1.1 * j, color=COLOURS[j], lw=2)
        axis.text(0, 0.12 - 1.1 * j, f"component {j}", color=COLOURS[j])
    axis.set_title("2  What was learned: two shapes", loc="left")


def draw_decomposition(
    axis: Any, model: OrbitDictionaryLearning, codes: Codes, x: Floats, sample: int
) -> None:
    """Draw a window, its approximation, and below them the moved components that add up to it."""
    atoms, moves = codes.atoms.take(np.array([sample])), codes.representation
    axis.plot(x, color="0.6", lw=3)
    axis.plot(model.decode(codes)[sample], color="k", lw=1)
    largest = np.argsort(-np.abs(atoms.coefficient))[:6]
    for row, k in enumerate(largest, start=1):
        c, j, shift = atoms.coefficient[k], atoms.component[k], atoms.element[k]
        offset = -0.35 - 0.3 * row
        axis.plot(c * moves.act(shift, model.components_[j]) + offset, color=COLOURS[j], lw=1.5)
        label = f"{c:+.2f} x component {j} at {shift[0]:.2f}"
        axis.text(len(x) * 1.02, offset, label, color=COLOURS[j], fontsize=8)
    axis.text(len(x) * 1.02, 0.1, "window", color="0.5", fontsize=8)
    axis.text(len(x) * 1.02, 0.0, "sum of the atoms below", color="k", fontsize=8)
    axis.set_title(f"3  Window {sample} taken apart", loc="left")
