"""One window of a recording: its atoms to their optimum, with everything outside held fixed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from orbitdl.coding.sliding.masked import slide
from orbitdl.coding.sliding.state import ZERO, put
from orbitdl.compiled import INSIDE, internal, part
from orbitdl.groups.base import Floats, Integers
from orbitdl.recordings.line.correlations import cubic_of, stationary
from orbitdl.recordings.line.oracles import Cut, Shapes, Uncut, product_of
from orbitdl.recordings.line.splines import fill_weights
from orbitdl.recordings.line.waveforms import MARGIN, add_waveform

ROUNDS = 60
"""Rounds of adding atoms to a window at most."""
NEAR = 0.8
"""Atoms with a larger inner product do not enter in the same round: they explain the same, and all
but one would leave again."""
HALFWAY = 0.5
"""Atoms enter from this part of the way between alpha and the highest peak: the lower ones mostly
vanish when the higher ones are explained."""
PART = 0.3
"""Part of the tolerance that a window may use: the rest is for what its neighbours do later."""


class Line(NamedTuple):
    """A recording at work.

    Attributes
    ----------
    e : ndarray of shape (q, places)
        Correlations with the residual.
    r : ndarray of shape (T, channels)
        The residual, zero where nothing was observed.
    observed : ndarray of shape (T,)
        One or zero.
    is_uncut : bool ndarray of shape (places,)
        Whether all samples of an atom at this place were observed.
    shapes : Shapes
    offset : int
        The place of sample 0.
    """

    e: Floats
    r: Floats
    observed: Floats
    is_uncut: NDArray[np.bool_]
    shapes: Shapes
    offset: int


class Room(NamedTuple):
    """Scratch space of one thread.

    Attributes
    ----------
    weights : ndarray of shape (capacity, 3, 4)
        Of the atoms of a window.
    moved, residual : ndarray of shape (3, capacity, n, channels) and (n, channels)
        Signals of a cut window.
    near : ndarray of shape (capacity, 4)
        Weights of the atoms that entered in this round.
    left : ndarray of shape (q, places of a window and 8)
        Correlations that its atoms leave, from two places before it on.
    height, place, component : ndarray of shape (peaks,)
        Peaks of the certificate.
    trial : ndarray of shape (3, 4)
        Weights of the next atom.
    """

    weights: Floats
    moved: Floats
    residual: Floats
    near: Floats
    left: Floats
    height: Floats
    place: Floats
    component: Integers
    trial: Floats


@internal
def add_atom(line, j, place, c, is_cut):  # type: ignore[no-untyped-def]
    """Add c times an atom to the residual, and to its correlations unless it is cut."""
    m, width = int(place), line.shapes.u.shape[1]
    if is_cut:
        add_cut_waveform(line, j, place, c)
        return
    add_waveform(j, place, c, line.shapes.u, line.offset, line.r)
    w = np.empty((3, 4))
    fill_weights(place - m, w)
    centre = width - 1 + MARGIN
    for l in range(line.e.shape[0]):  # noqa: E741
        table, out = line.shapes.products[l, j], line.e[l]
        a, b, d, f = c * w[0, 0], c * w[0, 1], c * w[0, 2], c * w[0, 3]
        for p in range(max(m - width, 0), min(m + width + 2, out.shape[0])):
            s = centre + p - m
            out[p] += a * table[s + 1] + b * table[s] + d * table[s - 1] + f * table[s - 2]


@internal
def add_cut_waveform(line, j, place, c):  # type: ignore[no-untyped-def]
    """Add c times an atom to the residual at observed samples."""
    w = np.empty((3, 4))
    m, u = int(place), line.shapes.u
    fill_weights(place - m, w)
    for i in range(4):
        start = m + i - 1 - line.offset
        for k in range(max(-start, 0), min(u.shape[1], line.r.shape[0] - start)):
            for ch in range(u.shape[2]):
                line.r[start + k, ch] += c * w[0, i] * u[j, k, ch] * line.observed[start + k]


@internal
def correlate_again(line, first, last):  # type: ignore[no-untyped-def]
    """Compute the correlations at places from `first` up to `last` from the residual."""
    u, n = line.shapes.u, line.r.shape[0]
    for j in range(u.shape[0]):
        for p in range(max(first, 0), min(last, line.e.shape[1])):
            total = 0.0
            start = p - line.offset
            for k in range(max(-start, 0), min(u.shape[1], n - start)):
                for ch in range(u.shape[2]):
                    total += u[j, k, ch] * line.r[start + k, ch]
            line.e[j, p] = total


@internal
def find_places(e, lo, hi, level, room):  # type: ignore[no-untyped-def]
    """List the peaks of ``|eta|`` above a level between two places; return how many."""
    found = ZERO
    for j in range(e.shape[0]):
        row = e[j]
        for m in range(lo, hi):
            high = max(max(abs(row[m - 1]), abs(row[m])), max(abs(row[m + 1]), abs(row[m + 2])))
            if high <= level:
                continue
            p0, p1, p2, p3 = cubic_of(row[m - 1], row[m], row[m + 1], row[m + 2])
            for d in stationary(p1, p2, p3):
                height = p0 + d * (p1 + d * (p2 + d * p3))
                bend = 2.0 * p2 + 6.0 * p3 * d
                is_peak = d >= 0.0 and height * bend < 0.0 and abs(height) > level
                if is_peak and found < room.height.shape[0]:
                    room.height[found], room.place[found] = height, m + d
                    room.component[found] = j
                    found += 1
    return found


@internal
def insert(st, count, shapes, room, found, level):  # type: ignore[no-untyped-def]
    """Put atoms at the peaks found above a level, largest first, near ones one at a time."""
    first, width = count, shapes.u.shape[1]
    centre = width - 1 + MARGIN
    while count < st.c.shape[0]:
        best, height = -1, level
        for p in range(found):
            if abs(room.height[p]) >= height:
                best, height = p, abs(room.height[p])
        if best < 0:
            break
        j, place, value = room.component[best], room.place[best], room.height[best]
        room.height[best] = 0.0
        fill_weights(place - np.floor(place), room.trial)
        own = product_of(shapes.products[j, j], centre, 0, room.trial[0], room.trial[0])
        near = 0.0
        for r in range(first, count):
            apart = int(place) - int(st.shift[r])
            if abs(apart) <= width + 2:
                table = shapes.products[j, st.component[r]]
                g = product_of(table, centre, apart, room.trial[0], room.near[r - first])
                near = max(near, abs(g))
        if near <= NEAR * own:
            for i in range(4):
                room.near[count - first, i] = room.trial[0, i]
            count = put(st, count, j, place, 0.0, 1.0 if value > 0.0 else -1.0)
    return count


@internal
def uncut_window(line, room, lo, hi):  # type: ignore[no-untyped-def]
    """Return what is asked about a window whose atoms are all within observed samples."""
    energy = energy_of(line, lo, hi)
    return Uncut(line.e, line.shapes, energy, float(lo), hi - 1e-9, room.weights)


@internal
def cut_window(line, room, lo, hi):  # type: ignore[no-untyped-def]
    """Return what is asked about a window with atoms that are cut."""
    width, n = line.shapes.u.shape[1], line.r.shape[0]
    first, last = max(lo - 2 - line.offset, 0), min(hi + width + 3 - line.offset, n)
    size = max(last - first, 0)
    return Cut(
        line.r[first : first + size], line.observed[first : first + size], first + line.offset,
        line.shapes, energy_of(line, lo, hi), float(lo), hi - 1e-9, room.weights,
        room.moved[:, :, :size], room.residual[:size],
    )  # fmt: skip


@part
def solve_window(st, count, oracle, line, room, lo, hi, alpha, tol):  # type: ignore[no-untyped-def]
    """Bring the atoms of a window to their optimum; return how many, and whether it is full."""
    for _ in range(ROUNDS):
        count = slide(st, count, oracle, alpha, PART * tol)
        fill_left(st, count, oracle, line, room, lo, hi)  # type: ignore[no-untyped-call]
        found = find_places(room.left, 2, 2 + hi - lo, alpha * (1.0 + PART * tol), room)
        top = 0.0
        for p in range(found):
            room.place[p] += lo - 2
            top = max(top, abs(room.height[p]))
        before = count
        count = insert(st, count, line.shapes, room, found, alpha + HALFWAY * (top - alpha))
        if count == st.c.shape[0] or count == before:
            return count, count == st.c.shape[0]
        hint(st, before, count, alpha)
    return count, False


@internal
def hint(st, first, count, alpha):  # type: ignore[no-untyped-def]
    """Give new atoms next to no weight, so that they have a sign to settle with."""
    for k in range(first, count):
        st.c[k] = 1e-9 * alpha * st.sign[k]


@internal
def energy_of(line, lo, hi):  # type: ignore[no-untyped-def]
    """Return the energy of what is left where atoms of a window may be."""
    total = 0.0
    first, last = lo - 2 - line.offset, hi + line.shapes.u.shape[1] + 3 - line.offset
    for t in range(max(first, 0), min(last, line.r.shape[0])):
        for ch in range(line.r.shape[1]):
            total += line.r[t, ch] * line.r[t, ch]
    return total


@internal
def left_of_uncut(st, count, oracle, line, room, lo, hi):  # type: ignore[no-untyped-def]
    """Fill `left` with the correlations that the atoms of a window leave there."""
    width, left = line.shapes.u.shape[1], room.left
    centre = width - 1 + MARGIN
    for j in range(left.shape[0]):
        for p in range(hi - lo + 5):
            left[j, p] = line.e[j, lo - 2 + p]
    for k in range(count):
        m, w = int(st.shift[k]), room.weights[k, 0]
        for j in range(left.shape[0]):
            table = line.shapes.products[j, st.component[k]]
            for p in range(max(m - width, lo - 2), min(m + width + 2, hi + 3)):
                s = centre + p - m
                value = w[0] * table[s + 1] + w[1] * table[s] + w[2] * table[s - 1]
                left[j, p - lo + 2] -= st.c[k] * (value + w[3] * table[s - 2])


@internal
def left_of_cut(st, count, oracle, line, room, lo, hi):  # type: ignore[no-untyped-def]
    """Do the same from the residual, as the last look has left it."""
    u = oracle.tables.u
    for j in range(u.shape[0]):
        for p in range(lo - 2, hi + 3):
            total, start = 0.0, p - oracle.start
            for k in range(max(-start, 0), min(u.shape[1], oracle.y.shape[0] - start)):
                for ch in range(u.shape[2]):
                    total += u[j, k, ch] * oracle.residual[start + k, ch]
            room.left[j, p - lo + 2] = total


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
