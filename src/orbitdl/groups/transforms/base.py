"""Abstract base of transforms to block coordinates."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats


class Transform(ABC):
    """An isometry from data points of one shape to block coordinates, independent of the group.

    Attributes
    ----------
    shape : tuple of int
        Shape of one data point.
    block_shape : tuple of int
        ``(F, d, m)``: number, size and multiplicity of the blocks.
    ``dtype`` : numpy.float64 or numpy.complex128
        Of block coordinates.
    is_invertible : bool
        Whether ``T* T`` is the identity.

    Notes
    -----
    With T the transform, ``<T x, B> = <x, T* B>`` for all blocks B, and ``T* T`` is the orthogonal
    projection onto the range of T*, on which T is an isometry: ``<T x, T y> = <x, y>``.
    """

    shape: tuple[int, ...]
    block_shape: tuple[int, int, int]
    dtype: type[np.float64] | type[np.complex128] = np.float64
    is_invertible: bool = True

    @abstractmethod
    def analyze(self, x: Floats) -> Blocks:
        """Map data ``(..., *shape)`` to block coordinates (..., F, d, m)."""

    @abstractmethod
    def synthesize(self, blocks: Blocks) -> Floats:
        """Map block coordinates back: the adjoint of `analyze`, and its inverse on its range."""
