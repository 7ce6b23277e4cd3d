"""A whole recording: windows one after the other, again where their neighbours have changed.

Interactions reach as far as a waveform is long. Places are cut into blocks a little longer than
that; a window is two neighbouring blocks. Solving it leaves all others as they are but for the
blocks on either side: block descent on a convex problem, which ends at its optimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.coding.sliding.state import append_atom, make_state
from orbitdl.domains.time.residuals import (
    Line,
    Room,
    add_atom,
    correlate_again,
    cut_window,
    uncut_window,
)
from orbitdl.domains.time.window import solve_window
from orbitdl.groups.base import Floats, Integers
from orbitdl.kernels import ZERO, fast, internal, internal_finite

LONGER = 20
"""By how many places a block is longer than a waveform, so that only neighbours interact."""
UNTOUCHED = 0.1
"""Part of the tolerance by which correlations may change before a block is looked at again."""
CLEAN, FULL, PAUSED = range(3)
"""How sweeps end: no window is dirty, or enough sweeps were made; a block has no room for its
atoms; or as much work was done as is done at a time."""
AT_A_TIME = 5e8
"""Multiplications that are done at a time, a fifth of a second: Python can be interrupted then."""
FIRST, END = 2, 3
"""Places at either end that no atom has: their taps would be beyond the table."""


class Blocks(NamedTuple):
    """The atoms of a recording, block by block.

    Attributes
    ----------
    size : int
        Places of a block.
    filled : ndarray of shape (blocks,)
        How many atoms each has.
    component, place, c : ndarray of shape (blocks, room)
    dirty : ndarray of shape (blocks,)
        How much correlations may have changed since a block was solved.
    """

    size: int
    filled: Integers
    component: Integers
    place: Floats
    c: Floats
    dirty: Floats


def make_blocks(n_places: int, size: int, room: int) -> Blocks:
    """Return empty blocks, all of them to be solved; one more than is needed, which stays empty."""
    count = -(-n_places // size) + 1
    shape = (count, room)
    dirty = np.full(count, np.inf)
    return Blocks(
        size,
        np.zeros(count, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape),
        np.zeros(shape),
        dirty,
    )


def make_room(line: Line, blocks: Blocks) -> Room:
    """Allocate the scratch space of one thread."""
    (q, width, channels), most = line.shapes.u.shape, 2 * blocks.c.shape[1]
    span, missing = 2 * blocks.size + 8, most_missing(line, 2 * blocks.size + width + 8)
    return Room(
        weights=np.empty((most, 3, 4)),
        missing=np.empty(missing, np.int64),
        ranges=np.empty((most, 2), np.int64),
        values=np.empty((3, most, missing, channels)),
        fitted=np.empty((missing, channels)),
        left=np.empty((q, span)),
        height=np.empty(q * span),
        place=np.empty(q * span),
        component=np.empty(q * span, np.int64),
        waiting=np.empty(q * span, np.int64),
        before=np.empty_like(line.e),
        work=np.zeros(1),
        next=np.zeros(2, np.int64),
    )


def most_missing(line: Line, span: int) -> int:
    """Return how many of `span` successive positions are unobserved at most, beyond ends too."""
    beyond = line.offset + END  # atoms cover no more on either side
    missing = np.pad(line.observed == 0.0, beyond, constant_values=True)
    before = np.concatenate([[0], np.cumsum(missing)])
    apart = min(span, len(missing))
    return int((before[apart:] - before[:-apart]).max())


def sweep_until_clean(
    line: Line, blocks: Blocks, places: tuple[int, int], alpha: float, tol: float, most: int
) -> int:
    """Solve windows until none is dirty, in `most` sweeps at most; return how it ended.

    Atoms are placed from the first of two places up to the second. The kernel returns now and then,
    so that a user can interrupt.
    """
    state, room = make_state(2 * blocks.c.shape[1], 0), make_room(line, blocks)
    ended = PAUSED
    while ended == PAUSED:
        room.work[0] = 0.0
        ended = int(sweep(state, line, blocks, room, *places, alpha, tol, most))
    return ended


@internal
def take_out(st, line, blocks, b, is_cut):  # type: ignore[no-untyped-def]
    """Take the atoms of two blocks out of the residual into the state; return how many."""
    count = ZERO
    for block in range(b, b + 2):
        for k in range(blocks.filled[block]):
            j, place, c = blocks.component[block, k], blocks.place[block, k], blocks.c[block, k]
            add_atom(line, j, place, c, is_cut)
            count = append_atom(st, count, j, place, c, 1.0 if c > 0.0 else -1.0)
    return count


@internal
def put_back(st, count, line, blocks, b, is_cut):  # type: ignore[no-untyped-def]
    """Put the atoms of the state into their blocks and out of the residual; tell if one is full."""
    blocks.filled[b], blocks.filled[b + 1] = 0, 0
    full = False
    for k in range(count):
        block = b + (st.shift[k] >= (b + 1) * blocks.size)
        at = blocks.filled[block]
        if at == blocks.c.shape[1]:
            full = True  # it goes on with the others in larger blocks
            continue
        add_atom(line, st.component[k], st.shift[k], -st.c[k], is_cut)
        blocks.component[block, at], blocks.place[block, at] = st.component[k], st.shift[k]
        blocks.c[block, at] = st.c[k]
        blocks.filled[block] = at + 1
    return full


@internal_finite
def change_of(before, after, first, last):  # type: ignore[no-untyped-def]
    """Return the largest difference of correlations between two places."""
    top, first, last = 0.0, max(first, 0), max(last, 0)
    for j in range(after.shape[0]):
        now, then = after[j, first:last], before[j, first:last]
        for p in range(now.shape[0]):
            top = max(top, abs(now[p] - then[p]))
    return top


@internal
def largest(values):  # type: ignore[no-untyped-def]
    """Return the largest of values that are not negative."""
    top = 0.0
    for k in range(values.shape[0]):
        top = max(top, values[k])
    return top


@internal
def any_cut(is_uncut, lo, hi):  # type: ignore[no-untyped-def]
    """Tell whether an atom at some place of a window is cut."""
    for place in range(lo, hi):  # noqa: SIM110
        if not is_uncut[place]:
            return True
    return False


@fast
def sweep(st, line, blocks, room, first, last, alpha, tol, most):  # type: ignore[no-untyped-def]
    """Solve dirty windows, those at even blocks and those at odd ones in turn."""
    n_blocks, size, n_places = blocks.filled.shape[0], blocks.size, line.e.shape[1]
    width, limit = line.shapes.u.shape[1], UNTOUCHED * tol * alpha
    before, full = room.before, False
    while room.next[0] < 2 * most and not full and largest(blocks.dirty) > limit:
        for b in range(room.next[1], n_blocks - 1, 2):
            if max(blocks.dirty[b], blocks.dirty[b + 1]) <= limit:
                continue
            lo, hi = max(b * size, first), min((b + 2) * size, last)
            if lo >= hi:
                blocks.dirty[b], blocks.dirty[b + 1] = 0.0, 0.0
                continue
            if room.work[0] > AT_A_TIME:
                room.next[1] = b
                return PAUSED
            near, far = lo - width - 8, hi + width + 8
            for j in range(line.e.shape[0]):
                for p in range(max(near, 0), min(far, n_places)):
                    before[j, p] = line.e[j, p]
            is_cut = any_cut(line.is_uncut, lo, hi)
            count = take_out(st, line, blocks, b, is_cut)
            if is_cut:
                correlate_again(line, near, far)
                oracle = cut_window(line, room, lo, hi)
                count, crowded = solve_window(st, count, oracle, line, room, lo, hi, alpha, tol)
            else:
                whole = uncut_window(line, room, lo, hi)
                count, crowded = solve_window(st, count, whole, line, room, lo, hi, alpha, tol)
            crowded = put_back(st, count, line, blocks, b, is_cut) or crowded
            full = full or crowded
            if is_cut:
                correlate_again(line, near, far)
            again = np.inf if crowded else 0.0
            blocks.dirty[b], blocks.dirty[b + 1] = again, again
            if b > 0:
                blocks.dirty[b - 1] = max(blocks.dirty[b - 1], change_of(before, line.e, near, lo))
            if b + 2 < n_blocks:
                after = change_of(before, line.e, hi, far)
                blocks.dirty[b + 2] = max(blocks.dirty[b + 2], after)
        room.next[0] += 1
        room.next[1] = room.next[0] % 2
    return FULL if full else CLEAN
