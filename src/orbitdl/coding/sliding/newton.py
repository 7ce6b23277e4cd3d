"""The inner solve of the sliding coder: few atoms, coefficients and shifts together.

Newton's method (`sliding_hessian`) with steps that descend; atoms whose coefficient reaches zero
leave, and atoms that meet become one.
"""

from __future__ import annotations

from orbitdl.coding.sliding.hessian import newton_direction
from orbitdl.coding.sliding.signals import look_at_signals
from orbitdl.coding.sliding.state import (
    MINUS_ONE,
    ZERO,
    certificate_at_atoms,
    keep,
    look_up,
    refresh,
    remove,
    value,
)
from orbitdl.coding.sliding.tables import signed_distance, wrap
from orbitdl.coding.small_lasso import settle
from orbitdl.compiled import internal, part

LONGEST = 0.6
"""Longest move of an atom in one step, in samples."""
MERGE = 0.05
"""Atoms of one component and sign closer than this, in samples, may become one."""


@internal
def look(st, count, C, work, tables):  # type: ignore[no-untyped-def]
    """Find b, G and eta of all atoms: in tables, or from the masked signals at work if there are.

    One of C and `work` is None; what it would be needed for is not even compiled.
    """
    if C is not None:
        look_up(st, count, C, tables)
    if work is not None:
        look_at_signals(st, count, work, tables)


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
    """Minimise over coefficients alone; atoms from `first` on are new, those that vanish leave.

    Leaves eta fresh.
    """
    refresh(st, first, count, C, tables)
    count = settle_known(st, count, alpha)
    certificate_at_atoms(st, count)
    return count


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
def go(st, count, length, period):  # type: ignore[no-untyped-def]
    """Go `length` along the step from the saved point."""
    for k in range(count):
        st.c[k] = st.trial_c[k] + length * st.step[k]
        shift = st.trial_shift[k] + length * st.step[count + k] / st.trial_c[k]
        st.shift[k] = wrap(shift, period)


@part
def joint_step(st, count, C, work, tables, energy, alpha, before):  # type: ignore[no-untyped-def]
    """Take one descending Newton step; return the new count and objective. Leaves eta fresh."""
    newton_direction(st, count, tables, alpha)
    length, leaving = longest_step(st, count)
    for k in range(count):
        st.trial_c[k], st.trial_shift[k] = st.c[k], st.shift[k]
    after = before
    for attempt in range(13):
        if attempt == 12:
            length = 0.0  # no step descends: back to where it was
        go(st, count, length, tables.length)
        if leaving >= 0:
            st.c[leaving] = 0.0
        look(st, count, C, work, tables)
        after = value(st, count, energy, alpha)
        if after <= before + 1e-15 * energy:
            break
        length, leaving = 0.5 * length, MINUS_ONE
    if leaving >= 0:
        count = remove(st, count, leaving)
    return count, after


@internal
def merge_close(st, count, C, work, tables, energy, alpha, allowed):  # type: ignore[no-untyped-def]
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
            look(st, count, C, work, tables)
            if value(st, count, energy, alpha) <= before + allowed:
                count = remove(st, count, k)
                k -= 1
                break
            st.c[r], st.c[k], st.shift[r] = c, c_k, shift
            look(st, count, C, work, tables)
        k += 1
    return count


@part
def solve_inner(st, count, C, work, tables, energy, alpha, wanted, allowed):  # type: ignore[no-untyped-def]
    """Move coefficients and shifts until the first-order error is at most `wanted`.

    Takes and leaves eta fresh.
    """
    before = value(st, count, energy, alpha)
    for _ in range(60):
        if count == 0 or first_order_error(st, count, alpha) <= wanted:
            break
        count, after = joint_step(st, count, C, work, tables, energy, alpha, before)
        count = merge_close(st, count, C, work, tables, energy, alpha, allowed)
        if after > before - 1e-16 * energy:
            break
        before = value(st, count, energy, alpha)
    return count
