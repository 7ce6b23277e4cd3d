"""Peaks of the certificate within a window: where atoms enter.

An atom of sign s may enter at tau where ``s eta_j(tau) > alpha_j(tau)``. With a penalty field the
threshold depends on the position. It is made constant by the excess ``x_j = alpha (p_j - 1)``:

    s eta_j(tau) > alpha p_j(tau)      if and only if      s eta_j(tau) - x_j(tau) > alpha,

and the left-hand side is a cubic on every cell, as ``eta_j`` is.
"""

from __future__ import annotations

from numba import types
from numba.extending import overload

from orbitdl.domains.time.correlations import cubic_of, on_samples, stationary
from orbitdl.kernels import INSIDE, ZERO, internal
from orbitdl.kernels.linear_algebra import max_abs

TOGETHER = 32
"""Cells that are passed at once where nothing in them is high."""

LEVEL = 1e-9
"""Relative slope, and difference between neighbours, of a plateau: rounding."""


@internal
def find_places(e, lo, hi, level, room, positive, whole, first):  # type: ignore[no-untyped-def]
    """List the peaks of ``|eta|`` above a level between two places; return how many.

    Those before `first` are listed already. A plateau has no strict peak: where none is found,
    integer positions on top are listed at which ``eta`` is level.
    """
    found = first
    for j in range(e.shape[0]):
        for begin in range(lo, hi, TOGETHER):
            end = min(begin + TOGETHER, hi)
            if max_abs(e[j, begin - 1 : end + 2]) > level:  # weights are positive, of sum one
                found = find_near(e[j], begin, end, j, found, level, room, positive, whole)
    for j in range(0 if found > first else e.shape[0]):
        for m in range(lo, hi):
            slope, size = 0.5 * abs(e[j, m + 1] - e[j, m - 1]), max_abs(e[j, m - 1 : m + 2])
            if size > level and slope <= LEVEL * size:
                found = note_on_samples(e[j], m, j, found, level, room, positive)
    return found


@internal
def note_on_samples(row, m, j, found, level, room, positive):  # type: ignore[no-untyped-def]
    """List an integer position with no larger neighbour; return how many are listed then."""
    before, here, after = on_samples(row, m - 1), on_samples(row, m), on_samples(row, m + 1)
    size, beside = abs(here), max(abs(before), abs(after))
    if positive:  # a deep valley next to it makes a peak no lower
        size, beside = here, max(before, after)
    is_top = size * (1.0 + LEVEL) >= beside
    return note(here, m, j, is_top, found, level, room, positive)


@internal
def find_near(row, lo, hi, j, found, level, room, positive, whole):  # type: ignore[no-untyped-def]
    """List the peaks of one waveform in a few cells; return how many are listed then."""
    for m in range(lo, hi):
        high = max(max(row[m - 1], row[m]), max(row[m + 1], row[m + 2]))
        low = min(min(row[m - 1], row[m]), min(row[m + 1], row[m + 2]))
        if high <= level and (positive or -low <= level):
            continue
        if whole:
            found = note_on_samples(row, m, j, found, level, room, positive)
            continue
        p0, p1, p2, p3 = cubic_of(row[m - 1], row[m], row[m + 1], row[m + 2])
        for d in stationary(p1, p2, p3):
            height = p0 + d * (p1 + d * (p2 + d * p3))
            is_peak = d >= 0.0 and height * (2.0 * p2 + 6.0 * p3 * d) < 0.0
            found = note(height, m + d, j, is_peak, found, level, room, positive)
    return found


@internal
def note(height, place, j, is_peak, found, level, room, positive):  # type: ignore[no-untyped-def]
    """List a peak if it is one, above the level and of a sign that may be; return how many."""
    size = height if positive else abs(height)
    if is_peak and size > level and found < room.height.shape[0]:
        room.height[found], room.place[found] = height, place
        room.component[found] = j
        return found + 1
    return found


def find_above_alpha(excess, room, shapes, lo, hi, level):  # type: ignore[no-untyped-def]
    """List the peaks of ``|eta|`` in `left` above a level."""
    return find_places(room.left, 2, 2 + hi - lo, level, room, shapes.positive, shapes.whole, ZERO)


def find_above_field(excess, room, shapes, lo, hi, level):  # type: ignore[no-untyped-def]
    """List the peaks of ``eta - x``, then those of ``-eta - x``; `left` is overwritten."""
    left, size = room.left, hi - lo + 5
    for j in range(left.shape[0]):
        for p in range(size):
            left[j, p] -= excess[j, lo - 2 + p]
    found = find_places(left, 2, 2 + hi - lo, level, room, True, shapes.whole, ZERO)
    if shapes.positive:
        return found
    for j in range(left.shape[0]):
        for p in range(size):
            left[j, p] = -left[j, p] - 2.0 * excess[j, lo - 2 + p]
    every = find_places(left, 2, 2 + hi - lo, level, room, True, shapes.whole, found)
    for p in range(found, every):
        room.height[p] = -room.height[p]
    return every


def find_violations(excess, room, shapes, lo, hi, level):  # type: ignore[no-untyped-def]
    """List the peaks at which atoms may enter; heights have the excess subtracted.

    Places count from two before the window. An excess of None is that of a constant penalty.
    """
    find = find_above_alpha if excess is None else find_above_field
    return find(excess, room, shapes, lo, hi, level)  # type: ignore[no-untyped-call]


@overload(find_violations, jit_options=INSIDE)
def find_violations_compiled(excess, room, shapes, lo, hi, level):  # type: ignore[no-untyped-def]
    """Choose when the types are known: without a field nothing is compiled for one."""
    return find_above_alpha if isinstance(excess, types.NoneType) else find_above_field
