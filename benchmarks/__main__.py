"""Run the comparisons and write a table, a JSON file and a picture."""

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

NAMES = (
    "continuous",
    "integer",
    "masked",
    "circular",
    "convolutional",
    "regular",
    "online",
    "symmetries",
    "outliers",
    "growth",
    "recordings",
    "first_use",
    "profile",
)


def main() -> int | str:
    """Run what was asked for; return 1, or why, if something could not run."""
    options = parse()
    warnings.simplefilter("ignore")  # accuracies are in the tables, and peers warn a lot
    try:
        windows()
    except FileNotFoundError as error:
        return f"The comparisons need the recording. {error}"
    outcomes = [run(name, options.quick) for name in options.only or NAMES]
    sections = [section for section, _ in outcomes]
    write(sections, options.output, options.quick, options.page)
    return int(any(failed for _, failed in outcomes))


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small version, under 2 minutes")
    parser.add_argument("--output", type=Path, default=Path("out/benchmarks"), metavar="DIR")
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="write the page here too: make measured does"
    )
    return parser.parse_args()


def run(name: str, quick: bool) -> tuple[Section, bool]:
    """Run one comparison; a failure becomes part of the report."""
    began = time.perf_counter()
    print(f"{name} ...", file=sys.stderr, end=" ", flush=True)
    try:
        section, failed = importlib.import_module(f"benchmarks.{name}").run(quick), False
    except Exception as error:  # the others shall still run
        traceback.print_exc()
        section, failed = Section(name, note=f"FAILED: {type(error).__name__}: {error}"), True
    print(f"{time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return section, failed


def write(sections: list[Section], folder: Path, quick: bool, also: Path | None = None) -> None:
    """Print the page, and write page, figures and picture to a folder, the page elsewhere too."""
    from benchmarks.picture import draw
    from benchmarks.report import as_json, markdown

    page = markdown(sections, quick)
    folder.mkdir(parents=True, exist_ok=True)
    for path in (folder / "benchmarks.md", also):
        if path is not None:
            path.write_text(page)
    (folder / "benchmarks.json").write_text(as_json(sections, quick))
    draw(sections, folder / "benchmarks.png")
    print(page)
    print(f"written to {folder}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
