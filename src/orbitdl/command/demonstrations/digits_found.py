"""Which digits components stand for, and how they are turned, judged by the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl import Codes
from orbitdl.datasets import RotatedDigits
from orbitdl.groups.base import Floats


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
