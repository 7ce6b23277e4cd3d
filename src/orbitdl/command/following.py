"""Progress of iterations and of the phases within them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from orbitdl.learning.progress import PAUSE, Follower, Standing
from orbitdl.learning.state import Iteration

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class ProgressLines:
    """Prints progress lines at intervals if there is no terminal."""

    def __init__(self, bar: Progress, *, quiet: bool) -> None:
        self.is_needed, self._said = bar.disable and not quiet, time.monotonic()

    def __call__(self, words: str) -> None:
        """Print a line, unless the last one was printed recently."""
        if self.is_needed and time.monotonic() - self._said > PAUSE:
            self._said = time.monotonic()
            typer.echo(words, err=True)


class ProgressDisplay(Follower):
    """Shows the progress of a run as a bar, or as lines without a terminal.

    Attributes
    ----------
    has_begun : bool
        Whether an iteration is done.
    """

    def __init__(
        self, bar: Progress, task: TaskID, line: ProgressLines, remark: Callable[[str], object]
    ) -> None:
        self.bar, self.task, self.line, self.remark = bar, task, line, remark
        self.has_begun, self._start = False, ""

    def __call__(self, iteration: Iteration) -> None:
        """Show a completed iteration."""
        self.has_begun = True
        facts = f"objective {iteration.objective:.6g}  gap {iteration.gap:.0e}"
        self._show(f"iteration {iteration.number}  {facts}", advance=1)

    def part(self, standing: Standing) -> None:
        """Show the progress of encoding out-of-core data."""
        self._show(str(standing), advance=0)

    def phase(self, words: str) -> None:
        """Show the start of a phase; iterations of a restart show its number."""
        if words.startswith("resuming"):
            self.remark(f"{words.capitalize()}, from the state of an earlier run.")
        self._start = f"{words}  " if words.startswith("start") else self._start
        self._show("" if words.startswith("start") else words, advance=0)

    def _show(self, facts: str, advance: int) -> None:
        facts = f"{self._start}{facts}".rstrip()
        self.bar.update(self.task, advance=advance, facts=facts)
        self.line(facts)
