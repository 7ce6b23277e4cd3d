"""Which paths are done: kept in a file, from which another run goes on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from orbitdl.selection.held_out import Judged
from orbitdl.storage.checkpoint_files import REMEDY
from orbitdl.storage.container import ModelFileError, Tensors, marks, read, write
from orbitdl.storage.writing import sweep

KIND = "selection"
"""What such a file says it is."""

PARTS = ("error", "energy", "atoms", "agreement")
"""What a file has of every path."""
Job = tuple[int, int, int]
"""A group, a number of components, a round. Of recordings the first two are 0."""
Progress = Callable[[int, int], object]


class Results:
    """What paths came to, and how far all have come. Several threads may add to them.

    Parameters
    ----------
    identity : dict
        What a file must agree with, in text and numbers.
    jobs : list of Job
        Paths that are asked for; a file may have others.
    path : Path, optional
        The file that keeps them.
    progress : callable, optional
        Called with how many are done, and how many there are.
    """

    def __init__(
        self,
        identity: dict[str, Any],
        jobs: list[Job],
        path: Path | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.identity, self.jobs, self.path, self.progress = identity, jobs, path, progress
        self.done: dict[Job, list[Judged]] = {}
        self._lock = Lock()
        if path is not None:
            sweep(path)
            if os.path.exists(path):
                self.done = self._read(path)
        self._tell()

    def add(self, job: Job, judged: list[Judged]) -> None:
        """Keep what a path came to."""
        with self._lock:
            self.done[job] = judged
            if self.path is not None:
                write(self.path, marks(KIND) | self.identity, self._tensors())
            self._tell()

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(len(self.jobs) - len(self.missing), len(self.jobs))

    @property
    def missing(self) -> list[Job]:
        """Paths that are asked for and not done."""
        return [job for job in self.jobs if job not in self.done]

    def _tensors(self) -> Tensors:
        """Return errors and energies (alphas, units), atoms and agreement (alphas,) of a path."""
        found: Tensors = {}
        for job, judged in self.done.items():
            name = ".".join(map(str, job))
            found[f"{name}.error"] = np.stack([one.error for one in judged])
            found[f"{name}.energy"] = np.stack([one.energy for one in judged])
            found[f"{name}.atoms"] = np.array([one.atoms for one in judged])
            found[f"{name}.agreement"] = np.array([one.agreement for one in judged])
        return found

    def _read(self, path: Path) -> dict[Job, list[Judged]]:
        header, tensors = read(path, KIND)
        different = [key for key, value in self.identity.items() if header.get(key) != value]
        if different:
            raise ModelFileError(
                f"{path} belongs to another selection, which differs in {', '.join(different)}; "
                f"{REMEDY}."
            )
        found: dict[Job, list[Judged]] = {}
        for name in tensors:
            if name.endswith(".error"):
                own = name.removesuffix(".error")
                columns = (tensors[f"{own}.{part}"] for part in PARTS)
                group, q, number = map(int, own.split("."))
                found[group, q, number] = [
                    Judged(error, energy, float(atoms), float(agreement))
                    for error, energy, atoms, agreement in zip(*columns, strict=True)
                ]
        return found
