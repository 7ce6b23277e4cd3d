"""Checkpoint files: the state of the runs of a fit as one record."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import Coder
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.groups.base import Floats, Group
from orbitdl.learning.history import History
from orbitdl.learning.restarts import Run
from orbitdl.learning.running_sums import BatchSums, Memory, PassState
from orbitdl.learning.shards import Shards, Space
from orbitdl.learning.state import State
from orbitdl.storage.codec import pack, unpack
from orbitdl.storage.container import ModelFileError, marks, read, write
from orbitdl.storage.kinds import describe
from orbitdl.storage.plain import as_complex, as_real, require_moderate, require_shape
from orbitdl.storage.provenance import fingerprint


@dataclass(frozen=True, eq=False)
class StoredSums:
    """Sums over data and codes; complex ones as real and imaginary parts on a last axis of two."""

    normal: NDArray[np.float64]
    cross: NDArray[np.float64]
    usage: NDArray[np.float64]

    @classmethod
    def of(cls, statistics: Statistics) -> StoredSums:
        """Return the stored form of sums."""
        return cls(*map(as_real, statistics.arrays))

    def restore(self, like: Statistics) -> Statistics:
        """Return the sums, after validation of their shapes."""
        stored = zip((self.normal, self.cross, self.usage), like.arrays, strict=True)
        names = "normal", "cross", "usage"
        return like.of_arrays(
            *(
                as_complex(require_moderate(array, name, as_real(own).shape), own.dtype)
                for name, (array, own) in zip(names, stored, strict=True)
            )
        )


@dataclass(frozen=True, eq=False)
class StoredBatch:
    """The last sums over a batch, its number, and what was left of the first sums then."""

    batch: int
    left: float
    sums: StoredSums


@dataclass(frozen=True, eq=False)
class StoredMemory:
    """The memory of online learning: the total, and the last sums over every batch."""

    steps: int
    left: float
    total: StoredSums | None
    batch_sums: list[StoredBatch]

    @classmethod
    def of(cls, memory: Memory) -> StoredMemory:
        """Return the stored form of a memory."""
        total = None if memory.total is None else StoredSums.of(memory.total)
        batch_sums = [
            StoredBatch(batch, float(own.left), StoredSums.of(own.statistics))
            for batch, own in memory.batch_sums.items()
        ]
        return cls(memory.steps, float(memory.left), total, batch_sums)

    def restore(self, shards: Shards, q: int) -> Memory:
        """Return the memory of q components of these data, after validation."""
        shares = [self.left, *(own.left for own in self.batch_sums)]
        if self.steps < 0 or not all(0.0 < share <= 1.0 for share in shares):
            raise ValueError("the sums over batches have weights that are none")
        like = shards.no_statistics(q)
        batch_sums = {
            own.batch: BatchSums(own.sums.restore(like), own.left) for own in self.batch_sums
        }
        total = None if self.total is None else self.total.restore(like)
        return Memory(total, batch_sums, self.steps, self.left)


KIND = "checkpoint"
REMEDY = "delete the file or pass another"


@dataclass(frozen=True)
class Identity:
    """Settings and data that must agree for a fit to resume."""

    data: str
    group: dict[str, Any]
    n_components: int
    alpha: float
    tol: float
    coder: dict[str, Any]
    init: str
    random_state: int | None
    normalize_after: bool
    batch_size: int | None

    def differences(self, stored: Identity) -> list[str]:
        """Return descriptions of the differences from a stored one."""
        own, other = asdict(self), asdict(stored)
        different = (name for name in own if own[name] != other[name])
        return [word for name in different for word in _in_words(name, other[name], own[name])]


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A stored run: its state, and the concatenated atoms of its shards.

    Atoms of distributed data are not stored. A mini-batch run has a memory, and its atoms are in
    the order of the batches. Dictionaries are stored by their parameters, complex ones with real
    and imaginary parts on a last axis of two.
    """

    unused: int
    loosest: float
    stalled: int
    momentum_count: int
    ended: bool
    settled: bool
    restarted: bool
    history: History
    components: NDArray[np.float64]
    stepped: NDArray[np.float64] | None
    offsets: NDArray[np.int64] | None
    component: NDArray[np.int64] | None
    coefficient: NDArray[np.float64] | None
    element: NDArray[np.float64] | None
    memory: StoredMemory | None

    @classmethod
    def of(cls, run: Run) -> StoredRun:
        """Return the stored form of a run."""
        state, passed = run.state, run.state.passed
        atoms = state.shards.atoms if passed is None else passed.atoms
        return cls(
            unused=state.unused,
            loosest=float(state.loosest),
            stalled=state.stalled,
            momentum_count=state.momentum_count,
            ended=run.ended,
            settled=run.settled,
            restarted=run.restarted,
            history=run.history,
            components=as_real(state.dictionary.parameters),
            stepped=None if state.stepped is None else as_real(state.stepped.parameters),
            offsets=None if atoms is None else atoms.offsets.astype(np.int64),
            component=None if atoms is None else atoms.component.astype(np.int64),
            coefficient=None if atoms is None else atoms.coefficient,
            element=None if atoms is None else atoms.element,
            memory=None if passed is None else StoredMemory.of(passed.memory),
        )

    def restore(self, shards: Shards, like: Dictionary) -> Run:
        """Return the run on these data with a dictionary of this type, after validation."""
        number = len(self.history) - self.ended
        if min(number, self.unused, self.stalled, self.momentum_count, self.loosest) < 0:
            raise ValueError("a run has a negative number")
        arrays = (self.offsets, self.component, self.coefficient, self.element)
        has_atoms, has_stepped = self.offsets is not None, self.stepped is not None
        begun = has_stepped or self.memory is not None
        is_whole = all((array is not None) is has_atoms for array in arrays)
        is_known = has_stepped is (self.momentum_count > 0) and has_atoms <= begun <= (number > 0)
        if self.unused > len(like) or not (is_whole and is_known) or (has_stepped and self.memory):
            raise ValueError("a run has numbers or arrays that do not fit together")
        space, stepped, q = shards.space, self.stepped, len(like) * like.copies
        dictionary = _dictionary(self.components, "components", like)
        atoms, passed = self._atoms(space, len(shards), q), None
        if self.memory is not None:
            reached = tuple(record.objective for record in self.history[:number])
            passed = PassState(self.memory.restore(shards, q), atoms, reached)
        state = State(
            shards.starting_from(atoms if passed is None else None),
            dictionary,
            self.history[number - 1] if number else None,
            self.unused,
            float(self.loosest),
            self.stalled,
            None if stepped is None else _dictionary(stepped, "stepped", like),
            self.momentum_count,
            passed,
        )
        return Run(state, self.history, self.ended, self.settled, self.restarted)

    def _atoms(self, space: Space, n: int, q: int) -> Atoms | None:
        """Return the atoms of all samples, if they are atoms of these components and this group."""
        offsets, component, coefficient = self.offsets, self.component, self.coefficient
        if offsets is None or component is None or coefficient is None or self.element is None:
            return None
        count = coefficient.size
        require_shape(offsets, "offsets", (n + 1,), np.int64)
        if offsets[0] != 0 or np.any(np.diff(offsets) < 0) or offsets[-1] != count:
            raise ValueError("offsets do not count the atoms")
        require_shape(component, "component", (count,), np.int64)
        if np.any((component < 0) | (component >= q)):
            raise ValueError("an atom is of a component that is not there")
        require_moderate(coefficient, "coefficient", (count,))
        element = require_moderate(self.element, "element", (count, len(space.parameters)))
        if not space.contains(element):
            raise ValueError("an atom has an element that is not in the group")
        return Atoms(q, offsets.astype(np.intp), component.astype(np.intp), coefficient, element)


