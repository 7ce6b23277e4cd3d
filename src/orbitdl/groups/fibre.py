"""Groups of matrices that act on vectors: alone, or on every sample of a signal of vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy.linalg import expm

from orbitdl.groups.blocks import Floats
from orbitdl.groups.presentation import ListSlider, Slider, parameters_in_words


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
        What may be done to a component: the end of a sentence that starts with "It may be".
    """

    moves: str

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
    def slider(self) -> Slider:
        """How a reader moves a vector by hand: here, through some elements."""
        return ListSlider()

    def in_words(self, element: Floats) -> str:
        """Say what one element (p,) does."""
        return parameters_in_words(element)

    def polar(self, X: Floats) -> Floats:
        """Return ``max_h |<X, h>|`` for X (..., d, d)."""
        return np.abs(self.match(X)[0])

    def contains(self, element: Floats) -> bool:
        """Tell whether numbers (..., p) may be elements: here, if they are finite."""
        return bool(np.isfinite(element).all())

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


def turns(d: int) -> Floats:
    """Return the generators ``E_ki - E_ik`` of turns in all coordinate planes i < k."""
    i, k = np.triu_indices(d, 1)
    generators = np.zeros((len(i), d, d))
    generators[np.arange(len(i)), k, i] = 1.0
    generators[np.arange(len(i)), i, k] = -1.0
    return generators


def exponential(by: Floats, generators: Floats) -> Floats:
    """Return ``exp(sum_a by_a X_a)``, (..., D) to (..., d, d)."""
    return np.asarray(expm(np.tensordot(by, generators, 1)))
