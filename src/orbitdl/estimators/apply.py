"""A fitted model applied to data points: one path for arrays, files, iterators and Dask.

Whatever is asked for is made of the codes of a chunk: `Apply` codes it and makes the result, where
the chunk is. Results of chunks are joined here, or are the chunks of a lazy Dask collection.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from os import PathLike
from typing import Any

import numpy as np

from orbitdl.arrays.validation import as_masked_data
from orbitdl.coding.codes import Atoms, Codes
from orbitdl.data.base import Part
from orbitdl.data.dask_arrays import DaskSource
from orbitdl.data.opening import as_source
from orbitdl.encoding.complete import complete_by, complete_exactly
from orbitdl.encoding.sample_coder import SampleCoder, decode_atoms
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Floats, Integers
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.learning.executor import DataChunk, Executor
from orbitdl.learning.spill import AtomStore
from orbitdl.storage.stored_codes import Account, CodesFolder, StoredCodes, codes_folder


@dataclass(frozen=True, eq=False)
class InMemory:
    """Data points in memory, as the only chunk.

    Attributes
    ----------
    part : Part
    table : object
        The table that they come from, whose columns have names; None: they come from an array.
    """

    part: Part
    table: Any = None

    @property
    def ends(self) -> Integers:
        """Where it begins and ends."""
        return np.array([0, len(self.part.values)])

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a data point."""
        return self.part.values.shape[1:]

    def __len__(self) -> int:
        return len(self.part.values)

    def read(self, k: int) -> Part:
        """Return all of them."""
        return self.part

    def take(self, rows: Integers) -> Part:
        """Return some of them."""
        values, observed = self.part
        return Part(values[rows], None if observed is None else observed[rows])


def opened(X: Any, mask: Any) -> Any:
    """Return data points, checked or to be checked when they are read, in chunks."""
    if isinstance(X, InMemory):
        return X
    source = as_source(X, mask)
    if source is not None:
        return source
    return InMemory(Part(*as_masked_data(X, mask)), X if hasattr(X, "columns") else None)


@dataclass(frozen=True, eq=False)
class Apply:
    """Codes a chunk and makes something of that.

    Attributes
    ----------
    work : SampleCoder
    make : callable
        ``make(work, samples, coded)`` returns the result.
    code : callable
        ``code(work, samples)`` returns what `make` is given: codes, or a list of codes.
    """

    work: SampleCoder
    make: Callable[[SampleCoder, Samples, Any], Any]
    code: Callable[[SampleCoder, Samples], Any] = SampleCoder.code

    def __call__(self, chunk: DataChunk, store: AtomStore) -> list[tuple[Account, Any]]:
        """Return the result for a chunk, and whether its codes have converged."""
        samples = self.work.samples(chunk.data)
        coded = self.code(self.work, samples)
        made = self.make(self.work, samples, coded)
        return [(account_of(coded, self.work.coder.tol), made)]


def account_of(coded: Any, tol: float) -> Account:
    """Return what codes add up to."""
    every = coded if isinstance(coded, list) else [coded]
    accounts = (Account.of(codes, tol) for codes in every if isinstance(codes, Codes))
    return reduce(add, accounts, Account(0, 0, 0.0, 0.0, 0))


def codes_of(work: SampleCoder, samples: Samples, coded: Any) -> Any:
    """Return the codes."""
    return coded


def invariants_of(work: SampleCoder, samples: Samples, codes: Codes) -> Floats:
    """Return ``||Z_ij||_G``, (n, q)."""
    return codes.invariants()


def approximation_of(work: SampleCoder, samples: Samples, codes: Codes) -> Floats:
    """Return the sparse approximations of data points, (n, ...)."""
    return decode_atoms(work.action, codes.atoms, work.A)


def completed_by(work: SampleCoder, samples: Samples, codes: Codes, *, debias: bool) -> Floats:
    """Return data points, their missing entries imputed by the codes."""
    return complete_by(samples, work.A, codes, debias).X


def completed_exactly(work: SampleCoder, samples: Samples) -> Floats:
    """Return data points completed by the least dictionary norm, in place of codes."""
    return complete_exactly(samples, work.A, 1e-4).X


def energy_of(work: SampleCoder, samples: Samples, codes: Codes) -> float:
    """Return ``sum_i 1/2 ||M_i y_i||^2``."""
    return 0.5 * float(np.sum(samples.signal**2))


@dataclass(frozen=True, eq=False)
class Store:
    """Codes a chunk and writes its codes to a folder."""

    work: SampleCoder
    folder: CodesFolder

    def __call__(self, chunk: DataChunk, store: AtomStore) -> Account:
        codes = self.work.code(self.work.samples(chunk.data))
        self.folder.write(chunk.number, chunk.first, codes)
        return Account.of(codes, self.work.coder.tol)


