"""What someone sees who has just cloned the project."""

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from textwrap import dedent

from numba.core.dispatcher import Dispatcher

import orbitdl

ROOT = Path(__file__).parents[2]
PACKAGE = Path(orbitdl.__file__).parent
PLACES = {
    "src/orbitdl/groups/__init__.py": '    "Representation",\n',
    "src/orbitdl/command/choices.py": '    finite = "finite"\n',
    "tests/registry.py": "ACTIONS = {\n",
}
"""After which line an entry is added to a file that is there already."""
IMPORTS = "from orbitdl.groups.trivial import Trivial\n", "import numpy as np\n"
"""After which of these an import is added."""


def test_without_chromium_the_last_lines_say_how_to_run_the_tests_that_need_it(tmp_path):
    file = ROOT / "tests/report/test_report_in_browser.py"
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)],
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout
    said = "tests of the report in a browser were skipped: install Chromium (apt install chromium)"
    assert said in "".join(result.stdout.splitlines()[-2:])


def steps() -> dict[str, str]:
    """Return what CONTRIBUTING says to write, by the file to write it to."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    blocks = "".join(map(dedent, re.findall(r" *```python\n(.*?) *```\n", text, re.DOTALL)))
    _, *parts = re.split(r"^# (\S+\.py)\n", blocks, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def follow(place: Path, name: str, text: str) -> None:
    """Write a new file, or add an import and an entry to one that is there."""
    if not place.exists():
        place.write_text(text)
        return
    *imports, entry = text.splitlines(keepends=True)
    content = place.read_text().replace(PLACES[name], PLACES[name] + entry, 1)
    after = next((line for line in IMPORTS if line in content), "")
    place.write_text(content.replace(after, after + "".join(imports), 1))


def test_the_row_that_contributing_adds_fits_the_table_of_symmetries():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (name, row) = re.search(r"<!-- (\S+) -->\n *(\|.*\|)\n", text).groups()
    head = next(line for line in (ROOT / name).read_text().splitlines() if line.startswith("|"))
    assert head.startswith("| group |")
    assert row.count("|") == head.count("|")


def kernel_folders() -> dict[Path, Path]:
    """Return where compiled kernels are kept, by the folder in the package of their source."""
    found = {}
    for file in PACKAGE.rglob("*.py"):
        if "from orbitdl.kernels import" in file.read_text():
            place = file.relative_to(PACKAGE)
            module = import_module(".".join(("orbitdl", *place.with_suffix("").parts)))
            for kernel in vars(module).values():
                ours = isinstance(kernel, Dispatcher)
                ours = ours and kernel.py_func.__module__ == module.__name__
                if ours and (folder := kernel.stats.cache_path):  # those within others have none
                    found[place.parent] = Path(folder)
    return found


def bring_kernels(copy: Path) -> None:
    """Put compiled kernels beside a copy of their source, where they are found unless told."""
    for place, folder in kernel_folders().items():
        if folder.exists():
            shutil.copytree(folder, copy / place / "__pycache__", dirs_exist_ok=True)


def test_the_steps_of_contributing_add_a_group_that_passes_every_test(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    for folder in ("src", "reproduction", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    bring_kernels(tmp_path / "src" / "orbitdl")
    written = steps()
    assert len(written) == 4
    for name, text in written.items():
        follow(tmp_path / name, name, text)
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    paths = [str(tmp_path / name) for name in ("src", ".", "tests", "tests/command")]
    files = ("group_contract", "coder_contract", "learning", "files", "report", "command")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", "swap", "-p", "no:cacheprovider"]
        + [str(next((tmp_path / "tests").glob(f"*/test_{name}.py"))) for name in files]
        + ["--doctest-modules", "src/orbitdl/groups/swap.py"],
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": os.pathsep.join(paths), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed, done.stdout[-3000:]
    assert int(passed[1]) > 50
