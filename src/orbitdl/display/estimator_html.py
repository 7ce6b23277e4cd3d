"""HTML representation of fitted models: components, summary and parameters."""

from __future__ import annotations

from abc import abstractmethod
from html import escape
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr

from orbitdl.arrays.blocks import Floats
from orbitdl.groups.presentation import View
from orbitdl.learning.history import History
from orbitdl.markup.html import box, counted, facts_table, folded


class ShownMixin:
    """Adds the fitted components to scikit-learn's HTML representation.

    ``sklearn.set_config(display="text")`` disables both.
    """

    components_: Floats

    def _repr_html_inner(self) -> str:
        """Return the HTML representation."""
        diagram = str(estimator_html_repr(self))
        return self._learned_in_html(diagram) if hasattr(self, "components_") else diagram

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def _learned_in_html(self, diagram: str) -> str:
        q, codes = len(self.components_), getattr(self, "codes_", None)
        captions = [f"component {j}" for j in range(q)]
        if codes is not None:
            many = np.bincount(codes.atoms.component, minlength=q)
            captions = [f"{j}: {counted(int(n), 'atom')}" for j, n in enumerate(many)]
        pictures = sparklines(np.asarray(self.components_), self._view_of_components(), captions)
        parameters = folded("parameters", diagram)
        facts = facts_table(facts_of(self, self._noun, self._moves()))
        return box(type(self).__name__, pictures, facts, parameters)

    _noun: str = "data point"
    """Name of a data point."""

    @abstractmethod
    def _view_of_components(self) -> View:
        """Return the view of a component."""

    @abstractmethod
    def _moves(self) -> str:
        """Describe how components are transformed: the end of a sentence that begins "They"."""


def facts_of(model: Any, noun: str, description: str) -> dict[str, str]:
    """Return a summary of a fitted model; empty for unknown entries.

    A data point is called `noun`; `description` ends a sentence that begins with "They".
    """
    origin = getattr(model, "provenance_", {})
    history = getattr(model, "history_", None) or History()
    shape = " × ".join(map(str, model.components_.shape[1:]))
    facts = {
        "learned from": counted(int(origin["samples"]), noun) if "samples" in origin else "",
        "components": f"{len(model.components_)} of {shape} values, which {description}",
        "alpha": _alpha(model, origin),
        "learning": _ending(model),
    }
    if history:
        facts["objective"] = f"{history[-1].objective:.6g}"
        facts["largest gap"] = f"{history[-1].gap:.1e} (certified, relative)"
    starts = np.asarray(getattr(model, "starts_", ()))
    if len(starts) > 1 and starts.min() > 0:
        spread = 100 * (starts.max() / starts.min() - 1)
        facts["starts"] = f"{len(starts)}, of which the worst was {spread:.2f} % above the best"
    return facts


def _alpha(model: Any, origin: dict[str, Any]) -> str:
    """Return alpha, and the reason if it was chosen automatically."""
    value = getattr(model, "alpha_", None)
    if value is None:
        return ""
    return str(origin["alpha"]) if "alpha" in origin else f"{value:.4g}, as given"


def _ending(model: Any) -> str:
    """Describe how learning ended."""
    if getattr(model, "n_steps_", 0):
        return f"{counted(model.n_steps_, 'batch', 'batches')}, one step each"
    if not hasattr(model, "converged_"):
        return ""
    steps = counted(int(model.n_iter_), "iteration")
    if model.converged_:
        return f"converged after {steps}"
    return f"not converged after {steps}: raise max_iter or tol"


WIDTH, HEIGHT = 132, 54
"""Size of a sparkline in CSS pixels."""
MOST = 12
"""Components that are drawn."""
MOST_POINTS = 200
"""Maximum number of points of a line; longer ones are reduced to local maxima."""
MOST_PIXELS = 32
"""Maximum number of rows and columns of an image; larger ones are subsampled."""
BELOW = "#d55e00"
"""Colour of negative pixels, visible in light and dark mode."""


