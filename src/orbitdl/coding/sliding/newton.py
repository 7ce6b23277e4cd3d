"""The inner solve of the sliding coder: few atoms, coefficients and shifts together.

Newton's method (`orbitdl.coding.sliding.hessian`) with steps that descend; atoms whose coefficient
reaches zero leave, and atoms that meet become one.
"""

from __future__ import annotations

from orbitdl.coding.sliding.hessian import newton_direction
from orbitdl.coding.sliding.oracle import look_from, measured, see, weigh, without
from orbitdl.coding.sliding.state import keep
from orbitdl.coding.sliding.tables import signed_distance, wrap
from orbitdl.kernels import MINUS_ONE, ZERO, internal
from orbitdl.kernels.lasso import solve_lasso

LONGEST = 0.6
"""Longest move of an atom in one step, in cells: little more than a quarter of the shortest wave,
2 cells, beyond which the slope of the certificate says nothing."""
MERGE = 0.05
"""Atoms of one component and sign closer than this, in cells, may become one: the closest pairs
seen that belong in a solution are 0.16 apart."""
STEPS = 60
"""Newton steps at most: a handful will do, but where atoms meet or leave one by one."""
HALVINGS = 12
"""How often a step is halved until it descends: 2^-12 of a step is lost in the error allowed."""


@internal
def first_order_error(st, count, alpha):  # type: ignore[no-untyped-def]
    """Return how far the certificate at the atoms is from a peak of height alpha.

    A slope counts by the height that is missing to the peak: that of a parabola, but at most that
    of 0.3 cells straight on, about as far as a peak can be from an atom that has settled.
    """
    error = 0.0
    for k in range(count):
        error = max(error, abs(st.eta[0, k] - alpha * st.sign[k]))
        slope = abs(st.eta[1, k])
        error = max(error, min(0.5 * slope * slope / max(abs(st.eta[2, k]), 1e-300), 0.3 * slope))
    return error


@internal
def settle_coefficients(st, first, count, oracle, alpha):  # type: ignore[no-untyped-def]
    """Minimise over coefficients alone; atoms from `first` on are new, those that vanish leave.

    What is known of the others is not looked up again.
    """
    look_from(st, first, count, oracle)  # type: ignore[no-untyped-call]
    count = settle_known(st, count, alpha)
    weigh(st, count, oracle)  # type: ignore[no-untyped-call]
    return measured(st, count, oracle, alpha)


@internal
def settle_known(st, count, alpha):  # type: ignore[no-untyped-def]
    """Minimise over coefficients, given b and G; atoms that vanish leave. Return the new count."""
    gram = st.hessian  # a copy, from which atoms leave
    for k in range(count):
        st.ids[k] = k
        st.other_c[k], st.other_sign[k] = st.c[k], st.sign[k]
        for r in range(count):
            gram[k, r] = st.gram[0, k, r]
    kept = solve_lasso(
        st.b[0], alpha, count, ZERO, st.ids, st.other_c, st.other_sign, gram, st.factor, st.step
    )
    if kept < count:
        keep(st, kept)
    for k in range(kept):
        st.c[k] = st.other_c[k]
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
    """Go `length` along the step from where it began."""
    for k in range(count):
        st.c[k] = st.other_c[k] + length * st.step[k]
        shift = st.other_shift[k] + length * st.step[count + k] / st.other_c[k]
        st.shift[k] = wrap(shift, period)


@internal
def joint_step(st, seen, oracle, alpha):  # type: ignore[no-untyped-def]
    """Take one descending Newton step."""
    count, before = seen.n_atoms, seen.objective
    newton_direction(st, count, oracle.tables, alpha)
    length, leaving = longest_step(st, count)
    for k in range(count):
        st.other_c[k], st.other_shift[k] = st.c[k], st.shift[k]
    for attempt in range(HALVINGS + 1):
        if attempt == HALVINGS:
            length = 0.0  # no step descends: back to where it was
        go(st, count, length, oracle.tables.length)
        if leaving >= 0:
            st.c[leaving] = 0.0
        seen = see(st, count, oracle, alpha)
        if seen.objective <= before + 1e-15 * oracle.energy:  # rounding aside
            break
        length, leaving = 0.5 * length, MINUS_ONE
    if leaving >= 0:
        seen = without(st, seen, leaving)
    return seen


@internal
def merge_close(st, seen, oracle, alpha, allowed):  # type: ignore[no-untyped-def]
    """Join atoms of one component and sign that nearly coincide, unless it costs too much."""
    k, length = ZERO + 1, oracle.tables.length
    while k < seen.n_atoms:
        for r in range(k):
            if st.component[r] != st.component[k] or st.sign[r] != st.sign[k]:
                continue
            apart = signed_distance(st.shift[k], st.shift[r], length)
            if abs(apart) > MERGE:
                continue
            c, shift, c_k = st.c[r], st.shift[r], st.c[k]
            st.c[r], st.c[k] = c + c_k, 0.0
            st.shift[r] = wrap(shift + apart * c_k / (c + c_k), length)
            merged = see(st, seen.n_atoms, oracle, alpha)
            if merged.objective <= seen.objective + allowed:
                seen = without(st, merged, k)
                k -= 1
                break
            st.c[r], st.c[k], st.shift[r] = c, c_k, shift
            seen = see(st, seen.n_atoms, oracle, alpha)
        k += 1
    return seen


@internal
def solve_inner(st, seen, oracle, alpha, wanted, allowed):  # type: ignore[no-untyped-def]
    """Move coefficients and shifts until the first-order error is at most `wanted`.

    Atoms that nearly coincide are joined if that costs no more than `allowed`, before errors are
    looked at: the certificate moves by the square root of what a merger costs.
    """
    for _ in range(STEPS):
        before = seen.objective
        seen = merge_close(st, seen, oracle, alpha, allowed)
        if seen.n_atoms == 0 or first_order_error(st, seen.n_atoms, alpha) <= wanted:
            break
        seen = joint_step(st, seen, oracle, alpha)
        if seen.objective > before - 1e-16 * oracle.energy:
            break  # as far as rounding lets it fall, or mergers take back what a step gains
    return seen


@internal
def slide(st, count, oracle, alpha, accuracy, merging):  # type: ignore[no-untyped-def]
    """Bring the atoms of one sample to a stationary point; return how many are left.

    Atoms that nearly coincide become one where that costs less than `merging` of the objective.
    """
    before = see(st, count, oracle, alpha).objective
    seen = see(st, settle_known(st, count, alpha), oracle, alpha)
    fall = before - seen.objective
    # merging never costs all that the new atoms have won
    allowed = min(merging * seen.objective, 0.5 * fall)
    # a tenth of the error will do while atoms are still to come: they change all the others
    wanted = max(accuracy * alpha, 0.1 * first_order_error(st, seen.n_atoms, alpha))
    return solve_inner(st, seen, oracle, alpha, wanted, allowed).n_atoms
