"""The oracle of samples with missing entries, from the tables of complete ones.

Missing entries are atoms without penalty (`orbitdl.coding.missing_entries`): unit vectors e_m,
tabulated with the components. With atoms u_k, their derivatives in t_k, and their values at the
missing entries, ``f_m = sum_k c_k u_k(m)`` and ``g_m = sum_k c_k u_k'(m)``,

    <M u_k, M u_l> = G - sum_m u_k(m) u_l(m),     and likewise with derivatives,
    <M u_k'', r> = b'' - sum_l c_l <M u_k'', M u_l>
                 = b'' + sum_l c_l <M u_k', M u_l'> + sum_m (u_k''(m) f_m + u_k'(m) g_m).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.coding.missing_entries import MissingEntries, missing_entries, unit_vectors
from orbitdl.coding.problem import Problem
from orbitdl.coding.sliding.oracle import (
    APPEND_MISSING,
    LOOKS,
    LOOKS_FROM,
    WEIGHS,
    Correlations,
)
from orbitdl.coding.sliding.state import certificate_at_atoms, refresh
from orbitdl.coding.sliding.tables import Tables, build_tables
from orbitdl.groups.finite_representation import translated_entries
from orbitdl.groups.maxima.polynomials import horner
from orbitdl.groups.signals.time_shift import TimeShift
from orbitdl.kernels import INSIDE, ZERO, internal


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
    source, position : ndarray of shape (U,)
        Which unit vector is shifted to a missing entry, and how far.
    owner : ndarray of shape (2, capacity)
        Workspace: component and shift of the atoms that `values` belong to.
    values : ndarray of shape (3, capacity, most)
        Workspace: values of atoms at the missing entries, with two derivatives.
    sums : ndarray of shape (2, most)
        Workspace: f and g.
    """

    C: Floats
    tables: Tables
    energy: float
    source: Integers
    position: Integers
    owner: Floats
    values: Floats
    sums: Floats


class MissingWorkspace(NamedTuple):
    """The missing entries of some samples, and the workspace of `MaskedCorrelations`."""

    offsets: Integers
    source: Integers
    position: Integers
    owner: Floats
    values: Floats
    sums: Floats


def missing_workspace(missing: MissingEntries, capacity: int) -> MissingWorkspace:
    """Allocate the workspace of one thread, for so many atoms."""
    most = missing.most
    return MissingWorkspace(
        *missing, np.zeros((2, capacity)), np.zeros((3, capacity, most)), np.zeros((2, most))
    )  # fmt: skip


def missing_in_time(representation: TimeShift, problem: Problem) -> MissingEntries:
    """List the missing entries as shifted unit vectors, which are tabulated after components."""
    assert problem.masked is not None
    _, channel, time = translated_entries(representation.shape, representation.length)
    return missing_entries(problem.masked.observed, len(problem.A) + channel, time)


def tabulate_with_entries(representation: TimeShift, A: Blocks, density: float) -> Tables:
    """Tabulate the components A (q, F, 1, channels) and unit vectors at time zero."""
    channels = A.shape[3]
    units = representation.analyze(unit_vectors(np.arange(channels), representation.shape))
    return build_tables(A, representation.length, density, units)


@internal
def look_up_observed(st, first, count, oracle):  # type: ignore[no-untyped-def]
    """Find b and G of the atoms from `first` on at their present shifts; the others stand."""
    drop_removed_atoms(st, first, oracle)
    refresh(st, first, count, oracle.C, oracle.tables)
    for k in range(first, count):
        look_up_missing_values(st, k, oracle)
        for r in range(k + 1):
            subtract_missing_products(st, k, r, oracle)


@internal
def drop_removed_atoms(st, count, oracle):  # type: ignore[no-untyped-def]
    """Drop the values of removed atoms; the others are in the order they had."""
    component, shift = oracle.owner[0], oracle.owner[1]
    p, last = 0, oracle.owner.shape[1] - 1
    for k in range(count):
        while p < last and (component[p] != st.component[k] or shift[p] != st.shift[k]):
            p += 1
        if p > k:
            component[k], shift[k] = component[p], shift[p]
            for d in range(3):
                for m in range(oracle.position.shape[0]):
                    oracle.values[d, k, m] = oracle.values[d, p, m]
        p += 1


@internal
def look_up_missing_values(st, k, oracle):  # type: ignore[no-untyped-def]
    """Look up atom k at the missing entries, with two derivatives.

    These lie integer numbers of samples apart: it is equally far from an expansion point at all.
    """
    j, shift, tables = st.component[k], st.shift[k], oracle.tables
    oracle.owner[0, k], oracle.owner[1, k] = j, shift
    u, slope, second = oracle.values[0, k], oracle.values[1, k], oracle.values[2, k]
    point, size = int(shift * tables.density + 0.5), tables.taylor.shape[2]
    x = shift - point / tables.density
    point, per_sample = point * tables.stride, int(tables.density) * tables.stride
    for m in range(oracle.position.shape[0]):
        index = point - oracle.position[m] * per_sample
        index += size * (index < 0) - size * (index >= size)
        row = tables.taylor[oracle.source[m], j, index]
        u[m], slope[m], second[m] = horner(row, x)


