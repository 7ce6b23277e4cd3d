"""Codes of data that are somewhere else, on the disk of whoever makes them."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from orbitdl.coding.codes import Atoms

ARRAYS = ("offsets", "component", "coefficient", "element")


@dataclass(frozen=True)
class Scratch:
    """A folder for the atoms of pieces of data, round by round.

    What is in it makes the next round quicker, and no more: whatever is lost is coded anew.
    """

    folder: Path

    def keep(self, number: int, piece: int, atoms: Atoms) -> None:
        """Keep the atoms of a piece as those of a round; a full disk costs time only."""
        place = self._place(number, piece)
        new = place.with_name(f"{place.name}.{os.getpid()}.part")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with new.open("wb") as file:
                arrays = {name: getattr(atoms, name) for name in ARRAYS}
                np.savez(file, n_components=atoms.n_components, allow_pickle=False, **arrays)
            new.replace(place)
        except OSError as error:
            logging.getLogger("orbitdl").warning(
                "orbitdl: codes could not be kept in %s (%s); the next iteration makes them anew",
                self.folder,
                error.strerror,
            )
            new.unlink(missing_ok=True)

    def find(self, number: int, piece: int) -> Atoms | None:
        """Return the atoms that a piece had in a round, if they are here."""
        try:
            with self._place(number, piece).open("rb") as file, np.load(file) as stored:
                return Atoms(int(stored["n_components"]), *(stored[name] for name in ARRAYS))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None

    def keep_only(self, alive: Collection[int], before: int) -> None:
        """Remove all rounds earlier than one, but for those that somebody may still ask for."""
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

    def _place(self, number: int, piece: int) -> Path:
        return self.folder / str(number) / f"{piece}.npz"
