"""Measure a user's first hour: from a wheel in a new environment to the events in their own file.

Builds the sdist, and the wheel from it; installs the wheel into a new environment; and there, from
an empty folder, goes from a text table to events and a report, on the command line and in Python.
Either way begins without compiled code, as every installation does. Fails if a step fails, if
events are not found, or if either way takes longer than the limit, without the installation.

Needs nothing but Python:

    python tools/first_hour.py
    python tools/first_hour.py --wheel dist/orbitdl-0.1.0-py3-none-any.whl
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 60.0
"""Seconds from a file to its events and a report, at most."""
SFREQ, DURATION = 250, 60
NEVER_SHIPPED = ("out/", ".git/", ".venv", "dist/")
DATA = (".edf", ".bdf", ".dat", ".hea", ".npy", ".wav", ".safetensors")

IN_PYTHON = """
import time
began = time.perf_counter()

from orbitdl import WaveformLearning
from orbitdl.io import read
from orbitdl.report import Report

recording = read("mine.csv", time_column="time")
model = WaveformLearning(length=75).fit(recording)
events = model.events(recording)
table = time.perf_counter() - began
Report(model, recording).write("python.html")

events.to_csv("python.csv", index=False)
print(f"TABLE {table:.2f}")
"""


@dataclass(frozen=True)
class Step:
    """A step and the seconds it took, without compiled code and with it."""

    name: str
    cold: float
    warm: float


def environment(kernels: Path) -> dict[str, str]:
    """Return the variables of a user: none of Python, and a folder for compiled code."""
    theirs = {name: one for name, one in os.environ.items() if not name.startswith("PYTHON")}
    return theirs | {"NUMBA_CACHE_DIR": str(kernels), "PYTHONUTF8": "1"}


def execute(*command: str | Path, **settings: object) -> str:
    """Run a command; return what it prints, or end with it where it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        **settings,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


def timed(*command: str | Path, **settings: object) -> float:
    """Return the seconds that a command takes."""
    began = time.perf_counter()
    execute(*command, **settings)
    return time.perf_counter() - began


def new_environment(python: str, folder: Path) -> Path:
    """Make a virtual environment; return the folder of its programs."""
    execute(python, "-m", "venv", folder)
    return folder / ("Scripts" if os.name == "nt" else "bin")


def build(python: str, folder: Path) -> Path:
    """Build the sdist, and the wheel from it; return the wheel."""
    programs = new_environment(python, folder / "builder")
    execute(programs / "python", "-m", "pip", "install", "--quiet", "build")
    execute(programs / "python", "-m", "build", "--outdir", folder / "dist", ROOT)
    (sdist,), (wheel,) = (folder / "dist").glob("*.tar.gz"), (folder / "dist").glob("*.whl")
    check_contents(sdist, wheel)
    return wheel


def check_contents(sdist: Path, wheel: Path) -> None:
    """Refuse a wheel without a file of the package, and an sdist with recordings or results."""
    with tarfile.open(sdist) as archive:
        shipped = {name.partition("/")[2] for name in archive.getnames()}
    unwanted = {name for name in shipped if name.startswith(NEVER_SHIPPED) or name.endswith(DATA)}
    with zipfile.ZipFile(wheel) as archive:
        installed = set(archive.namelist())
    source = (path for path in (ROOT / "src").rglob("*") if path.is_file())
    names = {path.relative_to(ROOT / "src").as_posix() for path in source}
    absent = {name for name in names - installed if "__pycache__" not in name}
    if unwanted or absent:
        sys.exit(f"sdist holds {sorted(unwanted)}; wheel lacks {sorted(absent)}")


def write_recording(path: Path) -> list[float]:
    """Write a text table of a time column and two channels; return the times of its events."""
    random.seed(0)
    onsets = []
    at = 0.5
    while at < DURATION - 0.5:
        onsets.append(at)
        at += random.uniform(0.6, 1.2)
    sizes = [random.uniform(3.0, 5.0) for _ in onsets]
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["time", "left", "right"])
        for k in range(DURATION * SFREQ):
            now = k / SFREQ
            left = right = 0.0
            for onset, size in zip(onsets, sizes, strict=True):
                if abs(now - onset) < 0.15:
                    shape = size * math.exp(-(((now - onset) / 0.03) ** 2))
                    left += shape * math.cos(2 * math.pi * 9 * (now - onset))
                    right -= 0.6 * shape
            noise = (random.gauss(0.0, 0.3) for _ in range(2))
            row = (value + one for value, one in zip((left, right), noise, strict=True))
            table.writerow([f"{now:.4f}", *(f"{value:.5f}" for value in row)])
    return onsets


