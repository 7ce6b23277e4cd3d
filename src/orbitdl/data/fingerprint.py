"""The fingerprint of data points, which does not depend on how they are cut or where they are."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Self

import numpy as np
from numpy.typing import NDArray

from orbitdl.data.base import Floats, Mask, Source

MODULUS = 2**256
AT_ONCE = 2**18
"""Values that are copied at a time, so that they stay in the cache."""


@dataclass(frozen=True)
class Digest:
    """The sum over data points i of ``SHA-256(i, values of i)``, modulo 2^256.

    Where something is missing in a data point, its values are zero there and its mask is hashed
    too. Digests of parts add up to that of the whole, in any order.

    Examples
    --------
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> whole = Digest.of(X, None, 0)
    >>> whole == Digest.of(X[2:], None, 2) + Digest.of(X[:2], None, 0)
    True
    >>> whole.hexdigest((2,))[:16]
    'rows:40522f273a8'
    """

    total: int = 0
    count: int = 0

    @classmethod
    def of(cls, values: Floats, observed: Mask | None, first_row: int) -> Self:
        """Return the digest of data points (n, ...) that begin at this row."""
        n, entries = len(values), int(np.prod(values.shape[1:]))
        rows = values.reshape(n, entries)
        seen = None if observed is None else observed.reshape(n, entries)
        step = max(AT_ONCE // entries, 1)
        total = 0
        for first in range(0, n, step):
            here = slice(first, first + step)
            mask = None if seen is None else seen[here]
            total += _sum_of_hashes(rows[here], mask, first_row + first)
        return cls(total % MODULUS, n)

    def __add__(self, other: Digest) -> Digest:
        return Digest((self.total + other.total) % MODULUS, self.count + other.count)

    def hexdigest(self, shape: tuple[int, ...]) -> str:
        """Return the fingerprint of all data points, each of this shape."""
        size = " ".join(map(str, (self.count, *shape)))
        return "rows:" + sha256(self.total.to_bytes(32, "little") + size.encode()).hexdigest()


def digest_of(source: Source) -> Digest:
    """Return the digest of all data points of a source, which are read part by part."""
    total = Digest()
    for k, first in enumerate(source.ends[:-1]):
        total += Digest.of(*source.read(k), int(first))
    return total


def _sum_of_hashes(rows: Floats, observed: Mask | None, first_row: int) -> int:
    """Return the sum of the hashes of rows (n, d) as a number."""
    hashed = [sha256(row) for row in _with_numbers(rows, first_row)]
    if observed is not None:
        for index in np.flatnonzero(~observed.all(axis=1)):
            hashed[index].update(observed[index].tobytes())
    digests = b"".join([one.digest() for one in hashed])
    words = np.frombuffer(digests, dtype="<u4").reshape(-1, 8).sum(axis=0, dtype=np.uint64)
    return sum(int(word) << (32 * k) for k, word in enumerate(words))


def _with_numbers(rows: Floats, first_row: int) -> NDArray[np.float64]:
    """Return rows (n, d + 1) that begin with the bytes of their number; 0 and -0 are the same."""
    out = np.empty((len(rows), rows.shape[1] + 1), dtype="<f8")
    out.view("<i8")[:, 0] = np.arange(first_row, first_row + len(rows))
    np.add(rows, 0.0, out=out[:, 1:])
    return out
