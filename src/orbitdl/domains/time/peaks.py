"""Peaks of the certificate within a window, at which atoms are inserted.

An atom of sign s violates optimality at tau if ``s eta_j(tau) > alpha_j(tau)``. With a penalty
field the threshold depends on the position; the excess ``x_j = alpha (p_j - 1)`` makes it constant:

    s eta_j(tau) > alpha p_j(tau)      if and only if      s eta_j(tau) - x_j(tau) > alpha,

where the left-hand side is a cubic on every cell, like ``eta_j``.
"""

from __future__ import annotations

from numba import types
from numba.extending import overload

from orbitdl.domains.time.correlations import cubic_of, on_samples, stationary
from orbitdl.kernels import INSIDE, ZERO, internal
from orbitdl.kernels.linear_algebra import max_abs

TOGETHER = 32
"""Cells tested at once."""

PLATEAU = 1e-9
"""Relative slope, and difference between neighbours, below which a peak is a plateau."""


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