@dataclass(frozen=True, eq=False)
class Application:
    """A fitted model at work on data points, wherever they are."""

    executor: Executor
    work: SampleCoder

    def each(self, name: str, make: Any, code: Any = SampleCoder.code) -> list[Any]:
        """Return the results of all chunks, and warn where codes have not converged."""
        results = self.executor.total(Apply(self.work, make, code), self.executor.filled, name)
        self._warn_unless_converged(reduce(add, (account for account, _ in results)))
        return [made for _, made in results]

    def stored(self, to: str | PathLike[str]) -> StoredCodes:
        """Write the codes of all data points to a folder."""
        with codes_folder(to) as folder:
            work = Store(self.work, folder)
            account = self.executor.total(work, self.executor.filled, "encode")
            self._warn_unless_converged(account)
            return folder.finish(account)

    def score(self) -> float:
        """Return ``1 - sum_i objective_i / sum_i 1/2 ||M_i y_i||^2``."""
        work = Apply(self.work, energy_of)
        results = self.executor.total(work, self.executor.filled, "score")
        account = reduce(add, (account for account, _ in results))
        self._warn_unless_converged(account)
        energy = float(sum(made for _, made in results))
        return 1.0 - account.objective / energy if energy > 0 else 0.0

    def _warn_unless_converged(self, account: Account) -> None:
        who = f"{account.not_converged} of {account.samples} samples"
        self.work.coder.warn_if(account.not_converged > 0, who, account.gap)


@dataclass(frozen=True, eq=False)
class LazyApply:
    """What is made of a chunk of a Dask array, when it is computed."""

    apply: Apply
    check: Callable[[Any, int, int], Part]
    shape: tuple[int, ...]

    @single_threaded_blas()
    def __call__(self, number: int, first: int, last: int, values: Any) -> Any:
        """Return the result; warn if codes of data points `first` to last - 1 did not converge."""
        part, work = self.check(values, first, last), self.apply.work
        if first == last:
            return np.zeros((0, *self.shape))
        chunk = DataChunk(number, first, lambda: part)
        ((account, made),) = self.apply(chunk, None)  # type: ignore[arg-type]
        who = f"{account.not_converged} of the {account.samples} samples from {first} on"
        work.coder.warn_if(account.not_converged > 0, who, account.gap)
        return made

    def frame(self, number: int, first: int, last: int, values: Any) -> Any:
        """Return the atoms of a chunk, a row each, with the numbers of data points."""
        codes = self(number, first, last, values) if last > first else self.no_codes()
        table = codes.to_frame()
        table["sample"] += first
        return table

    def no_codes(self) -> Codes:
        """Return the codes of no data points."""
        work, none = self.apply.work, np.zeros(0)
        atoms = Atoms.none(0, len(work.A), len(work.action.parameters))
        return Codes(work.action, atoms, none, none, np.zeros(0, dtype=object))


@dataclass(frozen=True, eq=False)
class Deferred:
    """A Dask array, and how its chunks are coded when they are computed."""

    source: DaskSource
    work: SampleCoder

    def codes(self) -> Any:
        """Return a Dask dataframe with a row per atom, as `Codes.to_frame`."""
        from dask.dataframe import from_delayed

        lazy = LazyApply(Apply(self.work, codes_of), self.source.check, ())
        parts = self._delayed("encode", lazy, LazyApply.frame)
        return from_delayed(parts, meta=lazy.no_codes().to_frame(), verify_meta=False)

    def array(self, name: str, make: Any, code: Any, shape: tuple[int, ...]) -> Any:
        """Return a Dask array of what is made of every chunk, of this shape for a data point."""
        from dask.array import concatenate, from_delayed

        lazy = LazyApply(Apply(self.work, make, code), self.source.check, shape)
        sizes = np.diff(self.source.ends).tolist()
        parts = self._delayed(name, lazy, LazyApply.__call__)
        pairs = zip(parts, sizes, strict=True)
        return concatenate([from_delayed(one, (n, *shape), dtype=float) for one, n in pairs])

    def _delayed(self, name: str, lazy: LazyApply, method: Any) -> list[Any]:
        """Return what a method makes of every chunk, each a `Delayed`."""
        from dask import delayed

        token, ends = secrets.token_hex(8), self.source.ends.tolist()
        work = delayed(lazy, name=f"orbitdl-work-{token}", traverse=False)
        make = delayed(partial(applied_by, method), pure=False, traverse=False)
        return [
            make(work, k, *ends[k : k + 2], self.source.chunk(k), dask_key_name=key)
            for k in range(len(ends) - 1)
            for key in [(f"orbitdl-{name}-{token}", k)]
        ]


def applied_by(method: Any, lazy: LazyApply, *chunk: Any) -> Any:
    """Return what a method of lazy work makes of a chunk."""
    return method(lazy, *chunk)
