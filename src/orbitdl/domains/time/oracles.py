"""Oracles of the local solve: correlations and Gram matrix of the atoms of a window.

Positions are offset by `Waveforms.offset`, so that all of them are positive. `CompleteOracle` uses
tables only: correlations ``e`` with the signal that the atoms are to explain, and products of
coefficients at integer lags. `TruncatedOracle` is for windows at the ends of a recording and next
to missing samples, where atoms are truncated: the products at unobserved samples are subtracted,

    <a_k, a_r>_observed = <a_k, a_r> - sum over unobserved samples s of a_k(s) a_r(s),

while correlations with the data, which are zero there, need no correction.

A position-dependent penalty is reduced to a constant one. With known signs s_k and the excess
``x_j = alpha (p_j - 1)`` of a penalty field p,

    alpha p_j(tau_k) |c_k| - c_k b_k = alpha |c_k| - c_k (b_k - s_k x_j(tau_k)).

So b and eta with ``s_k x_j`` subtracted are those of a problem with the constant penalty alpha.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.coding.sliding.oracle import LOOKS
from orbitdl.domains.time.splines import fill_weights, weighted
from orbitdl.domains.time.waveforms import MARGIN
from orbitdl.kernels import INSIDE, internal


def subtract_nothing(st, k, before, w, excess):  # type: ignore[no-untyped-def]
    """Subtract nothing: the penalty is constant."""


def subtract_signed(st, k, before, w, excess):  # type: ignore[no-untyped-def]
    """Subtract ``s_k x_j(tau_k)`` and its two derivatives from those of b."""
    near = excess[st.component[k], before : before + 4]
    for p in range(3):
        st.b[p, k] -= st.sign[k] * weighted(w[p], near)


def subtract_excess(st, k, before, w, excess):  # type: ignore[no-untyped-def]
    """Subtract the excess of the penalty over alpha from b of atom k; taps begin at `before`."""
    subtract = subtract_nothing if excess is None else subtract_signed
    subtract(st, k, before, w, excess)  # type: ignore[no-untyped-call]


@overload(subtract_excess, jit_options=INSIDE)
def subtract_excess_compiled(st, k, before, w, excess):  # type: ignore[no-untyped-def]
    """Choose at compile time: a constant penalty has no cost."""
    return subtract_nothing if isinstance(excess, types.NoneType) else subtract_signed


ENDLESS = 1e12
"""Period of the time axis in the solver for circles: larger than any position."""


class WaveformTables(NamedTuple):
    """Waveforms in the form used by kernels.

    Attributes
    ----------
    length : float
        Period of the time axis (`ENDLESS`).
    curvature : ndarray of shape (q,)
        ``||a_j'||^2``.
    u : ndarray of shape (q, W, channels)
    products : ndarray of shape (q, q, 2 W - 1 + 2 MARGIN)
    positive : bool
        Whether coefficients must be positive.
    integer_shifts : bool
        Whether times are integers.
    """

    length: float
    curvature: Floats
    u: Floats
    products: Floats
    positive: bool
    integer_shifts: bool


class CompleteOracle(NamedTuple):
    """A window whose atoms are completely observed.

    Attributes
    ----------
    e : ndarray of shape (q, places)
        Correlations with the residual without the window's own atoms.
    tables : Shapes
    energy : float
        ``||y||^2`` of that residual, or an upper bound.
    first, last : float
        Admissible positions.
    weights : ndarray of shape (capacity, 3, 4)
        Workspace.
    excess : ndarray of shape (q, places) or None
        Taps of ``alpha (p_j - 1)``; None: the penalty is constant.
    """

    e: Floats
    tables: WaveformTables
    energy: float
    first: float
    last: float
    weights: Floats
    excess: Floats | None


class TruncatedOracle(NamedTuple):
    """A window with atoms truncated at an end or a gap.

    Attributes
    ----------
    e, tables, energy, first, last, weights, excess
        As in `CompleteOracle`.
    missing : ndarray of shape (n,)
        Positions of the unobserved samples that its atoms cover, ascending.
    ranges : ndarray of shape (capacity, 2)
        Workspace: half-open range of them that each atom covers.
    values : ndarray of shape (3, capacity, n, channels)
        Workspace: the atoms there, with two derivatives.
    """

    e: Floats
    tables: WaveformTables
    energy: float
    first: float
    last: float
    weights: Floats
    excess: Floats | None
    missing: Integers
    ranges: Integers
    values: Floats


@internal
def prepare_atoms(st, count, oracle):  # type: ignore[no-untyped-def]
    """Clip positions, and fill the weights of atoms; derivatives are zero for integer times."""
    for k in range(count):
        st.shift[k] = min(max(st.shift[k], oracle.first), oracle.last)
        fill_weights(st.shift[k] - np.floor(st.shift[k]), oracle.weights[k])
        if oracle.tables.integer_shifts:
            oracle.weights[k, 1:] = 0.0


@internal
def tap_sums(table, at, w):  # type: ignore[no-untyped-def]
    """Return ``sum_k w_k table[at + i - k]``, i = 0 .. 3."""
    t = table[at - 3 : at + 4]
    return (
        w[0] * t[3] + w[1] * t[2] + w[2] * t[1] + w[3] * t[0],
        w[0] * t[4] + w[1] * t[3] + w[2] * t[2] + w[3] * t[1],
        w[0] * t[5] + w[1] * t[4] + w[2] * t[3] + w[3] * t[2],
        w[0] * t[6] + w[1] * t[5] + w[2] * t[4] + w[3] * t[3],
    )


@internal
def product_of(table, centre, apart, v, w):  # type: ignore[no-untyped-def]
    """Return ``sum_{i,k} v_i w_k table[apart + i - k]``."""
    return weighted(v, tap_sums(table, centre + apart, w))


@internal
def look_up_on_line(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill b, G and eta of all atoms from tables, with the signs set by `refresh`."""
    prepare_atoms(st, count, oracle)
    weights, e = oracle.weights, oracle.e
    for k in range(count):
        row, before = e[st.component[k]], int(st.shift[k]) - 1
        near = row[before : before + 4]
        for p in range(3):
            st.b[p, k] = weighted(weights[k, p], near)
        subtract_excess(st, k, before, weights[k], oracle.excess)  # type: ignore[no-untyped-call]
        for p in range(3):
            st.eta[p, k] = st.b[p, k]
        for r in range(k + 1):
            look_up_pair(st, k, r, oracle)


