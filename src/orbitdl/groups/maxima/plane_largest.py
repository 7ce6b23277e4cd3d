"""Largest values of trigonometric polynomials on the torus, found and bounded rigorously.

Let ``V = max |p|`` be taken at z*, and measure distances from a place in radians of the last
waves, ``rho = U |s| + V' |t|``. Along any line through z* the polynomial is a function of
exponential type that V bounds, so it falls from its largest value no faster than a cosine:

    |p(z)| >= V cos(rho(z - z*))      for rho <= pi.                                            (1)

A grid whose cells reach ``rho <= theta < pi / 2`` from their centres therefore shows
``cos(theta) V`` at least: ``V <= mu := max_grid |p| / cos(theta)``. With it, Bernstein's inequality
bounds third derivatives along a step (x, y) = (U s, V' t) by ``mu (|x| + |y|)^3``, hence from a
centre with value v, slope g and bend H, within ``|x| + |y| <= theta``,

    p <= v + g.z + 1/2 z.H z + mu/6 (|x| + |y|)^3 <= v + g.z + 1/2 z.(H + R) z,
    R = 2/3 mu theta I,   for   (|x| + |y|)^3 <= theta (|x| + |y|)^2 <= 2 theta (x^2 + y^2).   (2)

Where p is next to constant, ``sum |C_uv| max(|u| / U, |v| / V')^3`` is less than mu and bounds
third derivatives too: it then takes the place of mu in (2).

The largest value of this quadratic on the cell bounds p there. A cell of which neither (1) nor (2)
excludes more than (1 + eps) times the best value known is halved. Around a peak that was climbed,
where ``-H >= lambda I``, (2) holds with H + R negative as far as ``theta = 9/8 lambda / mu``: there
nothing exceeds ``v + 2 |g|^2 / lambda``, and cells within are done at once. (At that theta
``H + R <= -lambda/4 I``, and ``g.z - lambda/8 |z|^2 <= 2 |g|^2 / lambda``.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.groups.maxima.plane_cells import (
    bound_of_caps,
    cap_of,
    sum_of_cubes,
    third_derivative,
    top_of_box,
)
from orbitdl.groups.maxima.plane_climb import climb_plane
from orbitdl.groups.maxima.plane_grid import exceeds_neighbours
from orbitdl.groups.maxima.plane_values import jet_at, last_waves, make_work
from orbitdl.kernels import allocating, internal, internal_finite

ROUNDING = 1e-14
"""Error of a value, at most, as a fraction of ``sum |C_uv|``."""
TINY = 0.01
"""Fraction of eps that waves may add up to which are left out since they are next to nothing:
rounding must not make a ridge, or a constant, look like what it is not."""
SMALLEST = 1e-6
"""Cells of this radius are done: there (1) bounds V within a relative 5e-13 of a value."""
MOST_CAPS = 64
"""Peaks whose surroundings are remembered: more are bounded cell by cell."""
HIGH = 0.9
"""Peaks of the grid are climbed from this fraction of the best value on: those that may be best, or
nearly so."""
DEEPEST = 200
"""Halves of cells that wait: each was halved fewer than 50 times."""
MOST_CELLS = 1_000_000
"""Cells looked at before bounds may be `WIDER`, a few seconds: an oblique wave, as high all
along its crests, may take many more."""
WIDER = 10.0


class Search(NamedTuple):
    """What is known of one sample's polynomials, and scratch.

    Attributes
    ----------
    caps : ndarray of shape (MOST_CAPS, 6)
        Place (s, t), radius, bound, number of the polynomial and sign of every cap.
    n_caps : ndarray of shape (1,)
    stack : ndarray of shape (DEEPEST, 4)
        Cells that wait: centre (s, t) and half widths, in radians of the last waves.
    mu : ndarray of shape (1,)
        A bound of the largest value from the grid.
    found : ndarray of shape (4,)
        The best value, its sign, and its place.
    eps : ndarray of shape (1,)
        How close bounds are to be, relatively.
    left : ndarray of shape (1,)
        Cells that may still be looked at.
    work : tuple of ndarray
        Of `jet_at`.
    """

    caps: Floats
    n_caps: Integers
    stack: Floats
    mu: Floats
    found: Floats
    eps: Floats
    left: Integers
    work: tuple[Floats, Floats]


@internal
def total_size(values):  # type: ignore[no-untyped-def]
    """Return the sum of absolute values."""
    total = 0.0
    for k in range(values.shape[0]):
        total += abs(values[k])
    return total


@internal_finite
def largest_on_grid(values):  # type: ignore[no-untyped-def]
    """Return the largest absolute value."""
    top = 0.0
    for k in range(values.shape[0]):
        top = max(top, abs(values[k]))
    return top


@internal
def put(row, values):  # type: ignore[no-untyped-def]
    """Write numbers into a row."""
    for k in range(row.shape[0]):
        row[k] = values[k]


@internal
def take_peak(table, which, s, t, sign, last, search):  # type: ignore[no-untyped-def]
    """Climb from a place; remember the peak if it is the best, and the cap around it."""
    s, t, jet = climb_plane(table, s, t, sign, search.mu[0], last, search.work)
    if jet.value > search.found[0]:
        put(search.found, (jet.value, sign, s, t))
    third = third_derivative(last, search.mu[0])
    reach, bound = cap_of(jet, search.mu[0], third, 0.1 * search.eps[0])
    n_caps = search.n_caps[0]
    if reach > 0.0 and n_caps < search.caps.shape[0]:
        put(search.caps[n_caps], (s, t, reach, bound, float(which), sign))
        search.n_caps[0] = n_caps + 1


@internal
def bound_of_cell(table, which, cell, sign, last, search):  # type: ignore[no-untyped-def]
    """Return a bound of V, should it be taken in a cell (s, t) +- (a / U, b / V')."""
    bound = bound_of_caps(search.caps, search.n_caps[0], which, sign, cell, last)
    if bound < np.inf:
        return bound
    s, t, a, b = cell
    jet = jet_at(table, s, t, sign, last, search.work)
    if jet.value > search.found[0]:
        take_peak(table, which, s, t, sign, last, search)
    bound = max(jet.value, 0.0) / np.cos(a + b)
    if bound > (1.0 + search.eps[0]) * search.found[0]:
        extra = third_derivative(last, search.mu[0]) * (a + b) / 1.5
        bound = min(bound, top_of_box(jet, extra, a, b))
    return bound


@internal
def bound_of_halves(table, which, cell, sign, last, search):  # type: ignore[no-untyped-def]
    """Halve a cell until its parts are bounded within (1 + eps) of the best; return the bound."""
    stack, upper = search.stack, 0.0
    put(stack[0], cell)
    waiting = 1
    while waiting > 0:
        waiting -= 1
        search.left[0] -= 1
        s, t, a, b = stack[waiting]
        bound = bound_of_cell(table, which, (s, t, a, b), sign, last, search)
        close = bound <= (1.0 + search.eps[0]) * search.found[0]
        if close or a + b < SMALLEST or search.left[0] < 0:
            upper = max(upper, bound)
        elif a > b:
            put(stack[waiting], (s - 0.5 * a / last[0], t, 0.5 * a, b))
            put(stack[waiting + 1], (s + 0.5 * a / last[0], t, 0.5 * a, b))
            waiting += 2
        else:
            put(stack[waiting], (s, t - 0.5 * b / last[1], a, 0.5 * b))
            put(stack[waiting + 1], (s, t + 0.5 * b / last[1], a, 0.5 * b))
            waiting += 2
    return upper


@internal
def climb_highest(table, which, grid, level, last, search):  # type: ignore[no-untyped-def]
    """Climb from the peaks of a grid that are as high as a level or as `HIGH` of the best.

    At the level itself it need not be a peak: all of a ridge may be as high.
    """
    height, width = grid.shape
    for k in range(height):
        for l in range(width):
            here = abs(grid[k, l])
            if here < HIGH * level or here < HIGH * search.found[0]:
                continue
            if exceeds_neighbours(grid, k, l) or (here == level and search.found[0] == 0.0):
                sign = 1.0 if grid[k, l] > 0.0 else -1.0
                s, t = 2.0 * np.pi * k / height, 2.0 * np.pi * l / width
                take_peak(table, which, s, t, sign, last, search)


@internal
def bound_of_cells(table, which, grid, last, search):  # type: ignore[no-untyped-def]
    """Return a bound of V, should it be taken by this polynomial."""
    height, width = grid.shape
    a, b = np.pi * last[0] / height, np.pi * last[1] / width
    needed, upper = np.cos(a + b), 0.0
    # where there are no waves in a direction, all is the same along it
    for k in range(height if last[0] > 0.0 else 1):
        for l in range(width if last[1] > 0.0 else 1):
            if abs(grid[k, l]) >= needed * search.found[0]:
                sign = 1.0 if grid[k, l] > 0.0 else -1.0
                cell = 2.0 * np.pi * k / height, 2.0 * np.pi * l / width, a, b
                upper = max(upper, bound_of_halves(table, which, cell, sign, last, search))
    return upper


@internal
def measure_polynomials(tables, tiny, last):  # type: ignore[no-untyped-def]
    """Fill the last waves and bounds of third derivatives (q, 3); return the last, and slack.

    That may have to be added to bounds: rounding, and what lies beyond the last waves.
    """
    slack, u, v = 0.0, 0.0, 0.0
    for j in range(tables.shape[0]):
        total = total_size(tables[j].reshape(-1))
        last[j, 0], last[j, 1], beyond = last_waves(tables[j], tiny)
        last[j, 2] = sum_of_cubes(tables[j], last[j, 0], last[j, 1])
        u, v, slack = max(u, last[j, 0]), max(v, last[j, 1]), max(slack, ROUNDING * total + beyond)
    return u, v, slack


@internal
def bound_of_all(tables, grids, last, search):  # type: ignore[no-untyped-def]
    """Return a bound of the largest ``|p|`` of q polynomials, wider where it takes too long."""
    while True:
        search.left[0], bound = MOST_CELLS, search.found[0]
        for j in range(tables.shape[0]):
            bound = max(bound, bound_of_cells(tables[j], j, grids[j], last[j], search))
        if search.left[0] >= 0 or search.eps[0] >= 1.0:
            return max(bound, search.found[0])
        search.eps[0] *= WIDER


@allocating
def find_plane_largest(tables, grids, eps, upper, found):  # type: ignore[no-untyped-def]
    """Fill upper (n,), bounds of the largest ``|p|`` of q polynomials, and where a value is.

    Tables (n, q, 2, R, K), whose tiny last waves are removed, and values on a grid
    (n, q, M_1, M_2); found (n, 4) is filled with the best value, its sign, and its place (s, t).
    """
    n, q, height, width = grids.shape
    last = np.empty((q, 3))
    search = Search(
        np.empty((MOST_CAPS, 6)), np.zeros(1, np.intp), np.empty((DEEPEST, 4)), np.empty(1),
        np.empty(4), np.empty(1), np.zeros(1, np.intp), make_work(tables[0, 0]),
    )  # fmt: skip
    for i in range(n):
        top = largest_on_grid(grids[i].reshape(-1))
        tiny = TINY * eps * top / tables[i, 0].size
        u, v, slack = measure_polynomials(tables[i], tiny, last)
        put(search.found, (0.0, 1.0, 0.0, 0.0))
        search.n_caps[0], search.eps[0] = 0, eps
        upper[i] = slack
        if top > 0.0:
            search.mu[0] = top / np.cos(np.pi * u / height + np.pi * v / width)
            for j in range(q):
                climb_highest(tables[i, j], j, grids[i, j], top, last[j], search)
            upper[i] = bound_of_all(tables[i], grids[i], last, search) + slack
        put(found[i], search.found)
