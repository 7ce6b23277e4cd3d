"""Reduction of a position-dependent penalty to a constant one.

With known signs s_k and the excess ``x_j = alpha (p_j - 1)`` of a penalty field p,

    alpha p_j(tau_k) |c_k| - c_k b_k = alpha |c_k| - c_k (b_k - s_k x_j(tau_k)).

So b and eta with ``s_k x_j`` subtracted are those of a problem with the constant penalty alpha.
"""

from __future__ import annotations

from numba import types
from numba.extending import overload

from orbitdl.domains.time.splines import weighted
from orbitdl.kernels import INSIDE


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
