"""Run the comparisons: print a verdict a row; write a page, a JSON file, a picture, a history."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import traceback
import warnings
from pathlib import Path

from benchmarks.data import windows
from benchmarks.harness import Section
from benchmarks.verdict import line, summary

NAMES = (
    "continuous",
    "integer",
    "masked",
    "circular",
    "convolutional",
    "regular",
    "online",
    "finite",
    "symmetries",
    "outliers",
    "growth",
    "threads",
    "recordings",
    "environment",
    "first_use",
    "profile",
)


KEPT = Path("docs/measured/history.jsonl")
"""Past runs that are part of the project: those of `make measured`."""


def main() -> int | str:
    """Run what was asked for; return 1, or why, if something could not run.

    A missed target is not a failure: it is told.
    """
    options = parse()
    warnings.simplefilter("ignore")  # accuracies are in the tables, and peers warn a lot
    try:
        windows()
    except FileNotFoundError as error:
        return f"The comparisons need the recording. {error}"
    sections = [run(name, options.quick) for name in options.only or NAMES]
    write(sections, options)
    print(summary(sections, options.quick))
    return int(any(section.failed for section in sections))


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small version, under 2 minutes")
    parser.add_argument("--output", type=Path, default=Path("out/benchmarks"), metavar="DIR")
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="write the page here too: make measured does"
    )
    parser.add_argument(
        "--history", type=Path, metavar="FILE",
        help="add this run to past ones here, not to history.jsonl beside the page",
    )  # fmt: skip
    return parser.parse_args()


def run(name: str, quick: bool) -> Section:
    """Run one comparison and print its verdicts; that it failed becomes part of the report."""
    began = time.perf_counter()
    print(f"{name} ...", file=sys.stderr, end=" ", flush=True)
    section = outcome(name, quick)
    print(f"{time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    lines = [f"{section.title}: {section.note}"] if section.failed or section.left_out else []
    print(*lines, *map(line, section.rows), sep="\n", flush=True)
    return section


def outcome(name: str, quick: bool) -> Section:
    """Run one comparison; the others shall run, even if a peer is not there or this one fails."""
    try:
        section: Section = importlib.import_module(f"benchmarks.{name}").run(quick)
        return section
    except ImportError as error:
        if (error.name or "").partition(".")[0] in ("", "orbitdl", "benchmarks"):
            return failure(name, error)
        note = f"Left out: {error.name} cannot be imported here ({error})."
        return Section(name, note=note, left_out=True)
    except Exception as error:
        return failure(name, error)


def failure(name: str, error: Exception) -> Section:
    """Show where a comparison failed, and make that its outcome."""
    traceback.print_exc()
    return Section(name, note=f"FAILED: {type(error).__name__}: {error}", failed=True)


def write(sections: list[Section], options: argparse.Namespace) -> None:
    """Write page, figures and picture to a folder, the page elsewhere too; add to the history."""
    from benchmarks import history
    from benchmarks.picture import draw
    from benchmarks.report import as_json, machine, markdown

    folder, kept = options.output, options.history or options.output / "history.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    runs, complaints = history.read([KEPT, kept])
    page = markdown(sections, options.quick, runs)
    for path in (folder / "benchmarks.md", options.page):
        if path is not None:
            path.write_text(page)
    (folder / "benchmarks.json").write_text(as_json(sections, options.quick))
    draw(sections, folder / "benchmarks.png")
    history.append(kept, history.Run.of(sections, options.quick, machine()))
    print(*complaints, f"written to {folder}, history to {kept}", sep="\n", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
