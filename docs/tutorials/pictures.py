"""Draw the pictures of the tutorials: ``python docs/tutorials/pictures.py [NAME ...]``.

A picture shows what its page has computed above it: the examples of the page up to the picture are
run, and the function of the same name draws what they leave. Pictures are written to the folder
``pictures`` beside the pages, which is not kept.
"""

from __future__ import annotations

import doctest
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from orbitdl.command.demonstrations.images import fill
from orbitdl.command.demonstrations.sensors import draw_errors, draw_lines
from orbitdl.plot import ComponentsDisplay, DecompositionDisplay

HERE = Path(__file__).parent
BLUE, QUIET = "#0072b2", "0.6"
"""What is found, and what is there to compare with."""


def above(name: str) -> SimpleNamespace:
    """Run the examples of a page down to its picture, and return the names they leave."""
    text, found, _ = (HERE / f"{name}.md").read_text("utf-8").partition(f"](pictures/{name}.png)")
    if not found:
        raise ValueError(f"{name}.md does not show pictures/{name}.png.")
    names: dict[str, object] = {"__name__": name}
    with redirect_stdout(StringIO()):  # what they print is on the page
        for example in doctest.DocTestParser().get_examples(text, name):
            exec(compile(example.source, name, "exec"), names)
    return SimpleNamespace(**names)


def ecg() -> Figure:
    """Seconds of a recording decomposed, and the two waveforms."""
    page, figure = above("ecg"), new_figure(10, 5.6)
    top, below = figure.subplots(2, 1, height_ratios=(3, 2))
    settings = {"start": 22.0, "stop": 27.0, "sfreq": page.heart.sfreq}
    DecompositionDisplay.from_estimator(page.model, page.signal, ax=top, **settings)
    ComponentsDisplay.from_estimator(page.model, sfreq=page.heart.sfreq, ax=below)
    return figure


def spikes() -> Figure:
    """Milliseconds with spikes that overlap, decomposed on all channels."""
    page, figure = above("spikes"), new_figure(12, 4.2)
    seconds = page.events["onset"].to_numpy()
    pair = seconds[np.argmin(np.diff(seconds))]
    settings = {"start": pair - 0.003, "stop": pair + 0.004, "sfreq": page.data.sfreq}
    DecompositionDisplay.from_estimator(
        page.model, page.data.signal, ax=figure.subplots(1, 4, sharey=True), **settings
    )
    return figure


def vibration() -> Figure:
    """A twentieth of a second decomposed, and the amplitudes of a third of a second."""
    page, figure = above("vibration"), new_figure(10, 5.2)
    top, below = figure.subplots(2, 1, height_ratios=(5, 3))
    settings = {"start": 0.5, "stop": 0.55, "sfreq": page.sfreq}
    DecompositionDisplay.from_estimator(page.model, page.signal, ax=top, **settings)
    some = page.events[page.events["onset"].between(0.4, 0.75)]
    below.vlines(some["onset"], 0, some["amplitude"], color=BLUE)
    t = np.linspace(0.4, 0.75, 500)
    load = 1 + 0.3 * np.cos(2 * np.pi * page.shaft * t)
    below.plot(t, load * page.events["amplitude"].mean(), color=QUIET, zorder=0)
    label(below, "amplitudes of the impacts; grey: how they were planted", "time (s)")
    return figure


def sensors() -> Figure:
    """The event, two recordings of it, what is learned from them, and how far turns are off."""
    page, figure = above("sensors"), new_figure(13, 6.4)
    still = page.align(page.data.event[None], page.still.components_, page.moves)
    axes = figure.subplots(2, 3)
    draw_lines(axes[0, 0], page.data.event, "The event, which nobody knows")
    for k in (0, 1):
        draw_lines(axes[0, 1 + k], page.data.X[k], f"What sensor {k + 1} records")
    draw_lines(axes[1, 0], page.upright[0], "Learned with turns", page.data.event)
    draw_lines(axes[1, 1], still[0], "Learned without turns", page.data.event)
    draw_errors(axes[1, 2], page.wrong)
    axes[1, 2].set_title("How far orientations are off", loc="left", fontsize=11)
    return figure


