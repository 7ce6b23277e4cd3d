"""Long runs that survive: where a fit stands, kept in a file from which another goes on."""

from __future__ import annotations

import os
import time
import warnings
from numbers import Integral
from pathlib import Path
from types import NoneType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from orbitdl.coding.base import Coder
from orbitdl.groups.base import Blocks, Representation
from orbitdl.learning.history import History
from orbitdl.learning.iteration import Iteration, State
from orbitdl.learning.runs import Run, run_from_file, run_to_file
from orbitdl.storage.container import Header, ModelFileError, Tensors, as_path, read, sweep, write
from orbitdl.storage.descriptions import arrays_of, checked, describe, plain
from orbitdl.storage.provenance import fingerprint
from orbitdl.validation import as_components, require_positive

if TYPE_CHECKING:
    from orbitdl.estimator import OrbitDictionaryLearning

KIND, VERSION = "checkpoint", 1
SECONDS, SHARE = 5.0, 0.05
"""Least time between two writes, and the largest share of the time that they may take."""
HEADER: dict[str, tuple[type, ...]] = {
    "format": (str,),
    "version": (int,),
    "identity": (dict,),
    "seed": (int,),
    "runs": (list,),
}
IDENTITY: dict[str, tuple[type, ...]] = {
    "data": (str,),
    "group": (dict,),
    "n_components": (int,),
    "alpha": (float, int),
    "tol": (float, int),
    "coder": (dict,),
    "init": (str,),
    "random_state": (int, NoneType),
    "normalise_after": (bool,),
}
REMEDY = "delete the file or name another"


