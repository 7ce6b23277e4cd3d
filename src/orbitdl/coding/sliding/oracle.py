"""Oracles: inner products and certificate of the atoms of one sample.

An oracle has the energy ``||y||^2``, the tables of components, which have a length and a bend, and
a kernel in `LOOKS` that fills b, G and eta of the atoms: `Correlations` for a complete sample, and
others that register theirs. It may also look up new atoms only (`LOOKS_FROM`), and update the
certificate at the atoms once coefficients have changed (`WEIGHS`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba.extending import overload

from orbitdl.arrays.blocks import Floats
from orbitdl.coding.sliding.state import certificate_at_atoms, refresh, remove
from orbitdl.coding.sliding.tables import Tables
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


class Evaluation(NamedTuple):
    """The objective, when b, G and eta of the first `n_atoms` atoms are up to date.

    Only `evaluate` and its parts return one; kernels that need an up-to-date eta take one.
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


def append_nothing(st, count, oracle):  # type: ignore[no-untyped-def]
    """Return how many atoms there are with the missing entries: there are none."""
    return count


LOOKS: dict[type, Any] = {Correlations: look_up}
LOOKS_FROM: dict[type, Any] = {Correlations: look_up_from}
WEIGHS: dict[type, Any] = {Correlations: weigh_all}
APPEND_MISSING: dict[type, Any] = {Correlations: append_nothing}


def look(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill b, G and eta of all atoms, by the kernel of the oracle."""
    LOOKS[type(oracle)](st, count, oracle)


def look_from(st, first, count, oracle):  # type: ignore[no-untyped-def]
    """Fill b and G of the atoms from `first` on; those of the others are up to date."""
    LOOKS_FROM[type(oracle)](st, first, count, oracle)


def weigh(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill eta of all atoms, whose b and G are known."""
    WEIGHS[type(oracle)](st, count, oracle)


def append_missing(st, count, oracle):  # type: ignore[no-untyped-def]
    """Append missing entries, as atoms; return how many there are then."""
    return APPEND_MISSING[type(oracle)](st, count, oracle)


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


@overload(append_missing, jit_options=INSIDE)
def append_missing_compiled(st, count, oracle):  # type: ignore[no-untyped-def]
    """Choose likewise."""
    return APPEND_MISSING[oracle.instance_class]


@internal
def evaluation_of(st, count, oracle, alpha):  # type: ignore[no-untyped-def]
    """Return the objective J of atoms whose b, G and eta are known: ``G c = b - eta``."""
    total = 0.5 * oracle.energy
    for k in range(count):
        total += alpha * abs(st.c[k]) - 0.5 * st.c[k] * (st.b[0, k] + st.eta[0, k])
    return Evaluation(count, total)


@internal
def evaluate(st, count, oracle, alpha):  # type: ignore[no-untyped-def]
    """Evaluate all atoms at their present shifts."""
    look(st, count, oracle)  # type: ignore[no-untyped-call]
    return evaluation_of(st, count, oracle, alpha)


@internal
def without(st, current, k):  # type: ignore[no-untyped-def]
    """Take out atom k, whose coefficient is zero: nothing else changes."""
    return Evaluation(remove(st, current.n_atoms, k), current.objective)
