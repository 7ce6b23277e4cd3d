"""Global maxima of trigonometric polynomials on the torus by branch and bound.

Let ``V = max |p|`` be attained at z*, and measure distances in radians of the highest frequencies
(U, V'), ``rho = U |s| + V' |t|``. Along any line through z* the polynomial is a function of
exponential type bounded by V, so it decreases no faster than a cosine:

    |p(z)| >= V cos(rho(z - z*))      for rho <= pi.                                            (1)

A grid whose cells have radius ``rho <= theta < pi / 2`` therefore attains at least
``cos(theta) V``: ``V <= mu := max_grid |p| / cos(theta)``. With it, Bernstein's inequality bounds
third derivatives along a step (x, y) = (U s, V' t) by ``mu (|x| + |y|)^3``, hence from a centre
with value v, gradient g and Hessian H, within ``|x| + |y| <= theta``,

    p <= v + g.z + 1/2 z.H z + mu/6 (|x| + |y|)^3 <= v + g.z + 1/2 z.(H + R) z,
    R = 2/3 mu theta I,   for   (|x| + |y|)^3 <= theta (|x| + |y|)^2 <= 2 theta (x^2 + y^2).   (2)

Where p is nearly constant, ``sum |C_uv| max(|u| / U, |v| / V')^3`` is a smaller bound of third
derivatives than mu and replaces it in (2).

The maximum of this quadratic on a cell bounds p there. A cell whose bounds (1) and (2) exceed
(1 + eps) times the best known value is bisected. Around a local maximum with ``-H >= lambda I``,
(2) holds with H + R negative definite up to ``theta = 9/8 lambda / mu``. On this cap p is at most
``v + 2 |g|^2 / lambda``, and cells inside it need no bisection. (At that theta
``H + R <= -lambda/4 I``, and ``g.z - lambda/8 |z|^2 <= 2 |g|^2 / lambda``.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.groups.maxima.plane_grid import exceeds_neighbours
from orbitdl.groups.maxima.plane_maxima import newton_maximum
from orbitdl.groups.maxima.plane_values import (
    bound_of_caps,
    cap_of,
    jet_at,
    last_waves,
    make_work,
    sum_of_cubes,
    third_derivative,
    top_of_box,
)
from orbitdl.kernels import allocating, internal, internal_finite

ROUNDING = 1e-14
"""Relative rounding error of a value, at most, as a fraction of ``sum |C_uv|``."""
TINY = 0.01
"""Share of eps that truncated high frequencies may contribute: without truncation, rounding errors
there would raise the highest frequencies (U, V') of a ridge or a constant."""
SMALLEST = 1e-6
"""Radius of cells that are not bisected further: (1) is exact there up to a relative 5e-13."""
MOST_CAPS = 64
"""Caps stored; further local maxima are bounded cell by cell."""
HIGH = 0.9
"""Fraction of the best value above which maxima on the grid are refined by Newton's method."""
DEEPEST = 200
"""Capacity of the stack of cells; each is bisected fewer than 50 times."""
MOST_CELLS = 1_000_000
"""Cells visited (a few seconds) before eps grows by the factor `WIDER`. A plane wave, constant
along its crests, may need many more."""
WIDER = 10.0


class PlaneSearch(NamedTuple):
    """State and workspace of the search for one sample.

    Attributes
    ----------
    caps : ndarray of shape (MOST_CAPS, 6)
        Position (s, t), radius, bound, index of the polynomial and sign of every cap.
    n_caps : ndarray of shape (1,)
    stack : ndarray of shape (DEEPEST, 4)
        Open cells: centre (s, t) and half widths, in radians of the highest frequencies.
    mu : ndarray of shape (1,)
        Upper bound of the maximum from the grid.
    found : ndarray of shape (4,)
        The best value, its sign, and its position.
    eps : ndarray of shape (1,)
        Relative tolerance of bounds.
    left : ndarray of shape (1,)
        Remaining budget of cells.
    work : tuple of ndarray
        Workspace of `jet_at`.
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
def copy_into(row, values):  # type: ignore[no-untyped-def]
    """Copy values into a row."""
    for k in range(row.shape[0]):
        row[k] = values[k]


@internal
def take_peak(table, which, s, t, sign, last, search):  # type: ignore[no-untyped-def]
    """Ascend to a local maximum; store it if it is the best, and the cap around it."""
    s, t, jet = newton_maximum(table, s, t, sign, search.mu[0], last, search.work)
    if jet.value > search.found[0]:
        copy_into(search.found, (jet.value, sign, s, t))
    third = third_derivative(last, search.mu[0])
    radius, bound = cap_of(jet, search.mu[0], third, 0.1 * search.eps[0])
    n_caps = search.n_caps[0]
    if radius > 0.0 and n_caps < search.caps.shape[0]:
        copy_into(search.caps[n_caps], (s, t, radius, bound, float(which), sign))
        search.n_caps[0] = n_caps + 1


@internal
def bound_of_cell(table, which, cell, sign, last, search):  # type: ignore[no-untyped-def]
    """Return a bound of V if it is attained in the cell (s, t) +- (a / U, b / V')."""
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
    """Bisect a cell until all bounds are within (1 + eps) of the best; return the largest."""
    stack, upper = search.stack, 0.0
    copy_into(stack[0], cell)
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
            copy_into(stack[waiting], (s - 0.5 * a / last[0], t, 0.5 * a, b))
            copy_into(stack[waiting + 1], (s + 0.5 * a / last[0], t, 0.5 * a, b))
            waiting += 2
        else:
            copy_into(stack[waiting], (s, t - 0.5 * b / last[1], a, 0.5 * b))
            copy_into(stack[waiting + 1], (s, t + 0.5 * b / last[1], a, 0.5 * b))
            waiting += 2
    return upper


@internal
def refine_grid_maxima(table, which, grid, threshold, last, search):  # type: ignore[no-untyped-def]
    """Refine the maxima of a grid above `HIGH` times `threshold` and the best value.

    A point at the level itself is refined even if it is no strict maximum, as on a ridge.
    """
    height, width = grid.shape
    for k in range(height):
        for l in range(width):
            here = abs(grid[k, l])
            if here < HIGH * threshold or here < HIGH * search.found[0]:
                continue
            if exceeds_neighbours(grid, k, l) or (here == threshold and search.found[0] == 0.0):
                sign = 1.0 if grid[k, l] > 0.0 else -1.0
                s, t = 2.0 * np.pi * k / height, 2.0 * np.pi * l / width
                take_peak(table, which, s, t, sign, last, search)


@internal
def bound_of_cells(table, which, grid, last, search):  # type: ignore[no-untyped-def]
    """Return a bound of V if it is attained by this polynomial."""
    height, width = grid.shape
    a, b = np.pi * last[0] / height, np.pi * last[1] / width
    needed, upper = np.cos(a + b), 0.0
    # the polynomial is constant in a direction without frequencies
    for k in range(height if last[0] > 0.0 else 1):
        for l in range(width if last[1] > 0.0 else 1):
            if abs(grid[k, l]) >= needed * search.found[0]:
                sign = 1.0 if grid[k, l] > 0.0 else -1.0
                cell = 2.0 * np.pi * k / height, 2.0 * np.pi * l / width, a, b
                upper = max(upper, bound_of_halves(table, which, cell, sign, last, search))
    return upper


@internal
def measure_polynomials(tables, tiny, last):  # type: ignore[no-untyped-def]
    """Fill highest frequencies and bounds of third derivatives (q, 3); return the highest, slack.

    Slack is to be added to bounds: rounding errors and truncated frequencies.
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
    """Return a bound of the largest ``|p|`` of q polynomials; eps grows if the budget is spent."""
    while True:
        search.left[0], bound = MOST_CELLS, search.found[0]
        for j in range(tables.shape[0]):
            bound = max(bound, bound_of_cells(tables[j], j, grids[j], last[j], search))
        if search.left[0] >= 0 or search.eps[0] >= 1.0:
            return max(bound, search.found[0])
        search.eps[0] *= WIDER


@allocating
def find_plane_largest(tables, grids, eps, upper, found):  # type: ignore[no-untyped-def]
    """Fill upper (n,), bounds of the largest ``|p|`` of q polynomials, and the best values found.

    Tables have shape (n, q, 2, R, K), and negligible high frequencies are removed from them; grids
    hold values (n, q, M_1, M_2); found (n, 4) is the best value, its sign and its position (s, t).
    """
    n, q, height, width = grids.shape
    last = np.empty((q, 3))
    search = PlaneSearch(
        np.empty((MOST_CAPS, 6)), np.zeros(1, np.intp), np.empty((DEEPEST, 4)), np.empty(1),
        np.empty(4), np.empty(1), np.zeros(1, np.intp), make_work(tables[0, 0]),
    )  # fmt: skip
    for i in range(n):
        top = largest_on_grid(grids[i].reshape(-1))
        tiny = TINY * eps * top / tables[i, 0].size
        u, v, slack = measure_polynomials(tables[i], tiny, last)
        copy_into(search.found, (0.0, 1.0, 0.0, 0.0))
        search.n_caps[0], search.eps[0] = 0, eps
        upper[i] = slack
        if top > 0.0:
            search.mu[0] = top / np.cos(np.pi * u / height + np.pi * v / width)
            for j in range(q):
                refine_grid_maxima(tables[i, j], j, grids[i, j], top, last[j], search)
            upper[i] = bound_of_all(tables[i], grids[i], last, search) + slack
        copy_into(found[i], search.found)
