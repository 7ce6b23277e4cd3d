"""Where the restarts of a fit stand, as records and as plain data for a file."""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType
from typing import Any

import numpy as np

from orbitdl.codes import Atoms
from orbitdl.groups.base import Blocks, Floats, Representation
from orbitdl.groups.listed import ListedRepresentation
from orbitdl.learning.history import COLUMNS, History
from orbitdl.learning.iteration import State
from orbitdl.storage.container import Header, Tensors
from orbitdl.storage.descriptions import checked, checked_array

RUN: dict[str, tuple[type, ...]] = {
    "number": (int,),
    "unused": (int,),
    "objective": (float, int, NoneType),  # None: infinite, before the first iteration
    "loosest": (float, int),
    "stalled": (int,),
    "streak": (int,),
    "ended": (bool,),
    "settled": (bool,),
    "fell_back": (bool,),
}


@dataclass(frozen=True)
class Run:
    """Where one of the restarts stands.

    Attributes
    ----------
    state : State
        Where its next iteration begins; if it ended, where its last one began.
    history : History
        Records of all its iterations.
    ended : bool
    settled : bool
        Whether it would have ended there with a larger `max_iter` too.
    fell_back : bool
        Whether its last iteration took its push back.
    """

    state: State
    history: History
    ended: bool = False
    settled: bool = False
    fell_back: bool = False

    @property
    def components(self) -> Blocks:
        """Those that an ended run ended with."""
        stepped = self.state.stepped
        return stepped if self.fell_back and stepped is not None else self.state.components

    def go_on(self, max_iter: int) -> Run:
        """Return this run, open again if it ended at a smaller `max_iter`.

        The last iteration meets the strict tolerance, which it need not if others follow: so it
        is done again.
        """
        if self.ended and not self.settled and self.state.number < max_iter:
            return Run(self.state, History(self.history[:-1]))
        return self


def run_to_file(run: Run) -> tuple[Header, Tensors]:
    """Return numbers and arrays of a run."""
    state, infinite = run.state, np.isinf(run.state.objective)
    header = {
        "number": state.number,
        "unused": state.unused,
        "objective": None if infinite else state.objective,
        "loosest": state.loosest,
        "stalled": state.stalled,
        "streak": state.streak,
        "ended": run.ended,
        "settled": run.settled,
        "fell_back": run.fell_back,
    }
    tensors = {f"history.{name}": array for name, array in run.history.to_arrays().items()}
    tensors["components"] = _as_real(state.components)
    if (atoms := state.atoms) is not None:
        tensors["offsets"] = atoms.offsets.astype(np.int64)
        tensors["component"] = atoms.component.astype(np.int64)
        tensors["coefficient"], tensors["element"] = atoms.coefficient, atoms.element
    if state.stepped is not None:
        tensors["stepped"] = _as_real(state.stepped)
    return header, tensors


def run_from_file(
    header: Any, tensors: Tensors, representation: Representation, n: int, q: int
) -> Run:
    """Return the run that `run_to_file` was given, after a check, on n samples and q components."""
    record = checked(header, RUN, "a run")
    number, begun = record["number"], record["number"] > 0
    names = {"components", *(f"history.{name}" for name in COLUMNS)}
    names |= {"offsets", "component", "coefficient", "element", "stepped"} if begun else set()
    if set(tensors) != names:
        raise ValueError("a run has other arrays than it should have")
    if min(record[name] for name in ("number", "unused", "stalled", "loosest", "streak")) < 0:
        raise ValueError("a run has a negative number")
    if (record["objective"] is None) is begun or record["unused"] > q:
        raise ValueError("a run has numbers that do not fit together")
    state = State(
        number,
        _components_from(tensors, "components", representation, q),
        _atoms_from(tensors, representation, n, q) if begun else None,
        record["unused"],
        float(record["objective"]) if begun else np.inf,
        float(record["loosest"]),
        record["stalled"],
        _components_from(tensors, "stepped", representation, q) if begun else None,
        record["streak"],
    )
    columns = {name: tensors[f"history.{name}"] for name in COLUMNS}
    history = History.from_arrays(columns, number + record["ended"])
    return Run(state, history, record["ended"], record["settled"], record["fell_back"])


def _components_from(tensors: Tensors, name: str, representation: Representation, q: int) -> Blocks:
    is_complex = representation.dtype is np.complex128
    shape = (q, *representation.block_shape, *((2,) if is_complex else ()))
    real = _finite(tensors, name, shape)
    return real.view(np.complex128)[..., 0] if is_complex else real


def _atoms_from(tensors: Tensors, representation: Representation, n: int, q: int) -> Atoms:
    offsets = checked_array(tensors, "offsets", (n + 1,), np.int64)
    count = tensors["coefficient"].size
    if offsets[0] != 0 or np.any(np.diff(offsets) < 0) or offsets[-1] != count:
        raise ValueError("offsets do not count the atoms")
    component = checked_array(tensors, "component", (count,), np.int64)
    if np.any((component < 0) | (component >= q)):
        raise ValueError("an atom is of a component that is not there")
    coefficient = _finite(tensors, "coefficient", (count,))
    element = _finite(tensors, "element", (count, len(representation.parameters)))
    if isinstance(representation, ListedRepresentation):
        number = representation.index(element)
        if np.any((number < 0) | (number >= representation.size)):
            raise ValueError("an atom is moved by an element that is not in the group")
    return Atoms(q, offsets.astype(np.intp), component.astype(np.intp), coefficient, element)


def _finite(tensors: Tensors, name: str, shape: tuple[int, ...]) -> Floats:
    array = checked_array(tensors, name, shape)
    if not np.all(np.abs(array) < 1e150):
        raise ValueError(f"{name} has values out of range")
    return array


def _as_real(blocks: Blocks) -> Floats:
    """Return complex blocks (...) as real and imaginary parts (..., 2), real ones as they are."""
    return blocks[..., None].view(np.float64) if np.iscomplexobj(blocks) else blocks
