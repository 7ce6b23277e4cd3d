"""The inner solve of the sliding coder: few atoms, coefficients and shifts together.

Newton's method with steps that descend; atoms whose coefficient reaches zero are removed, and
atoms that meet become one. With atoms ``(j_k, t_k, c_k)`` of sign s_k, and the certificate
``eta_j(t) = <r, a_j shifted by t>``,

    J(c, t) = 1/2 ||y||^2 - sum_k c_k b_k + 1/2 sum_kl c_k c_l G_kl + alpha sum_k |c_k|

has, in the variables c_k and ``u_k = c_k dt_k``, the gradient ``(alpha s - eta, -eta')`` and the
Hessian ``[[G, G'], [G'^T, -G'']] + diag(0, -eta''/c)``.
"""

from __future__ import annotations

from orbitdl.coding.sliding.oracle import evaluate, evaluation_of, look_from, weigh, without
from orbitdl.coding.sliding.state import select_atoms
from orbitdl.coding.sliding.tables import signed_distance, wrap
from orbitdl.kernels import MINUS_ONE, ZERO, internal
from orbitdl.kernels.lasso import solve_lasso
from orbitdl.kernels.linear_algebra import cholesky, solve_factored

LONGEST = 0.6
"""Longest move of an atom in one step, in cells: little more than a quarter of the shortest wave,
2 cells, beyond which the slope of the certificate is that of another wave."""
MERGE = 0.05
"""Atoms of one component and sign closer than this, in cells, may become one: the closest pairs
found that belong in a solution are 0.16 apart."""
STEPS = 60
"""Newton steps at most: a handful suffice, unless atoms meet or are removed one by one."""
HALVINGS = 12
"""How often a step is halved until it descends: 2^-12 of a step is lost in the error allowed."""
STEEP = 2.0
"""Curvature added per slope of the certificate: with it alone an atom moves by ``eta' / (2 eta')``,
half a cell, however flat the certificate is; the wave it lies in is one cell long."""
TINY = 1e-12
"""Curvature that every shift has, relative to that of its component: far below what decides a step,
and enough that a component which does not change under shifts, or hardly, can be factored."""
INDEFINITE = 1e-13
"""A pivot this small relative to its diagonal is rounding, or negative: descent is not certain."""
LEAST_DAMPING, MOST_DAMPING = 1e-8, 1e8
"""Damping tried first where the matrix is not positive, and last; tenfold each time. The first is
negligible, the last leaves a short step along the gradient."""


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
        steep = STEEP * abs(st.eta[1, k] / st.c[k])
        tiny = TINY * max(tables.curvature[st.component[k]], st.gram[0, k, k] / tables.length**2)
        H[count + k, count + k] += max(own, steep) + tiny + 1e-300  # a component may be zero
        H[k, k] *= 1.0 + damping
        H[count + k, count + k] *= 1.0 + damping


@internal
def fill_newton_direction(st, count, tables, alpha):  # type: ignore[no-untyped-def]
    """Fill `step` with the Newton direction, damped as far as need be."""
    n, H, factor, x = 2 * count, st.hessian, st.factor, st.step
    positive, damping = count < 0, 0.0  # not yet
    while not positive and damping < MOST_DAMPING:
        fill_hessian(st, H, count, tables, damping)
        positive = cholesky(H, factor, ZERO, n, 0.0, INDEFINITE)
        damping = max(10.0 * damping, LEAST_DAMPING)
    for k in range(count):
        x[k] = st.eta[0, k] - alpha * st.sign[k]
        x[count + k] = st.eta[1, k]
    solve_factored(factor, n, x)


@internal
def first_order_error(st, count, alpha):  # type: ignore[no-untyped-def]
    """Return how far the certificate at the atoms is from a peak of height alpha.

    A slope counts by the height that is missing to the peak: that of a parabola, but at most that
    of 0.3 cells straight on, about as far as a peak can be from a stationary atom.
    """
    error = 0.0
    for k in range(count):
        error = max(error, abs(st.eta[0, k] - alpha * st.sign[k]))
        slope = abs(st.eta[1, k])
        error = max(error, min(0.5 * slope * slope / max(abs(st.eta[2, k]), 1e-300), 0.3 * slope))
    return error


@internal
def solve_coefficients(st, first, count, oracle, alpha):  # type: ignore[no-untyped-def]
    """Minimise over coefficients alone; atoms from `first` on are new, remove those that vanish.

    Inner products of the others are up to date.
    """
    look_from(st, first, count, oracle)  # type: ignore[no-untyped-call]
    count = solve_known(st, count, alpha)
    weigh(st, count, oracle)  # type: ignore[no-untyped-call]
    return evaluation_of(st, count, oracle, alpha)


