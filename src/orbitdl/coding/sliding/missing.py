"""What sliding needs of its atoms where entries are missing, from the tables of whole samples.

Missing entries are atoms that cost nothing (`orbitdl.coding.missing_entries`): unit vectors e_m,
tabulated with the components. With atoms u_k, their derivatives in t_k, and what they say of the
missing entries, ``f_m = sum_k c_k u_k(m)`` and ``g_m = sum_k c_k u_k'(m)``,

    <M u_k, M u_l> = G - sum_m u_k(m) u_l(m),     and likewise with derivatives,
    <M u_k'', r> = b'' - sum_l c_l <M u_k'', M u_l>
                 = b'' + sum_l c_l <M u_k', M u_l'> + sum_m (u_k''(m) f_m + u_k'(m) g_m).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.coding.missing_entries import Missing, missing_entries, unit_vectors
from orbitdl.coding.problem import Problem
from orbitdl.coding.sliding.state import certificate_at_atoms, refresh
from orbitdl.coding.sliding.tables import Tables, build_tables
from orbitdl.groups.base import Blocks, Floats, Integers
from orbitdl.groups.finite_representation import translated_entries
from orbitdl.groups.maxima.polynomials import horner
from orbitdl.groups.signals.time_shift import TimeShift
from orbitdl.kernels import ZERO, internal


class MaskedCorrelations(NamedTuple):
    """A sample of which entries are missing.

    Attributes
    ----------
    C : ndarray of shape (q, 2, F)
        Real and imaginary parts of ``b``, a trigonometric polynomial.
    tables : Tables
        Of components and the unit vectors at time zero, one per channel.
    energy : float
        ``||y||^2``.
    source, place : ndarray of shape (U,)
        Which unit vector is moved to a missing entry, and how far.
    owner : ndarray of shape (2, capacity)
        Scratch: component and shift of the atoms that `values` belong to.
    values : ndarray of shape (3, capacity, most)
        Scratch: what atoms say of the missing entries, with two derivatives.
    sums : ndarray of shape (2, most)
        Scratch: f and g.
    """

    C: Floats
    tables: Tables
    energy: float
    source: Integers
    place: Integers
    owner: Floats
    values: Floats
    sums: Floats


class MissingRoom(NamedTuple):
    """The missing entries of some samples (`Missing`), and scratch space (`MaskedCorrelations`)."""

    offsets: Integers
    source: Integers
    place: Integers
    owner: Floats
    values: Floats
    sums: Floats


def room_for(missing: Missing, capacity: int) -> MissingRoom:
    """Allocate the scratch space of one thread, for so many atoms."""
    most = missing.most
    return MissingRoom(
        *missing, np.zeros((2, capacity)), np.zeros((3, capacity, most)), np.zeros((2, most))
    )  # fmt: skip


def missing_in_time(representation: TimeShift, problem: Problem) -> Missing:
    """List the missing entries as moved unit vectors, which are tabulated after components."""
    assert problem.masked is not None
    _, channel, time = translated_entries(representation.shape, representation.length)
    return missing_entries(problem.masked.observed, len(problem.A) + channel, time)


def tabulate_with_entries(representation: TimeShift, A: Blocks, density: float) -> Tables:
    """Tabulate the components A (q, F, 1, channels) and unit vectors at time zero."""
    channels = A.shape[3]
    units = representation.analyze(unit_vectors(np.arange(channels), representation.shape))
    return build_tables(A, representation.length, density, units)


@internal
def look_past_missing(st, first, count, oracle):  # type: ignore[no-untyped-def]
    """Find b and G of the atoms from `first` on at their present shifts; the others stand."""
    follow_atoms(st, first, oracle)
    refresh(st, first, count, oracle.C, oracle.tables)
    for k in range(first, count):
        look_at_missing(st, k, oracle)
        for r in range(k + 1):
            subtract_missing(st, k, r, oracle)


@internal
def follow_atoms(st, count, oracle):  # type: ignore[no-untyped-def]
    """Drop the values of atoms that have left; those that stayed are in the order they had."""
    component, shift = oracle.owner[0], oracle.owner[1]
    p, last = 0, oracle.owner.shape[1] - 1
    for k in range(count):
        while p < last and (component[p] != st.component[k] or shift[p] != st.shift[k]):
            p += 1
        if p > k:
            component[k], shift[k] = component[p], shift[p]
            for d in range(3):
                for m in range(oracle.place.shape[0]):
                    oracle.values[d, k, m] = oracle.values[d, p, m]
        p += 1


@internal
def look_at_missing(st, k, oracle):  # type: ignore[no-untyped-def]
    """Look up atom k at the missing entries, with two derivatives.

    These lie whole samples apart: at all of them it is as far from the next expansion point.
    """
    j, shift, tables = st.component[k], st.shift[k], oracle.tables
    oracle.owner[0, k], oracle.owner[1, k] = j, shift
    u, slope, bend = oracle.values[0, k], oracle.values[1, k], oracle.values[2, k]
    point, size = int(shift * tables.density + 0.5), tables.taylor.shape[2]
    x = shift - point / tables.density
    point, per_sample = point * tables.stride, int(tables.density) * tables.stride
    for m in range(oracle.place.shape[0]):
        at = point - oracle.place[m] * per_sample
        at += size * (at < 0) - size * (at >= size)
        row = tables.taylor[oracle.source[m], j, at]
        u[m], slope[m], bend[m] = horner(row, x)


@internal
def subtract_missing(st, k, r, oracle):  # type: ignore[no-untyped-def]
    """Take what is missing out of the inner products of two atoms."""
    u_k, slope_k = oracle.values[0, k], oracle.values[1, k]
    u_r, slope_r = oracle.values[0, r], oracle.values[1, r]
    both, early, late, slopes = 0.0, 0.0, 0.0, 0.0
    for m in range(oracle.place.shape[0]):
        both += u_k[m] * u_r[m]
        early += slope_k[m] * u_r[m]
        late += u_k[m] * slope_r[m]
        slopes += slope_k[m] * slope_r[m]
    st.gram[0, k, r] -= both
    st.gram[1, k, r] += early
    st.gram[2, k, r] += slopes
    if r < k:
        st.gram[0, r, k] -= both
        st.gram[1, r, k] += late
        st.gram[2, r, k] += slopes


@internal
def weigh_past_missing(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill eta, eta', eta'' at every atom, for the present coefficients."""
    follow_atoms(st, count, oracle)
    certificate_at_atoms(st, count)
    f, g = oracle.sums[0], oracle.sums[1]
    for m in range(oracle.place.shape[0]):
        f[m], g[m] = 0.0, 0.0
    for k in range(count):
        for m in range(oracle.place.shape[0]):
            f[m] += st.c[k] * oracle.values[0, k, m]
            g[m] += st.c[k] * oracle.values[1, k, m]
    for k in range(count):
        total = 0.0
        for m in range(oracle.place.shape[0]):
            total += oracle.values[2, k, m] * f[m] + oracle.values[1, k, m] * g[m]
        st.eta[2, k] += total


@internal
def look_at_all_past_missing(st, count, oracle):  # type: ignore[no-untyped-def]
    """Find b, G and eta of all atoms at their present shifts."""
    look_past_missing(st, ZERO, count, oracle)
    weigh_past_missing(st, count, oracle)


@internal
def put_missing_behind(st, count, oracle):  # type: ignore[no-untyped-def]
    """Put the missing entries behind the atoms, as atoms themselves; return how many there are.

    Their coefficients are those that the last look has found, and their eta is zero.
    """
    for m in range(oracle.place.shape[0]):
        k = count + m
        st.component[k], st.shift[k], st.c[k] = (
            oracle.source[m],
            oracle.place[m],
            -oracle.sums[0, m],
        )
        for d in range(3):
            st.eta[d, k] = 0.0
    return count + oracle.place.shape[0]
