"""A fitted model applied to data of all kinds: one path for data points and recordings.

In memory, in files, from iterators or of Dask: data are coded a chunk at a time, and whatever is
requested is made of the codes of a chunk, where the chunk is. Results of chunks are joined here,
or are the chunks of a lazy Dask collection.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add
from os import PathLike
from typing import Any, ClassVar, Protocol

import numpy as np

from orbitdl.coding.codes import Codes
from orbitdl.executors.choice import executor_for
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.learning.executor import ChunkedData, DataChunk, Executor
from orbitdl.learning.spill import AtomStore
from orbitdl.storage.stored_codes import Account, CodesFolder, StoredCodes, codes_folder


class Work(Protocol):
    """A fitted model at work on chunks, `SampleCoder` or `SignalCoder`. It can be pickled."""

    noun: ClassVar[str]
    """Data points, in messages."""

    @property
    def coder(self) -> Any:
        """The coder, which warns of codes that have not converged."""

    def prepare(self, checked: Any) -> Any:
        """Return the checked data of a chunk, ready to be coded."""

    def code(self, prepared: Any) -> Any:
        """Return what is known of a chunk when it is coded."""

    def codes(self, coded: Any) -> Codes:
        """Return the codes of that."""


Make = Callable[..., Any]
"""``make(work, prepared, coded)`` returns the result for a chunk."""


@dataclass(frozen=True, eq=False)
class Apply:
    """Codes a chunk and makes something of that.

    Attributes
    ----------
    work : Work
    make : callable
    code : callable or None
        ``code(work, prepared)`` returns what `make` is given; None: ``work.code(prepared)``.
    """

    work: Work
    make: Make
    code: Callable[[Any, Any], Any] | None = None

    def __call__(self, chunk: DataChunk, store: AtomStore | None) -> list[tuple[Account, Any]]:
        """Return the result for a chunk, and whether its codes have converged."""
        prepared = self.work.prepare(chunk.data)
        coded = self.work.code(prepared) if self.code is None else self.code(self.work, prepared)
        return [(account_of(self.work, coded), self.make(self.work, prepared, coded))]


def account_of(work: Work, coded: Any) -> Account:
    """Return what codes add up to: those of a chunk, at one alpha or at several, or none."""
    every = coded if isinstance(coded, list) else [coded]
    codes = [one if isinstance(one, Codes) else work.codes(one) for one in every if one is not None]
    tol = work.coder.tol
    return reduce(add, (Account.of(one, tol) for one in codes), Account(0, 0, 0.0, 0.0, 0))


def uncoded(work: Work, prepared: Any) -> None:
    """Code nothing, for what needs no codes."""


def codes_of(work: Work, prepared: Any, coded: Any) -> Codes:
    """Return the codes."""
    return work.codes(coded)


def coded_of(work: Work, prepared: Any, coded: Any) -> Any:
    """Return what is known."""
    return coded


@dataclass(frozen=True, eq=False)
class Store:
    """Codes a chunk and writes its codes to a folder."""

    work: Work
    folder: CodesFolder

    def __call__(self, chunk: DataChunk, store: AtomStore) -> Account:
        coded = self.work.code(self.work.prepare(chunk.data))
        self.folder.write(chunk.number, chunk.first, self.work.codes(coded))
        return account_of(self.work, coded)


@dataclass(frozen=True, eq=False)
class Application:
    """A fitted model at work on data, wherever they are."""

    executor: Executor
    work: Work

    def each(self, name: str, make: Make, code: Any = None) -> list[Any]:
        """Return the results of all chunks, and warn where codes have not converged."""
        results = self.executor.total(Apply(self.work, make, code), self.executor.filled, name)
        self._warn_unless_converged(reduce(add, (account for account, _ in results)))
        return [made for _, made in results]

    def path(self, alphas: Sequence[float]) -> list[Codes]:
        """Return the codes of all data at every alpha."""
        paths = self.each("encode", coded_of, partial(path_of, alphas=list(alphas)))
        return [Codes.concatenate(list(parts)) for parts in zip(*paths, strict=True)]

    def stored(self, to: str | PathLike[str]) -> StoredCodes:
        """Write the codes of all data to a folder."""
        with codes_folder(to) as folder:
            work = Store(self.work, folder)
            account = self.executor.total(work, self.executor.filled, "encode")
            self._warn_unless_converged(account)
            return folder.finish(account)

    def score(self, energy_of: Make) -> float:
        """Return ``1 - sum_i objective_i / sum_i 1/2 ||M_i y_i||^2``."""
        results = self.executor.total(Apply(self.work, energy_of), self.executor.filled, "score")
        account = reduce(add, (account for account, _ in results))
        self._warn_unless_converged(account)
        energy = float(sum(made for _, made in results))
        return 1.0 - account.objective / energy if energy > 0 else 0.0

    def _warn_unless_converged(self, account: Account) -> None:
        who = f"{account.not_converged} of {account.samples} {self.work.noun}"
        self.work.coder.warn_if(account.not_converged > 0, who, account.gap)


def path_of(work: Any, prepared: Any, *, alphas: list[float]) -> list[Codes]:
    """Return the codes of a chunk at every alpha."""
    found: list[Codes] = work.path(prepared, alphas)
    return found


@contextmanager
def applied(chunks: ChunkedData, work: Work, n_jobs: int | None) -> Iterator[Application]:
    """Return a model at work on data that are read a chunk at a time."""
    with executor_for(chunks, n_jobs) as executor:
        yield Application(executor, work)


@dataclass(frozen=True, eq=False)
class LazyApply:
    """What is made of a chunk of Dask, when it is computed."""

    apply: Apply
    check: Callable[[Any, int, int], Any]
    shape: tuple[int, ...] = ()

    @single_threaded_blas()
    def __call__(self, number: int, first: int, last: int, values: Any) -> Any:
        """Return the result; warn if codes of data points `first` to last - 1 did not converge."""
        part, work = self.check(values, first, last), self.apply.work
        if first == last:
            return np.zeros((0, *self.shape))
        ((account, made),) = self.apply(DataChunk(number, first, lambda: part), None)
        who = f"{account.not_converged} of the {account.samples} {work.noun} from {first} on"
        work.coder.warn_if(account.not_converged > 0, who, account.gap)
        return made

    def frame(self, number: int, first: int, last: int, values: Any) -> Any:
        """Return the atoms of a chunk, a row each, with the numbers of data points."""
        work: Any = self.apply.work
        codes = self(number, first, last, values) if last > first else work.no_codes()
        table = codes.to_frame()
        table[codes.representation.data_point] += first
        return table

    def events(self, number: int, first: int, last: int, values: Any, codes: Any = None) -> Any:
        """Return a table of a recording with its number first; its codes may be known."""
        make: Make = partial(self.apply.make, known=codes)
        lazy = replace(self, apply=replace(self.apply, make=make))
        return with_number(lazy(number, first, last, values), number)


def with_number(table: Any, number: int) -> Any:
    """Return a table whose first column is the number of the recording."""
    numbered = table.copy()
    numbered.insert(0, "recording", number)
    return numbered


@dataclass(frozen=True, eq=False)
class Deferred:
    """Data of Dask, and how their chunks are coded when they are computed.

    Attributes
    ----------
    source : DaskSource or DelayedRecordings
    work : Work
    """

    source: Any
    work: Work

    def each(
        self,
        name: str,
        make: Make,
        code: Any = None,
        *,
        method: Any = LazyApply.__call__,
        shape: tuple[int, ...] = (),
        known: Sequence[Any] | None = None,
    ) -> list[Any]:
        """Return what is made of every chunk, each a `Delayed`."""
        from dask import delayed

        token, ends = secrets.token_hex(8), self.source.ends.tolist()
        lazy = LazyApply(Apply(self.work, make, code), self.source.check, shape)
        work = delayed(lazy, name=f"orbitdl-work-{token}", traverse=False)
        call = delayed(partial(applied_by, method), pure=False, traverse=False)
        return [
            call(work, k, *ends[k : k + 2], self.source.chunk(k), *own, dask_key_name=key)
            for k in range(len(ends) - 1)
            for key in [(f"orbitdl-{name}-{token}", k)]
            for own in [() if known is None else (known[k],)]
        ]

    def table(self, name: str, make: Make) -> Any:
        """Return a Dask dataframe with a row per atom, as `Codes.to_frame`."""
        work: Any = self.work
        parts = self.each(name, make, method=LazyApply.frame)
        return as_dask_table(parts, work.no_codes().to_frame())

    def array(self, name: str, make: Make, code: Any, shape: tuple[int, ...]) -> Any:
        """Return a Dask array of what is made of every chunk, of this shape for a data point."""
        from dask.array import concatenate, from_delayed

        sizes = np.diff(self.source.ends).tolist()
        pairs = zip(self.each(name, make, code, shape=shape), sizes, strict=True)
        return concatenate([from_delayed(one, (n, *shape), dtype=float) for one, n in pairs])


def as_dask_table(parts: Sequence[Any], empty: Any) -> Any:
    """Return delayed tables as a Dask dataframe, given an empty one."""
    from dask.dataframe import from_delayed

    return from_delayed(parts, meta=empty, verify_meta=False)


def applied_by(method: Any, lazy: LazyApply, *chunk: Any) -> Any:
    """Return what a method of lazy work makes of a chunk."""
    return method(lazy, *chunk)
