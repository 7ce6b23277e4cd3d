"""Groups of matrices that act on vectors: alone, or on every sample of a signal of vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.presentation import ListSlider, Slider, parameters_in_words

DRAWS = 8
"""Elements drawn for each that is shown: most of them, where a finite group has so few."""
ORTHOGONAL = 1e-6
"""Largest entry of ``h h' - I`` of a matrix that counts as orthogonal: files may hold single
precision."""


class Fibre(ABC):
    """A compact group of real orthogonal d x d matrices.

    A subclass says which numbers describe an element (`matrix` and `element` go from one to the
    other), draws elements, and finds the best one (`match`): all else follows.

    Parameters
    ----------
    d : int
        Size of the matrices.
    parameters : tuple of str
        Names of the numbers that describe an element.
    generators : ndarray of shape (D, d, d)
        A basis of the Lie algebra: antisymmetric matrices; none for a finite group.
    counted : bool
        Whether parameters are whole numbers.

    Attributes
    ----------
    moves : str
        What may be done to a vector: the end of a sentence that starts with "It may be".
    """

    moves = "moved"

    def __init__(
        self, d: int, parameters: tuple[str, ...], generators: Floats, counted: bool = False
    ) -> None:
        self.d, self.parameters, self.generators = d, parameters, generators
        self.counted = counted

    @abstractmethod
    def matrix(self, element: Floats) -> Floats:
        """Return the matrices (..., d, d) of elements (..., p)."""

    @abstractmethod
    def element(self, matrix: Floats) -> Floats:
        """Return the elements (..., p) whose matrices are, up to rounding, those given."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw n elements from the uniform (Haar) measure, shape (n, p)."""

    @abstractmethod
    def match(self, X: Floats) -> tuple[Floats, Floats]:
        """Return ``<X, h>`` and h where its absolute value is largest, for X (..., d, d)."""

    @property
    def sliders(self) -> tuple[Slider, ...]:
        """How a reader moves a vector by hand: here, through some elements."""
        return (ListSlider(),)

    def examples(self, most: int) -> Floats:
        """Return different elements to look at, (k, p), k <= most; the first changes nothing."""
        drawn = self.sample(np.random.default_rng(0), DRAWS * most)
        elements = np.concatenate([self.element(np.eye(self.d))[None], drawn])
        first = np.unique(elements, axis=0, return_index=True)[1]
        return np.asarray(elements[np.sort(first)[:most]])

    def polar(self, X: Floats) -> Floats:
        """Return ``max_h |<X, h>|`` for X (..., d, d)."""
        return np.abs(self.match(X)[0])

    def bound(self, X: Floats) -> Floats:
        """Return a number, at least `polar`, for X (..., d, d), quickly.

        Here it is ``sqrt(d) ||X||``, for orthogonal matrices have the norm sqrt(d).
        """
        return np.asarray(np.sqrt(self.d * np.einsum("...ij,...ij->...", X, X)))

    def describe(self, element: Floats) -> dict[str, NDArray[Any]]:
        """Return columns of a table that say what elements (k, p) do: here, their parameters."""
        kind = np.intp if self.counted else np.float64
        return {name: element[:, k].astype(kind) for k, name in enumerate(self.parameters)}

    def in_words(self, element: Floats) -> str:
        """Say what one element (p,) does."""
        return parameters_in_words(element)

    def contains(self, element: Floats) -> bool:
        """Tell whether numbers (..., p) are elements: here, if their matrices are orthogonal."""
        if not np.isfinite(element).all():
            return False
        matrix = self.matrix(element)
        return bool(np.all(np.abs(matrix @ matrix.swapaxes(-1, -2) - np.eye(self.d)) < ORTHOGONAL))

    def compose(self, left: Floats, right: Floats) -> Floats:
        """Return the elements whose matrices are the products."""
        return self.element(self.matrix(left) @ self.matrix(right))

    def inverse(self, element: Floats) -> Floats:
        """Return the inverse elements."""
        return self.element(self.matrix(element).swapaxes(-1, -2))

    def move(self, element: Floats, by: Floats) -> Floats:
        """Return ``exp(sum_a by_a X_a) h`` for amounts (..., D)."""
        if len(self.generators) == 0:
            return element
        return self.element(exponential(by, self.generators) @ self.matrix(element))

    def add_tangents(self, B: Blocks, out: Blocks) -> None:
        """Add ``X_a B`` for all generators, of blocks (..., F, d, m), to out (..., D, F, d, m)."""
        for a, i, k in zip(*np.nonzero(self.generators), strict=True):  # few: quicker than products
            out[..., a, :, i, :] += self.generators[a, i, k] * B[..., k, :]


def turns(d: int) -> Floats:
    """Return the generators ``E_ki - E_ik`` of turns in all coordinate planes i < k."""
    i, k = np.triu_indices(d, 1)
    generators = np.zeros((len(i), d, d))
    generators[np.arange(len(i)), k, i] = 1.0
    generators[np.arange(len(i)), i, k] = -1.0
    return generators


def exponential(by: Floats, generators: Floats) -> Floats:
    """Return ``exp(sum_a by_a X_a)``, (..., D) to (..., d, d).

    In up to three dimensions a sum S is a turn by ``angle = |S| / sqrt(2)`` about one axis, and
    ``exp(S) = I + sin(angle) / angle S + (1 - cos(angle)) / angle^2 S^2`` (Rodrigues).
    """
    S = np.tensordot(by, generators, 1)
    if S.shape[-1] > 3:
        return np.asarray(expm(S))
    turns = np.sqrt(0.5 * np.sum(S**2, axis=(-1, -2), keepdims=True)) / (2 * np.pi)
    square = 0.5 * np.sinc(turns) ** 2 * (S @ S)
    return np.asarray(np.eye(S.shape[-1]) + np.sinc(2 * turns) * S + square)