@internal
def look_up_pair(st, k, r, oracle):  # type: ignore[no-untyped-def]
    """Fill G of two atoms, and subtract their contributions to each other's eta.

    All entries are ``v^T T w`` with the taps of either, or their derivatives; ``T w`` is computed
    once.
    """
    shapes, v, w = oracle.tables, oracle.weights[k], oracle.weights[r]
    apart, width = int(st.shift[k]) - int(st.shift[r]), shapes.u.shape[1]
    if abs(apart) > width + 2:
        for p in range(3):
            st.gram[p, k, r], st.gram[p, r, k] = 0.0, 0.0
        return
    table, at = shapes.products[st.component[k], st.component[r]], width - 1 + MARGIN + apart
    value, first, second = (
        tap_sums(table, at, w[0]),
        tap_sums(table, at, w[1]),
        tap_sums(table, at, w[2]),
    )
    g, slope, cross = weighted(v[0], value), weighted(v[1], value), weighted(v[1], first)
    st.gram[0, k, r], st.gram[1, k, r], st.gram[2, k, r] = g, -slope, -cross
    st.eta[0, k] -= st.c[r] * g
    st.eta[1, k] -= st.c[r] * slope
    st.eta[2, k] -= st.c[r] * weighted(v[2], value)
    if k == r:
        return
    slope = weighted(v[0], first)
    st.gram[0, r, k], st.gram[1, r, k], st.gram[2, r, k] = g, -slope, -cross
    st.eta[0, r] -= st.c[k] * g
    st.eta[1, r] -= st.c[k] * slope
    st.eta[2, r] -= st.c[k] * weighted(v[0], second)


@internal
def look_up_truncated(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill the same for truncated atoms."""
    look_up_on_line(st, count, oracle)
    for k in range(count):
        evaluate_missing(st.component[k], int(st.shift[k]), oracle, k)
        for r in range(k + 1):
            subtract_missing(st, k, r, oracle)


@internal
def first_at(missing, position):  # type: ignore[no-untyped-def]
    """Return the number of ascending positions before a given one (bisection)."""
    low, high = 0, missing.shape[0]
    while low < high:
        middle = (low + high) // 2
        if missing[middle] < position:
            low = middle + 1
        else:
            high = middle
    return low


@internal
def evaluate_missing(j, m, oracle, k):  # type: ignore[no-untyped-def]
    """Fill ranges and values of atom k: waveform j at the integer position m with its weights."""
    u, out, w, missing = oracle.tables.u, oracle.values, oracle.weights[k], oracle.missing
    _, width, channels = u.shape
    begin, end = first_at(missing, m - 1), first_at(missing, m + width + 2)
    oracle.ranges[k, 0], oracle.ranges[k, 1] = begin, end
    for s in range(begin, end):
        for p in range(3):
            for ch in range(channels):
                total = 0.0
                for i in range(4):
                    n = missing[s] - m - (i - 1)
                    if 0 <= n < width:
                        total += w[p, i] * u[j, n, ch]
                out[p, k, s, ch] = total


@internal
def subtract_missing(st, k, r, oracle):  # type: ignore[no-untyped-def]
    """Subtract from G, and add to eta, the products of two atoms at unobserved samples."""
    v, ranges = oracle.values, oracle.ranges
    begin, end = max(ranges[k, 0], ranges[r, 0]), min(ranges[k, 1], ranges[r, 1])
    if begin >= end:
        return
    a, b = v[:, k, begin:end], v[:, r, begin:end]
    g, cross = dot_of(a[0], b[0]), dot_of(a[1], b[1])
    subtract_products(st, k, r, g, dot_of(a[1], b[0]), cross, dot_of(a[2], b[0]))
    if k != r:
        subtract_products(st, r, k, g, dot_of(a[0], b[1]), cross, dot_of(a[0], b[2]))


@internal
def subtract_products(st, k, r, g, slope, cross, curvature):  # type: ignore[no-untyped-def]
    """Subtract ``<a_k, a_r>``, ``<a'_k, a_r>``, ``<a'_k, a'_r>`` and ``<a''_k, a_r>``."""
    st.gram[0, k, r] -= g
    st.gram[1, k, r] += slope
    st.gram[2, k, r] += cross
    st.eta[0, k] += st.c[r] * g
    st.eta[1, k] += st.c[r] * slope
    st.eta[2, k] += st.c[r] * curvature


@internal
def dot_of(a, b):  # type: ignore[no-untyped-def]
    """Return the inner product of two signals (n, channels)."""
    total = 0.0
    for t in range(a.shape[0]):
        for ch in range(a.shape[1]):
            total += a[t, ch] * b[t, ch]
    return total


LOOKS[CompleteOracle] = look_up_on_line
LOOKS[TruncatedOracle] = look_up_truncated
