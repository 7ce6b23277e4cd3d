"""Results of finished paths, saved in a file from which another run resumes."""

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
"""Type of these files."""

PARTS = ("error", "energy", "atoms", "agreement")
"""Arrays of every path in a file."""
Job = tuple[int, int, int]
"""Index of the group, number of components, round. The first two are 0 for recordings."""
Progress = Callable[[int, int], object]


class Results:
    """Scores of finished paths. Thread-safe.

    Parameters
    ----------
    identity : dict
        Settings with which a file must agree.
    jobs : list of Job
        Requested paths; a file may have others.
    path : Path, optional
        File in which results are saved.
    progress : callable, optional
        Called with the number of finished paths, and their total.
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
        self._report()

    def add(self, job: Job, judged: list[Judged]) -> None:
        """Add, and save, the scores of a path."""
        with self._lock:
            self.done[job] = judged
            if self.path is not None:
                write(self.path, marks(KIND) | self.identity, self._tensors())
            self._report()

    def _report(self) -> None:
        if self.progress is not None:
            self.progress(len(self.jobs) - len(self.missing), len(self.jobs))

    @property
    def missing(self) -> list[Job]:
        """Requested paths that are not finished."""
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
