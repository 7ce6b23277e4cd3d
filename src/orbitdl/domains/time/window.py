"""One window of a recording: its atoms to their optimum, with everything outside held fixed."""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from orbitdl.coding.sliding.newton import first_order_error, slide
from orbitdl.coding.sliding.state import append_atom
from orbitdl.domains.time.oracles import Cut, Uncut, product_of
from orbitdl.domains.time.peaks import find_violations
from orbitdl.domains.time.splines import four_weights
from orbitdl.domains.time.waveforms import MARGIN, add_products
from orbitdl.kernels import INSIDE, internal, part
from orbitdl.kernels.lasso import HALFWAY, insertion

ROUNDS = 60
"""Rounds of adding atoms to a window at most."""
PART = 0.05
"""Part of the tolerance that a window may use: the rest is for what its neighbours do later."""

MERGING = 1e-5
"""What merging atoms may cost, in parts of the tolerance: whoever joins them first, the objective
is the same to far below it."""

STEPS_A_ROUND, PAIR = 10, 100
"""Newton steps of a round, about, and multiplications for a pair of atoms in each."""


@internal
def product_of_violations(atoms, a, b):  # type: ignore[no-untyped-def]
    """Return the inner product of the atoms at two peaks of the certificate."""
    _, room, shapes, _ = atoms
    width, one, two = shapes.u.shape[1], room.place[a], room.place[b]
    apart = int(one) - int(two)
    if abs(apart) > width + 2:
        return 0.0
    table = shapes.products[room.component[a], room.component[b]]
    v, w = four_weights(one - np.floor(one)), four_weights(two - np.floor(two))
    return product_of(table, width - 1 + MARGIN, apart, v, w)


@internal
def admit_violation(atoms, a, entered):  # type: ignore[no-untyped-def]
    """Append an atom at a peak of the certificate, with its sign."""
    st, room, _, count = atoms
    sign = 1.0 if room.height[a] > 0.0 else -1.0
    append_atom(st, count + entered, room.component[a], room.place[a], 0.0, sign)
    return True


insert_violations = insertion(product_of_violations, admit_violation)


@part
def solve_window(st, count, oracle, line, room, lo, hi, alpha, tol):  # type: ignore[no-untyped-def]
    """Bring the atoms of a window to their optimum; return how many, and whether it is full."""
    last, level = np.inf, alpha * (1.0 + PART * tol)
    for _ in range(ROUNDS):
        room.work[0] += STEPS_A_ROUND * (count**3 + PAIR * count**2)
        count = slide(st, count, oracle, alpha, PART * tol, MERGING * tol)
        fill_left(st, count, oracle, line, room, lo, hi)  # type: ignore[no-untyped-call]
        found = find_violations(line.excess, room, line.shapes, lo, hi, level)  # type: ignore[no-untyped-call]
        top = 0.0
        for p in range(found):
            room.place[p] += lo - 2
            top = max(top, abs(room.height[p]))
        before = count
        threshold, most = alpha + HALFWAY * (top - alpha), st.c.shape[0] - count
        atoms = st, room, line.shapes, count
        count += insert_violations(room.height[:found], room.waiting, threshold, most, atoms)
        if count == st.c.shape[0]:
            return count, True
        if count == before:  # sliding stops at a tenth of the error: it goes on while that pays
            error = first_order_error(st, count, alpha)
            if error <= PART * tol * alpha or error > 0.5 * last:
                return count, False
            last = error
        hint(st, before, count, alpha)
    return count, False


@internal
def hint(st, first, count, alpha):  # type: ignore[no-untyped-def]
    """Give new atoms next to no weight, so that they have a sign to settle with."""
    for k in range(first, count):
        st.c[k] = 1e-9 * alpha * st.sign[k]


@internal
def left_of_uncut(st, count, oracle, line, room, lo, hi):  # type: ignore[no-untyped-def]
    """Fill `left` with the correlations that the atoms of a window leave there."""
    first, size = lo - 2, hi - lo + 5
    for j in range(room.left.shape[0]):
        left, there = room.left[j, :size], line.e[j, first : first + size]
        for p in range(size):
            left[p] = there[p]
        for k in range(count):
            m, w = int(st.shift[k]), room.weights[k, 0]
            table = line.shapes.products[j, st.component[k]]
            add_products(table, m, w, -st.c[k], first, left)


@internal
def left_of_cut(st, count, oracle, line, room, lo, hi):  # type: ignore[no-untyped-def]
    """Do the same where atoms are truncated: what they have at unobserved samples is not left."""
    left_of_uncut(st, count, oracle, line, room, lo, hi)
    u, missing, fitted = oracle.tables.u, oracle.missing, room.fitted
    q, width, channels = u.shape
    for s in range(missing.shape[0]):
        fitted[s] = 0.0
    for k in range(count):
        for s in range(oracle.ranges[k, 0], oracle.ranges[k, 1]):
            for ch in range(channels):
                fitted[s, ch] += st.c[k] * oracle.values[0, k, s, ch]
    for j in range(q):
        for s in range(missing.shape[0]):
            place = missing[s]
            for p in range(max(place - width + 1, lo - 2), min(place + 1, hi + 3)):
                for ch in range(channels):
                    room.left[j, p - lo + 2] += u[j, place - p, ch] * fitted[s, ch]


LEFT = {Uncut: left_of_uncut, Cut: left_of_cut}


def fill_left(st, count, oracle, line, room, lo, hi):  # type: ignore[no-untyped-def]
    """Fill `left` with what the atoms of a window leave there, by the kernel of the oracle."""
    LEFT[type(oracle)](st, count, oracle, line, room, lo, hi)


@overload(fill_left, jit_options=INSIDE)
def fill_left_compiled(st, count, oracle, line, room, lo, hi):  # type: ignore[no-untyped-def]
    """Choose the kernel when the types are known."""
    kernel = LEFT[oracle.instance_class]

    def chosen(st, count, oracle, line, room, lo, hi):  # type: ignore[no-untyped-def]
        kernel(st, count, oracle, line, room, lo, hi)

    return chosen