@internal
def subtract_missing_products(st, k, r, oracle):  # type: ignore[no-untyped-def]
    """Subtract missing entries from the inner products of two atoms."""
    u_k, slope_k = oracle.values[0, k], oracle.values[1, k]
    u_r, slope_r = oracle.values[0, r], oracle.values[1, r]
    both, k_slope, r_slope, slopes = 0.0, 0.0, 0.0, 0.0
    for m in range(oracle.position.shape[0]):
        both += u_k[m] * u_r[m]
        k_slope += slope_k[m] * u_r[m]
        r_slope += u_k[m] * slope_r[m]
        slopes += slope_k[m] * slope_r[m]
    st.gram[0, k, r] -= both
    st.gram[1, k, r] += k_slope
    st.gram[2, k, r] += slopes
    if r < k:
        st.gram[0, r, k] -= both
        st.gram[1, r, k] += r_slope
        st.gram[2, r, k] += slopes


@internal
def weigh_observed(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill eta, eta', eta'' at every atom, for the present coefficients."""
    drop_removed_atoms(st, count, oracle)
    certificate_at_atoms(st, count)
    f, g = oracle.sums[0], oracle.sums[1]
    for m in range(oracle.position.shape[0]):
        f[m], g[m] = 0.0, 0.0
    for k in range(count):
        for m in range(oracle.position.shape[0]):
            f[m] += st.c[k] * oracle.values[0, k, m]
            g[m] += st.c[k] * oracle.values[1, k, m]
    for k in range(count):
        total = 0.0
        for m in range(oracle.position.shape[0]):
            total += oracle.values[2, k, m] * f[m] + oracle.values[1, k, m] * g[m]
        st.eta[2, k] += total


@internal
def look_up_all_observed(st, count, oracle):  # type: ignore[no-untyped-def]
    """Find b, G and eta of all atoms at their present shifts."""
    look_up_observed(st, ZERO, count, oracle)
    weigh_observed(st, count, oracle)


@internal
def append_missing_entries(st, count, oracle):  # type: ignore[no-untyped-def]
    """Append the missing entries to the atoms, as atoms; return how many there are.

    Their coefficients are those that the last look has found, and their eta is zero.
    """
    for m in range(oracle.position.shape[0]):
        k = count + m
        st.component[k], st.shift[k], st.c[k] = (
            oracle.source[m],
            oracle.position[m],
            -oracle.sums[0, m],
        )
        for d in range(3):
            st.eta[d, k] = 0.0
    return count + oracle.position.shape[0]


def look_up_observed_from(st, first, count, oracle):  # type: ignore[no-untyped-def]
    """Find b and G of the atoms from `first` on, where entries are missing."""
    look_up_observed(st, first, count, oracle)


def weigh_observed_from(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill eta at every atom, where entries are missing."""
    weigh_observed(st, count, oracle)


def append_behind(st, count, oracle):  # type: ignore[no-untyped-def]
    """Append the missing entries to the atoms; return how many there are then."""
    return append_missing_entries(st, count, oracle)


LOOKS[MaskedCorrelations] = look_up_all_observed
LOOKS_FROM[MaskedCorrelations] = look_up_observed_from
WEIGHS[MaskedCorrelations] = weigh_observed_from
APPEND_MISSING[MaskedCorrelations] = append_behind


def complete_oracle(C, tables, energy, missing, i):  # type: ignore[no-untyped-def]
    """Return the oracle of a sample without missing entries."""
    return Correlations(C, tables, energy)


def masked_oracle(C, tables, energy, missing, i):  # type: ignore[no-untyped-def]
    """Return the oracle of sample i, of which `missing` are missing."""
    own = slice(missing.offsets[i], missing.offsets[i + 1])
    return MaskedCorrelations(
        C, tables, energy,
        missing.source[own], missing.position[own], missing.owner, missing.values, missing.sums,
    )  # fmt: skip


def oracle_for(C, tables, energy, missing, i):  # type: ignore[no-untyped-def]
    """Return the oracle of sample i; `missing` is a `MissingWorkspace`, or None."""
    make = complete_oracle if missing is None else masked_oracle
    return make(C, tables, energy, missing, i)  # type: ignore[no-untyped-call]


@overload(oracle_for, jit_options=INSIDE)
def oracle_for_compiled(C, tables, energy, missing, i):  # type: ignore[no-untyped-def]
    """Choose which one when the types are known."""
    return complete_oracle if isinstance(missing, types.NoneType) else masked_oracle
