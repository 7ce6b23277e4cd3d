"""Mutation test: plant each fault of `mutants.toml` in a copy of the package, and run its tests.

    python tests/mutants.py [NAME ...]

The tests must pass without a fault first. A fault that no test notices survives. More than
`ALLOWED` survivors are an error, and so is a fault whose source text is not found exactly once. A
NAME runs the faults with these words in their names.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "orbitdl"
ALLOWED, AT_ONCE, SECONDS = 3, 2, 300
"""Survivors that are no error; faults tested at a time; limit of time of the tests of one."""
OUTCOMES = {0: "survived", 1: "killed"}
"""By the exit code of pytest. Any other code means that the tests did not run."""


@dataclass(frozen=True)
class Mutant:
    """A fault: in which file of the package, what text it replaces by what, and who must see it."""

    name: str
    file: str
    text: str
    fault: str
    tests: tuple[str, ...]

    def source(self) -> str:
        """Return the source of the file with the fault."""
        sound = (PACKAGE / self.file).read_text()
        if (count := sound.count(self.text)) != 1:
            raise ValueError(f"{self.name}: the text is {count} times in {self.file}, not once.")
        return sound.replace(self.text, self.fault)


def mutants() -> list[Mutant]:
    """Return all faults of the table."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    return [Mutant(**row | {"tests": tuple(row["tests"])}) for row in table["mutant"]]


def outcome_of(tests: Iterable[str], fault: Mutant | None = None, limit: int | None = None) -> str:
    """Return the outcome of tests of the package, with a fault or as it is."""
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "orbitdl"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        if fault is not None:
            (copy / fault.file).write_text(fault.source())
        places = {"PYTHONPATH": folder, "NUMBA_CACHE_DIR": f"{folder}/kernels"}
        quick = ["-x", "-q", "-p", "no:cacheprovider"]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *quick, *(f"tests/{one}" for one in tests)],
                cwd=ROOT,
                env=os.environ | places,
                capture_output=True,
                text=True,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return "killed"  # it runs for ever
    failed = f"error: {(done.stdout + done.stderr)[-400:]}\n"
    return failed if fault is None and done.returncode else OUTCOMES.get(done.returncode, failed)


def timed(mutant: Mutant) -> str:
    """Run the tests of one fault, and print a row."""
    began = time.perf_counter()
    outcome = outcome_of(mutant.tests, mutant, SECONDS)
    print(f"{outcome:9}{time.perf_counter() - began:5.0f} s  {mutant.name}", flush=True)
    return outcome


def main(names: list[str]) -> int:
    """Run the faults with these words in their names, or all; return the exit code."""
    chosen = [one for one in mutants() if not names or any(name in one.name for name in names)]
    if not chosen:  # without tests pytest would run all of them
        print(f"No fault has one of these words in its name: {', '.join(names)}.")
        return 1
    for one in chosen:
        one.source()
    if (sound := outcome_of(sorted({test for one in chosen for test in one.tests}))) != "survived":
        print(f"The tests fail without a fault.\n{sound}")
        return 1
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(timed, chosen))
    survivors, errors = outcomes.count("survived"), sum(one.startswith("error") for one in outcomes)
    print(f"{len(chosen)} mutants: {outcomes.count('killed')} killed, {survivors} survived.")
    return int(survivors > ALLOWED or errors > 0 or not chosen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
