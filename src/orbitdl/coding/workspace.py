"""Room for the atoms of a sample: its square is allocated, so it follows the atoms found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.codes import Atoms

Chosen = slice | NDArray[np.bool_]
Solve = Callable[[Chosen, Atoms, int], tuple[Atoms, NDArray[Any]]]
"""Continues the codes of some samples in room for so many atoms; says which are full (n,)."""


def in_growing_room(solve: Solve, atoms: Atoms, room: int, most: int) -> Atoms:
    """Solve for every sample from the atoms given; those that are full go on in twice the room.

    No sample needs more than `most`, or than it has: the last room is larger than that.
    """
    waiting = np.ones(len(atoms), dtype=np.bool_)
    most = max(most, int(np.diff(atoms.offsets).max(initial=0)))
    room = min(room, most)
    while waiting.any() and room <= 2 * most:
        fitting = waiting & (np.diff(atoms.offsets) <= room)
        if fitting.any():
            chosen = slice(None) if fitting.all() else fitting  # a slice copies nothing
            found, waiting[fitting] = solve(chosen, atoms.take(chosen), room)
            atoms = atoms.replace(fitting, found)
        room *= 2
    return atoms
