"""Small pictures of components as SVG: lines, points or pixels in the colour of the text."""

from __future__ import annotations

from html import escape

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.groups.views import View

WIDTH, HEIGHT = 132, 54
"""Of a picture, in CSS pixels."""
MOST = 12
"""Components that are drawn."""
MOST_POINTS = 200
"""Points of a line; of more, the largest of several neighbours is taken."""
MOST_PIXELS = 32
"""Rows and columns of an image, of more every so many."""
BELOW = "#d55e00"
"""Colour of negative pixels; it can be seen on light and on dark paper."""


def sparklines(components: Floats, view: View, captions: list[str]) -> str:
    """Return pictures of components (q, ...) beside each other, all on one scale.

    Examples
    --------
    >>> from orbitdl.groups.views import view_of_signals
    >>> sparklines(np.eye(2), view_of_signals((2,)), ["first", "second"]).count("<svg")
    2
    """
    lines = view.lines(components, components.shape[1:])
    reach = float(np.abs(lines).max(initial=0.0)) or 1.0
    low, high = (float(bound) / reach for bound in (lines.min(initial=0), lines.max(initial=0)))
    shown = [
        '<figure style="display:inline-block;margin:.2em 1em .2em 0">'
        f"{_picture(one / reach, view, caption, (low, high))}"
        f'<figcaption style="font-size:.85em">{escape(caption)}</figcaption></figure>'
        for one, caption in zip(lines[:MOST], captions, strict=False)
    ]
    more = len(components) - len(shown)
    return "<div>" + "".join(shown) + (f"and {more} more" if more > 0 else "") + "</div>"


def _picture(lines: Floats, view: View, title: str, bounds: tuple[float, float]) -> str:
    """Return one picture of lines (L, N) with values within bounds, which are from -1 to 1."""
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
    height, span = max(HEIGHT, 20 * len(lines)) / len(lines), high - low or 1.0
    paths = []
    for k, line in enumerate(lines):
        thin = _thinned(line)
        x = np.linspace(1, WIDTH - 1, len(thin))
        y = height * k + 1.5 + (height - 3) * (high - thin) / span
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        paths.append(f'<polyline points="{points}" {_STROKE}/>')
    return "".join(paths)


def _thinned(line: Floats) -> Floats:
    """Return at most so many values of a line, such that none of its peaks is lost."""
    step = -(-len(line) // MOST_POINTS)
    padded = np.pad(line, (0, -len(line) % step), mode="edge").reshape(-1, step)
    largest = np.abs(padded).argmax(axis=1)
    return np.asarray(padded[np.arange(len(padded)), largest])


def _points(lines: Floats) -> str:
    middle = HEIGHT / 2
    reach = middle - 3
    return (
        f'<path d="M0 {middle}H{HEIGHT}M{middle} 0V{HEIGHT}" {_STROKE} opacity=".25"/>'
        + "".join(
            f'<circle cx="{middle + reach * x:.1f}" cy="{middle - reach * y:.1f}" r="2" '
            'fill="currentColor"/>'
            for x, y in lines.T
        )
    )


def _pixels(pixels: Floats, scale: float) -> str:
    """Return a rectangle per pixel, the more solid the larger its value."""
    return "".join(
        f'<rect x="{scale * column:.1f}" y="{scale * row:.1f}" width="{scale:.2f}" '
        f'height="{scale:.2f}" fill="{"currentColor" if value > 0 else BELOW}" '
        f'opacity="{abs(value):.2f}"/>'
        for (row, column), value in np.ndenumerate(pixels)
        if abs(value) >= 0.02
    )


_STROKE = 'fill="none" stroke="currentColor" stroke-width="1.3" stroke-linejoin="round"'