def images() -> Figure:
    """Ten digits, and below them what is learned with turns and without."""
    page, figure = above("images"), new_figure(11, 3.4)
    angles = [[np.degrees(np.angle(page.turn[few].mean()))] for few in page.own]
    upright = page.turns.on((24, 24)).act(np.array(angles), page.model.components_)
    data, learned = figure.subfigures(2, 1)
    fill(data, page.X[:10], "Handwritten digits in any direction: 10 of 600")
    halves = learned.subfigures(1, 2, wspace=0.05)
    fill(halves[0], positive(upright), "Learned with turns (here turned upright)")
    fill(halves[1], positive(page.still.components_), "Learned without turns")
    return figure


def missing_data() -> Figure:
    """The two seconds with most gaps, and what fills them."""
    page, figure = above("missing_data"), new_figure(10, 3.2)
    axis, sfreq, width = figure.subplots(), page.heart.sfreq, 720
    start = np.argmax(np.convolve(page.hole, np.ones(width), "valid"))
    shown = slice(start, start + width)
    t = np.arange(len(page.holed))[shown] / sfreq
    axis.plot(t, page.truth[shown], color=QUIET, lw=4, label="truth")
    axis.plot(t, page.holed[shown], color=BLUE, lw=0.8, label="observed")
    filling = np.where(page.hole, page.filled, np.nan)[shown]
    axis.plot(t, filling, color="#d55e00", lw=2, label="filled in")
    axis.set_ylim(top=1.5)
    axis.legend(ncols=3, frameon=False, loc="upper right")
    label(axis, "", "time (s)")
    return figure


def choosing_alpha() -> Figure:
    """Atoms and energy against alpha, and the score against the number of components."""
    page, figure = above("choosing_alpha"), new_figure(11, 3.2)
    axes = figure.subplots(1, 3)
    alphas = np.geomspace(0.03, 0.8, 16)
    codes = [page.model.encode(page.X, alpha=alpha) for alpha in alphas]
    refitted = [page.model.encode(page.X, alpha=alpha, debias=True) for alpha in alphas]
    axes[0].loglog(alphas, [len(each.to_frame()) / len(page.X) for each in codes], ".-")
    axes[1].semilogx(alphas, [page.explained(each) for each in codes], ".-", label="as coded")
    axes[1].semilogx(alphas, [page.explained(each) for each in refitted], ".-", label="refitted")
    axes[1].legend(frameon=False)
    counts = range(1, 7)
    axes[2].plot(counts, [page.score(q) for q in counts], ".-")
    label(axes[0], "atoms per window", "alpha")
    label(axes[1], "energy explained", "alpha")
    label(axes[2], "score on other windows", "number of components")
    for axis in axes[:2]:
        axis.set_xticks([0.05, 0.1, 0.2, 0.5], labels=["0.05", "0.1", "0.2", "0.5"])
        axis.tick_params(axis="x", which="minor", labelbottom=False)
    axes[0].set_yticks([0.1, 1, 10], labels=["0.1", "1", "10"])
    return figure


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches, which needs no screen."""
    return Figure(figsize=(width, height), layout="constrained")


def label(axis: Axes, title: str, below: str) -> None:
    """Write what axes show, and take off what they do not need."""
    axis.set_title(title, loc="left", fontsize=11)
    axis.set_xlabel(below)
    axis.spines[["top", "right"]].set_visible(False)


def positive(components: np.ndarray) -> np.ndarray:
    """Return images with the sign that makes them ink on paper."""
    return np.sign(components.sum(axis=(1, 2), keepdims=True)) * components


PICTURES = (ecg, spikes, vibration, sensors, images, missing_data, choosing_alpha)


def main(names: list[str]) -> None:
    """Draw the pictures of these names, or all."""
    mpl.use("agg")
    folder = HERE / "pictures"
    folder.mkdir(exist_ok=True)
    for draw in PICTURES:
        if not names or draw.__name__ in names:
            draw().savefig(folder / f"{draw.__name__}.png", dpi=150)


if __name__ == "__main__":
    main(sys.argv[1:])
