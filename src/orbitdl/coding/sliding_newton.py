"""The inner solve of the sliding coder: few atoms, coefficients and shifts together.

With atoms ``(j_k, t_k, c_k)`` of sign s_k and the certificate ``eta_j(t) = <r, a_j moved by t>``,

    J(c, t) = 1/2 ||y||^2 - sum_k c_k b_k + 1/2 sum_kl c_k c_l G_kl + alpha sum_k |c_k|

has, in the variables c_k and ``u_k = c_k dt_k``, the gradient ``(alpha s - eta, -eta')`` and the
Hessian ``[[G, G'], [G'^T, -G'']] + diag(0, -eta''/c)``. Newton's method on both.
"""

from __future__ import annotations

import numpy as np

from orbitdl.coding.sliding_state import (
    MINUS_ONE,
    ZERO,
    certificate_at_atoms,
    keep,
    refresh,
    remove,
    value,
)
from orbitdl.coding.sliding_tables import signed_distance, wrap
from orbitdl.coding.small_lasso import settle, solve_factored
from orbitdl.compiled import internal, part

LONGEST = 0.6
"""Longest move of an atom in one step, in samples."""
MERGE = 0.05
"""Atoms of one component and sign closer than this, in samples, may become one."""


@internal
def first_order_error(st, count, alpha):  # type: ignore[no-untyped-def]
    """Return how far the certificate at the atoms is from a peak of height alpha."""
    error = 0.0
    for k in range(count):
        error = max(error, abs(st.eta[0, k] - alpha * st.sign[k]))
        slope = abs(st.eta[1, k])
        error = max(error, min(0.5 * slope * slope / max(abs(st.eta[2, k]), 1e-300), 0.3 * slope))
    return error


@internal
def settle_coefficients(st, first, count, C, tables, alpha):  # type: ignore[no-untyped-def]
    """Minimise over coefficients alone; atoms from `first` on are new, those that vanish leave."""
    refresh(st, first, count, C, tables)
    return settle_known(st, count, alpha)


@internal
def settle_known(st, count, alpha):  # type: ignore[no-untyped-def]
    """Minimise over coefficients, given b and G; atoms that vanish leave. Return the new count."""
    for k in range(count):
        st.ids[k] = k
        st.trial_c[k], st.trial_sign[k] = st.c[k], st.sign[k]
        for r in range(count):
            st.hessian[k, r] = st.gram[0, k, r]
    kept = settle(
        st.b[0], alpha, count, ZERO, st.ids,
        st.trial_c, st.trial_sign, st.hessian, st.factor, st.step,
    )  # fmt: skip
    if kept < count:
        keep(st, kept)
    for k in range(kept):
        st.c[k] = st.trial_c[k]
    return kept


@internal
def fill_hessian(st, H, count, tables, saddles, damping):  # type: ignore[no-untyped-def]
    """Write the lower half of the Hessian; curvature from eta acts as a trust region."""
    for k in range(count):
        for r in range(k + 1):
            H[k, r] = st.gram[0, k, r]
            H[count + k, count + r] = -st.gram[2, k, r]
        for r in range(count):
            H[count + k, r] = -st.gram[1, k, r]
        own = -st.eta[2, k] / st.c[k]
        push = 2.0 * abs(st.eta[1, k] / st.c[k])
        low = saddles * min(own, 0.0)
        extra = max(max(own, low), low + push)
        H[count + k, count + k] += extra + 1e-12 * tables.bend[st.component[k]] + 1e-300
        H[k, k] *= 1.0 + damping
        H[count + k, count + k] *= 1.0 + damping


@internal
def cholesky(H, factor, n):  # type: ignore[no-untyped-def]
    """Factor H, with inverses on the diagonal; return False if it is not positive definite."""
    for r in range(0, n, 2):  # blocks of 2 x 2 share what they read: n is even
        one, two = factor[r], factor[r + 1]
        for s in range(0, r, 2):
            early, late = factor[s], factor[s + 1]
            a, b, c, d = H[r, s], H[r + 1, s], H[r, s + 1], H[r + 1, s + 1]
            for k in range(s):
                a -= one[k] * early[k]
                b -= two[k] * early[k]
                c -= one[k] * late[k]
                d -= two[k] * late[k]
            one[s], two[s] = a * early[s], b * early[s]
            one[s + 1] = (c - one[s] * late[s]) * late[s + 1]
            two[s + 1] = (d - two[s] * late[s]) * late[s + 1]
        a, b, c = H[r, r], H[r + 1, r], H[r + 1, r + 1]
        for k in range(r):
            a -= one[k] * one[k]
            b -= one[k] * two[k]
            c -= two[k] * two[k]
        if a <= 1e-13 * H[r, r]:
            return False
        one[r] = 1.0 / np.sqrt(a)
        two[r] = b * one[r]
        c -= two[r] * two[r]
        if c <= 1e-13 * H[r + 1, r + 1]:
            return False
        two[r + 1] = 1.0 / np.sqrt(c)
    return True


