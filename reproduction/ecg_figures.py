"""The figures of Section 5.2."""

from __future__ import annotations

from typing import Any

import numpy as np

from orbitdl.groups import ContinuousShift
from orbitdl.groups.base import Floats
from reproduction.figures import COLOURS, Picture, panels
from reproduction.shapes import RATE, change, upright

SHADES = ("#c8391e", "#e08a3c", "#8a4f9e", "#3d7d8c")
"""The generators of one model, most used first."""

OTHERS = {
    "integer": "integer shifts",
    "interpolated 2x": "interpolated, 2x elements",
    "interpolated 4x": "interpolated, 4x elements",
}
SHOWN = 12
"""Atoms of regular dictionary learning in the figure."""

MILLISECONDS = "time from the peak (ms)"


def draw(results: dict[str, Any]) -> list[Picture]:
    """Draw data, generators, their shifts, and the other methods."""
    models = results["models"]["mean of leads"]
    return [
        draw_data(results),
        draw_generators(results),
        draw_range(models["continuous, q = 4"]),
        draw_others(results),
    ]


def centred_time(length: int) -> Floats:
    """Return milliseconds from the middle of a window."""
    return (np.arange(length) - length // 2) / RATE * 1000


def draw_data(results: dict[str, Any]) -> Picture:
    """Draw windows below each other, and six seconds of the recording (Figs. 3 and 4)."""
    figure, axes = panels(1, 2, height=3.6, width_ratios=(1, 1.6))
    samples = np.asarray(results["samples"]["mean of leads"])
    time = np.arange(samples.shape[1]) / RATE * 1000
    for row, x in enumerate(samples):
        axes[0, 0].plot(time, x - 0.45 * row, color="0.2", lw=1)
    axes[0, 0].set(xlabel="time (ms)", yticks=[], title="windows: zero mean, unit norm")
    recording = np.asarray(results["signal"])
    axes[0, 1].plot(np.arange(len(recording)) / RATE, recording, color="0.2", lw=0.9)
    axes[0, 1].set(xlabel="time (s)", ylabel="lead MLII (mV)", title="the recording they come from")
    caption = (
        "Figs. 3 and 4. Windows of 201 samples at 360 Hz (the text's number; the caption of Fig. 3 "
        "has 101), mean of the leads, and six seconds of record 100."
    )
    return Picture("ecg-data", caption, figure)


def draw_generators(results: dict[str, Any]) -> Picture:
    """Draw the generators for q = 1..4 (Fig. 5)."""
    figure, axes = panels(2, 2, height=2.6, sharex=True, sharey=True)
    for q, axis in enumerate(axes.ravel(), start=1):
        name = f"continuous, q = {q}"
        lead0 = results["models"]["lead 0"][name]["generators"]
        model = results["models"]["mean of leads"][name]
        time = centred_time(len(model["generators"][0]))
        for k, a in enumerate(lead0):
            axis.plot(time, upright(a), color=SHADES[k], lw=0.8, alpha=0.45, ls="--")
        for k, a in enumerate(model["generators"]):
            label = f"peak {model['peaks'][k]:.2f}, carries {model['usage'][k]:.0%}"
            axis.plot(time, upright(a), color=SHADES[k], label=label)
        axis.set_title(f"q = {q}, alpha = {model['alpha']:g}")
        axis.legend(loc="upper right", fontsize=7)
    for axis in axes[1]:
        axis.set_xlabel(MILLISECONDS)
    for axis in axes[:, 0]:
        axis.set_ylabel("generator (unit norm)")
    caption = (
        "Fig. 5. Generators of continuous shifts, most used first; solid: mean of the leads, "
        "dashed: lead 0. The same spike appears for every q; the others are the slower waves."
    )
    return Picture("ecg-generators", caption, figure)


def draw_range(model: dict[str, Any]) -> Picture:
    """Draw the shifts of each generator by fractions of a sample (Fig. 6)."""
    generators = np.array([upright(a) for a in model["generators"]])
    shifts = ContinuousShift().on(generators.shape[1:])
    middle, reach = generators.shape[1] // 2, 8
    figure, axes = panels(1, len(generators), height=2.5, sharey=False)
    for k, (axis, a) in enumerate(zip(axes[0], generators, strict=True)):
        for tau in np.linspace(0, 1, 6):
            moved = shifts.act(np.array([tau]), a)[middle - reach : middle + reach + 1]
            axis.plot(np.arange(-reach, reach + 1), moved, ".-", ms=3, lw=0.9, color=SHADES[k],
                      alpha=0.25 + 0.75 * tau)  # fmt: skip
        whole, half = change(a, 1.0), change(a, 0.5)
        axis.set(xlabel="samples from the peak", title=f"generator {k + 1}")
        axis.text(0.02, 0.97, f"by 1: {whole:.2g}\nby 1/2: {half:.2g}", fontsize=7, va="top",
                  transform=axis.transAxes)  # fmt: skip
    axes[0, 0].set_ylabel("generator, q = 4")
    caption = (
        "Fig. 6. Each generator of q = 4 moved by 0, 0.2, ... 1 sample (faint to full). Written "
        "in: the squared distance that a move by a whole and by half a sample makes, where norms "
        "are 1. At 360 Hz even the spike changes little within a sample."
    )
    return Picture("ecg-range", caption, figure)


def draw_others(results: dict[str, Any]) -> Picture:
    """Draw the four panels of Fig. 7."""
    figure, axes = panels(2, 2, height=2.6, sharex=True)
    one = results["models"]["mean of leads"]["continuous, q = 1"]
    for axis, (name, title) in zip(axes.ravel(), OTHERS.items(), strict=False):
        model, other = (results["models"][lead][name] for lead in ("mean of leads", "lead 0"))
        time = centred_time(len(model["generators"][0]))
        axis.plot(time, upright(one["generators"][0]), color=COLOURS["continuous"], lw=0.9,
                  label="continuous shifts, q = 1")  # fmt: skip
        axis.plot(time, upright(other["generators"][0]), color=COLOURS[name], lw=0.8, alpha=0.5,
                  ls="--", label="lead 0")  # fmt: skip
        axis.plot(time, upright(model["generators"][0]), color=COLOURS[name], label="mean of leads")
        axis.set_title(f"{title}: peak {model['peaks'][0]:.2f}")
        axis.legend(loc="upper right", fontsize=7)
    regular = results["models"]["mean of leads"]["regular"]
    atoms = np.asarray(regular["generators"])
    for row, a in enumerate(atoms[:: max(1, len(atoms) // SHOWN)][:SHOWN]):
        axes[1, 1].plot(time, a - 0.5 * row, color=COLOURS["regular"], lw=0.9)
    axes[1, 1].set_yticks([])
    share = float(np.mean(np.asarray(regular["spikiness"]) < 0.5))
    axes[1, 1].set_title(f"regular DL, {len(regular['generators'])} atoms: {share:.0%} no spikes")
    for axis in axes[1]:
        axis.set_xlabel(MILLISECONDS)
    axes[1, 1].set_xlabel("time from the middle of the window (ms)")
    for axis in axes[:, 0]:
        axis.set_ylabel("generator (unit norm)")
    caption = (
        "Fig. 7. Generators of the other methods (alpha = 0.1; regular DL 0.02, a few atoms "
        "below each other). On every grid of shifts the spike is the same."
    )
    return Picture("ecg-others", caption, figure)
