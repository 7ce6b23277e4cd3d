"""Peaks on a grid of a torus: where values exceed those of all eight neighbours."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.kernels import fast, internal


def plane_grid_peaks(values: Floats, level: float) -> tuple[Integers, Integers]:
    """Return row and place of the local maxima of ``|values|`` (n, M_1, M_2), from a level.

    A place is ``k * M_2 + l``. Of a plateau one point is returned, and none if it is not the
    largest of its row.
    """
    n, height, width = values.shape
    level = max(level, float(np.nextafter(0.0, 1.0)))  # where all is zero there is no peak
    count = np.zeros(n, dtype=np.intp)
    place = np.empty((n, height * width // 2 + 1), dtype=np.intp)
    find_grid_peaks(values, level, count, place)
    among = np.arange(place.shape[1]) < count[:, None]
    return np.repeat(np.arange(n), count), place[among]


@internal
def exceeds_neighbours(p, k, l):  # type: ignore[no-untyped-def]
    """Tell whether ``|p[k, l]|`` is larger than at all neighbours on the torus, up to eight."""
    height, width = p.shape
    here = abs(p[k, l])
    for down in range(-1, 2):
        for right in range(-1, 2):
            row, column = (k + down + height) % height, (l + right + width) % width
            if (row != k or column != l) and here <= abs(p[row, column]):
                return False
    return True


@fast
def find_grid_peaks(values, level, count, place):  # type: ignore[no-untyped-def]
    """Fill count (n,) and the places (n, most) of peaks; the largest value of a row is one."""
    n, height, width = values.shape
    for i in range(n):
        p = values[i]
        top, at = 0.0, 0
        found = 0
        for k in range(height):
            for l in range(width):
                here = abs(p[k, l])
                if here > top:
                    top, at = here, k * width + l
                if here >= level and exceeds_neighbours(p, k, l):
                    place[i, found] = k * width + l
                    found += 1
        if top >= level and not exceeds_neighbours(p, at // width, at % width):
            place[i, found] = at
            found += 1
        count[i] = found
