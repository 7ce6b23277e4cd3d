"""Output: results on stdout, progress and warnings on stderr."""

from __future__ import annotations

import json
import math
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.table import Table

    from orbitdl.command.following import ProgressDisplay
    from orbitdl.io import Recording

WIDTH = 100
"""Columns of a table without a terminal."""

UNITS = (("h", 3600), ("min", 60), ("s", 1))
"""Units of time in seconds; a unit is used from twice its size on."""
SHORT = 0.1
"""Duration in seconds below which milliseconds are used."""


def this_command() -> str:
    """Return the command as it was typed, quoted for the shell."""
    return shlex.join(["orbitdl", *sys.argv[1:]])


def program() -> str:
    """Return the name of this program if it is on the path, else its path."""
    running = Path(sys.argv[0])
    found = shutil.which("orbitdl")
    if not running.is_file() or running.stem != "orbitdl":
        return "orbitdl"
    on_path = found is not None and Path(found).samefile(running)
    return "orbitdl" if on_path else shlex.quote(str(running))


def at_most(fraction: float) -> str:
    """Return an upper bound in per cent, rounded up."""
    return f"{math.ceil(1e4 * fraction) / 1e4:.2%}"


def counted(number: int, noun: str) -> str:
    """Return a count with its noun in singular or plural.

    Examples
    --------
    >>> counted(1, "window"), counted(2, "window")
    ('1 window', '2 windows')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def duration(samples: float, sfreq: float | None) -> str:
    """Return a duration in samples, or in a suitable unit of time if `sfreq` is known.

    Examples
    --------
    >>> duration(252, 360.0), duration(648000, 360.0), duration(252, None)
    ('0.7 s', '30 min', '252 samples')
    """
    if sfreq is None:
        return f"{samples:.6g} samples"
    seconds = samples / sfreq
    unit, size = next(item for item in UNITS if seconds >= 2 * item[1] or item[1] == 1)
    return f"{seconds / size:.3g} {unit}"


def span(samples: float, sfreq: float | None) -> str:
    """Return a length in samples, and in units of time if `sfreq` is known.

    Examples
    --------
    >>> span(8.1, 360.0), span(424.8, 360.0), span(72, None)
    ('8.1 samples (22.5 ms)', '425 samples (1.18 s)', '72 samples')
    """
    count = f"{samples:.3g}" if samples < 100 else f"{samples:.0f}"
    if sfreq is None:
        return f"{count} samples"
    seconds = samples / sfreq
    time = f"{1e3 * seconds:.3g} ms" if seconds < SHORT else duration(samples, sfreq)
    return f"{count} samples ({time})"


class Screen:
    """Printer of results: sentences and tables, one JSON object, or nothing.

    Parameters
    ----------
    as_json : bool
        Print one JSON object on stdout and nothing else there.
    quiet : bool
        Print no sentences and no progress.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.noted: dict[str, Any] = {}

    def say(self, sentence: str) -> None:
        """Print a sentence in text mode."""
        if not (self.quiet or self.as_json):
            typer.echo(sentence)

    def note(self, sentence: str, **facts: Any) -> None:
        """Print a sentence in text mode, and add values to the JSON object."""
        self.noted |= facts
        self.say(sentence)

    def remark(self, sentence: str) -> None:
        """Print a sentence on stderr."""
        if not self.quiet:
            typer.echo(sentence, err=True)

    def show(self, table: Table) -> None:
        """Print a table in text mode, coloured on terminals."""
        from rich.console import Console

        if not (self.quiet or self.as_json):
            console = Console()
            Console(width=None if console.is_terminal else WIDTH).print(table)

    def result(self, values: dict[str, Any]) -> None:
        """Print the JSON object in JSON mode."""
        if self.as_json:
            typer.echo(json.dumps(values | self.noted, allow_nan=False, default=str))

    @contextmanager
    def learning(self, n_iterations: int) -> Iterator[ProgressDisplay]:
        """Return a callback that shows the iterations of a run."""
        from orbitdl.command.following import ProgressDisplay, ProgressLines

        with self._bar(foreseeable=False) as progress:
            task = progress.add_task("Learning", total=n_iterations, facts="reading the data")
            yield ProgressDisplay(
                progress, task, ProgressLines(progress, quiet=self.quiet), self.remark
            )

    @contextmanager
    def working(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        """Return a function that advances the progress by a number of windows, of `total`."""
        with self._bar() as progress:
            task = progress.add_task(what, total=total, facts=f"{total} windows")
            yield lambda done: progress.advance(task, done)

    @contextmanager
    def window_progress(self, recording: Recording, what: str) -> Iterator[Callable[[int], None]]:
        """Return a function that advances the progress by a number of samples."""
        samples, sfreq = len(recording.signal), recording.sfreq
        end = duration(samples, sfreq)
        with self._bar() as progress:
            task = progress.add_task(what, total=samples, facts=end)

            def show(done: int) -> None:
                progress.advance(task, done)
                so_far = duration(progress.tasks[task].completed, sfreq)
                progress.update(task, facts=f"{so_far} of {end}")

            yield show

    @contextmanager
    def steps(self) -> Iterator[Callable[[str, str, int, int], None]]:
        """Return a function of phase, description, completed steps and total steps."""
        from orbitdl.command.following import ProgressLines

        with self._bar(foreseeable=False) as progress:
            task = progress.add_task("Starting", total=None, facts="")
            line = ProgressLines(progress, quiet=self.quiet)

            def show(part: str, what: str, done: int, total: int) -> None:
                progress.update(task, description=part, facts=what, completed=done, total=total)
                line(f"{part}: {what}")

            yield show

    def _bar(self, *, foreseeable: bool = True) -> Progress:
        """Return a progress bar with the remaining time, or the elapsed time without a total."""
        from rich import progress as rich
        from rich.console import Console

        console = Console(stderr=True)
        left = (rich.TextColumn("about"), rich.TimeRemainingColumn(), rich.TextColumn("left"))
        columns = (
            rich.TextColumn("{task.description}"),
            rich.BarColumn(),
            rich.TextColumn("{task.fields[facts]}"),
            *(left if foreseeable else (rich.TimeElapsedColumn(),)),
        )
        off = self.quiet or not console.is_terminal
        return rich.Progress(*columns, console=console, transient=True, disable=off)
