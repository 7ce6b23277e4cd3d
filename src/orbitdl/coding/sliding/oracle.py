"""What there is to ask about the atoms of one sample, whatever knows the answer.

An oracle has the energy ``||y||^2``, the tables of components, which have a length and a bend, and
a kernel in `LOOKS` that fills b, G and eta of the atoms at work: `Correlations` looks them up for a
whole sample, `MaskedSignals` takes inner products of signals where entries are missing.
"""

from __future__ import annotations

from typing import NamedTuple

from numba.extending import overload

from orbitdl.coding.sliding.signals import MaskedSignals, look_at_signals
from orbitdl.coding.sliding.state import ZERO, certificate_at_atoms, refresh, remove
from orbitdl.coding.sliding.tables import Tables
from orbitdl.compiled import INSIDE, internal
from orbitdl.groups.base import Floats


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


@internal
def look_up(st, count, oracle):  # type: ignore[no-untyped-def]
    """Find b, G and eta of all atoms at their present shifts, in tables."""
    refresh(st, ZERO, count, oracle.C, oracle.tables)
    certificate_at_atoms(st, count)


LOOKS = {Correlations: look_up, MaskedSignals: look_at_signals}


def look(st, count, oracle):  # type: ignore[no-untyped-def]
    """Fill b, G and eta of all atoms, by the kernel of the oracle."""
    LOOKS[type(oracle)](st, count, oracle)


@overload(look, jit_options=INSIDE)
def look_compiled(st, count, oracle):  # type: ignore[no-untyped-def]
    """Choose the kernel when the types are known: at no cost in the loops."""
    kernel = LOOKS[oracle.instance_class]

    def chosen(st, count, oracle):  # type: ignore[no-untyped-def]
        kernel(st, count, oracle)

    return chosen


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
