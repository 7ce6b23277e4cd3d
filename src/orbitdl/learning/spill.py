"""Atoms of data that are read in chunks, on the disk of whoever codes them."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np

from orbitdl.coding.atoms import Atoms

ARRAYS = ("offsets", "component", "coefficient", "element")
Loaded = TypeVar("Loaded")


@dataclass(frozen=True)
class AtomStore:
    """A folder with the atoms of chunks of data, round by round.

    It makes the next round quicker, and no more: whatever is lost is coded again.
    """

    folder: Path

    def loaded(self, chunk: Any, loader: Any, load: Callable[[Any], Loaded]) -> Loaded:
        """Return ``load(chunk)``: one that has memory for it remembers that of the last loader."""
        return load(chunk)

    def save(self, number: int, chunk: int, atoms: Atoms) -> None:
        """Store the atoms of a chunk as those of a round; a full disk costs time only."""
        path = self._path(number, chunk)
        new = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with new.open("wb") as file:
                arrays = {name: getattr(atoms, name) for name in ARRAYS}
                np.savez(file, n_components=atoms.n_components, allow_pickle=False, **arrays)
            new.replace(path)
        except OSError as error:
            logging.getLogger("orbitdl").warning(
                "orbitdl: codes could not be stored in %s (%s); the next iteration codes again",
                self.folder,
                error.strerror,
            )
            new.unlink(missing_ok=True)

    def find(self, number: int, chunk: int) -> Atoms | None:
        """Return the atoms that a chunk had in a round, if they are here."""
        try:
            with self._path(number, chunk).open("rb") as file, np.load(file) as stored:
                return Atoms(int(stored["n_components"]), *(stored[name] for name in ARRAYS))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None

    def discard(self, alive: Collection[int], before: int) -> None:
        """Remove all rounds earlier than one, except those that are still referred to."""
        dead = (name for name in self._rounds() if name < before and name not in alive)
        for number in dead:
            shutil.rmtree(self.folder / str(number), ignore_errors=True)

    def remove(self) -> None:
        """Remove all of it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _rounds(self) -> list[int]:
        try:
            return [int(name) for name in os.listdir(self.folder) if name.isdecimal()]
        except FileNotFoundError:
            return []

    def _path(self, number: int, chunk: int) -> Path:
        return self.folder / str(number) / f"{chunk}.npz"
