"""The picture of the digits: some of them, and what is learned with turns and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from orbitdl.command.demonstrations.base import drawing
from orbitdl.groups.base import Floats

SHOWN = 10
"""Data points that are drawn."""


def draw_images(X: Floats, rows: dict[str, Floats], path: Path) -> None:
    """Draw some images (n, S, S), and below them components (q, S, S) side by side, by title."""
    with drawing(path, 11, 3.4) as figure:
        data, learned = figure.subfigures(2, 1)
        fill(data, X[:SHOWN], f"Handwritten digits in any direction: {SHOWN} of {len(X)}")
        halves = learned.subfigures(1, len(rows), wspace=0.05)
        for half, (title, components) in zip(halves, rows.items(), strict=True):
            signs = np.sign(components.sum(axis=(1, 2), keepdims=True))
            fill(half, signs * components, title)


def fill(figure: Any, images: Floats, title: str) -> None:
    """Draw images in a row, ink dark, paper the same in all of them."""
    figure.suptitle(title, fontsize=11)
    for axis, image in zip(figure.subplots(1, len(images)), images, strict=True):
        size = np.abs(image).max()
        axis.imshow(image, cmap="gray_r", vmin=-0.1 * size, vmax=size)
        axis.set_xticks([])
        axis.set_yticks([])