def sparklines(components: Floats, view: View, captions: list[str]) -> str:
    """Return sparklines of components (q, ...) side by side, with a common scale.

    Examples
    --------
    >>> from orbitdl.groups.presentation import view_of_signals
    >>> sparklines(np.eye(2), view_of_signals((2,)), ["first", "second"]).count("<svg")
    2
    """
    lines = view.lines(components, components.shape[1:])
    limit = float(np.abs(lines).max(initial=0.0)) or 1.0
    low, high = (float(bound) / limit for bound in (lines.min(initial=0), lines.max(initial=0)))
    shown = [
        '<figure style="display:inline-block;margin:.2em 1em .2em 0">'
        f"{_picture(one / limit, view, caption, (low, high))}"
        f'<figcaption style="font-size:.85em">{escape(caption)}</figcaption></figure>'
        for one, caption in zip(lines[:MOST], captions, strict=False)
    ]
    more = len(components) - len(shown)
    return "<div>" + "".join(shown) + (f"and {more} more" if more > 0 else "") + "</div>"


def _picture(lines: Floats, view: View, title: str, bounds: tuple[float, float]) -> str:
    """Return one sparkline of lines (L, N) with values within bounds in [-1, 1]."""
    if view.kind == "plane":
        size, inside = (HEIGHT, HEIGHT), _points(lines)
    elif view.kind == "image":
        step = -(-max(lines.shape) // MOST_PIXELS)
        pixels = lines[::step, ::step]
        scale = HEIGHT / pixels.shape[0]
        size, inside = (round(scale * pixels.shape[1]), HEIGHT), _pixels(pixels, scale)
    else:
        size, inside = (WIDTH, max(HEIGHT, 20 * len(lines))), _lines(lines, *bounds)
    return (
        f'<svg role="img" aria-label="{escape(title)}" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" style="display:block">{inside}</svg>'
    )


def _lines(lines: Floats, low: float, high: float) -> str:
    height, extent = max(HEIGHT, 20 * len(lines)) / len(lines), high - low or 1.0
    paths = []
    for k, line in enumerate(lines):
        thin = _thinned(line)
        x = np.linspace(1, WIDTH - 1, len(thin))
        y = height * k + 1.5 + (height - 3) * (high - thin) / extent
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        paths.append(f'<polyline points="{points}" {_STROKE}/>')
    return "".join(paths)


def _thinned(line: Floats) -> Floats:
    """Return at most `MOST_POINTS` values of a line, with all its peaks."""
    step = -(-len(line) // MOST_POINTS)
    padded = np.pad(line, (0, -len(line) % step), mode="edge").reshape(-1, step)
    largest = np.abs(padded).argmax(axis=1)
    return np.asarray(padded[np.arange(len(padded)), largest])


def _points(lines: Floats) -> str:
    middle = HEIGHT / 2
    limit = middle - 3
    return (
        f'<path d="M0 {middle}H{HEIGHT}M{middle} 0V{HEIGHT}" {_STROKE} opacity=".25"/>'
        + "".join(
            f'<circle cx="{middle + limit * x:.1f}" cy="{middle - limit * y:.1f}" r="2" '
            'fill="currentColor"/>'
            for x, y in lines.T
        )
    )


def _pixels(pixels: Floats, scale: float) -> str:
    """Return a rectangle per pixel, with opacity proportional to its absolute value."""
    return "".join(
        f'<rect x="{scale * column:.1f}" y="{scale * row:.1f}" width="{scale:.2f}" '
        f'height="{scale:.2f}" fill="{"currentColor" if value > 0 else BELOW}" '
        f'opacity="{abs(value):.2f}"/>'
        for (row, column), value in np.ndenumerate(pixels)
        if abs(value) >= 0.02
    )


_STROKE = 'fill="none" stroke="currentColor" stroke-width="1.3" stroke-linejoin="round"'
