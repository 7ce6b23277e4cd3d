"""An earthquake that sensors of unknown orientation recorded in much noise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.spatial.transform import Rotation

from orbitdl import OrbitDictionaryLearning, align, dictionary_distance, encode
from orbitdl.command.demonstrations.base import ORIGIN, Demonstration, drawing, learn
from orbitdl.command.display import Screen, at_most
from orbitdl.datasets import OrientedEvents, load_earthquake, make_oriented_events
from orbitdl.groups import ContinuousShift, Group, Orthogonal, Product
from orbitdl.groups.base import Floats
from orbitdl.plot.canvas import PALETTE
from orbitdl.report import Report

MOVES = Product(ContinuousShift(), Orthogonal())
"""Any shift in time, any orientation of the sensor."""
STILL = ContinuousShift()
"""The same without the orientation."""
AXES = ("x", "y", "z")
SHOWN = 3
"""Sensors whose recordings are drawn."""
APART = 0.45
"""From one line to the next, where the event has unit norm."""


@dataclass(frozen=True, eq=False)
class Sensors(Demonstration):
    """One component, learned with turns and without; all else is chosen automatically."""

    data_file = "sensors.npy"
    model_file = "sensors.safetensors"
    picture_file = "sensors.png"
    title = "An event that sensors of unknown orientation recorded"

    events: OrientedEvents
    turned: OrbitDictionaryLearning
    still: OrbitDictionaryLearning

    @classmethod
    def run(cls, screen: Screen) -> Self:
        real = find_spec("obspy") is not None
        events = make_oriented_events(
            event=load_earthquake() if real else None, snr_db=0.0, random_state=0
        )
        what = "a recorded earthquake, which ObsPy brings," if real else "an earthquake"
        screen.say(
            f"Simulated how {len(events.X)} sensors see {what} in three components: each stands "
            "differently, hears it at another time, and has as much noise as signal."
        )
        return cls.learned_from(events, screen)

    @classmethod
    def learned_from(cls, events: OrientedEvents, screen: Screen, n_restarts: int = 5) -> Self:
        """Learn a component with turns, and one without."""

        def learned(group: Group) -> OrbitDictionaryLearning:
            model = OrbitDictionaryLearning(
                1, group=group, n_restarts=n_restarts, random_state=0, n_jobs=-1
            )
            return learn(model, events.X, screen)

        return cls(events, learned(MOVES), learned(STILL))

    @property
    def data(self) -> Floats:
        return self.events.X

    def onto_truth(self, model: OrbitDictionaryLearning) -> Floats:
        """Return the component (1, length, 3), shifted and turned so that it is most like truth."""
        return align(self.events.event[None], model.components_, MOVES)

    @cached_property
    def orientation_errors(self) -> Floats:
        """Angles in degrees between how sensors stand and how it was found, (n,).

        The component tells all orientations but for one common turn, which `onto_truth` fixes; a
        sensor that no event was found for is wrong by 180 degrees.
        """
        codes = encode(
            self.data, self.onto_truth(self.turned), group=MOVES, alpha=self.turned.alpha_
        )
        found = codes.to_events().sort_values("amplitude").groupby("sample").last()
        axis = found[["axis_x", "axis_y", "axis_z"]].to_numpy()
        turn = Rotation.from_rotvec(found["angle"].to_numpy()[:, None] * axis, degrees=True)
        true = Rotation.from_matrix(self.events.rotations[found.index])
        errors = np.full(len(self.data), 180.0)
        errors[found.index] = np.degrees((turn * true.inv()).magnitude())
        return errors

    @cached_property
    def figures(self) -> dict[str, float]:
        truth, noise = self.events.event[None], self.data - self.events.clean
        return {
            "snr_db": 20
            * float(np.log10(np.linalg.norm(self.events.clean) / np.linalg.norm(noise))),
            "similarity": similarity(truth, self.turned),
            "similarity_without_rotations": similarity(truth, self.still),
            "recovered": recovered(self.events, self.turned),
            "recovered_without_turns": recovered(self.events, self.still),
            "orientation_error": float(np.median(self.orientation_errors)),
            "gap": float(self.turned.history_[-1].gap),
        }

    def describe(self) -> str:
        n = self.figures
        return "\n".join(
            [
                f"Learned the event in {self.turned.n_iter_} iterations, and once more without "
                "turns, as if all sensors stood alike.",
                f"Chose alpha {self.turned.provenance_['alpha']}.",
                "Similarity to the true event (largest correlation over shifts and rotations; 1 is "
                f"the same): {n['similarity']:.3f} with turns, "
                f"{n['similarity_without_rotations']:.3f} without.",
                "Energy of the events, without their noise, that is recovered: "
                f"{n['recovered']:.0%} with turns, {n['recovered_without_turns']:.0%} without.",
                "How the sensors stand is found to "
                f"{n['orientation_error']:.1f} degrees (median); without turns, not at all.",
                "Certified: with this component, which is a local optimum, no other code of a "
                f"sensor's data lowers its objective by more than {at_most(n['gap'])}.",
            ]
        )

    def write_model(self, path: Path) -> None:
        self.turned.save(path, provenance=ORIGIN)

    def write_report(self, path: Path) -> None:
        Report(self.turned, self.data, title=self.title).write(path)

    def draw(self, path: Path) -> None:
        n = self.figures
        learned = {
            f"3  Learned with turns: similarity {n['similarity']:.3f},\n"
            f"recovers {n['recovered']:.0%} of the events": self.onto_truth(self.turned)[0],
            f"4  Learned without: similarity {n['similarity_without_rotations']:.3f},\n"
            f"recovers {n['recovered_without_turns']:.0%}": self.onto_truth(self.still)[0],
        }
        draw_sensors(self.events, learned, self.orientation_errors, path)


def similarity(truth: Floats, model: OrbitDictionaryLearning) -> float:
    """Return ``max_g |<truth, g a>|`` over all shifts and turns, whatever the model moves by."""
    return 1.0 - dictionary_distance(truth, model.components_, MOVES) / 2


def recovered(events: OrientedEvents, model: OrbitDictionaryLearning) -> float:
    """Return ``1 - ||denoised - clean||^2 / ||clean||^2``, coefficients freed of shrinkage."""
    denoised = model.denoise(events.X, debias=True)
    return 1.0 - float(np.sum((denoised - events.clean) ** 2) / np.sum(events.clean**2))


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