def require_found(path: Path, onsets: list[float]) -> int:
    """Refuse a table of events that misses one of twenty, or is off by more than 20 ms."""
    with path.open(newline="") as file:
        found = [float(row["onset"]) for row in csv.DictReader(file)]
    offsets = [min((t - onset for t in found), key=abs, default=math.inf) for onset in onsets]
    # All times of a waveform may be shifted alike: those of a peak, which may be any of its own.
    typical = sorted(offsets)[len(offsets) // 2]
    near = sum(abs(offset - typical) < 0.02 for offset in offsets)
    if near < 0.95 * len(onsets) or len(found) > 1.05 * len(onsets):
        sys.exit(f"{path.name}: {len(found)} events, {near} of {len(onsets)} were found")
    return len(found)


def on_the_command_line(programs: Path, folder: Path) -> list[Step]:
    """Fit, list events and write a report, twice."""
    own = folder / "command"
    program = programs / "orbitdl"
    commands = {
        "orbitdl fit": ["fit", "mine.csv", "-o", "mine.safetensors", "--length", "0.3s"]
        + ["--time-column", "time"],
        "orbitdl events": ["events", "mine.safetensors", "mine.csv", "-o", "events.csv"]
        + ["--time-column", "time"],
        "orbitdl report": ["report", "mine.safetensors", "mine.csv", "-o", "report.html"]
        + ["--time-column", "time"],
    }
    cold, warm = (
        {
            name: timed(program, *rest, *more, cwd=folder, env=environment(own))
            for name, rest in commands.items()
        }
        for more in ([], ["--overwrite"])
    )
    return [Step(name, cold[name], warm[name]) for name in commands]


def in_python(programs: Path, folder: Path) -> list[Step]:
    """Do the same with five names of Python, twice."""
    own, tables, totals = folder / "python", [], []
    for _ in range(2):
        began = time.perf_counter()
        said = execute(programs / "python", "-c", IN_PYTHON, cwd=folder, env=environment(own))
        totals.append(time.perf_counter() - began)
        tables.append(float(said.rpartition("TABLE ")[2]))
    rest = [total - table for total, table in zip(totals, tables, strict=True)]
    return [Step("import, read, fit, events", *tables), Step("Report", *rest)]


def judge(way: str, steps: list[Step], limit: float) -> bool:
    """Print the seconds of one way; return whether they are within the limit."""
    cold, warm = sum(step.cold for step in steps), sum(step.warm for step in steps)
    print(f"\n{way:28} {'first':>7} {'again':>7}  seconds")
    for step in [*steps, Step("in all", cold, warm)]:
        print(f"  {step.name:26} {step.cold:7.1f} {step.warm:7.1f}")
    within = cold <= limit
    print(f"  {1 - warm / cold:.0%} of the first time is not spent again: compiled code is stored.")
    print(f"  {'held' if within else 'MISSED'}: at most {limit:g} s")
    return within


def main() -> None:
    """Build, install, use and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="the interpreter to install into")
    parser.add_argument("--wheel", type=Path, help="a wheel that is built already")
    parser.add_argument("--constraint", type=Path, help="versions of dependencies, as pip has it")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds at most")
    settings = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        began = time.perf_counter()
        wheel = settings.wheel.resolve() if settings.wheel else build(settings.python, folder)
        built = time.perf_counter()
        programs = new_environment(settings.python, folder / "user")
        pins = ["--constraint", settings.constraint.resolve()] if settings.constraint else []
        execute(programs / "python", "-m", "pip", "install", "--quiet", wheel, *pins)
        print(f"{wheel.name}: built in {built - began:.0f} s, ", end="")
        print(f"installed in {time.perf_counter() - built:.0f} s (not counted)\n")
        empty = folder / "empty"
        empty.mkdir()
        show = "import orbitdl; orbitdl.show_versions(); print(orbitdl.__file__)"
        said = execute(programs / "python", "-c", show, cwd=empty, env=environment(empty))
        *versions, place = said.splitlines()
        print("\n".join(versions))
        if not Path(place).resolve().is_relative_to(folder.resolve()):
            sys.exit(f"the package is not the one that was installed, but {place}")
        onsets = write_recording(empty / "mine.csv")
        commands = on_the_command_line(programs, empty)
        calls = in_python(programs, empty)
        counts = [require_found(empty / f"{one}.csv", onsets) for one in ("events", "python")]
        if min((empty / f"{one}.html").stat().st_size for one in ("report", "python")) < 10_000:
            sys.exit("a report is empty")
        within = [
            judge("On the command line", commands, settings.limit),
            judge("In Python", calls, settings.limit),
        ]
        print(f"\nEvents found: {counts[0]} and {counts[1]}, of {len(onsets)} in the file.")
    sys.exit(0 if all(within) else "The first hour takes too long.")


if __name__ == "__main__":
    main()
