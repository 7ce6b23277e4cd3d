"""The figures of Section 5.3."""

from __future__ import annotations

from typing import Any

import numpy as np

from reproduction.figures import COLOURS, Picture, panels
from reproduction.shapes import upright

RATE = 36.0
"""Samples per second after averaging."""


def draw(results: dict[str, Any]) -> list[Picture]:
    """Draw data, atoms and completions for lead 0."""
    lead = results["lead 0"]
    return [draw_learned(lead), draw_completions(lead)]


def draw_learned(lead: dict[str, Any]) -> Picture:
    """Draw the oriented data and what each method learns from them (Figs. 9, 10 and 11)."""
    figure, axes = panels(1, 3, height=3.0, width=10)
    time = np.arange(len(lead["train"][0])) / RATE * 1000
    for x in lead["train"]:
        axes[0, 0].plot(time, x, color=COLOURS["data"], lw=0.8)
    axes[0, 0].set_title("data: the maximum comes first")
    for a in lead["atoms"]:
        axes[0, 1].plot(
            time, a * np.sign(a[np.argmax(np.abs(a))]), color=COLOURS["regular"], lw=0.7
        )
    axes[0, 1].set_title(f"regular DL: {len(lead['atoms'])} atoms, as oriented")
    axes[0, 2].plot(time - time[len(time) // 2], upright(np.asarray(lead["generator"])[0]),
                    color=COLOURS["continuous"], lw=1.8)  # fmt: skip
    axes[0, 2].set_title("continuous shifts: one generator")
    for axis in axes[0, :2]:
        axis.axvspan(0, 9 / RATE * 1000, color="#f3ead8", zorder=0)
        axis.set_xlabel("time (ms)")
    axes[0, 2].set_xlabel("time from the peak (ms)")
    axes[0, 0].set_ylabel("unit norm")
    caption = (
        "Figs. 9 to 11. Windows whose maximum lies in the first 10 of 31 coordinates (shaded). "
        "The atoms of regular DL stay where the data were; one generator has no place of its own."
    )
    return Picture("unseen-learned", caption, figure)


def draw_completions(lead: dict[str, Any]) -> Picture:
    """Draw a window whose error is the median, its completions, and all errors (Fig. 12)."""
    figure, axes = panels(1, 3, height=3.0, width=10)
    errors = {name: np.asarray(values) for name, values in lead["errors"].items()}
    order = np.argsort(errors["continuous"])
    chosen, hidden = int(order[len(order) // 2]), lead["hidden"]
    truth = np.asarray(lead["test"])[chosen]
    time = np.arange(len(truth)) / RATE * 1000
    for axis, name in zip(axes[0], ("regular", "continuous"), strict=False):
        axis.axvspan(0, (hidden - 0.5) / RATE * 1000, color="#dedede", zorder=0, label="hidden")
        axis.plot(time, truth, color=COLOURS["truth"], lw=2.4, alpha=0.35, label="truth")
        axis.plot(time, np.asarray(lead["completed"][name])[chosen], color=COLOURS[name],
                  label="completed")  # fmt: skip
        axis.set(xlabel="time (ms)")
        axis.set_title(f"{name}: error {float(f'{errors[name][chosen]:.2g}'):g}")
    axes[0, 0].legend(loc="upper right")
    axes[0, 0].set_ylabel("unit norm")
    for place, name in enumerate(("regular", "continuous")):
        spread = np.random.default_rng(0).uniform(-0.15, 0.15, len(errors[name]))
        axes[0, 2].plot(place + spread, errors[name], ".", color=COLOURS[name], ms=4)
        axes[0, 2].plot([place - 0.3, place + 0.3], [errors[name].mean()] * 2, color="black")
    axes[0, 2].set(yscale="log", ylabel="relative squared error", title="all windows; bar: mean")
    axes[0, 2].set_xticks([0, 1], ["regular", "continuous"])
    caption = (
        "Fig. 12. A window of an orientation never seen in training, its first 10 coordinates "
        "hidden, completed by the least dictionary norm that agrees with the rest exactly. The "
        "window shown has the median error of continuous shifts. Note the scales."
    )
    return Picture("unseen-completed", caption, figure)
