"""What there is to ask about the atoms of one sample, whatever knows the answer.

An oracle has the energy ``||y||^2``, the tables of components, which have a length and a bend, and
a kernel in `LOOKS` that fills b, G and eta of the atoms at work: `Correlations` looks them up for a
whole sample, `MaskedCorrelations` where entries are missing, and `MaskedSignals` takes inner
products of signals there. Those that look up can also look at new atoms only (`LOOKS_FROM`), and
say how high the certificate is at the atoms once coefficients have changed (`WEIGHS`).
"""

from __future__ import annotations

from typing import NamedTuple

from numba import types
from numba.extending import overload

from orbitdl.coding.sliding.missing import (
    MaskedCorrelations,
    look_at_all_past_missing,
    look_past_missing,
    put_missing_behind,
    weigh_past_missing,
)
from orbitdl.coding.sliding.state import certificate_at_atoms, refresh, remove
from orbitdl.coding.sliding.tables import Tables
from orbitdl.groups.base import Floats
from orbitdl.kernels import INSIDE, ZERO, internal


class Correlations(NamedTuple):
    """A sample without missing entries.

    Attributes
    ----------
    C : ndarray of shape (q, 2, F)
        Real and imaginary parts of ``b``, a trigonometric polynomial.
    tables : Tables
    energy : float
    """

    C: Floats
    tables: Tables
    energy: float


class Seen(NamedTuple):
    """Says that b, G and eta of the first `n_atoms` atoms are those of where they are now.

    Only `see` and what it is made of return one; whoever needs a fresh eta takes one.
    """

    n_atoms: int
    objective: float


def look_up_from(st, first, count, oracle):  # type: ignore[no-untyped-def]
    """Find b and G of the atoms from `first` on at their present shifts, in tables."""
    refresh(st, first, count, oracle.C, oracle.tables)


def weigh_all(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill eta at every atom, for the present coefficients."""
    certificate_at_atoms(st, count)


@internal
def look_up(st, count, oracle):  # type: ignore[no-untyped-def]
    """Find b, G and eta of all atoms at their present shifts, in tables."""
    refresh(st, ZERO, count, oracle.C, oracle.tables)
    certificate_at_atoms(st, count)


def nothing_behind(st, count, oracle):  # type: ignore[no-untyped-def]
    """Return how many atoms there are with the missing entries: there are none."""
    return count


def look_past_from(st, first, count, oracle):  # type: ignore[no-untyped-def]
    """Find b and G of the atoms from `first` on, where entries are missing."""
    look_past_missing(st, first, count, oracle)


def weigh_past(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill eta at every atom, where entries are missing."""
    weigh_past_missing(st, count, oracle)


def missing_behind(st, count, oracle):  # type: ignore[no-untyped-def]
    """Put the missing entries behind the atoms; return how many there are then."""
    return put_missing_behind(st, count, oracle)


LOOKS = {
    Correlations: look_up,
    MaskedCorrelations: look_at_all_past_missing,
}
LOOKS_FROM = {Correlations: look_up_from, MaskedCorrelations: look_past_from}
WEIGHS = {Correlations: weigh_all, MaskedCorrelations: weigh_past}
BEHIND = {Correlations: nothing_behind, MaskedCorrelations: missing_behind}


def look(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill b, G and eta of all atoms, by the kernel of the oracle."""
    LOOKS[type(oracle)](st, count, oracle)


def look_from(st, first, count, oracle):  # type: ignore[no-untyped-def]
    """Fill b and G of the atoms from `first` on; what is known of the others is kept."""
    LOOKS_FROM[type(oracle)](st, first, count, oracle)  # type: ignore[no-untyped-call]


def weigh(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill eta of all atoms, whose b and G are known."""
    WEIGHS[type(oracle)](st, count, oracle)  # type: ignore[no-untyped-call]


def put_behind(st, count, oracle):  # type: ignore[no-untyped-def]
    """Put missing entries, as atoms, behind the others; return how many there are then."""
    return BEHIND[type(oracle)](st, count, oracle)  # type: ignore[no-untyped-call]


@overload(look, jit_options=INSIDE)
def look_compiled(st, count, oracle):  # type: ignore[no-untyped-def]
    """Choose the kernel when the types are known: at no cost in the loops."""
    kernel = LOOKS[oracle.instance_class]

    def chosen(st, count, oracle):  # type: ignore[no-untyped-def]
        kernel(st, count, oracle)

    return chosen


@overload(look_from, jit_options=INSIDE)
def look_from_compiled(st, first, count, oracle):  # type: ignore[no-untyped-def]
    """Choose likewise; what is chosen is compiled with its caller."""
    return LOOKS_FROM[oracle.instance_class]


@overload(weigh, jit_options=INSIDE)
def weigh_compiled(st, count, oracle):  # type: ignore[no-untyped-def]
    """Choose likewise."""
    return WEIGHS[oracle.instance_class]


@overload(put_behind, jit_options=INSIDE)
def put_behind_compiled(st, count, oracle):  # type: ignore[no-untyped-def]
    """Choose likewise."""
    return BEHIND[oracle.instance_class]


def whole_oracle(C, tables, energy, missing, i):  # type: ignore[no-untyped-def]
    """Return the oracle of a sample without missing entries."""
    return Correlations(C, tables, energy)


def masked_oracle(C, tables, energy, missing, i):  # type: ignore[no-untyped-def]
    """Return the oracle of sample i, of which `missing` are missing."""
    own = slice(missing.offsets[i], missing.offsets[i + 1])
    return MaskedCorrelations(
        C, tables, energy,
        missing.source[own], missing.place[own], missing.owner, missing.values, missing.sums,
    )  # fmt: skip


def oracle_for(C, tables, energy, missing, i):  # type: ignore[no-untyped-def]
    """Return the oracle of sample i; `missing` is the `MissingRoom` of all samples, or None."""
    make = whole_oracle if missing is None else masked_oracle
    return make(C, tables, energy, missing, i)  # type: ignore[no-untyped-call]


@overload(oracle_for, jit_options=INSIDE)
def oracle_for_compiled(C, tables, energy, missing, i):  # type: ignore[no-untyped-def]
    """Choose which one when the types are known."""
    return whole_oracle if isinstance(missing, types.NoneType) else masked_oracle


@internal
def measured(st, count, oracle, alpha):  # type: ignore[no-untyped-def]
    """Return the objective J of atoms whose b, G and eta are known: ``G c = b - eta``."""
    total = 0.5 * oracle.energy
    for k in range(count):
        total += alpha * abs(st.c[k]) - 0.5 * st.c[k] * (st.b[0, k] + st.eta[0, k])
    return Seen(count, total)


@internal
def see(st, count, oracle, alpha):  # type: ignore[no-untyped-def]
    """Look at all atoms where they are now."""
    look(st, count, oracle)  # type: ignore[no-untyped-call]
    return measured(st, count, oracle, alpha)


@internal
def without(st, seen, k):  # type: ignore[no-untyped-def]
    """Take out atom k, whose coefficient is zero: nothing else changes."""
    return Seen(remove(st, seen.n_atoms, k), seen.objective)
