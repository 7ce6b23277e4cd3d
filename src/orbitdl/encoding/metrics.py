"""Distances between dictionaries, whatever their components' places, signs and order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.blocks import Floats, correlate, inner
from orbitdl.arrays.validation import as_components
from orbitdl.groups.base import Group, require_group
from orbitdl.kernels.blas import single_threaded_blas


@single_threaded_blas()
def orbit_distances(A: ArrayLike, B: ArrayLike, group: Group) -> Floats:
    """Return ``min_g ||a_i -+ g b_j||^2`` for all pairs, shape (len(A), len(B)).

    Notes
    -----
    ``||a||^2 + ||b||^2 - 2 polar(a b^H)``: the group acts by isometries.
    """
    a, b = as_components(A, "A"), as_components(B, "B")
    if a.shape[1:] != b.shape[1:]:
        raise ValueError(
            f"A and B must hold components of one shape, not {a.shape[1:]} and {b.shape[1:]}."
        )
    representation = require_group(group).on(a.shape[1:])
    blocks_a, blocks_b = representation.analyze(a), representation.analyze(b)
    products = correlate(blocks_a, representation.copies(blocks_b))
    polar = representation.base.polar(products).reshape(len(a), len(b), -1).max(axis=2)
    energy = inner(a.reshape(len(a), -1), a.reshape(len(a), -1), axes=1)
    result = energy[:, None] + inner(blocks_b, blocks_b) - 2 * polar
    return np.asarray(np.maximum(result, 0.0))


def dictionary_distance(A: ArrayLike, B: ArrayLike, group: Group) -> float:
    """Return the paper's distance from A's components to the dictionary that B generates.

    Parameters
    ----------
    A, B : array-like of shape (q, ...)
        Components.
    group : Group

    Notes
    -----
    ``1/q sum_i min_{j,g} ||a_i -+ g b_j||^2``: squared, and not symmetric; compute both
    directions if some component of B may be missed by A.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import IntegerShift
    >>> wave = np.array([[0.6, 0.8, 0.0, 0.0]])
    >>> round(dictionary_distance(wave, -np.roll(wave, 1, axis=1), IntegerShift()), 12)
    0.0
    """
    return float(orbit_distances(A, B, group).min(axis=1).mean())


@single_threaded_blas()
def align(A: ArrayLike, B: ArrayLike, group: Group) -> Floats:
    """Return B's components permuted, signed and moved onto A's.

    Parameters
    ----------
    A, B : array-like of shape (q, ...)
        Equally many components of one shape.
    group : Group

    Returns
    -------
    ndarray of shape (q, ...)
        Row i is the transformed component of B that is matched with ``A[i]``.

    Notes
    -----
    The matching is the assignment of least total orbit distance (Hungarian algorithm).

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import IntegerShift
    >>> A = np.array([[0.6, 0.8, 0.0, 0.0]])
    >>> align(A, -np.roll(A, 1, axis=1), IntegerShift()).round(12) + 0.0
    array([[0.6, 0.8, 0. , 0. ]])
    """
    from scipy.optimize import linear_sum_assignment

    a, b = as_components(A, "A"), as_components(B, "B")
    if len(a) != len(b):
        raise ValueError(f"A and B must have equally many components, not {len(a)} and {len(b)}.")
    _, partner = linear_sum_assignment(orbit_distances(a, b, group))
    b = b[partner]
    representation = group.on(a.shape[1:])
    value, element = representation.match_pairs(
        representation.analyze(a), representation.analyze(b)
    )
    moved = representation.act(element, b)
    sign = np.where(value < 0, -1.0, 1.0)
    return moved * sign.reshape(-1, *[1] * (b.ndim - 1))
