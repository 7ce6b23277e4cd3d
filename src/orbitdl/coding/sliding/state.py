"""The atoms of one sample, with their inner products.

An atom k is component j_k shifted by t_k, with coefficient c_k of sign s_k. Stored with it are
``b_k``, the Gram matrix ``G`` and the certificate ``eta_k``, each with two derivatives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.coding.sliding.tables import ORDER, gram_at
from orbitdl.groups.maxima.polynomials import expand, horner
from orbitdl.kernels import inner_loop, internal
from orbitdl.kernels.records import shared


@shared
class AtomState(NamedTuple):
    """The atoms of one sample, and workspace; `capacity` atoms at most.

    Attributes
    ----------
    component, shift, c, sign : ndarray of shape (capacity,)
        The atoms.
    centre : ndarray of shape (capacity,)
        The shift around which ``b`` is expanded; infinite: none yet.
    expansion : ndarray of shape (capacity, 8)
        Taylor coefficients of ``b`` there.
    b, eta : ndarray of shape (3, capacity)
        With two derivatives.
    gram : ndarray of shape (3, capacity, capacity)
    hessian, factor : ndarray of shape (2 capacity, 2 capacity)
        Workspace: a matrix, and its Cholesky factor.
    step : ndarray of shape (2 capacity,)
        Workspace: of coefficients, then of coefficient times shift.
    other_shift, other_c, other_sign : ndarray of shape (capacity,)
        Workspace: another point than the present one, where a step began or the lasso is.
    ids : ndarray of shape (capacity,)
        Workspace: atoms that are selected.
    rotated : ndarray of shape (2, F)
        Workspace: real and imaginary parts of ``C_f exp(i f theta)``.
    """

    component: Integers
    shift: Floats
    c: Floats
    sign: Floats
    centre: Floats
    expansion: Floats
    b: Floats
    gram: Floats
    eta: Floats
    hessian: Floats
    factor: Floats
    step: Floats
    other_shift: Floats
    other_c: Floats
    other_sign: Floats
    ids: Integers
    rotated: Floats


def make_state(capacity: int, width: int, behind: int = 0) -> AtomState:
    """Allocate the state of one thread; `width` is the padded number of frequencies.

    So many missing entries fit behind the atoms (`orbitdl.coding.sliding.missing`).
    """
    k, listed = capacity, capacity + behind
    return AtomState(
        component=np.zeros(listed, dtype=np.int64),
        shift=np.zeros(listed),
        c=np.zeros(listed),
        sign=np.zeros(k),
        centre=np.zeros(k),
        expansion=np.zeros((k, ORDER)),
        b=np.zeros((3, k)),
        gram=np.zeros((3, k, k)),
        eta=np.zeros((3, listed)),
        hessian=np.zeros((2 * k, 2 * k)),
        factor=np.zeros((2 * k, 2 * k)),
        step=np.zeros(2 * k),
        other_shift=np.zeros(k),
        other_c=np.zeros(k),
        other_sign=np.zeros(k),
        ids=np.zeros(k, dtype=np.int64),
        rotated=np.zeros((2, width)),
    )


@internal
def append_atom(st, count, component, shift, c, sign):  # type: ignore[no-untyped-def]
    """Add an atom at the end; return the new count."""
    st.component[count], st.shift[count] = component, shift
    st.c[count], st.sign[count] = c, sign
    st.centre[count] = np.inf
    return count + 1


@internal
def select_atoms(st, n_left):  # type: ignore[no-untyped-def]
    """Select the atoms ``ids[:n_left]``, in ascending order, with all their inner products."""
    for r in range(n_left):
        source = st.ids[r]
        if source == r:
            continue
        st.component[r], st.shift[r] = st.component[source], st.shift[source]
        st.c[r], st.sign[r] = st.c[source], st.sign[source]
        st.centre[r] = st.centre[source]
        for p in range(ORDER):
            st.expansion[r, p] = st.expansion[source, p]
        for p in range(3):
            st.b[p, r], st.eta[p, r] = st.b[p, source], st.eta[p, source]
    for p in range(3):
        for r in range(n_left):
            for k in range(n_left):
                st.gram[p, r, k] = st.gram[p, st.ids[r], st.ids[k]]
    return n_left


@internal
def remove(st, count, k):  # type: ignore[no-untyped-def]
    """Remove atom k; return the new count."""
    for r in range(count - 1):
        st.ids[r] = r + (r >= k)
    return select_atoms(st, count - 1)


@inner_loop
def refresh(st, first, count, C, tables):  # type: ignore[no-untyped-def]
    """Look up b and G, with derivatives, of the atoms from `first` on at their present shifts."""
    for k in range(first, count):
        if not abs(st.shift[k] - st.centre[k]) <= tables.radius:
            st.centre[k] = st.shift[k]
            angle = 2.0 * np.pi * st.shift[k] / tables.length
            expand(
                C[st.component[k]], tables.derivative, angle,
                st.rotated[0], st.rotated[1], st.expansion[k],
            )  # fmt: skip
        values = horner(st.expansion[k], st.shift[k] - st.centre[k])
        st.b[0, k], st.b[1, k], st.b[2, k] = values
        j = st.component[k]
        st.gram[0, k, k], st.gram[1, k, k] = tables.taylor[j, j, 0, 0], 0.0
        st.gram[2, k, k] = -tables.curvature[j]
        for r in range(k):
            apart = st.shift[k] - st.shift[r]
            g, g1, g2 = gram_at(tables, st.component[r], j, apart)
            st.gram[0, r, k], st.gram[0, k, r] = g, g
            st.gram[1, r, k], st.gram[1, k, r] = g1, -g1
            st.gram[2, r, k], st.gram[2, k, r] = g2, g2


@internal
def certificate_at_atoms(st, count):  # type: ignore[no-untyped-def]
    """Fill eta, eta', eta'' at every atom."""
    for k in range(count):
        eta, slope, curvature = st.b[0, k], st.b[1, k], st.b[2, k]
        for r in range(count):
            eta -= st.c[r] * st.gram[0, k, r]
            slope += st.c[r] * st.gram[1, k, r]  # G'_rk = -G'_kr
            curvature -= st.c[r] * st.gram[2, k, r]
        st.eta[0, k], st.eta[1, k], st.eta[2, k] = eta, slope, curvature
