"""Local solve: optimise the atoms of one window with all others fixed.

Atoms are inserted at peaks of the certificate within the window. An atom of sign s violates
optimality at tau if ``s eta_j(tau) > alpha_j(tau)``. With a penalty field the threshold depends on
the position; the excess ``x_j = alpha (p_j - 1)`` makes it constant:

    s eta_j(tau) > alpha p_j(tau)      if and only if      s eta_j(tau) - x_j(tau) > alpha,

where the left-hand side is a cubic on every cell, like ``eta_j``.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from orbitdl.coding.sliding.newton import first_order_error, slide
from orbitdl.coding.sliding.state import append_atom
from orbitdl.domains.time.correlations import cubic_of, on_samples, stationary
from orbitdl.domains.time.oracles import CompleteOracle, TruncatedOracle, product_of
from orbitdl.domains.time.splines import four_weights
from orbitdl.domains.time.waveforms import MARGIN, add_products
from orbitdl.kernels import INSIDE, ZERO, internal, part
from orbitdl.kernels.lasso import HALFWAY, insertion
from orbitdl.kernels.linear_algebra import max_abs

TOGETHER = 32
"""Cells tested at once."""

PLATEAU = 1e-9
"""Relative slope, and difference between neighbours, below which a peak is a plateau."""


ROUNDS = 60
"""Maximum number of rounds of insertion."""
PART = 0.05
"""Fraction of the tolerance for one window; the rest allows for later changes of its neighbours."""
MERGING = 1e-5
"""Increase of the objective, relative to the tolerance, up to which atoms are merged: the order of
merging then does not matter."""
STEPS_A_ROUND, PAIR = 10, 100
"""Typical number of Newton steps per round, and multiplications per pair of atoms and step."""


@internal
def list_peaks_between(e, lo, hi, threshold, workspace, positive, integer_shifts, first):  # type: ignore[no-untyped-def]
    """List the peaks of ``|eta|`` above a threshold between two positions; return their number.

    Appends to the `first` peaks listed before. If there is no strict peak, the integer positions of
    plateaus are listed.
    """
    found = first
    for j in range(e.shape[0]):
        for begin in range(lo, hi, TOGETHER):
            end = min(begin + TOGETHER, hi)
            if max_abs(e[j, begin - 1 : end + 2]) > threshold:  # weights are positive, of sum one
                found = find_near(
                    e[j], begin, end, j, found, threshold, workspace, positive, integer_shifts
                )
    for j in range(0 if found > first else e.shape[0]):
        for m in range(lo, hi):
            slope, size = 0.5 * abs(e[j, m + 1] - e[j, m - 1]), max_abs(e[j, m - 1 : m + 2])
            if size > threshold and slope <= PLATEAU * size:
                found = list_sample_peak(e[j], m, j, found, threshold, workspace, positive)
    return found


@internal
def list_sample_peak(row, m, j, found, threshold, workspace, positive):  # type: ignore[no-untyped-def]
    """List an integer position with no larger neighbour; return the number of peaks."""
    before, here, after = on_samples(row, m - 1), on_samples(row, m), on_samples(row, m + 1)
    size, neighbour = abs(here), max(abs(before), abs(after))
    if positive:  # negative neighbours do not count
        size, neighbour = here, max(before, after)
    is_top = size * (1.0 + PLATEAU) >= neighbour
    return list_peak(here, m, j, is_top, found, threshold, workspace, positive)


@internal
def find_near(row, lo, hi, j, found, threshold, workspace, positive, integer_shifts):  # type: ignore[no-untyped-def]
    """List the peaks of one waveform in a few cells; return the number of peaks."""
    for m in range(lo, hi):
        high = max(max(row[m - 1], row[m]), max(row[m + 1], row[m + 2]))
        low = min(min(row[m - 1], row[m]), min(row[m + 1], row[m + 2]))
        if high <= threshold and (positive or -low <= threshold):
            continue
        if integer_shifts:
            found = list_sample_peak(row, m, j, found, threshold, workspace, positive)
            continue
        p0, p1, p2, p3 = cubic_of(row[m - 1], row[m], row[m + 1], row[m + 2])
        for d in stationary(p1, p2, p3):
            height = p0 + d * (p1 + d * (p2 + d * p3))
            is_peak = d >= 0.0 and height * (2.0 * p2 + 6.0 * p3 * d) < 0.0
            found = list_peak(height, m + d, j, is_peak, found, threshold, workspace, positive)
    return found


@internal
def list_peak(height, position, j, is_peak, found, threshold, workspace, positive):  # type: ignore[no-untyped-def]
    """List a peak above the threshold with an admissible sign; return the number of peaks."""
    size = height if positive else abs(height)
    if is_peak and size > threshold and found < workspace.height.shape[0]:
        workspace.height[found], workspace.position[found] = height, position
        workspace.component[found] = j
        return found + 1
    return found


def find_above_alpha(excess, workspace, shapes, lo, hi, threshold):  # type: ignore[no-untyped-def]
    """List the peaks of ``|eta|`` in `left` above a threshold."""
    return list_peaks_between(
        workspace.left,
        2,
        2 + hi - lo,
        threshold,
        workspace,
        shapes.positive,
        shapes.integer_shifts,
        ZERO,
    )


def find_above_field(excess, workspace, shapes, lo, hi, threshold):  # type: ignore[no-untyped-def]
    """List the peaks of ``eta - x``, then those of ``-eta - x``; `left` is overwritten."""
    left, size = workspace.left, hi - lo + 5
    for j in range(left.shape[0]):
        for p in range(size):
            left[j, p] -= excess[j, lo - 2 + p]
    found = list_peaks_between(
        left, 2, 2 + hi - lo, threshold, workspace, True, shapes.integer_shifts, ZERO
    )
    if shapes.positive:
        return found
    for j in range(left.shape[0]):
        for p in range(size):
            left[j, p] = -left[j, p] - 2.0 * excess[j, lo - 2 + p]
    every = list_peaks_between(
        left, 2, 2 + hi - lo, threshold, workspace, True, shapes.integer_shifts, found
    )
    for p in range(found, every):
        workspace.height[p] = -workspace.height[p]
    return every


def find_violations(excess, workspace, shapes, lo, hi, threshold):  # type: ignore[no-untyped-def]
    """List the peaks that violate optimality, with the excess subtracted from their heights.

    Positions count from two before the window. An excess of None means a constant penalty.
    """
    find = find_above_alpha if excess is None else find_above_field
    return find(excess, workspace, shapes, lo, hi, threshold)  # type: ignore[no-untyped-call]


@overload(find_violations, jit_options=INSIDE)
def find_violations_compiled(excess, workspace, shapes, lo, hi, threshold):  # type: ignore[no-untyped-def]
    """Choose at compile time; a constant penalty compiles no code for fields."""
    return find_above_alpha if isinstance(excess, types.NoneType) else find_above_field


@internal
def product_of_violations(atoms, a, b):  # type: ignore[no-untyped-def]
    """Return the inner product of the atoms at two peaks of the certificate."""
    _, workspace, shapes, _ = atoms
    width, one, two = shapes.u.shape[1], workspace.position[a], workspace.position[b]
    apart = int(one) - int(two)
    if abs(apart) > width + 2:
        return 0.0
    table = shapes.products[workspace.component[a], workspace.component[b]]
    v, w = four_weights(one - np.floor(one)), four_weights(two - np.floor(two))
    return product_of(table, width - 1 + MARGIN, apart, v, w)


@internal
def admit_violation(atoms, a, entered):  # type: ignore[no-untyped-def]
    """Append an atom at a peak of the certificate, with its sign."""
    st, workspace, _, count = atoms
    sign = 1.0 if workspace.height[a] > 0.0 else -1.0
    append_atom(st, count + entered, workspace.component[a], workspace.position[a], 0.0, sign)
    return True


insert_violations = insertion(product_of_violations, admit_violation)


@part
def solve_window(st, count, oracle, residual, workspace, lo, hi, alpha, tol):  # type: ignore[no-untyped-def]
    """Optimise the atoms of a window; return their number, and whether the capacity is reached."""
    last, threshold = np.inf, alpha * (1.0 + PART * tol)
    for _ in range(ROUNDS):
        workspace.work[0] += STEPS_A_ROUND * (count**3 + PAIR * count**2)
        count = slide(st, count, oracle, alpha, PART * tol, MERGING * tol)
        fill_left(st, count, oracle, residual, workspace, lo, hi)  # type: ignore[no-untyped-call]
        found = find_violations(residual.excess, workspace, residual.shapes, lo, hi, threshold)  # type: ignore[no-untyped-call]
        top = 0.0
        for p in range(found):
            workspace.position[p] += lo - 2
            top = max(top, abs(workspace.height[p]))
        before = count
        least, most = alpha + HALFWAY * (top - alpha), st.c.shape[0] - count
        atoms = st, workspace, residual.shapes, count
        heights = workspace.height[:found]
        count += insert_violations(heights, workspace.waiting, least, most, atoms)
        if count == st.c.shape[0]:
            return count, True
        if count == before:  # sliding stops at a tenth of the error; repeat while it decreases
            error = first_order_error(st, count, alpha)
            if error <= PART * tol * alpha or error > 0.5 * last:
                return count, False
            last = error
        hint(st, before, count, alpha)
    return count, False


@internal
def hint(st, first, count, alpha):  # type: ignore[no-untyped-def]
    """Initialise new atoms with a tiny coefficient of the right sign."""
    for k in range(first, count):
        st.c[k] = 1e-9 * alpha * st.sign[k]


@internal
def left_of_complete(st, count, oracle, residual, workspace, lo, hi):  # type: ignore[no-untyped-def]
    """Fill `left` with the correlations with the residual of a window."""
    first, size = lo - 2, hi - lo + 5
    for j in range(workspace.left.shape[0]):
        left, there = workspace.left[j, :size], residual.e[j, first : first + size]
        for p in range(size):
            left[p] = there[p]
        for k in range(count):
            m, w = int(st.shift[k]), workspace.weights[k, 0]
            table = residual.shapes.products[j, st.component[k]]
            add_products(table, m, w, -st.c[k], first, left)


@internal
def left_of_truncated(st, count, oracle, residual, workspace, lo, hi):  # type: ignore[no-untyped-def]
    """Do the same for truncated atoms: their unobserved samples do not contribute."""
    left_of_complete(st, count, oracle, residual, workspace, lo, hi)
    u, missing, fitted = oracle.tables.u, oracle.missing, workspace.fitted
    q, width, channels = u.shape
    for s in range(missing.shape[0]):
        fitted[s] = 0.0
    for k in range(count):
        for s in range(oracle.ranges[k, 0], oracle.ranges[k, 1]):
            for ch in range(channels):
                fitted[s, ch] += st.c[k] * oracle.values[0, k, s, ch]
    for j in range(q):
        for s in range(missing.shape[0]):
            position = missing[s]
            for p in range(max(position - width + 1, lo - 2), min(position + 1, hi + 3)):
                for ch in range(channels):
                    workspace.left[j, p - lo + 2] += u[j, position - p, ch] * fitted[s, ch]


LEFT = {CompleteOracle: left_of_complete, TruncatedOracle: left_of_truncated}


def fill_left(st, count, oracle, residual, workspace, lo, hi):  # type: ignore[no-untyped-def]
    """Fill `left` with the correlations with the residual, by the kernel of the oracle."""
    LEFT[type(oracle)](st, count, oracle, residual, workspace, lo, hi)


@overload(fill_left, jit_options=INSIDE)
def fill_left_compiled(st, count, oracle, residual, workspace, lo, hi):  # type: ignore[no-untyped-def]
    """Choose the kernel at compile time."""
    kernel = LEFT[oracle.instance_class]

    def chosen(st, count, oracle, residual, workspace, lo, hi):  # type: ignore[no-untyped-def]
        kernel(st, count, oracle, residual, workspace, lo, hi)

    return chosen
