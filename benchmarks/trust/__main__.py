"""Measure the library untuned on real and simulated data beside its peers; write a page."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import traceback
import warnings
from pathlib import Path

from benchmarks.trust.page import count, markdown
from benchmarks.trust.rows import Section, Settings, line
from benchmarks.trust.sources import MissingDataError

NAMES = (
    "beats",
    "second_lead",
    "kinds",
    "muscle",
    "spikes",
    "planted",
    "bearings",
    "tetrode",
    "leads",
    "calibration",
    "pure_noise",
    "co2",
)
"""Sections, one module each, in the order of the page."""
SEEDS, QUICK_SEEDS = 100, 3


def main() -> int:
    """Run the sections; return 1 if one failed. A missed target is not a failure."""
    options = parse()
    warnings.simplefilter("ignore")
    seeds = options.seeds or (QUICK_SEEDS if options.quick else SEEDS)
    settings = Settings(options.quick, tuple(filter(None, options.records.split(","))), seeds)
    sections = {name: Section(name, not_run="not requested") for name in NAMES}
    failed = False
    for name in options.only or NAMES:
        sections[name] = run(name, settings)
        failed |= sections[name].not_run.startswith("failed")
        options.output.parent.mkdir(parents=True, exist_ok=True)
        # After every section: an interrupted run of an hour leaves what it has measured.
        options.output.write_text(markdown(list(sections.values()), settings))
    print(count([row for section in sections.values() for row in section.rows]))
    print(f"written to {options.output}", file=sys.stderr)
    return int(failed)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("out/real_data.md"), metavar="FILE")
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="few records and seeds")
    parser.add_argument("--records", default="", help="MIT-BIH records, such as 101,108")
    parser.add_argument("--seeds", type=int, help="recordings per simulated condition")
    return parser.parse_args()


def run(name: str, settings: Settings) -> Section:
    """Run one section and print its rows."""
    began = time.perf_counter()
    print(f"{name} ...", file=sys.stderr, flush=True)
    section = outcome(name, settings)
    print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    if section.not_run:
        print(f"{name}: not run: {section.not_run}", flush=True)
    for row in section.rows:
        print(line(row), flush=True)
    return section


def outcome(name: str, settings: Settings) -> Section:
    """Run one section; missing data or an error become its reason for not being run."""
    try:
        section: Section = importlib.import_module(f"benchmarks.trust.{name}").run(settings)
        return section
    except (MissingDataError, FileNotFoundError) as error:
        return Section(name, not_run=str(error))
    except Exception as error:  # the other sections shall run
        traceback.print_exc()
        return Section(name, not_run=f"failed: {type(error).__name__}: {error}")


if __name__ == "__main__":
    sys.exit(main())
