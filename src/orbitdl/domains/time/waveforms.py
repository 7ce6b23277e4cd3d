"""Waveforms, and their inner products at all integer lags."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.domains.time.splines import (
    TAPS,
    coefficients_of,
    fill_weights,
    four_weights,
    norms_of,
    samples_of,
)
from orbitdl.kernels import allocating, fast, internal

MARGIN = 8
"""Lags stored beyond the overlap of two waveforms, for the taps of both."""
BEYOND = 6
"""Positions stored beyond the overlap of a waveform and a recording, for taps and a Newton step."""


@dataclass(frozen=True, eq=False)
class Waveforms:
    """Cubic splines of compact support, ``a_j(t) = sum_n u_j[n] B(t - n)``.

    Attributes
    ----------
    u : ndarray of shape (q, W, channels)
        Coefficients.

    Notes
    -----
    Norms are L2 norms of functions of time. The norm of the samples varies with the fractional
    shift: by less than 1e-4 for smooth waveforms, 2 % for white coefficients and 7 % for white
    samples. Codes are optimal for the penalty on coefficients of functions of unit norm, which
    slightly favours integer times; events are refitted without the penalty.
    """

    u: Floats

    @classmethod
    def through(cls, samples: Floats) -> Waveforms:
        """Return the splines that interpolate samples (q, W, channels), scaled to unit norm."""
        return cls(coefficients_of(samples)).unit()

    def __len__(self) -> int:
        return len(self.u)

    @property
    def length(self) -> int:
        """Coefficients W of a waveform."""
        return int(self.u.shape[1])

    @property
    def offset(self) -> int:
        """Position of time 0; positions are non-negative.

        At time 0 a waveform begins with the recording; it overlaps the recording from ``-(W + 1)``.
        """
        return self.length - 1 + BEYOND

    def unit(self) -> Waveforms:
        """Scale every waveform to unit norm; zero waveforms stay zero."""
        norms = norms_of(self.u)
        return Waveforms(self.u / np.where(norms > 0, norms, 1.0)[:, None, None])

    def samples(self) -> Floats:
        """Return ``a_j(n)``, n = 0 .. W-1, shape (q, W, channels)."""
        return samples_of(self.u)

    @cached_property
    def products(self) -> Floats:
        """``sum_n u_j[n] u_l[n + s]`` at ``[j, l, s + W - 1 + MARGIN]``, three axes.

        Padded with zeros, so that waveforms without overlap need no special case.
        """
        q, width, margin = len(self), self.length, MARGIN
        size = fft.next_fast_len(2 * width - 1, real=True)
        spectra = fft.rfft(self.u, size, axis=1)
        both = np.einsum("jfc,lfc->jlf", spectra.conj(), spectra)
        lags = fft.irfft(both, size, axis=2)
        table = np.zeros((q, q, 2 * width - 1 + 2 * margin))
        table[:, :, margin : margin + width - 1] = lags[:, :, size - width + 1 :]
        table[:, :, margin + width - 1 : -margin] = lags[:, :, :width]
        return table

    def add_up(
        self, n_samples: int, component: Integers, time: Floats, coefficient: Floats
    ) -> Floats:
        """Return ``sum_k c_k a_{j_k}(t - tau_k)`` at samples t = 0 .. T-1, (T, channels)."""
        total = np.zeros((n_samples, self.u.shape[2]))
        position = np.asarray(time, dtype=np.float64) + self.offset
        add_waveforms(component, position, coefficient, self.u, self.offset, total)
        return total


def reached(flags: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    """Return which places (n + width - 1,) have one of the flags (n,) among the last `width`."""
    total = np.pad(np.cumsum(np.pad(flags, (0, width - 1))), (width, 0))
    return np.asarray(total[width:] > total[:-width])


@internal
def add_waveform(j, position, c, u, offset, out):  # type: ignore[no-untyped-def]
    """Add c times a waveform at a position to the samples in its support."""
    m, (_, width, channels) = int(position), u.shape
    w, shape, flat = four_weights(position - m), u[j].reshape(-1), out.reshape(-1)
    for i in range(TAPS):
        start = m + i - 1 - offset  # the sample of its first coefficient
        first, last = max(-start, 0) * channels, min(width, out.shape[0] - start) * channels
        if first < last:
            begin = start * channels
            add_multiple(c * w[i], shape[first:last], flat[begin + first : begin + last])


@internal
def add_multiple(factor, source, out):  # type: ignore[no-untyped-def]
    """Add a multiple of a row to another; non-negative indices let the compiler vectorise."""
    for k in range(out.shape[0]):
        out[k] += factor * source[k]


@internal
def add_products(table, m, w, c, first, out):  # type: ignore[no-untyped-def]
    """Add c times the products with an atom at m to those at positions from `first` on."""
    width = (table.shape[0] + 1) // 2 - MARGIN
    begin, end = max(m - width, first), min(m + width + 2, first + out.shape[0])
    if begin >= end:
        return
    count, s = end - begin, width - 1 + MARGIN + begin - m
    row, one, two = out[begin - first : end - first], table[s + 1 :], table[s:]
    three, four = table[s - 1 :], table[s - 2 :]
    a, b, d, f = c * w[0], c * w[1], c * w[2], c * w[3]
    for p in range(count):
        row[p] += a * one[p] + b * two[p] + d * three[p] + f * four[p]


@fast
def add_waveforms(component, position, c, u, offset, out):  # type: ignore[no-untyped-def]
    """Add all atoms."""
    for k in range(position.shape[0]):
        add_waveform(component[k], position[k], c[k], u, offset, out)


@allocating
def fill_signals(component, time, u, order, out):  # type: ignore[no-untyped-def]
    """Fill out (K, W + 3, channels) with the samples of every atom, from ``floor(time) - 1`` on.

    Or of its time derivative of order 1 or 2.
    """
    weights = np.empty((3, 4))
    for k in range(time.shape[0]):
        fill_weights(time[k] - np.floor(time[k]), weights)
        w = weights[order]
        for i in range(4):
            for n in range(u.shape[1]):
                for ch in range(u.shape[2]):
                    out[k, i + n, ch] += w[i] * u[component[k], n, ch]