class Checkpoint:
    """Where the runs of a fit stand and, if there is a path, the file that keeps it.

    A context: at its end, for whatever reason, what the file does not have yet is written.
    """

    def __init__(
        self, path: Path | None, identity: Header, seed: int, max_iter: int, runs: list[Run]
    ) -> None:
        self.path, self.identity, self.seed, self.max_iter = path, identity, seed, max_iter
        self.runs, self._current, self._is_written = runs, 0, True
        self._due = time.monotonic() + SECONDS

    @classmethod
    def open(
        cls,
        model: OrbitDictionaryLearning,
        representation: Representation,
        coder: Coder,
        provenance: Header,
        seed: int,
        alpha: float,
    ) -> Checkpoint:
        """Return the runs in the model's checkpoint, which must be its own, or none."""
        if model.checkpoint is None:
            return cls(None, {}, seed, model.max_iter, [])
        path, runs = as_path(model.checkpoint, "checkpoint"), list[Run]()
        identity = identify(model, coder, provenance["fingerprint"], seed, alpha)
        sweep(path)
        if os.path.exists(path):
            header, tensors = read(path, KIND, VERSION)
            _require_same(path, header, identity)
            size = provenance["samples"], model.n_components
            runs, seed = _runs_from(path, header, tensors, representation, size), header["seed"]
            runs = [run.go_on(model.max_iter) for run in runs]
        reached = max((run.state.number for run in runs[: model.n_restarts]), default=0)
        if reached > model.max_iter:
            raise ModelFileError(
                f"{path} has reached iteration {reached}, beyond max_iter={model.max_iter}; raise "
                f"max_iter, or {REMEDY}."
            )
        return cls(path, identity, seed, model.max_iter, runs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.flush()

    def begin(self, k: int, start: Blocks) -> None:
        """Put run k at its start, unless it stands further. The first write of all must succeed."""
        if k == len(self.runs):
            self.runs.append(Run(State(0, start), History()))
            if k == 0 and self.path is not None:
                self._write()

    def resume(self, k: int) -> Run:
        """Return where run k stands; it is the current one from now on."""
        self._current = k
        return self.runs[k]

    def keep(self, iteration: Iteration, history: History) -> None:
        """Note an iteration of the current run; write if it ended, or if it is time to."""
        run, self._is_written = self.runs[self._current], False
        if iteration.following is None:
            settled = iteration.number < self.max_iter
            ended = Run(run.state, History(history), True, settled, iteration.fell_back)
            self.runs[self._current] = ended
        else:
            self.runs[self._current] = Run(iteration.following, History(history))
        if iteration.following is None or time.monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
        """Write what is not yet written; a failure is told, and costs no run."""
        if self.path is None or self._is_written:
            return
        began = time.monotonic()
        try:
            self._write()
        except ModelFileError as error:
            warnings.warn(f"{error} The fit goes on.", RuntimeWarning, stacklevel=2)
        now = time.monotonic()
        self._due = now + max(SECONDS, (now - began) / SHARE)

    def _write(self) -> None:
        assert self.path is not None
        header: Header = {"format": f"orbitdl {KIND}", "version": VERSION, "runs": []}
        header |= {"identity": self.identity, "seed": self.seed}
        tensors: Tensors = {}
        for k, run in enumerate(self.runs):
            numbers, arrays = run_to_file(run)
            header["runs"].append(numbers)
            tensors |= {f"{k}.{name}": array for name, array in arrays.items()}
        write(self.path, header, tensors)
        self._is_written = True


def identify(
    model: OrbitDictionaryLearning, coder: Coder, data: str, seed: int, alpha: float
) -> Header:
    """Return what must agree so that one fit can go on where another stood."""
    group, given = model._group(), model.random_state
    try:
        identity = {
            "data": data,
            "group": {**describe(group), "arrays": fingerprint(*arrays_of(group).values())},
            "n_components": model.n_components,
            "alpha": alpha,
            "tol": require_positive(model.tol, "tol"),
            "coder": describe(coder),
            "init": model.init
            if isinstance(model.init, str)
            else fingerprint(as_components(model.init, "init")),
            "random_state": given if given is None or isinstance(given, Integral) else seed,
            "normalise_after": bool(model.normalise_after),
        }
        return {name: plain(value) for name, value in identity.items()}
    except ValueError as error:
        reason = str(error).rstrip(".")
        raise ModelFileError(f"checkpoint cannot be used here: {reason}.") from error


def _require_same(path: Path, header: Header, identity: Header) -> None:
    """Raise an error that says what differs, unless the file belongs to this fit."""
    try:
        checked(header, HEADER, "the header")
        stored = checked(header["identity"], IDENTITY, "the identity")
        if header["seed"] < 0:
            raise ValueError("its seed is negative")
    except ValueError as error:
        raise _unsound(path, error) from error
    differing = [_difference(name, stored[name], own) for name, own in identity.items()]
    if words := ", ".join(word for word in differing if word):
        raise ModelFileError(f"{path} belongs to another fit, which differs in {words}; {REMEDY}.")


def _difference(name: str, stored: Any, own: Any) -> str:
    """Return in words how a parameter differs; nothing if it does not."""
    if stored == own:
        return ""
    if isinstance(own, int | float | None) and isinstance(stored, int | float | None):
        return f"{name} ({stored} there, {own} here)"
    return "the data" if name == "data" else name


def _runs_from(
    path: Path,
    header: Header,
    tensors: Tensors,
    representation: Representation,
    size: tuple[int, int],
) -> list[Run]:
    """Return the runs of a file, after a check; `size` is the number of samples and components."""
    parts: list[Tensors] = [{} for _ in header["runs"]]
    try:
        for name, array in tensors.items():
            k, _, rest = name.partition(".")
            if not (k.isdecimal() and k.isascii() and int(k) < len(parts)):
                raise ValueError(f"it has an unknown array {name[:40]!r}")
            parts[int(k)][rest] = array
        pairs = zip(header["runs"], parts, strict=True)
        return [run_from_file(record, part, representation, *size) for record, part in pairs]
    except ValueError as error:
        raise _unsound(path, error) from error


def _unsound(path: Path, error: ValueError) -> ModelFileError:
    reason = str(error).rstrip(".")
    return ModelFileError(f"{path} is not a sound checkpoint: {reason}; {REMEDY}.")
