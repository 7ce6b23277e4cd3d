"""Past runs: a line of JSON for each, and what a row showed before.

Figures are ratios of two programs in one run, so those of other processors may stand beside them,
marked; those of quick runs, which are smaller, may not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.harness import Row, Section
from benchmarks.verdict import number

SHOWN = 3
"""Runs before that are shown beside a figure."""


@dataclass(frozen=True)
class Figure:
    """What a row came to: named by its section, its work and its competitor."""

    section: str
    work: str
    competitor: str
    ratio: float
    target: float | None
    at_least: bool
    holds: bool | None

    @classmethod
    def of(cls, section: Section, row: Row) -> Figure:
        """Take it from the row."""
        return cls(
            section.title, row.work, row.competitor, row.ratio, row.target, row.at_least, row.holds
        )

    @property
    def name(self) -> tuple[str, str, str]:
        """What is the same in every run."""
        return self.section, self.work, self.competitor


@dataclass(frozen=True)
class Run:
    """The figures of one run, when, and what they depend on."""

    date: str
    quick: bool
    machine: dict[str, str]
    figures: list[Figure]

    @classmethod
    def of(cls, sections: list[Section], quick: bool, machine: dict[str, str]) -> Run:
        """Take all rows, now."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [Figure.of(section, row) for section in sections for row in section.rows]
        return cls(now, quick, machine, rows)

    @classmethod
    def from_line(cls, line: str) -> Run | None:
        """Read one line of a file; None if it is damaged."""
        try:
            content = json.loads(line)
            figures = [Figure(**figure) for figure in content.pop("figures")]
            run = cls(**content, figures=figures)
            return run if run.is_sound() else None
        except (ValueError, TypeError, KeyError, AttributeError):
            return None

    def is_sound(self) -> bool:
        """Tell whether what is shown of a run is of the kind it should be."""
        numbers = all(isinstance(figure.ratio, float | int) for figure in self.figures)
        where = isinstance(self.machine, dict) and isinstance(self.machine.get("processor"), str)
        return isinstance(self.date, str) and numbers and where


def append(path: Path, run: Run) -> None:
    """Add a run to a file; a line before it that was cut short stays a line of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torn = path.exists() and path.read_bytes()[-1:] not in (b"", b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" * torn + json.dumps(asdict(run)) + "\n")


def read(paths: Iterable[Path]) -> tuple[list[Run], list[str]]:
    """Return the runs of files that exist, oldest first, and what could not be read, in words."""
    runs, complaints = dict[str, Run](), []
    for path in dict.fromkeys(path.resolve() for path in paths if path.exists()):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        found = {line: Run.from_line(line) for line in lines if line.strip()}
        runs |= {line: run for line, run in found.items() if run is not None}
        if damaged := sum(run is None for run in found.values()):
            complaints.append(f"damaged lines of {path.name} that were passed over: {damaged}")
    return sorted(runs.values(), key=lambda run: run.date), complaints


@dataclass(frozen=True)
class Past:
    """Runs before this one, of the same size, as seen from one processor."""

    runs: list[Run]
    quick: bool
    processor: str

    def shown(self, section: Section, row: Row) -> str:
        """Write the last figures of a row, latest first; of other processors if there is no other.

        Those are marked with the name of their processor.
        """
        name = Figure.of(section, row).name
        figures = [
            (run.machine["processor"], figure.ratio)
            for run in reversed(self.runs)
            if run.quick is self.quick
            for figure in run.figures
            if figure.name == name
        ]
        here = [number(ratio) for processor, ratio in figures if processor == self.processor]
        elsewhere = [f"{number(ratio)} ({processor})" for processor, ratio in figures]
        return ", ".join((here or elsewhere)[:SHOWN])