@part
def newton_direction(st, count, tables, alpha):  # type: ignore[no-untyped-def]
    """Fill `step` with the Newton direction, convexified and damped as far as need be."""
    n, H, factor, x = 2 * count, st.hessian, st.factor, st.step
    fill_hessian(st, H, count, tables, 1.0, 0.0)
    done, damping = cholesky(H, factor, n), 0.0
    while not done and damping < 1e8:
        fill_hessian(st, H, count, tables, 0.0, damping)
        done, damping = cholesky(H, factor, n), max(10.0 * damping, 1e-8)
    for k in range(count):
        x[k] = st.eta[0, k] - alpha * st.sign[k]
        x[count + k] = st.eta[1, k]
    solve_factored(factor, n, x)


@internal
def longest_step(st, count):  # type: ignore[no-untyped-def]
    """Return the length at which a sign changes or an atom moves too far, and who leaves."""
    length, leaving = 1.0, MINUS_ONE
    for k in range(count):
        move = abs(st.step[count + k] / st.c[k])
        if move * length > LONGEST:
            length, leaving = LONGEST / move, MINUS_ONE
        if (st.c[k] + length * st.step[k]) * st.sign[k] <= 0.0:
            length, leaving = -st.c[k] / st.step[k], ZERO + k
    return length, leaving


@internal
def move(st, count, length, C, tables):  # type: ignore[no-untyped-def]
    """Go `length` along the step from the saved point."""
    for k in range(count):
        st.c[k] = st.trial_c[k] + length * st.step[k]
        shift = st.trial_shift[k] + length * st.step[count + k] / st.trial_c[k]
        st.shift[k] = wrap(shift, tables.length)
    refresh(st, ZERO, count, C, tables)


@part
def joint_step(st, count, C, tables, energy, alpha, before):  # type: ignore[no-untyped-def]
    """Take one descending Newton step; return the new count and objective. Leaves eta fresh."""
    newton_direction(st, count, tables, alpha)
    length, leaving = longest_step(st, count)
    for k in range(count):
        st.trial_c[k], st.trial_shift[k] = st.c[k], st.shift[k]
    for _ in range(12):
        move(st, count, length, C, tables)
        if leaving >= 0:
            st.c[leaving] = 0.0
        certificate_at_atoms(st, count)
        after = value(st, count, energy, alpha)
        if after <= before + 1e-15 * energy:
            if leaving >= 0:
                count = remove(st, count, leaving)
            return count, after
        length, leaving = 0.5 * length, MINUS_ONE
    move(st, count, 0.0, C, tables)
    certificate_at_atoms(st, count)
    return count, before


@internal
def merge_close(st, count, C, tables, energy, alpha, allowed):  # type: ignore[no-untyped-def]
    """Join atoms of one component and sign that nearly coincide, unless it costs too much.

    Takes and leaves eta fresh.
    """
    k = ZERO + 1
    while k < count:
        for r in range(k):
            if st.component[r] != st.component[k] or st.sign[r] != st.sign[k]:
                continue
            apart = signed_distance(st.shift[k], st.shift[r], tables.length)
            if abs(apart) > MERGE:
                continue
            before = value(st, count, energy, alpha)
            c, shift, c_k = st.c[r], st.shift[r], st.c[k]
            st.c[r], st.c[k] = c + c_k, 0.0
            st.shift[r] = wrap(shift + apart * c_k / (c + c_k), tables.length)
            refresh(st, ZERO, count, C, tables)
            certificate_at_atoms(st, count)
            if value(st, count, energy, alpha) <= before + allowed:
                count = remove(st, count, k)
                k -= 1
                break
            st.c[r], st.c[k], st.shift[r] = c, c_k, shift
            refresh(st, ZERO, count, C, tables)
            certificate_at_atoms(st, count)
        k += 1
    return count


@part
def solve_inner(st, count, C, tables, energy, alpha, wanted, allowed):  # type: ignore[no-untyped-def]
    """Move coefficients and shifts until the first-order error is at most `wanted`.

    Leaves eta fresh.
    """
    if count == 0:
        return ZERO
    certificate_at_atoms(st, count)
    before = value(st, count, energy, alpha)
    for _ in range(60):
        if first_order_error(st, count, alpha) <= wanted:
            break
        count, after = joint_step(st, count, C, tables, energy, alpha, before)
        if count == 0:
            return ZERO
        count = merge_close(st, count, C, tables, energy, alpha, allowed)
        if after > before - 1e-16 * energy:
            break
        before = value(st, count, energy, alpha)
    return count
