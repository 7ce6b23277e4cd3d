"""Checkpoints: the state of a fit in a file, from which another fit resumes."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from orbitdl.arrays.warnings import warn_user
from orbitdl.dictionaries.base import Kind
from orbitdl.groups.base import Floats
from orbitdl.learning.history import History
from orbitdl.learning.restarts import Run, Runs
from orbitdl.learning.shards import Shards
from orbitdl.learning.state import Iteration, State
from orbitdl.storage.checkpoint_files import (
    REMEDY,
    CheckpointFile,
    Identity,
    StoredRun,
    read_checkpoint,
    unsound,
    write_checkpoint,
)
from orbitdl.storage.container import ModelFileError
from orbitdl.storage.writing import sweep

SECONDS, SHARE = 5.0, 0.05
"""Minimum time between two writes in seconds, and maximum share of the run time for writing."""


class Checkpoint(Runs):
    """The state of the runs of a fit, and optionally the file in which it is saved.

    `compared` are the objectives of starts that were compared before the only run began, if any. A
    context manager: on exit, unsaved state is written.
    """

    def __init__(
        self,
        seed: int,
        max_iter: int,
        place: tuple[Path, Identity] | None = None,
        runs: list[Run] | None = None,
        compared: Floats | None = None,
    ) -> None:
        self.compared = compared
        self.seed, self.max_iter, self.place = seed, max_iter, place
        self.runs, self._is_written = runs or [], True
        self._due = time.monotonic() + SECONDS

    @classmethod
    def open(
        cls,
        path: Path,
        identity: Identity,
        seed: int,
        max_iter: int,
        n_restarts: int,
        shards: Shards,
        kind: Kind,
    ) -> Checkpoint:
        """Return the runs in a file, which must belong to the same fit, or none if it is missing.

        The file stores the seed, so that a run resumes from the same starts. `kind` constructs
        dictionaries of the type in the file.
        """
        runs, compared = list[Run](), None
        sweep(path)
        if os.path.exists(path):
            record = read_checkpoint(path)
            _require_same(path, record.identity, identity)
            seed, compared = record.seed, record.starts
            runs = _restored(path, record, shards, kind)
            runs = [run.go_on(max_iter) for run in runs]
        reached = max((run.state.number for run in runs[:n_restarts]), default=0)
        if reached > max_iter:
            raise ModelFileError(
                f"{path} has reached iteration {reached}, beyond max_iter={max_iter}; raise "
                f"max_iter, or {REMEDY}."
            )
        return cls(seed, max_iter, (path, identity), runs, compared)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.flush()

    def begin(self, k: int, start: State) -> None:
        """Initialise run k, unless it was restored. Errors of the first write are raised."""
        if k == len(self.runs):
            self.runs.append(Run(start, History()))
            if k == 0:
                self._write()

    def __getitem__(self, k: int) -> Run:
        return self.runs[k]

    def keep(self, k: int, iteration: Iteration) -> Run:
        """Store an iteration of run k; write if the run ended or a write is due."""
        run = self.runs[k] = self.runs[k].after(iteration, self.max_iter)
        self._is_written = False
        if run.ended or time.monotonic() >= self._due:
            self.flush()
        return run

    def flush(self) -> None:
        """Write unsaved state; errors cause a warning."""
        if self.place is None or self._is_written:
            return
        began = time.monotonic()
        try:
            self._write()
        except ModelFileError as error:
            warn_user(f"{error} The fit goes on.", RuntimeWarning)
        now = time.monotonic()
        self._due = now + max(SECONDS, (now - began) / SHARE)

    def _write(self) -> None:
        if self.place is not None:
            path, identity = self.place
            stored = [StoredRun.of(run) for run in self.runs]
            write_checkpoint(path, CheckpointFile(identity, self.seed, stored, self.compared))
        self._is_written = True


def _restored(path: Path, record: CheckpointFile, shards: Shards, kind: Kind) -> list[Run]:
    """Return the runs of a file after validation."""
    shape = (record.identity.n_components, *shards.space.block_shape)
    like = kind(np.zeros(shape, shards.space.dtype))
    try:
        return [run.restore(shards, like) for run in record.runs]
    except ValueError as error:
        raise unsound(path, error) from error


def _require_same(path: Path, stored: Identity, own: Identity) -> None:
    """Raise ModelFileError with the differences unless the file belongs to this fit."""
    if words := ", ".join(own.differences(stored)):
        raise ModelFileError(f"{path} belongs to another fit, which differs in {words}; {REMEDY}.")
