"""What sliding needs of its atoms where entries are missing: inner products of masked signals.

With ``u_k = M a_{j_k}(. - t_k)``, its derivatives in t_k and ``r = y - sum_k c_k u_k``,

    G = <u_k, u_l>,   <u_k', u_l>,   <u_k', u_l'>,   eta = <u_k, r>,   <u_k', r>,   <u_k'', r>.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import fft
from scipy.special import factorial

from orbitdl.groups.base import Blocks, Floats
from orbitdl.groups.signals.time_shift import TimeShift
from orbitdl.kernels import internal
from orbitdl.kernels.linear_algebra import dot

ORDER, DENSITY = 8, 16
"""Taylor coefficients kept, and expansion points per sample: the remainder is below 1e-12."""


class Signals(NamedTuple):
    """Components as functions of time.

    Attributes
    ----------
    length : float
        Samples N of a period.
    channels : int
    taylor : ndarray of shape (q, DENSITY, ORDER, 2 N channels)
        Taylor coefficients at ``t + phase / DENSITY`` for two periods of t.
    bend : ndarray of shape (q,)
        ``||a_j'||^2``.
    """

    length: float
    channels: int
    taylor: Floats
    bend: Floats


class MaskedSignals(NamedTuple):
    """A sample of which entries are missing.

    Attributes
    ----------
    y, observed : ndarray of shape (entries,)
    tables : Signals
    energy : float
        ``||y||^2``.
    moved : ndarray of shape (3, capacity, entries)
        Scratch: the atoms on the observed entries, with two derivatives.
    residual : ndarray of shape (entries,)
        Scratch.
    """

    y: Floats
    observed: Floats
    tables: Signals
    energy: float
    moved: Floats
    residual: Floats


def tabulate(representation: TimeShift, A: Blocks) -> Signals:
    """Tabulate the components A (q, F, 1, channels)."""
    N, size = representation.length, DENSITY * representation.length
    omega = 2 * np.pi * np.arange(A.shape[1]) / N
    p = np.arange(ORDER)[:, None]
    factors = (1j * omega) ** p / factorial(p) / np.sqrt(representation.metric) * (size / N)
    spectrum = A[:, None, :, 0] * factors[:, :, None]
    fine = fft.irfft(spectrum, n=size, axis=2).reshape(len(A), ORDER, N, DENSITY, -1)
    period = fine.transpose(0, 3, 1, 2, 4).reshape(len(A), DENSITY, ORDER, -1)
    taylor = np.ascontiguousarray(np.concatenate([period, period], axis=-1))  # one kernel for all
    bend = np.sum(omega[:, None, None] ** 2 * np.abs(A) ** 2, axis=(1, 2, 3))
    return Signals(float(N), A.shape[3], taylor, bend)


@internal
def move_component(tables, j, shift, observed, out, k):  # type: ignore[no-untyped-def]
    """Fill ``out[:, k]`` with the moved component on the observed entries, and derivatives."""
    density, size = tables.taylor.shape[1], out.shape[2]
    place = int(np.floor((tables.length - shift) * density + 0.5))
    x = tables.length - shift - place / density
    whole = place // density
    rows, first = tables.taylor[j, place - whole * density], (whole * tables.channels) % size
    a0, a1, a2, a3 = rows[0, first:], rows[1, first:], rows[2, first:], rows[3, first:]
    a4, a5, a6, a7 = rows[4, first:], rows[5, first:], rows[6, first:], rows[7, first:]
    u, slope, bend = out[0, k], out[1, k], out[2, k]
    for t in range(size):
        b2, b3, b4, b5, b6, b7 = a2[t], a3[t] * x, a4[t], a5[t] * x, a6[t], a7[t] * x
        high = ((b7 + b6) * x * x + b5 + b4) * x * x
        u[t] = observed[t] * (((high + b3 + b2) * x + a1[t]) * x + a0[t])
        first_order = ((7 * b7 + 6 * b6) * x * x + 5 * b5 + 4 * b4) * x * x + 3 * b3 + 2 * b2
        slope[t] = -observed[t] * (first_order * x + a1[t])
        second = ((42 * b7 + 30 * b6) * x * x + 20 * b5 + 12 * b4) * x * x + 6 * b3 + 2 * b2
        bend[t] = observed[t] * second


@internal
def look_at_signals(st, count, oracle):  # type: ignore[no-untyped-def]
    """Compute b, G and eta of all atoms, with the signs that `refresh` gives them."""
    tables, signals, residual = oracle.tables, oracle.moved, oracle.residual
    for t in range(len(residual)):
        residual[t] = oracle.y[t]
    for k in range(count):
        move_component(tables, st.component[k], st.shift[k], oracle.observed, signals, k)
        st.b[0, k] = dot(signals[0, k], oracle.y)
        for r in range(k + 1):
            g = dot(signals[0, k], signals[0, r])
            st.gram[0, k, r], st.gram[0, r, k] = g, g
            st.gram[1, k, r] = -dot(signals[1, k], signals[0, r])
            st.gram[1, r, k] = -dot(signals[1, r], signals[0, k])
            g = -dot(signals[1, k], signals[1, r])
            st.gram[2, k, r], st.gram[2, r, k] = g, g
        for t in range(len(residual)):
            residual[t] -= st.c[k] * signals[0, k, t]
    for k in range(count):
        for p in range(3):
            st.eta[p, k] = dot(signals[p, k], residual)
