"""Iterations, and parts of them, as the progress bar shows them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from orbitdl.learning.progress import PAUSE, Follower, Standing
from orbitdl.learning.state import Iteration

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Lines:
    """Prints a line now and then where there is no terminal for a bar."""

    def __init__(self, bar: Progress, *, quiet: bool) -> None:
        self.is_needed, self._said = bar.disable and not quiet, time.monotonic()

    def __call__(self, words: str) -> None:
        """Print a line, unless the last one is a moment ago."""
        if self.is_needed and time.monotonic() - self._said > PAUSE:
            self._said = time.monotonic()
            typer.echo(words, err=True)


class Shown(Follower):
    """Shows where a run stands on a bar, or where there is none by a line now and then.

    Attributes
    ----------
    has_begun : bool
        Whether an iteration is done.
    """

    def __init__(
        self, bar: Progress, task: TaskID, line: Lines, remark: Callable[[str], object]
    ) -> None:
        self.bar, self.task, self.line, self.remark = bar, task, line, remark
        self.has_begun, self._start = False, ""

    def __call__(self, iteration: Iteration) -> None:
        """Show an iteration that is done."""
        self.has_begun = True
        facts = f"objective {iteration.objective:.6g}  gap {iteration.gap:.0e}"
        self._show(f"iteration {iteration.number}  {facts}", advance=1)

    def part(self, standing: Standing) -> None:
        """Show how far the coding of data that are somewhere else has come."""
        self._show(str(standing), advance=0)

    def phase(self, words: str) -> None:
        """Show what begins; iterations of a start are shown with its number."""
        if words.startswith("resuming"):
            self.remark(f"{words.capitalize()}, from the state of an earlier run.")
        self._start = f"{words}  " if words.startswith("start") else self._start
        self._show("" if words.startswith("start") else words, advance=0)

    def _show(self, facts: str, advance: int) -> None:
        facts = f"{self._start}{facts}".rstrip()
        self.bar.update(self.task, advance=advance, facts=facts)
        self.line(facts)
