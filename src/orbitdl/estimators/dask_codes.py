"""Codes of a Dask array that are not made yet: lazy tables and arrays, a partition a chunk."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orbitdl.coding.codes import Atoms, Codes
from orbitdl.data.dask_arrays import CheckChunk, DaskSource
from orbitdl.encoding.encode import decode_atoms
from orbitdl.estimators.by_chunks import EncodePiece
from orbitdl.groups.base import Floats
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.learning.executor import Piece

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class EncodeChunk:
    """Codes a chunk of a Dask array, wherever it is."""

    encode: EncodePiece
    check: CheckChunk

    @single_threaded_blas()
    def codes(self, number: int, first: int, last: int, values: Any) -> Codes:
        """Return the codes of data points `first` to ``last - 1``; say if some are late."""
        part = self.check(values, first, last)
        if first == last:
            return self.nothing()
        codes = self.encode(Piece(number, first, part))
        account = self.encode.account(codes)
        who = f"{account.not_converged} of the {account.samples} samples from {first} on"
        self.encode.coder.warn_if(account.not_converged > 0, who, account.gap)
        return codes

    def nothing(self) -> Codes:
        """Return the codes of no data points."""
        space, none = self.encode.representation, np.zeros(0)
        atoms = Atoms.none(0, len(self.encode.A), len(space.parameters))
        return Codes(space, atoms, none, none, np.zeros(0, dtype=object))


def frame_of(work: EncodeChunk, number: int, first: int, last: int, values: Any) -> pd.DataFrame:
    """Return the atoms of a chunk, a row each, with the numbers of data points in the array."""
    frame = work.codes(number, first, last, values).to_frame()
    frame["sample"] += first
    return frame


def invariants_of(work: EncodeChunk, number: int, first: int, last: int, values: Any) -> Floats:
    """Return how much each component is used in a chunk, (n, q)."""
    return work.codes(number, first, last, values).invariants()


def fits_of(work: EncodeChunk, number: int, first: int, last: int, values: Any) -> Floats:
    """Return the sparse approximation of a chunk, in its shape."""
    encode = work.encode
    codes = work.codes(number, first, last, values)
    return decode_atoms(encode.representation, codes.atoms, encode.A)


@dataclass(frozen=True, eq=False)
class Deferred:
    """A Dask array, and how it will be coded: by whatever computes the results, a chunk a task."""

    source: DaskSource
    encode: EncodePiece

    def codes(self) -> Any:
        """Return a Dask dataframe with a row per atom, as `Codes.to_frame`."""
        from dask.dataframe import from_delayed

        name, work = f"orbitdl-encode-{secrets.token_hex(8)}", self._work
        made = self._delayed(work)
        parts = [made(k, (name, k)) for k in range(len(self.source.ends) - 1)]
        return from_delayed(parts, meta=work.nothing().to_frame(), verify_meta=False)

    def invariants(self) -> Any:
        """Return a Dask array (n, q) of ``||Z_ij||_G``."""
        return self._array("transform", invariants_of, (len(self.encode.A),))

    def reconstructed(self) -> Any:
        """Return a Dask array of the sparse approximations of all data points."""
        return self._array("reconstruct", fits_of, self.source.shape)

    def _array(self, what: str, make: Callable[..., Floats], shape: tuple[int, ...]) -> Any:
        """Return a Dask array of what is made of every chunk, with this shape for a data point."""
        from dask.array import Array
        from dask.highlevelgraph import HighLevelGraph

        token, source = secrets.token_hex(8), self.source
        name, opened = f"orbitdl-{what}-{token}", f"orbitdl-work-{token}"
        tail = (0,) * len(source.shape)
        tasks: dict[Any, Any] = {opened: self._work}
        for k in range(len(source.ends) - 1):
            task = (make, opened, *self._span(k), (source.array.name, k, *tail))
            tasks[(name, k, *(0,) * len(shape))] = task
        graph = HighLevelGraph.from_collections(name, tasks, dependencies=[source.array])
        chunks = (source.array.chunks[0], *((size,) for size in shape))
        return Array(graph, name, chunks, dtype=float)

    @property
    def _work(self) -> EncodeChunk:
        return EncodeChunk(self.encode, self.source.check)

    def _span(self, k: int) -> tuple[int, int, int]:
        return k, int(self.source.ends[k]), int(self.source.ends[k + 1])

    def _delayed(self, work: EncodeChunk) -> Any:
        """Return what makes the table of a chunk under a key, as a `Delayed`."""
        from dask import delayed

        opened = delayed(work, name=f"orbitdl-work-{secrets.token_hex(8)}", traverse=False)
        make = delayed(frame_of, pure=False, traverse=False)
        return lambda k, key: make(opened, *self._span(k), self.source.chunk(k), dask_key_name=key)