@dataclass(frozen=True, eq=False)
class CheckpointFile:
    """Content of a checkpoint.

    `starts` are the objectives of starts that were compared before the only run began.
    """

    identity: Identity
    seed: int
    runs: list[StoredRun]
    starts: NDArray[np.float64] | None = None


def identify(thing: Group | Coder) -> dict[str, Any]:
    """Return name and settings of a group or coder, and for a group a fingerprint of its arrays."""
    description, arrays = describe(thing)
    return (
        description
        if isinstance(thing, Coder)
        else description | {"arrays": fingerprint(*arrays.values())}
    )


def write_checkpoint(path: Path, record: CheckpointFile) -> None:
    """Write a checkpoint atomically."""
    header, tensors = pack(record)
    write(path, marks(KIND) | header, tensors)


def read_checkpoint(path: Path) -> CheckpointFile:
    """Read a checkpoint."""
    header, tensors = read(path, KIND)
    try:
        record = unpack(CheckpointFile, header, tensors, "the header")
        if record.seed < 0:
            raise ValueError("its seed is negative")
    except ValueError as error:
        raise unsound(path, error) from error
    return record


def unsound(path: Path, error: ValueError) -> ModelFileError:
    """Return the error for a file that is not valid."""
    reason = str(error).rstrip(".")
    return ModelFileError(f"{path} is not a sound checkpoint: {reason}; {REMEDY}.")


def _in_words(name: str, stored: Any, own: Any) -> list[str]:
    """Describe the difference of a parameter; for groups of one type, of their settings."""
    if isinstance(own, int | float | None) and isinstance(stored, int | float | None):
        return [f"{name} ({stored} there, {own} here)"]
    told = list[str]()
    if name == "group" and own["name"] == stored.get("name"):
        there, here = stored.get("settings", {}), own["settings"]
        different = (key for key in here if here[key] != there.get(key))
        told = [word for key in different for word in _in_words(key, there.get(key), here[key])]
    return told or ["the data" if name == "data" else name]


def _dictionary(real: Floats, name: str, like: Dictionary) -> Dictionary:
    """Return the dictionary with stored parameters, of the same type and size as another."""
    parameters = like.parameters
    shape = as_real(parameters).shape
    return like.at(as_complex(require_moderate(real, name, shape), parameters.dtype))
