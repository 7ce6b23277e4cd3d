"""Iterations, and parts of them, as the progress bar shows them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import typer

from orbitdl.learning.iteration import Iteration
from orbitdl.learning.progress import PAUSE, Follower, Standing

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Shown(Follower):
    """Shows where a run stands on a bar, or where there is none by a line now and then.

    Attributes
    ----------
    has_begun : bool
        Whether an iteration is done.
    """

    def __init__(self, bar: Progress, task: TaskID, *, quiet: bool) -> None:
        self.bar, self.task, self.quiet = bar, task, quiet
        self.has_begun, self._said = False, time.monotonic()

    def __call__(self, iteration: Iteration) -> None:
        """Show an iteration that is done."""
        self.has_begun = True
        facts = f"objective {iteration.objective:.6g}  gap {iteration.gap:.0e}"
        self._show(f"iteration {iteration.number}  {facts}", advance=1)

    def part(self, standing: Standing) -> None:
        """Show how far the coding of data that are somewhere else has come."""
        self._show(str(standing), advance=0)

    def _show(self, facts: str, advance: int) -> None:
        self.bar.update(self.task, advance=advance, facts=facts)
        if self.bar.disable and not self.quiet and time.monotonic() - self._said > PAUSE:
            self._said = time.monotonic()
            typer.echo(facts, err=True)
