"""Dask arrays: a chunk is a part, which is computed where it is needed."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from orbitdl.arrays.validation import require_mask, require_real, require_rows
from orbitdl.data.base import Part, Source, checked, dtype_of, reading, require_shape


@dataclass(frozen=True)
class CheckChunk:
    """Makes a part of the values of a chunk, whose data points are of this shape."""

    shape: tuple[int, ...]

    def __call__(self, values: Any, first: int, last: int) -> Part:
        """Return data points `first` to ``last - 1``, checked."""
        with reading(f"data points {first} to {last - 1} of X"):
            array = np.asarray(values)
        require_shape(array, (last - first, *self.shape), first)
        return checked(array, first)


class DaskSource(Source):
    """The rows of a Dask array, whose parts are its chunks along the first axis.

    A worker of a cluster is given ``source.chunk(k)`` and makes a part of it by ``source.check``;
    `read` computes a chunk here.

    Parameters
    ----------
    array : dask.array.Array of shape (n, ...)
        Chunks along the first axis only. Nothing is computed before it is read.
    mask : array-like of bool, of the same shape, optional
        True where an entry was observed. What it leaves out becomes NaN in the chunks.
    """

    def __init__(self, array: Any, mask: Any = None) -> None:
        _require_array(array)
        _require_chunks(array)
        self.array = array if mask is None else _masked(array, mask)
        self.shape = tuple(map(int, array.shape[1:]))
        self.ends = np.cumsum([0, *array.chunks[0]]).astype(np.intp)

    def chunk(self, k: int) -> Any:
        """Return the values of part k as a `Delayed`, to be computed anywhere."""
        return self._chunks[k]

    @cached_property
    def _chunks(self) -> list[Any]:
        """All parts, of one graph that is made once."""
        return list(self.array.to_delayed().ravel())

    @property
    def check(self) -> CheckChunk:
        """What makes a part of a chunk that was computed somewhere else."""
        return CheckChunk(self.shape)

    def _raw(self, k: int) -> tuple[Any, None]:
        return self.chunk(k).compute(scheduler=scheduler_of(self.array, "threads")), None


def is_of_dask(thing: Any) -> bool:
    """Return whether Dask has yet to compute a thing, without importing Dask."""
    has_graph = hasattr(type(thing), "__dask_graph__")
    return has_graph and thing.__dask_graph__() is not None


def _require_array(array: Any) -> None:
    """Refuse other things of Dask, and types that are not real numbers."""
    import dask.array

    kind = type(array)
    if hasattr(kind, "to_dask_array"):
        raise ValueError("X is a Dask table; pass X.to_dask_array(lengths=True).")
    if not isinstance(array, dask.array.Array):
        raise ValueError(
            f"X is a {kind.__name__} of Dask; pass a Dask array, or the result of X.compute()."
        )
    require_real(np.dtype(array.dtype))


def _require_chunks(array: Any) -> None:
    """Refuse chunks that are not some data points each."""
    if np.isnan(np.array(array.shape, dtype=float)).any():
        raise ValueError(
            "X has chunks of unknown size; call X.compute_chunk_sizes() before you pass it."
        )
    require_rows(tuple(map(int, array.shape)))
    cut = [axis for axis, sizes in enumerate(array.chunks) if axis > 0 and len(sizes) > 1]
    if cut:
        sizes = ", ".join(f"{axis}: -1" for axis in cut)
        raise ValueError(
            f"X has chunks along axis {cut[0]}; rechunk so that a data point is in one chunk: "
            f"X.rechunk({{{sizes}}})."
        )


def _masked(array: Any, mask: Any) -> Any:
    """Return an array with NaN where a mask says that nothing was observed, not yet computed."""
    import dask.array

    mask = mask if hasattr(mask, "dtype") and hasattr(mask, "shape") else np.asarray(mask)
    require_mask(dtype_of(mask) or np.dtype(object), tuple(mask.shape), array.shape)
    observed = mask if is_of_dask(mask) else dask.array.from_array(mask, chunks=array.chunks)
    return dask.array.where(observed.rechunk(array.chunks), array, np.nan)


def scheduler_of(lazy: Any, local: str) -> str | None:
    """Return what computes something lazy: a local scheduler, unless a cluster holds parts."""
    distributed = sys.modules.get("distributed")
    return None if distributed is not None and distributed.futures_of(lazy) else local
