"""Shifts of signals, and random orthogonal matrices, for simulators."""

import numpy as np
from numpy.typing import NDArray


def shift_signals(signals: NDArray[np.float64], shifts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shift rows (..., length) circularly to the right, each by its own (...) samples."""
    length = signals.shape[-1]
    turns = shifts[..., None] * np.fft.rfftfreq(length)
    return np.fft.irfft(np.exp(-2j * np.pi * turns) * np.fft.rfft(signals), length)


def draw_orthogonal(
    rng: np.random.Generator, size: tuple[int, ...], dimension: int
) -> NDArray[np.float64]:
    """Draw orthogonal matrices (*size, dimension, dimension) uniformly.

    The QR factorisation of a Gaussian matrix is uniform once R's diagonal is made positive.
    """
    Q, R = np.linalg.qr(rng.standard_normal((*size, dimension, dimension)))
    signs = np.sign(np.diagonal(R, axis1=-2, axis2=-1))
    return np.asarray(Q * signs[..., None, :])
