"""Block coordinate descent over the windows of a recording.

Atoms interact over the length of a waveform. Positions are divided into blocks a little longer than
that; a window is two neighbouring blocks. Solving a window changes the correlations of the two
adjacent blocks only: block coordinate descent on a convex problem, which converges to its optimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.coding.sliding.state import append_atom, make_state
from orbitdl.domains.time.residuals import (
    Residual,
    Workspace,
    add_atom,
    complete_window,
    correlate_again,
    truncated_window,
)
from orbitdl.domains.time.window import solve_window
from orbitdl.kernels import ZERO, fast, internal, internal_finite

BLOCK_MARGIN = 20
"""Positions by which a block is longer than a waveform, so that only neighbours interact."""
CHANGE_TOL = 0.1
"""Change of correlations, relative to the tolerance, above which a block is solved again."""
CLEAN, FULL, PAUSED = range(3)
"""Status of sweeps: converged or out of sweeps; a block exceeds its capacity; the work per call is
done."""
WORK_PER_CALL = 5e8
"""Multiplications per call, about 0.2 s: Python handles interrupts between calls."""
FIRST, END = 2, 3
"""Positions at either end without atoms, whose taps would lie outside the table."""


class Blocks(NamedTuple):
    """The atoms of a recording, block by block.

    Attributes
    ----------
    size : int
        Positions per block.
    filled : ndarray of shape (blocks,)
        Number of atoms of each block.
    component, position, c : ndarray of shape (blocks, capacity)
    dirty : ndarray of shape (blocks,)
        Bound on the change of correlations since a block was solved.
    """

    size: int
    filled: Integers
    component: Integers
    position: Floats
    c: Floats
    dirty: Floats


def make_blocks(n_positions: int, size: int, capacity: int) -> Blocks:
    """Return empty dirty blocks, and one more that stays empty."""
    count = -(-n_positions // size) + 1
    shape = (count, capacity)
    dirty = np.full(count, np.inf)
    return Blocks(
        size,
        np.zeros(count, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape),
        np.zeros(shape),
        dirty,
    )


def make_workspace(residual: Residual, blocks: Blocks) -> Workspace:
    """Allocate the workspace of one thread."""
    (q, width, channels), most = residual.shapes.u.shape, 2 * blocks.c.shape[1]
    span, missing = 2 * blocks.size + 8, most_missing(residual, 2 * blocks.size + width + 8)
    return Workspace(
        weights=np.empty((most, 3, 4)),
        missing=np.empty(missing, np.int64),
        ranges=np.empty((most, 2), np.int64),
        values=np.empty((3, most, missing, channels)),
        fitted=np.empty((missing, channels)),
        left=np.empty((q, span)),
        height=np.empty(q * span),
        position=np.empty(q * span),
        component=np.empty(q * span, np.int64),
        waiting=np.empty(q * span, np.int64),
        before=np.empty_like(residual.e),
        work=np.zeros(1),
        next=np.zeros(2, np.int64),
    )


def most_missing(residual: Residual, size: int) -> int:
    """Return the largest number of unobserved positions in a window, beyond the ends included."""
    beyond = residual.offset + END  # atoms extend no further
    missing = np.pad(residual.observed == 0.0, beyond, constant_values=True)
    before = np.concatenate([[0], np.cumsum(missing)])
    size = min(size, len(missing))
    return int((before[size:] - before[:-size]).max())


def sweep_until_clean(
    residual: Residual,
    blocks: Blocks,
    positions: tuple[int, int],
    alpha: float,
    tol: float,
    most: int,
) -> int:
    """Solve windows until none is dirty, in at most `most` sweeps; return the status.

    Atoms lie in the half-open interval `positions`. The kernel returns periodically so that Python
    can handle interrupts.
    """
    state, workspace = make_state(2 * blocks.c.shape[1], 0), make_workspace(residual, blocks)
    ended = PAUSED
    while ended == PAUSED:
        workspace.work[0] = 0.0
        ended = int(sweep(state, residual, blocks, workspace, *positions, alpha, tol, most))
    return ended


@internal
def load_atoms(st, residual, blocks, b, is_truncated):  # type: ignore[no-untyped-def]
    """Load the atoms of two blocks into the state, and remove them from the residual."""
    count = ZERO
    for block in range(b, b + 2):
        for k in range(blocks.filled[block]):
            j, position = blocks.component[block, k], blocks.position[block, k]
            c = blocks.c[block, k]
            add_atom(residual, j, position, c, is_truncated)
            count = append_atom(st, count, j, position, c, 1.0 if c > 0.0 else -1.0)
    return count


@internal
def store_atoms(st, count, residual, blocks, b, is_truncated):  # type: ignore[no-untyped-def]
    """Store the atoms of the state in their blocks and subtract them; return if one is full."""
    blocks.filled[b], blocks.filled[b + 1] = 0, 0
    full = False
    for k in range(count):
        block = b + (st.shift[k] >= (b + 1) * blocks.size)
        at = blocks.filled[block]
        if at == blocks.c.shape[1]:
            full = True  # the solver restarts with a larger capacity
            continue
        add_atom(residual, st.component[k], st.shift[k], -st.c[k], is_truncated)
        blocks.component[block, at], blocks.position[block, at] = st.component[k], st.shift[k]
        blocks.c[block, at] = st.c[k]
        blocks.filled[block] = at + 1
    return full


@internal_finite
def change_of(before, after, first, last):  # type: ignore[no-untyped-def]
    """Return the largest change of correlations between two positions."""
    top, first, last = 0.0, max(first, 0), max(last, 0)
    for j in range(after.shape[0]):
        now, then = after[j, first:last], before[j, first:last]
        for p in range(now.shape[0]):
            top = max(top, abs(now[p] - then[p]))
    return top


@internal
def maximum_of(values):  # type: ignore[no-untyped-def]
    """Return the maximum of non-negative values."""
    top = 0.0
    for k in range(values.shape[0]):
        top = max(top, values[k])
    return top


@internal
def any_truncated(is_complete, lo, hi):  # type: ignore[no-untyped-def]
    """Return whether an atom at some position of a window would be truncated."""
    for position in range(lo, hi):  # noqa: SIM110
        if not is_complete[position]:
            return True
    return False


@fast
def sweep(st, residual, blocks, workspace, first, last, alpha, tol, most):  # type: ignore[no-untyped-def]
    """Solve dirty windows, alternating between even and odd blocks."""
    n_blocks, size, n_positions = blocks.filled.shape[0], blocks.size, residual.e.shape[1]
    width, limit = residual.shapes.u.shape[1], CHANGE_TOL * tol * alpha
    before, full = workspace.before, False
    while workspace.next[0] < 2 * most and not full and maximum_of(blocks.dirty) > limit:
        for b in range(workspace.next[1], n_blocks - 1, 2):
            if max(blocks.dirty[b], blocks.dirty[b + 1]) <= limit:
                continue
            lo, hi = max(b * size, first), min((b + 2) * size, last)
            if lo >= hi:
                blocks.dirty[b], blocks.dirty[b + 1] = 0.0, 0.0
                continue
            if workspace.work[0] > WORK_PER_CALL:
                workspace.next[1] = b
                return PAUSED
            near, far = lo - width - 8, hi + width + 8
            for j in range(residual.e.shape[0]):
                for p in range(max(near, 0), min(far, n_positions)):
                    before[j, p] = residual.e[j, p]
            is_truncated = any_truncated(residual.is_complete, lo, hi)
            count = load_atoms(st, residual, blocks, b, is_truncated)
            if is_truncated:
                correlate_again(residual, near, far)
                oracle = truncated_window(residual, workspace, lo, hi)
                count, is_full = solve_window(
                    st, count, oracle, residual, workspace, lo, hi, alpha, tol
                )
            else:
                complete = complete_window(residual, workspace, lo, hi)
                count, is_full = solve_window(
                    st, count, complete, residual, workspace, lo, hi, alpha, tol
                )
            is_full = store_atoms(st, count, residual, blocks, b, is_truncated) or is_full
            full = full or is_full
            if is_truncated:
                correlate_again(residual, near, far)
            again = np.inf if is_full else 0.0
            blocks.dirty[b], blocks.dirty[b + 1] = again, again
            if b > 0:
                blocks.dirty[b - 1] = max(
                    blocks.dirty[b - 1], change_of(before, residual.e, near, lo)
                )
            if b + 2 < n_blocks:
                after = change_of(before, residual.e, hi, far)
                blocks.dirty[b + 2] = max(blocks.dirty[b + 2], after)
        workspace.next[0] += 1
        workspace.next[1] = workspace.next[0] % 2
    return FULL if full else CLEAN
