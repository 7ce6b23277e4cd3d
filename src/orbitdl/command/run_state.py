"""Checkpoints, from which an interrupted run resumes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orbitdl.command.display import Screen
from orbitdl.command.failures import Interrupted
from orbitdl.storage.checkpoint_files import REMEDY
from orbitdl.storage.container import ModelFileError

REMEDY_HERE = "discard it with --restart, or keep it and name another with --checkpoint"
"""Remedy for an incompatible checkpoint, in terms of options."""


@dataclass(frozen=True)
class RunState:
    """The checkpoint of a run.

    Attributes
    ----------
    path : Path
    is_named : bool
        Whether the user named it: then it stays when the run is over.
    require : callable
        Raises an error unless the file of a path is the state of such a run.
    """

    path: Path
    is_named: bool
    require: Callable[[Path], object]

    @classmethod
    def of(cls, named: Path | None, beside: Path, require: Callable[[Path], object]) -> RunState:
        """Return the checkpoint at the given path, or else next to a file."""
        usual = beside.with_name(beside.name + ".checkpoint")
        return cls(named or usual, named is not None, require)

    def discard(self, screen: Screen) -> None:
        """Remove the checkpoint of an earlier run, if any, and report it."""
        if not self.path.exists():
            return
        if self.is_named:
            self.require(self.path)  # a file that is none is refused
        self.path.unlink()
        screen.note(f"Discarded the state of an earlier run: {self.path}", discarded=str(self.path))

    @contextmanager
    def kept(self, first: str, has_begun: Callable[[], bool]) -> Iterator[None]:
        """Name the checkpoint on Ctrl-C; name options if a checkpoint is incompatible.

        A run that fails before it has begun leaves nothing in the way of another.
        """
        was_there = self.path.exists()
        try:
            yield
        except KeyboardInterrupt:
            raise Interrupted(
                f"Interrupted; the state is in {self.path}: run the same command again to go on."
                if self.path.exists()
                else f"Interrupted before the first {first}; nothing was written."
            ) from None
        except Exception as error:
            if not (was_there or has_begun()):
                self.path.unlink(missing_ok=True)
            if isinstance(error, ModelFileError):
                raise ModelFileError(str(error).replace(REMEDY, REMEDY_HERE)) from error
            raise

    def finish(self) -> None:
        """Remove the checkpoint of a completed run, unless the user named it."""
        if not self.is_named:
            self.path.unlink(missing_ok=True)
