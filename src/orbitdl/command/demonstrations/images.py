"""Handwritten digits that lie in any direction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from orbitdl import Codes, OrbitDictionaryLearning
from orbitdl.command.demonstrations.base import ORIGIN, Demonstration, drawing, learn
from orbitdl.command.display import Screen, at_most
from orbitdl.datasets import RotatedDigits, make_rotated_digits
from orbitdl.groups import ImageRotation, Trivial
from orbitdl.groups.base import Floats
from orbitdl.report import Report

DIGITS = (2, 3, 4, 5, 7)
"""Without 0, 1 and 8, which look much the same when turned, and one of 6 and 9."""
SIZE = 24
"""Pixels along a side: enough that turned images are exact to a thousandth."""
SHOWN = 10
"""Data points that are drawn."""


@dataclass(frozen=True, eq=False)
class Images(Demonstration):
    """As many components as there are digits, learned with turns and without, at one alpha.

    Both are learned from the same images, `data`: those parts of the digits that can be turned.
    """

    data_file = "images.npy"
    model_file = "images.safetensors"
    picture_file = "images.png"
    title = "Handwritten digits in any direction"

    digits: RotatedDigits
    images: Floats
    turned: OrbitDictionaryLearning
    still: OrbitDictionaryLearning

    @classmethod
    def run(cls, screen: Screen) -> Self:
        digits = make_rotated_digits(600, SIZE, digits=DIGITS, random_state=0)
        screen.say(
            f"Turned {len(digits.X)} handwritten digits, {', '.join(map(str, DIGITS))}, by random "
            f"angles; images of {SIZE} x {SIZE} pixels."
        )
        return cls.learned_from(digits, screen)

    @classmethod
    def learned_from(cls, digits: RotatedDigits, screen: Screen, n_restarts: int = 5) -> Self:
        """Learn a component per digit, with turns and without."""
        q, group = len(np.unique(digits.labels)), ImageRotation()
        images = group.on(digits.X.shape[1:]).project(digits.X)
        turned = OrbitDictionaryLearning(
            q, group=group, n_restarts=n_restarts, random_state=0, n_jobs=-1
        )
        learn(turned, images, screen)
        still = OrbitDictionaryLearning(
            q, group=Trivial(), alpha=turned.alpha_, n_restarts=n_restarts, random_state=0
        )
        return cls(digits, images, turned, learn(still, images, screen))

    @property
    def data(self) -> Floats:
        return self.images

    @cached_property
    def found(self) -> DigitsFound:
        """What the largest atoms with turns say of the digits."""
        return find_digits(self.turned.encode(self.images), self.digits)

    def upright(self) -> Floats:
        """Return the components that may be turned, upright as digits are."""
        moves = ImageRotation().on(self.images.shape[1:])
        return moves.act(self.found.to_upright[:, None], self.turned.components_)

    @cached_property
    def figures(self) -> dict[str, float]:
        kept = np.sum(self.images**2) / np.sum(self.digits.X**2)
        return {
            "alpha": self.turned.alpha_,
            "kept": float(kept),
            "explained": explained(self.turned, self.images),
            "explained_without_turns": explained(self.still, self.images),
            "atoms": self.turned.history_[-1].atoms,
            "atoms_without_turns": self.still.history_[-1].atoms,
            "one_digit": float(np.mean(self.found.is_usual)),
            "angle_error": float(np.median(self.found.angle_error[self.found.is_usual])),
            "gap": float(self.turned.history_[-1].gap),
        }

    def describe(self) -> str:
        n, q = self.figures, len(self.turned.components_)
        return "\n".join(
            [
                f"Kept what can be turned, {n['kept']:.1%} of the energy: the data of both models.",
                f"Learned {q} components that may be turned, and {q} that may not.",
                f"Chose alpha {self.turned.provenance_['alpha']}. It is that of both.",
                f"Energy explained: {n['explained']:.1%} with turns, "
                f"{n['explained_without_turns']:.1%} without; atoms per image: "
                f"{n['atoms']:.2f} and {n['atoms_without_turns']:.2f}.",
                "The components with turns are digits: of the images that use one most, "
                f"{n['one_digit']:.0%} show the same digit, and their angles are found to "
                f"{n['angle_error']:.1f} degrees (median).",
                "Certified: with these components, which are a local optimum, no other code of an "
                f"image lowers its objective by more than {at_most(n['gap'])}.",
            ]
        )

    def write_model(self, path: Path) -> None:
        self.turned.save(path, provenance=ORIGIN)

    def write_report(self, path: Path) -> None:
        Report(self.turned, self.images, title=self.title).write(path)

    def draw(self, path: Path) -> None:
        n = self.figures
        rows = {
            f"Learned with turns: {n['explained']:.0%} of the energy explained": self.upright(),
            f"Learned without turns: {n['explained_without_turns']:.0%}": self.still.components_,
        }
        draw_images(self.images, rows, path)


def explained(model: OrbitDictionaryLearning, X: Floats) -> float:
    """Return ``1 - ||X - reconstruction||^2 / ||X||^2``."""
    return 1.0 - float(np.sum((X - model.reconstruct(X)) ** 2) / np.sum(X**2))


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


@dataclass(frozen=True, eq=False)
class DigitsFound:
    """Describe n images that are coded by something, by the largest atom of each.

    Attributes
    ----------
    is_usual : ndarray of shape (n,)
        Whether an image shows the digit that most images with its component show.
    angle_error : ndarray of shape (n,)
        How far its angle is from the truth, in degrees.
    to_upright : ndarray of shape (q,)
        By how much components are to be turned to stand as digits do, in degrees.
    """

    is_usual: NDArray[np.bool_]
    angle_error: Floats
    to_upright: Floats


def find_digits(codes: Codes, digits: RotatedDigits) -> DigitsFound:
    """Compare the largest atoms of images, moved by an angle each, with the truth.

    With the true angle ``t`` of an image, and ``s`` that of its atom, the component is upright when
    it is turned by ``s - t``. The mean of these angles over the images of its usual digit is taken.
    """
    atoms = codes.atoms
    largest = np.array(
        [
            first + np.argmax(np.abs(atoms.coefficient[first:end]))
            for first, end in zip(atoms.offsets[:-1], atoms.offsets[1:], strict=True)
            if end > first
        ],
        dtype=np.intp,
    )
    component, image = atoms.component[largest], atoms.sample[largest]
    label = digits.labels[image]
    turn = np.exp(1j * np.radians(atoms.element[largest, 0] - digits.angles[image]))
    is_usual, upright = np.zeros(len(image), dtype=bool), np.ones(atoms.n_components, dtype=complex)
    for j in np.unique(component):
        own = component == j
        is_usual |= own & (label == np.argmax(np.bincount(label[own])))
        upright[j] = turn[own & is_usual].mean()
    error = np.degrees(np.abs(np.angle(turn / upright[component])))
    return DigitsFound(is_usual, error, np.degrees(np.angle(upright)))
