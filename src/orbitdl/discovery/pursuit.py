"""Matching pursuit of waveforms at integer samples, with a threshold that depends on position.

With ``eta_j(t) = <r[t : t + L], a_j>`` an atom is inserted where

    eta_j(t)^2 > theta_j sigma(t)^2 + M_j(t),      the largest of all components within 2 L.

Its coefficient c and its lag s, at most half a sample, are those of the parabola through the
correlations at t - 1, t and t + 1. The waveform later by s is ``a - s a' + s^2 / 2 a''``, with
central differences, and its correlations with others are the same combination of their table G:

    eta_l(t + d) -= c (G_jl - s G_jl' + s^2 / 2 G_jl'')(d),      G_jl(d) = <a_j, a_l(. - d)>,
    M_l(t + d) += weight c^2 V_jl(d),

the squared correlations that the misfit of an event causes. Without the lag this misfit would
mostly be that of the fraction of a sample, and hide weaker events nearby.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy import fft

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.kernels import fast, internal

ROUNDS = 16
"""Maximum rounds of insertion; each inserts the maximum correlation within two waveform lengths."""
SINGLE = np.float32
"""Type of recordings and correlations."""
LATEST = 0.499
"""Maximum lag of an atom from its integer sample, so that rounding its time gives that sample."""
BLOCK, SHORTEST = 8, 512
"""Size of a transformed block in waveform lengths, and its minimum in samples."""


@dataclass(frozen=True, eq=False)
class Pursued:
    """Atoms near integer samples, each array of shape (K,).

    Attributes
    ----------
    component : ndarray of int
    sample : ndarray of int
        The first sample of each, in the padded recording.
    c : ndarray
        Coefficients.
    lag : ndarray
        How much later than at its integer sample each begins, in samples, at most a half.
    """

    component: Integers
    sample: Integers
    c: Floats
    lag: Floats

    @classmethod
    def at_samples(cls, component: Integers, sample: Integers, c: Floats) -> Pursued:
        """Return atoms at integer samples."""
        return cls(component, sample, c, np.zeros(len(c)))

    def __len__(self) -> int:
        return len(self.c)

    def take(self, which: Any) -> Pursued:
        """Return a subset."""
        return Pursued(self.component[which], self.sample[which], self.c[which], self.lag[which])

    def larger_within(self, reach: int, factor: float = 1.0) -> NDArray[np.bool_]:
        """Return whether an atom within `reach` samples is more than `factor` times as large."""
        return largest_near(self, self.sample, reach) > factor * np.abs(self.c)

    def isolated(self, reach: int) -> NDArray[np.bool_]:
        """Return whether each atom has no other within `reach` samples."""
        order = np.argsort(self.sample, kind="stable")
        gap = np.diff(self.sample[order], prepend=-np.inf, append=np.inf)
        alone = np.empty(len(self), dtype=bool)
        alone[order] = np.minimum(gap[:-1], gap[1:]) > reach
        return alone


def largest_near(atoms: Pursued, at: Integers, reach: int) -> Floats:
    """Return the largest |c| of the atoms within `reach` of each of some samples, 0 if none is."""
    order = np.argsort(atoms.sample, kind="stable")
    sample, size = atoms.sample[order], np.abs(atoms.c[order])
    first, last = np.searchsorted(sample, at - reach), np.searchsorted(sample, at + reach, "right")
    spans = np.stack([first, last], axis=1).reshape(-1)
    most = np.maximum.reduceat(np.append(size, 0.0), spans)[::2] if len(spans) else np.zeros(0)
    return np.where(first < last, most, 0.0)


class Spectrum:
    """Blocks of a signal (P, channels), transformed once for all waveforms of one length."""

    def __init__(self, y: Floats, length: int) -> None:
        samples, channels = y.shape
        self.size = fft.next_fast_len(max(BLOCK * length, SHORTEST), real=True)
        self.step, self.positions = self.size - length + 1, samples - length + 1
        count = -(-self.positions // self.step)
        padded = np.zeros((channels, (count - 1) * self.step + self.size), dtype=SINGLE)
        padded[:, :samples] = y.T
        views = sliding_window_view(padded, self.size, axis=1)[:, :: self.step]
        self.blocks: NDArray[np.complex64] = fft.rfft(views, axis=2)

    def correlate(self, A: Floats) -> Floats:
        """Return ``<y[t : t + L], a_j>`` for waveforms (q, L, channels), (q, P - L + 1)."""
        shapes = fft.rfft(A.transpose(0, 2, 1).astype(SINGLE), self.size, axis=2).conj()
        out = np.empty((len(A), self.positions), dtype=SINGLE)
        for row, shape in zip(out, shapes, strict=True):
            parts = fft.irfft(np.einsum("cbf,cf->bf", self.blocks, shape), self.size, axis=1)
            row[:] = parts[:, : self.step].reshape(-1)[: self.positions]
        return out


def gram_of(A: Floats) -> Floats:
    """Return ``sum_n <a_j[n], a_l[n - d]>`` at ``[j, l, d + L - 1]``."""
    length = A.shape[1]
    size = fft.next_fast_len(2 * length - 1, real=True)
    spectra = fft.rfft(A, size, axis=1)
    lags = fft.irfft(np.einsum("jfc,lfc->jlf", spectra, spectra.conj()), size, axis=2)
    both = lags[:, :, size - length + 1 :], lags[:, :, :length]
    return np.ascontiguousarray(np.concatenate(both, axis=2))


def pursue(
    eta: Floats, A: Floats, V: Floats, theta: Floats, sigma: Floats, weight: float, *, signed: bool
) -> tuple[Pursued, Floats]:
    """Insert atoms; `eta` (q, positions) becomes the correlations with the residual.

    Returns the atoms and the misfit M (q, positions).
    """
    (q, n), length = eta.shape, A.shape[1]
    M, most = np.zeros_like(eta), max(n // 2, 16)
    component, sample = np.empty(most, np.int64), np.empty(most, np.int64)
    c, lag = np.empty(most), np.empty(most)
    top, arg, picks = np.zeros(n, SINGLE), np.zeros(n, np.int32), np.empty(n // length + 2, int)
    found = (component, sample, c, lag)
    tables = (values.astype(SINGLE) for values in (gram_of(A), V, theta, sigma**2))
    count = insert_atoms(
        eta, *tables, weight, 2 * length, signed, M, top, arg, picks, found
    ) if q else 0  # fmt: skip
    return Pursued(*(values[:count].copy() for values in found)), M


def upside_down(eta: Floats, M: Floats, theta: Floats, sigma: Floats, least: Floats) -> Floats:
    """Return ``-eta / sigma`` where a decoy exceeds its threshold and `least` (q,), 0 elsewhere."""
    out = np.empty_like(eta)
    list_decoys(eta, M, theta, sigma, least, out)
    return out


def peaks_apart(values: Floats, reach: int) -> Integers:
    """Return the positions of positive values that are the largest within `reach`."""
    out = np.empty(len(values) // max(reach, 1) + 2, np.int64)
    return out[: list_peaks(np.ascontiguousarray(values), max(reach, 1), out)].copy()


@internal
def refresh_largest(eta, M, theta, sigma2, first, last, top, arg, signed):  # type: ignore[no-untyped-def]
    """Note, from `first` up to `last`, the largest eta that exceeds its threshold."""
    best, which, square = top[first:last], arg[first:last], sigma2[first:last]
    best[:] = 0.0
    for j in range(eta.shape[0]):  # without a branch within: many samples at once
        row, misfit = eta[j, first:last], M[j, first:last]
        for t in range(best.shape[0]):
            v = abs(row[t]) if signed else row[t]
            is_larger = (v > best[t]) & (v * v > theta[j] * square[t] + misfit[t])
            best[t] = v if is_larger else best[t]
            which[t] = j if is_larger else which[t]


@internal
def find_peaks(top, reach, out):  # type: ignore[no-untyped-def]
    """List the positions whose value is positive and the largest within `reach`; return how many.

    First one candidate per run of positions that follow each other within `reach`, then those that
    no larger value is near.
    """
    n, count, last, high = top.shape[0], 0, -1, 0.0
    for t in range(n):
        v = top[t]
        if v <= 0.0:
            continue
        if last >= 0 and t - last > reach:
            out[count] = last
            count += 1
            last, high = t, v
        elif v > high:
            last, high = t, v
    if last >= 0:
        out[count] = last
        count += 1
    selected = 0
    for k in range(count):
        t, is_top = out[k], True
        for s in range(max(t - reach, 0), min(t + reach + 1, n)):
            if top[s] > top[t]:
                is_top = False
                break
        if is_top:
            out[selected] = t
            selected += 1
    return selected


@fast
def list_peaks(top, reach, out):  # type: ignore[no-untyped-def]
    """List the positions of positive values that are the largest within `reach`."""
    return find_peaks(top, reach, out)


@fast
def list_decoys(eta, M, theta, sigma, least, out):  # type: ignore[no-untyped-def]
    """Note ``-eta / sigma`` where it exceeds its threshold, 0 elsewhere."""
    for j in range(eta.shape[0]):
        row, misfit, to = eta[j], M[j], out[j]
        for t in range(row.shape[0]):
            v, s = -row[t], sigma[t]
            is_above = (v > least[j]) & (v * v > theta[j] * s * s + misfit[t])
            to[t] = v / s if is_above else 0.0


def put_back(eta: Floats, atoms: Pursued, A: Floats) -> None:
    """Add to correlations eta (q, positions) those of atoms that were subtracted."""
    add_lagged_tables(eta, gram_of(A), atoms.component, atoms.sample, atoms.c, atoms.lag)


def subtract(residual: Floats, atoms: Pursued, A: Floats) -> None:
    """Subtract atoms of waveforms A (q, L, channels) from a padded recording (P, channels)."""
    add_shifted_waveforms(atoms.component, atoms.sample, -atoms.c, atoms.lag, A, residual)


@internal
def add_table(rows, tables, t, factor):  # type: ignore[no-untyped-def]
    """Add a multiple of tables (q, 2 R + 1), centred at t, to rows (q, n)."""
    reach = tables.shape[1] // 2
    first, last = max(t - reach, 0), min(t + reach + 1, rows.shape[1])
    for l in range(rows.shape[0]):  # noqa: E741
        row, table = rows[l, first:last], tables[l, first - t + reach :]
        for s in range(row.shape[0]):
            row[s] += factor * table[s]


@internal
def shift_taps(factor, lag):  # type: ignore[no-untyped-def]
    """Return the weights of the samples before, at and after, of a table or waveform that lags."""
    bent = 0.5 * factor * lag * lag
    slope = 0.5 * factor * lag
    return bent + slope, factor - 2.0 * bent, bent - slope


@internal
def add_lagged_table(rows, tables, t, factor, lag):  # type: ignore[no-untyped-def]
    """Add a multiple of tables (q, 2 R + 1), centred at ``t + lag``, to rows (q, n)."""
    before, here, after = shift_taps(factor, lag)
    n, begin, end = rows.shape[1], t - tables.shape[1] // 2, t + tables.shape[1] // 2
    first, last = max(begin + 1, 0), min(end, n)  # where a table has samples on both sides
    for l in range(rows.shape[0]):  # noqa: E741
        table, row = tables[l], rows[l]
        there, left = row[first:last], table[first - begin - 1 :]
        middle, right = table[first - begin :], table[first - begin + 1 :]
        for s in range(there.shape[0]):
            there[s] += before * left[s] + here * middle[s] + after * right[s]
        if begin >= 1:
            row[begin - 1] += after * table[0]
        if begin >= 0:
            row[begin] += here * table[0] + after * table[1]
        if end < n:
            row[end] += before * table[-2] + here * table[-1]
        if end + 1 < n:
            row[end + 1] += before * table[-1]


@fast
def add_tables(rows, tables, component, sample, factor):  # type: ignore[no-untyped-def]
    """Add multiples of the tables (q, q, 2 R + 1) of any components to rows (q, n)."""
    for k in range(sample.shape[0]):
        add_table(rows, tables[component[k]], sample[k], factor[k])


@fast
def add_lagged_tables(rows, tables, component, sample, factor, lag):  # type: ignore[no-untyped-def]
    """Do the same with fractional lags."""
    for k in range(sample.shape[0]):
        add_lagged_table(rows, tables[component[k]], sample[k], factor[k], lag[k])


@internal
def peak_near(row, t):  # type: ignore[no-untyped-def]
    """Return value and lag of the extremum of the parabola through a row at t and next to it."""
    value = row[t]
    if t == 0 or t == row.shape[0] - 1:
        return value, 0.0
    slope, bend = 0.5 * (row[t + 1] - row[t - 1]), row[t + 1] - 2.0 * value + row[t - 1]
    if bend * value >= 0.0:
        return value, 0.0
    lag = min(max(-slope / bend, -LATEST), LATEST)
    return value + 0.5 * slope * lag, lag


@fast
def insert_atoms(  # type: ignore[no-untyped-def]
    eta, gram, V, theta, sigma2, weight, reach, signed, M, top, arg, picks, atoms
):
    """Insert atoms round by round, all those of a round far from each other; return how many."""
    component, sample, c, lag = atoms
    n, count = eta.shape[1], 0
    wide = max(gram.shape[2], V.shape[2]) // 2 + 2
    refresh_largest(eta, M, theta, sigma2, 0, n, top, arg, signed)
    for _ in range(ROUNDS):
        found = find_peaks(top, reach, picks)
        if found == 0 or count + found > component.shape[0]:
            break
        for k in range(found):
            t = picks[k]
            j = arg[t]
            value, late = peak_near(eta[j], t)
            component[count], sample[count], c[count], lag[count] = j, t, value, late
            count += 1
            add_lagged_table(eta, gram[j], t, -value, late)
            add_table(M, V[j], t, weight * value * value)
        for k in range(found):
            first, last = max(picks[k] - wide, 0), min(picks[k] + wide, n)
            refresh_largest(eta, M, theta, sigma2, first, last, top, arg, signed)
    return count


@internal
def add_segment(begin, c, a, out):  # type: ignore[no-untyped-def]
    """Add a multiple of a waveform (L, channels) to a signal (P, channels), unless it is zero."""
    if c == 0.0:
        return
    values, there = a.reshape(-1), out[begin : begin + a.shape[0]].reshape(-1)
    for n in range(values.shape[0]):
        there[n] += c * values[n]


@fast
def add_shifted_waveforms(component, sample, c, lag, A, out):  # type: ignore[no-untyped-def]
    """Add ``c_k a_{j_k}``, shifted by a fraction of a sample, to a signal."""
    for k in range(sample.shape[0]):
        a = A[component[k]]
        before, here, after = shift_taps(c[k], lag[k])
        add_segment(sample[k] + 1, before, a, out)
        add_segment(sample[k], here, a, out)
        add_segment(sample[k] - 1, after, a, out)
