"""The picture of the sensors: what they record, what is learned from it, and how they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from orbitdl.command.demonstrations.base import drawing
from orbitdl.datasets import OrientedEvents
from orbitdl.groups.base import Floats
from orbitdl.plot.canvas import PALETTE

AXES = ("x", "y", "z")
SHOWN = 3
"""Sensors whose recordings are drawn."""
APART = 0.45
"""From one line to the next, where the event has unit norm."""


def draw_sensors(
    events: OrientedEvents, learned: dict[str, Floats], errors: Floats, path: Path
) -> None:
    """Draw the event, some recordings, what was learned with turns and without, and the angles.

    `learned` has components (length, 3) in the orientation of the event, by title.
    """
    with drawing(path, 13, 6.4) as figure:
        top, bottom = figure.subfigures(2, 1)
        first = top.subplots(1, 1 + SHOWN, sharey=True)
        draw_lines(first[0], events.event, "1  The event, which nobody knows")
        for k, axis in enumerate(first[1:]):
            draw_lines(axis, events.X[k], f"2  What sensor {k + 1} records")
        second = bottom.subplots(1, len(learned) + 1)
        for axis, (title, component) in zip(second, learned.items(), strict=False):
            draw_lines(axis, component, title, events.event)
        draw_errors(second[-1], errors)


def draw_lines(axis: Any, signal: Floats, title: str, truth: Floats | None = None) -> None:
    """Draw a signal (length, 3), a line per component, and the truth behind it."""
    for k, (colour, name) in enumerate(zip(PALETTE, AXES, strict=False)):
        if truth is not None:
            axis.plot(truth[:, k] - APART * k, color="0.75", lw=4)
        axis.plot(signal[:, k] - APART * k, color=colour, lw=1.3)
        axis.text(-2, -APART * k, name, color=colour, ha="right", va="center")
    axis.set_title(title, loc="left", fontsize=11)
    axis.set_xlabel("sample" if truth is None else "sample (grey: the event)")
    axis.set_yticks([])
    axis.spines[["top", "right", "left"]].set_visible(False)


def draw_errors(axis: Any, errors: Floats) -> None:
    """Draw how far from the truth orientations are."""
    axis.hist(errors, bins=np.linspace(0, max(20.0, errors.max()), 25), color="0.4")
    axis.set_title(
        f"5  How sensors stand is found to\n{np.median(errors):.1f}° (median)",
        loc="left",
        fontsize=11,
    )
    axis.set_xlabel("error of the orientation found (degrees)")
    axis.set_ylabel("sensors")
    axis.spines[["top", "right"]].set_visible(False)
