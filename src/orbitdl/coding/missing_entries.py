"""Missing entries as atoms without penalty: how the tables of complete data serve masked ones.

Data y that are zero on the missing entries U, and an unknown height z_m for each of these, give

    min over z   1/2 ||y - sum_k c_k u_k - sum_m z_m e_m||^2  =  1/2 ||M (y - sum_k c_k u_k)||^2,

with the unit vectors e_m and ``z_m = -f_m``, where ``f_m = sum_k c_k u_k(m)`` is the sum of the
atoms at a missing entry. So correlations ``b_k = <y, u_k>`` are those of complete data, and

    <M u_k, M u_l> = <u_k, u_l> - sum_m u_k(m) u_l(m),
    <r, u> = b - sum_k c_k <u_k, u> + sum_m f_m <e_m, u>.

The group transforms unit vectors as it does components: inner products with them are look-ups too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.kernels import INSIDE, OWNED, internal


class MissingEntries(NamedTuple):
    """The missing entries of n samples, one after the other.

    Attributes
    ----------
    offsets : ndarray of shape (n + 1,)
    source : ndarray of shape (U,)
        Which row of a table has the unit vector.
    position : ndarray of shape (U,)
        The element that moves it to the entry.
    """

    offsets: Integers
    source: Integers
    position: Integers

    def take(self, samples: slice | NDArray[Any]) -> MissingEntries:
        """Return those of some samples."""
        chosen = np.arange(len(self.offsets) - 1)[samples]
        counts = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        where = np.arange(offsets[-1]) + np.repeat(self.offsets[chosen] - offsets[:-1], counts)
        return MissingEntries(offsets, self.source[where], self.position[where])

    @property
    def most(self) -> int:
        """Missing entries of one sample, at most."""
        return int(np.diff(self.offsets).max(initial=0))


def missing_entries(
    observed: NDArray[np.bool_], source: Integers, position: Integers
) -> MissingEntries:
    """List what is not observed (n, ...), given source and position of all entries (entries,)."""
    sample, entry = np.nonzero(~observed.reshape(len(observed), -1))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(sample, minlength=len(observed)))])
    return MissingEntries(offsets.astype(np.intp), source[entry], position[entry])


def unit_vectors(entries: Integers, shape: tuple[int, ...]) -> Floats:
    """Return data points (p, ...) of which one entry each is 1, and all others 0."""
    units = np.zeros((len(entries), int(np.prod(shape))))
    units[np.arange(len(entries)), entries] = 1.0
    return units.reshape(len(entries), *shape)


class MissingValues(NamedTuple):
    """The values of the active atoms at the missing entries of one sample.

    Attributes
    ----------
    source : ndarray of shape (U,)
        The numbers of the missing entries.
    owner : ndarray of shape (capacity,)
        Workspace: the atoms that `values` belong to.
    values : ndarray of shape (capacity, most)
        Workspace: ``u_k(m)``.
    weights : ndarray of shape (most,)
        Workspace: ``z_m = -f_m``.
    """

    source: Integers
    owner: Integers
    values: Floats
    weights: Floats


def no_missing_values(missing, i, capacity):  # type: ignore[no-untyped-def]
    """Return None, for a sample without missing entries."""
    return


def make_missing_values(missing, i, capacity):  # type: ignore[no-untyped-def]
    """Return the missing entries of sample i, with workspace for so many atoms."""
    own = slice(missing.offsets[i], missing.offsets[i + 1])
    most = own.stop - own.start
    return MissingValues(
        missing.source[own],
        np.empty(capacity, np.int64), np.empty((capacity, most)), np.empty(most),
    )  # fmt: skip


def missing_values_of(missing, i, capacity):  # type: ignore[no-untyped-def]
    """Return the missing entries of sample i, or None if `missing` is None."""
    make = no_missing_values if missing is None else make_missing_values
    return make(missing, i, capacity)  # type: ignore[no-untyped-call]


@overload(missing_values_of, jit_options=INSIDE | OWNED)
def missing_values_of_compiled(missing, i, capacity):  # type: ignore[no-untyped-def]
    """Choose which one when the types are known: kernels for complete samples do nothing else."""
    return no_missing_values if isinstance(missing, types.NoneType) else make_missing_values


@internal
def product_at_missing(missing, k, r):  # type: ignore[no-untyped-def]
    """Return ``sum_m u_k(m) u_r(m)``."""
    one, two, total = missing.values[k], missing.values[r], 0.0
    for m in range(missing.source.shape[0]):
        total += one[m] * two[m]
    return total


@internal
def drop_removed(missing, atoms, count):  # type: ignore[no-untyped-def]
    """Drop the values of atoms that have left; those that stayed are in the order they had."""
    p = 0
    for r in range(count):
        while missing.owner[p] != atoms[r]:
            p += 1
        if p > r:
            missing.owner[r] = atoms[r]
            for m in range(missing.source.shape[0]):
                missing.values[r, m] = missing.values[p, m]
        p += 1


@internal
def fit_missing(missing, c, count):  # type: ignore[no-untyped-def]
    """Fill ``z_m``."""
    for m in range(missing.source.shape[0]):
        missing.weights[m] = 0.0
    for k in range(count):
        for m in range(missing.source.shape[0]):
            missing.weights[m] -= c[k] * missing.values[k, m]