@internal
def solve_known(st, count, alpha):  # type: ignore[no-untyped-def]
    """Minimise over coefficients, given b and G; remove those that vanish; return the new count."""
    gram = st.hessian  # a copy, from which atoms are removed
    for k in range(count):
        st.ids[k] = k
        st.other_c[k], st.other_sign[k] = st.c[k], st.sign[k]
        for r in range(count):
            gram[k, r] = st.gram[0, k, r]
    n_left = solve_lasso(
        st.b[0], alpha, count, ZERO, st.ids, st.other_c, st.other_sign, gram, st.factor, st.step
    )
    if n_left < count:
        select_atoms(st, n_left)
    for k in range(n_left):
        st.c[k] = st.other_c[k]
    return n_left


@internal
def longest_step(st, count):  # type: ignore[no-untyped-def]
    """Return the length at which a sign changes or an atom moves too far, and what to remove."""
    length, leaving = 1.0, MINUS_ONE
    for k in range(count):
        move = abs(st.step[count + k] / st.c[k])
        if move * length > LONGEST:
            length, leaving = LONGEST / move, MINUS_ONE
        if (st.c[k] + length * st.step[k]) * st.sign[k] <= 0.0:
            length, leaving = -st.c[k] / st.step[k], ZERO + k
    return length, leaving


@internal
def move_along(st, count, length, period):  # type: ignore[no-untyped-def]
    """Move a fraction `length` along the step from its start."""
    for k in range(count):
        st.c[k] = st.other_c[k] + length * st.step[k]
        shift = st.other_shift[k] + length * st.step[count + k] / st.other_c[k]
        st.shift[k] = wrap(shift, period)


@internal
def joint_step(st, current, oracle, alpha):  # type: ignore[no-untyped-def]
    """Take one descending Newton step."""
    count, before = current.n_atoms, current.objective
    fill_newton_direction(st, count, oracle.tables, alpha)
    length, leaving = longest_step(st, count)
    for k in range(count):
        st.other_c[k], st.other_shift[k] = st.c[k], st.shift[k]
    for attempt in range(HALVINGS + 1):
        if attempt == HALVINGS:
            length = 0.0  # no step descends: back to where it was
        move_along(st, count, length, oracle.tables.length)
        if leaving >= 0:
            st.c[leaving] = 0.0
        current = evaluate(st, count, oracle, alpha)
        if current.objective <= before + 1e-15 * oracle.energy:  # rounding aside
            break
        length, leaving = 0.5 * length, MINUS_ONE
    if leaving >= 0:
        current = without(st, current, leaving)
    return current


@internal
def merge_close(st, current, oracle, alpha, allowed):  # type: ignore[no-untyped-def]
    """Join atoms of one component and sign that nearly coincide, unless it costs too much."""
    k, length = ZERO + 1, oracle.tables.length
    while k < current.n_atoms:
        for r in range(k):
            if st.component[r] != st.component[k] or st.sign[r] != st.sign[k]:
                continue
            apart = signed_distance(st.shift[k], st.shift[r], length)
            if abs(apart) > MERGE:
                continue
            c, shift, c_k = st.c[r], st.shift[r], st.c[k]
            st.c[r], st.c[k] = c + c_k, 0.0
            st.shift[r] = wrap(shift + apart * c_k / (c + c_k), length)
            merged = evaluate(st, current.n_atoms, oracle, alpha)
            if merged.objective <= current.objective + allowed:
                current = without(st, merged, k)
                k -= 1
                break
            st.c[r], st.c[k], st.shift[r] = c, c_k, shift
            current = evaluate(st, current.n_atoms, oracle, alpha)
        k += 1
    return current


@internal
def solve_inner(st, current, oracle, alpha, target, allowed):  # type: ignore[no-untyped-def]
    """Move coefficients and shifts until the first-order error is at most `target`.

    Atoms that nearly coincide are joined if that costs no more than `allowed`, before errors are
    looked at: the certificate moves by the square root of what a merger costs.
    """
    for _ in range(STEPS):
        before = current.objective
        current = merge_close(st, current, oracle, alpha, allowed)
        if current.n_atoms == 0 or first_order_error(st, current.n_atoms, alpha) <= target:
            break
        current = joint_step(st, current, oracle, alpha)
        if current.objective > before - 1e-16 * oracle.energy:
            break  # as far as rounding lets it fall, or mergers take back what a step gains
    return current


@internal
def slide(st, count, oracle, alpha, accuracy, merging):  # type: ignore[no-untyped-def]
    """Bring the atoms of one sample to a stationary point; return how many are left.

    Atoms that nearly coincide become one where that costs less than `merging` of the objective.
    """
    before = evaluate(st, count, oracle, alpha).objective
    current = evaluate(st, solve_known(st, count, alpha), oracle, alpha)
    fall = before - current.objective
    # merging never costs all that the new atoms have won
    allowed = min(merging * current.objective, 0.5 * fall)
    # a tenth of the error will do while atoms are still to come: they change all the others
    target = max(accuracy * alpha, 0.1 * first_order_error(st, current.n_atoms, alpha))
    return solve_inner(st, current, oracle, alpha, target, allowed).n_atoms
