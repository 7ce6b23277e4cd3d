"""Matrix groups, which act on vectors or on the channels of signals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.presentation import ElementSlider, Slider, parameters_label

DRAWS = 8
"""Elements drawn per example, so that small finite groups are covered in spite of duplicates."""
ORTHOGONAL = 1e-6
"""Tolerance of the entries of ``h h' - I``: files may hold single precision."""


class MatrixGroup(ABC):
    """A compact group of real orthogonal d x d matrices.

    A subclass defines the parameters of an element (`matrix` and `element` convert), samples
    elements, and finds the best one (`match`); the other methods have defaults.

    Parameters
    ----------
    d : int
        Size of the matrices.
    parameters : tuple of str
        Names of the parameters of an element.
    generators : ndarray of shape (D, d, d)
        A basis of the Lie algebra: antisymmetric matrices; none for a finite group.
    is_integer : bool
        Whether parameters are integers.

    Attributes
    ----------
    description : str
        How the group transforms a vector: the end of a sentence that starts with "It may be".
    """

    description = "transformed"

    def __init__(
        self, d: int, parameters: tuple[str, ...], generators: Floats, is_integer: bool = False
    ) -> None:
        self.d, self.parameters, self.generators = d, parameters, generators
        self.is_integer = is_integer

    @abstractmethod
    def matrix(self, element: Floats) -> Floats:
        """Return the matrices (..., d, d) of elements (..., p)."""

    @abstractmethod
    def element(self, matrix: Floats) -> Floats:
        """Return the elements (..., p) with given matrices, up to rounding."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw n elements from the uniform (Haar) measure, shape (n, p)."""

    @abstractmethod
    def match(self, X: Floats) -> tuple[Floats, Floats]:
        """Return ``<X, h>`` and h that maximises its absolute value, for X (..., d, d)."""

    @property
    def sliders(self) -> tuple[Slider, ...]:
        """Controls of a report; here: a list of elements."""
        return (ElementSlider(),)

    def examples(self, most: int) -> Floats:
        """Return at most `most` distinct elements, (k, p), the identity first."""
        drawn = self.sample(np.random.default_rng(0), DRAWS * most)
        elements = np.concatenate([self.element(np.eye(self.d))[None], drawn])
        first = np.unique(elements, axis=0, return_index=True)[1]
        return np.asarray(elements[np.sort(first)[:most]])

    def polar(self, X: Floats) -> Floats:
        """Return ``max_h |<X, h>|`` for X (..., d, d)."""
        return np.abs(self.match(X)[0])

    def bound(self, X: Floats) -> Floats:
        """Return a cheap upper bound of `polar` for X (..., d, d).

        Here: ``sqrt(d) ||X||``, as orthogonal matrices have the norm sqrt(d).
        """
        return np.asarray(np.sqrt(self.d * np.einsum("...ij,...ij->...", X, X)))

    def describe(self, element: Floats) -> dict[str, NDArray[Any]]:
        """Return columns of a table that describe elements (k, p); here: their parameters."""
        kind = np.intp if self.is_integer else np.float64
        return {name: element[:, k].astype(kind) for k, name in enumerate(self.parameters)}

    def label(self, element: Floats) -> str:
        """Return a label of one element (p,)."""
        return parameters_label(element)

    def contains(self, element: Floats) -> bool:
        """Return whether all rows (..., p) are elements; here: if their matrices are orthogonal."""
        if not np.isfinite(element).all():
            return False
        matrix = self.matrix(element)
        return bool(np.all(np.abs(matrix @ matrix.swapaxes(-1, -2) - np.eye(self.d)) < ORTHOGONAL))

    def compose(self, left: Floats, right: Floats) -> Floats:
        """Return the products of elements."""
        return self.element(self.matrix(left) @ self.matrix(right))

    def inverse(self, element: Floats) -> Floats:
        """Return the inverse elements."""
        return self.element(self.matrix(element).swapaxes(-1, -2))

    def retract(self, element: Floats, by: Floats) -> Floats:
        """Return ``exp(sum_a by_a X_a) h`` for coordinates (..., D)."""
        if len(self.generators) == 0:
            return element
        return self.element(exponential(by, self.generators) @ self.matrix(element))

    def add_tangents(self, B: Blocks, out: Blocks) -> None:
        """Add ``X_a B`` for all generators and blocks (..., F, d, m) to out (..., D, F, d, m)."""
        for a, i, k in zip(*np.nonzero(self.generators), strict=True):  # generators are sparse
            out[..., a, :, i, :] += self.generators[a, i, k] * B[..., k, :]


def rotation_generators(d: int) -> Floats:
    """Return the generators ``E_ki - E_ik`` of rotations in all coordinate planes i < k."""
    i, k = np.triu_indices(d, 1)
    generators = np.zeros((len(i), d, d))
    generators[np.arange(len(i)), k, i] = 1.0
    generators[np.arange(len(i)), i, k] = -1.0
    return generators


def exponential(by: Floats, generators: Floats) -> Floats:
    """Return ``exp(sum_a by_a X_a)``, (..., D) to (..., d, d).

    In up to three dimensions the sum S generates a rotation by ``angle = |S| / sqrt(2)``, and
    ``exp(S) = I + sin(angle) / angle S + (1 - cos(angle)) / angle^2 S^2`` (Rodrigues).
    """
    S = np.tensordot(by, generators, 1)
    if S.shape[-1] > 3:
        return np.asarray(expm(S))
    rounds = np.sqrt(0.5 * np.sum(S**2, axis=(-1, -2), keepdims=True)) / (2 * np.pi)
    square = 0.5 * np.sinc(rounds) ** 2 * (S @ S)
    return np.asarray(np.eye(S.shape[-1]) + np.sinc(2 * rounds) * S + square)
