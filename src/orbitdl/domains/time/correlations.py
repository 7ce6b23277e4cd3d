"""Correlations of a recording with waveforms at all real shifts, by FFT.

With ``e_j[m] = sum_n <r[m + n], u_j[n]>`` the inner product with a waveform at m + d is

    eta_j(m + d) = <r, a_j(. - m - d)> = sum_{i=-1..2} w_i(d) e_j[m + i],

a cubic on every cell, whose maximum has a closed form.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from orbitdl.arrays.blocks import Floats
from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.waveforms import BEYOND, Waveforms
from orbitdl.kernels import fast, internal

BLOCK, SHORTEST = 8, 512
"""Length of a transformed block in waveform lengths, and its minimum in samples."""


def correlations(signal: Floats, waveforms: Waveforms) -> Floats:
    """Return e (q, T + W - 1 + 12) of a signal (T, channels), at positions ``m + offset``.

    Overlap-add: blocks are transformed once for all waveforms, and channels are summed before the
    inverse transform.
    """
    (n, channels), width = signal.shape, waveforms.length
    size = fft.next_fast_len(max(BLOCK * width, SHORTEST), real=True)
    step = size - width + 1
    count = -(-n // step)
    padded = np.empty((channels, count * step))
    padded[:, :n], padded[:, n:] = signal.T, 0.0
    blocks = fft.rfft(padded.reshape(channels, count, step), size, axis=2)
    shapes = fft.rfft(waveforms.u[:, ::-1].transpose(0, 2, 1), size, axis=2)
    e = np.empty((len(waveforms), n + width - 1 + 2 * BEYOND))
    e[:, :BEYOND], e[:, -BEYOND:] = 0.0, 0.0
    for row, shape in zip(e, shapes, strict=True):
        parts = fft.irfft(np.einsum("cbf,cf->bf", blocks, shape), size, axis=1)
        total = np.empty((count + 1, step))
        total[:-1], total[-1] = parts[:, :step], 0.0
        total[1:, : width - 1] += parts[:, step:]
        row[BEYOND:-BEYOND] = total.ravel()[: n + width - 1]
    return e


def positions_of(samples: int, waveforms: Waveforms) -> tuple[int, int]:
    """Return the half-open interval of positions of correlations with `samples` samples.

    Positions count from the first sample; atoms may extend beyond either end.
    """
    first = -waveforms.offset
    return first, first + samples + waveforms.length - 1 + 2 * BEYOND


def residual_of(
    x: Floats, observed: NDArray[np.bool_], waveforms: Waveforms, atoms: Atoms
) -> Floats:
    """Return x (n, channels) minus atoms, zero where not observed."""
    fitted = waveforms.add_up(len(x), atoms.component, atoms.time, atoms.coefficient)
    return np.where(observed[:, None], x - fitted, 0.0)


def largest_correlation(
    e: Floats,
    first: int = 1,
    last: int | None = None,
    *,
    positive: bool = False,
    integer_shifts: bool = False,
) -> float:
    """Return ``max_{j, tau} |eta_j(tau)|``, for e as returned by `correlations`.

    Over positions in ``[first, last)``, all by default; of ``eta_j`` itself if coefficients must be
    positive, and at integer positions if times are integers.
    """
    end = e.shape[1] - 2
    return float(
        largest_value(
            e, max(first, 1), min(end if last is None else last, end), positive, integer_shifts
        )
    )


@internal
def cubic_of(e0, e1, e2, e3):  # type: ignore[no-untyped-def]
    """Return the coefficients of eta on a cell, ``p0 + p1 d + p2 d^2 + p3 d^3``."""
    p0 = (e0 + 4.0 * e1 + e2) / 6.0
    p1 = 0.5 * (e2 - e0)
    p2 = 0.5 * (e0 - 2.0 * e1 + e2)
    p3 = (e3 - 3.0 * e2 + 3.0 * e1 - e0) / 6.0
    return p0, p1, p2, p3


@internal
def stationary(p1, p2, p3):  # type: ignore[no-untyped-def]
    """Return the zeros of ``p1 + 2 p2 d + 3 p3 d^2`` in [0, 1), -1 for each that is missing."""
    a, b, c = 3.0 * p3, 2.0 * p2, p1
    square = b * b - 4.0 * a * c
    if square < 0.0:
        return -1.0, -1.0
    # the numerically stable formula, without cancellation
    t = -0.5 * (b + np.sqrt(square)) if b > 0.0 else -0.5 * (b - np.sqrt(square))
    one = t / a if a != 0.0 else -1.0
    two = c / t if t != 0.0 else -1.0
    return (one if 0.0 <= one < 1.0 else -1.0), (two if 0.0 <= two < 1.0 else -1.0)


@internal
def on_samples(row, m):  # type: ignore[no-untyped-def]
    """Return eta at an integer position."""
    return (row[m - 1] + 4.0 * row[m] + row[m + 1]) / 6.0


@internal
def value_at(d, p0, p1, p2, p3, positive):  # type: ignore[no-untyped-def]
    """Return a cubic at d, or its absolute value; 0 for d < 0."""
    if d < 0.0:
        return 0.0
    value = p0 + d * (p1 + d * (p2 + d * p3))
    return value if positive else abs(value)


@fast
def largest_value(e, first, last, positive, integer_shifts):  # type: ignore[no-untyped-def]
    """Return the largest value of eta; cells with small taps are skipped."""
    top = 0.0
    for j in range(e.shape[0]):
        row = e[j]
        for m in range(first, last):
            bound = max(
                max(abs(row[m - 1]), abs(row[m])), max(abs(row[m + 1]), abs(row[m + 2]))
            )  # the weights are positive and add up to one
            if bound <= top:
                continue
            p0, p1, p2, p3 = cubic_of(row[m - 1], row[m], row[m + 1], row[m + 2])
            top = max(top, value_at(0.0, p0, p1, p2, p3, positive))
            if not integer_shifts:
                one, two = stationary(p1, p2, p3)
                top = max(top, value_at(one, p0, p1, p2, p3, positive))
                top = max(top, value_at(two, p0, p1, p2, p3, positive))
    return top
