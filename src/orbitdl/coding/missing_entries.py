"""Missing entries as atoms that cost nothing: how the tables of whole data serve masked ones.

Data y that are zero on the missing entries U, and an unknown height z_m for each of these, give

    min over z   1/2 ||y - sum_k c_k u_k - sum_m z_m e_m||^2  =  1/2 ||M (y - sum_k c_k u_k)||^2,

with the unit vectors e_m and ``z_m = -f_m``, where ``f_m = sum_k c_k u_k(m)`` is what atoms say of
a missing entry. So correlations ``b_k = <y, u_k>`` are those of whole data, and

    <M u_k, M u_l> = <u_k, u_l> - sum_m u_k(m) u_l(m),
    <r, u> = b - sum_k c_k <u_k, u> + sum_m f_m <e_m, u>.

Unit vectors are moved by the group as components are: inner products with them are look-ups too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers
from orbitdl.kernels import INSIDE, OWNED, internal


class Missing(NamedTuple):
    """The missing entries of n samples, one after the other.

    Attributes
    ----------
    offsets : ndarray of shape (n + 1,)
    source : ndarray of shape (U,)
        Which row of a table has the unit vector.
    place : ndarray of shape (U,)
        What moves it to the entry.
    """

    offsets: Integers
    source: Integers
    place: Integers

    def take(self, samples: slice | NDArray[Any]) -> Missing:
        """Return those of some samples."""
        chosen = np.arange(len(self.offsets) - 1)[samples]
        counts = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        where = np.arange(offsets[-1]) + np.repeat(self.offsets[chosen] - offsets[:-1], counts)
        return Missing(offsets, self.source[where], self.place[where])

    @property
    def most(self) -> int:
        """Missing entries of one sample, at most."""
        return int(np.diff(self.offsets).max(initial=0))


def missing_entries(observed: NDArray[np.bool_], source: Integers, place: Integers) -> Missing:
    """List what is not observed (n, ...), given source and place of all entries (entries,)."""
    sample, entry = np.nonzero(~observed.reshape(len(observed), -1))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(sample, minlength=len(observed)))])
    return Missing(offsets.astype(np.intp), source[entry], place[entry])


def unit_vectors(entries: Integers, shape: tuple[int, ...]) -> Floats:
    """Return data points (p, ...) of which one entry each is 1, and all others 0."""
    units = np.zeros((len(entries), int(np.prod(shape))))
    units[np.arange(len(entries)), entries] = 1.0
    return units.reshape(len(entries), *shape)


class Unseen(NamedTuple):
    """What the atoms of the sample at work say of its missing entries.

    Attributes
    ----------
    source : ndarray of shape (U,)
        The numbers of the missing entries.
    owner : ndarray of shape (capacity,)
        Scratch: the atoms that `values` belong to.
    values : ndarray of shape (capacity, most)
        Scratch: ``u_k(m)``.
    weights : ndarray of shape (most,)
        Scratch: ``z_m = -f_m``.
    """

    source: Integers
    owner: Integers
    values: Floats
    weights: Floats


def nothing_unseen(missing, i, capacity):  # type: ignore[no-untyped-def]
    """Return nothing, for a sample without missing entries."""
    return


def make_unseen(missing, i, capacity):  # type: ignore[no-untyped-def]
    """Return the missing entries of sample i, with scratch space for so many atoms."""
    own = slice(missing.offsets[i], missing.offsets[i + 1])
    most = own.stop - own.start
    return Unseen(
        missing.source[own],
        np.empty(capacity, np.int64), np.empty((capacity, most)), np.empty(most),
    )  # fmt: skip


def unseen_of(missing, i, capacity):  # type: ignore[no-untyped-def]
    """Return the missing entries of sample i, or None if `missing` is None."""
    make = nothing_unseen if missing is None else make_unseen
    return make(missing, i, capacity)  # type: ignore[no-untyped-call]


@overload(unseen_of, jit_options=INSIDE | OWNED)
def unseen_of_compiled(missing, i, capacity):  # type: ignore[no-untyped-def]
    """Choose which one when the types are known: kernels for whole samples know of no others."""
    return nothing_unseen if isinstance(missing, types.NoneType) else make_unseen


@internal
def product_unseen(unseen, k, r):  # type: ignore[no-untyped-def]
    """Return ``sum_m u_k(m) u_r(m)``."""
    one, two, total = unseen.values[k], unseen.values[r], 0.0
    for m in range(unseen.source.shape[0]):
        total += one[m] * two[m]
    return total


@internal
def follow(unseen, atoms, count):  # type: ignore[no-untyped-def]
    """Drop the values of atoms that have left; those that stayed are in the order they had."""
    p = 0
    for r in range(count):
        while unseen.owner[p] != atoms[r]:
            p += 1
        if p > r:
            unseen.owner[r] = atoms[r]
            for m in range(unseen.source.shape[0]):
                unseen.values[r, m] = unseen.values[p, m]
        p += 1


@internal
def fit_unseen(unseen, c, count):  # type: ignore[no-untyped-def]
    """Fill ``z_m``."""
    for m in range(unseen.source.shape[0]):
        unseen.weights[m] = 0.0
    for k in range(count):
        for m in range(unseen.source.shape[0]):
            unseen.weights[m] -= c[k] * unseen.values[k, m]
