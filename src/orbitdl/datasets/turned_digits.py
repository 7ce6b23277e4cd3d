"""Handwritten digits in any orientation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates
from sklearn.datasets import load_digits

from orbitdl.arrays.validation import require_count
from orbitdl.datasets.simulators import Seed

PIXELS = 8
"""Rows and columns of the digits that scikit-learn brings."""
FILLED = 0.62
"""Side of a digit over the diameter of the disc in which it turns: corners just stay inside."""
_RIM = 0.9  # from here on, in radii of the disc, images fade to zero


@dataclass(frozen=True, eq=False)
class TurnedDigits:
    """Hold images of digits, each turned by an angle of its own.

    Attributes
    ----------
    X : ndarray of shape (n_samples, size, size)
        The images: 0 is paper, and 1 about full ink.
    labels : ndarray of shape (n_samples,)
        Which digit each is.
    angles : ndarray of shape (n_samples,)
        By how much each was turned, in degrees, counter-clockwise.
    """

    X: NDArray[np.float64]
    labels: NDArray[np.intp]
    angles: NDArray[np.float64]


def make_turned_digits(
    n_samples: int = 300,
    size: int = 16,
    *,
    digits: Sequence[int] = (2, 3, 4, 5, 7),
    random_state: Seed = None,
) -> TurnedDigits:
    r"""Turn handwritten digits by random angles about the centre of the image.

    Parameters
    ----------
    n_samples : int
        Number of images. Every digit written is taken once before one is taken again.
    size : int
        Pixels along a side, 8 or more.
    digits : sequence of int
        Which digits, from 0 to 9.
    random_state : int, Generator or None
        Seed of all random numbers.

    Returns
    -------
    TurnedDigits
        The images `X`, their `labels` and `angles`.

    Notes
    -----
    The digits are real ones, 8 x 8 pixels, that scikit-learn brings (`load_digits`). An image is a
    cubic spline :math:`s` through the pixels of one of them, made larger and turned in one step:
    at the point :math:`p` of the plane it is :math:`s(R_\theta^{-1} p)`, with the angle
    :math:`\theta` uniform over all directions. It fades to zero at the rim of the disc that fits
    into the image.

    Examples
    --------
    >>> data = make_turned_digits(n_samples=20, size=16, digits=(3,), random_state=0)
    >>> data.X.shape, sorted(set(data.labels.tolist()))
    ((20, 16, 16), [3])
    """
    require_count(n_samples, "n_samples")
    require_count(size, "size", least=PIXELS)
    wanted = sorted(set(digits))
    if not wanted or not set(wanted) <= set(range(10)):
        raise ValueError(f"digits must be some of the numbers 0 to 9, not {digits!r}.")
    rng = np.random.default_rng(random_state)

    images, labels = load_digits(return_X_y=True)
    own = np.flatnonzero(np.isin(labels, wanted))
    rounds = [rng.permutation(own) for _ in range(-(-n_samples // len(own)))]
    chosen = np.concatenate(rounds)[:n_samples]
    angles = rng.uniform(0.0, 360.0, n_samples)
    written = images[chosen].reshape(n_samples, PIXELS, PIXELS) / images.max()
    X = np.stack(
        [_turned(image, angle, size) for image, angle in zip(written, angles, strict=True)]
    )
    return TurnedDigits(X, labels[chosen].astype(np.intp), angles)


def _turned(image: NDArray[np.float64], angle: float, size: int) -> NDArray[np.float64]:
    """Return a digit (8, 8) on (size, size) pixels, turned by degrees counter-clockwise."""
    # radii of the disc from the centre: x to the right, y upwards
    at = (2 * np.arange(size) - size + 1) / size
    x, y = at[None, :], -at[:, None]
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    column, row = cos * x + sin * y, sin * x - cos * y
    to_pixels, middle = PIXELS / (2 * FILLED), (PIXELS - 1) / 2
    places = np.stack([middle + to_pixels * row, middle + to_pixels * column])
    values = map_coordinates(image, places, order=3, mode="grid-constant")
    fading = np.clip((1 - np.hypot(x, y)) / (1 - _RIM), 0.0, 1.0)
    return np.asarray(values * fading)
