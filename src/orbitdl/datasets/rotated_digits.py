"""Handwritten digits at random orientations."""

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
"""Rows and columns of the digits in scikit-learn."""
FILLED = 0.62
"""Side of a digit over the diameter of the disc: its corners lie just inside."""
_RIM = 0.9  # radius, relative to the disc, at which the taper begins


@dataclass(frozen=True, eq=False)
class RotatedDigits:
    """Images of digits, each rotated by a random angle.

    Attributes
    ----------
    X : ndarray of shape (n_samples, size, size)
        The images: 0 is background, 1 is full ink.
    labels : ndarray of shape (n_samples,)
        Digit of each image.
    angles : ndarray of shape (n_samples,)
        Rotation angles in degrees, counterclockwise.
    """

    X: NDArray[np.float64]
    labels: NDArray[np.intp]
    angles: NDArray[np.float64]


def make_rotated_digits(
    n_samples: int = 300,
    size: int = 16,
    *,
    digits: Sequence[int] = (2, 3, 4, 5, 7),
    random_state: Seed = None,
) -> RotatedDigits:
    r"""Rotate handwritten digits by random angles about the centre of the image.

    Parameters
    ----------
    n_samples : int
        Number of images. Every digit is used once before one is used again.
    size : int
        Pixels along a side, 8 or more.
    digits : sequence of int
        Digits from 0 to 9.
    random_state : int, Generator or None
        Seed of all random numbers.

    Returns
    -------
    RotatedDigits
        The images `X`, their `labels` and `angles`.

    Notes
    -----
    The digits of 8 x 8 pixels come with scikit-learn (`load_digits`). An image is a cubic spline
    :math:`s` through the pixels, resampled at :math:`s(R_\theta^{-1} p)` for points :math:`p` of
    the plane, with a uniform angle :math:`\theta`. It is tapered to zero at the rim of the
    inscribed disc.

    Examples
    --------
    >>> data = make_rotated_digits(n_samples=20, size=16, digits=(3,), random_state=0)
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
        [_rotated(image, angle, size) for image, angle in zip(written, angles, strict=True)]
    )
    return RotatedDigits(X, labels[chosen].astype(np.intp), angles)


def _rotated(image: NDArray[np.float64], angle: float, size: int) -> NDArray[np.float64]:
    """Return a digit (8, 8) on (size, size) pixels, rotated counterclockwise by degrees."""
    # coordinates in radii of the disc: x to the right, y upwards
    at = (2 * np.arange(size) - size + 1) / size
    x, y = at[None, :], -at[:, None]
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    column, row = cos * x + sin * y, sin * x - cos * y
    to_pixels, middle = PIXELS / (2 * FILLED), (PIXELS - 1) / 2
    places = np.stack([middle + to_pixels * row, middle + to_pixels * column])
    values = map_coordinates(image, places, order=3, mode="grid-constant")
    fading = np.clip((1 - np.hypot(x, y)) / (1 - _RIM), 0.0, 1.0)
    return np.asarray(values * fading)
