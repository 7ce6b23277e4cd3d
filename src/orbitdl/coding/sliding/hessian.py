"""The Newton direction of the sliding coder.

With atoms ``(j_k, t_k, c_k)`` of sign s_k and the certificate ``eta_j(t) = <r, a_j moved by t>``,

    J(c, t) = 1/2 ||y||^2 - sum_k c_k b_k + 1/2 sum_kl c_k c_l G_kl + alpha sum_k |c_k|

has, in the variables c_k and ``u_k = c_k dt_k``, the gradient ``(alpha s - eta, -eta')`` and the
Hessian ``[[G, G'], [G'^T, -G'']] + diag(0, -eta''/c)``.
"""

from __future__ import annotations

from orbitdl.kernels import ZERO, internal
from orbitdl.kernels.linear_algebra import cholesky, solve_factored

PUSH = 2.0
"""Curvature added per slope of the certificate: with it alone an atom moves by ``eta' / (2 eta')``,
half a cell, however flat the certificate is; the wave it lies in is one cell long."""
TINY = 1e-12
"""Curvature that every shift has, relative to that of its component: far below what decides a step,
and enough that a component which does not change under shifts, or hardly, can be factored."""
INDEFINITE = 1e-13
"""A pivot this small beside its diagonal is rounding, or negative: no descent is promised."""
SLIGHTEST, STRONGEST = 1e-8, 1e8
"""Damping tried first where the matrix is not positive, and last; tenfold each time. The first is
noticed by nobody, the last leaves a short step along the gradient."""


@internal
def fill_hessian(st, H, count, tables, damping):  # type: ignore[no-untyped-def]
    """Write the lower half of the Hessian; curvature from eta acts as a trust region.

    Where an atom lies in a valley of the certificate, ``-eta''/c`` is negative. It is left out:
    with it the matrix is often indefinite, and has to be factored once more.
    """
    for k in range(count):
        for r in range(k + 1):
            H[k, r] = st.gram[0, k, r]
            H[count + k, count + r] = -st.gram[2, k, r]
        for r in range(count):
            H[count + k, r] = -st.gram[1, k, r]
        own = -st.eta[2, k] / st.c[k]
        push = PUSH * abs(st.eta[1, k] / st.c[k])
        tiny = TINY * max(tables.bend[st.component[k]], st.gram[0, k, k] / tables.length**2)
        H[count + k, count + k] += max(own, push) + tiny + 1e-300  # a component may be zero
        H[k, k] *= 1.0 + damping
        H[count + k, count + k] *= 1.0 + damping


@internal
def newton_direction(st, count, tables, alpha):  # type: ignore[no-untyped-def]
    """Fill `step` with the Newton direction, damped as far as need be."""
    n, H, factor, x = 2 * count, st.hessian, st.factor, st.step
    done, damping = count < 0, 0.0  # not yet
    while not done and damping < STRONGEST:
        fill_hessian(st, H, count, tables, damping)
        done = cholesky(H, factor, ZERO, n, 0.0, INDEFINITE)
        damping = max(10.0 * damping, SLIGHTEST)
    for k in range(count):
        x[k] = st.eta[0, k] - alpha * st.sign[k]
        x[count + k] = st.eta[1, k]
    solve_factored(factor, n, x)
