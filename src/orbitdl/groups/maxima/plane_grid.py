"""Local maxima on a grid of the torus: values above those of all eight neighbours."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.kernels import fast, internal


def plane_grid_peaks(values: Floats, threshold: float) -> tuple[Integers, Integers]:
    """Return row and position of the local maxima of ``|values|`` (n, M_1, M_2) above a threshold.

    A position is ``k * M_2 + l``. Of a plateau the first point is returned if it is the maximum of
    its row, otherwise none.
    """
    n, height, width = values.shape
    threshold = max(threshold, float(np.nextafter(0.0, 1.0)))  # zero has no maxima
    count = np.zeros(n, dtype=np.intp)
    position = np.empty((n, height * width // 2 + 1), dtype=np.intp)
    find_grid_peaks(values, threshold, count, position)
    among = np.arange(position.shape[1]) < count[:, None]
    return np.repeat(np.arange(n), count), position[among]


@internal
def exceeds_neighbours(p, k, l):  # type: ignore[no-untyped-def]
    """Return whether ``|p[k, l]|`` is larger than at all (up to eight) neighbours on the torus."""
    height, width = p.shape
    here = abs(p[k, l])
    for down in range(-1, 2):
        for right in range(-1, 2):
            row, column = (k + down + height) % height, (l + right + width) % width
            if (row != k or column != l) and here <= abs(p[row, column]):
                return False
    return True


@fast
def find_grid_peaks(values, threshold, count, position):  # type: ignore[no-untyped-def]
    """Fill count (n,) and positions (n, most) of maxima, the global one of every row included."""
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
                if here >= threshold and exceeds_neighbours(p, k, l):
                    position[i, found] = k * width + l
                    found += 1
        if top >= threshold and not exceeds_neighbours(p, at // width, at % width):
            position[i, found] = at
            found += 1
        count[i] = found
