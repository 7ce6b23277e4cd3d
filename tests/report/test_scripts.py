"""The scripts of reports: they are checked, and tested, by Node.js."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import orbitdl.report
from orbitdl.report.page import SCRIPTS, START, bundled

HERE, FOLDER = Path(__file__).parent, Path(orbitdl.report.__file__).parent
MODULES = sorted(FOLDER.glob("s*/*.mjs"))
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node.js is not installed")


def run(*arguments, folder=HERE):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_node
@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_imports_only_what_others_export(path):
    if path.name != Path(START).name:
        run(NODE, "--input-type=module", "-e", f"await import({path.as_uri()!r})")
    run(NODE, "--check", str(path))


@needs_node
@pytest.mark.parametrize("path", sorted(HERE.glob("*.test.mjs")), ids=lambda path: path.stem)
def test_pure_functions_do_what_their_tests_say(path):
    run(NODE, "--test", str(path))


@pytest.mark.skipif(shutil.which("eslint") is None, reason="eslint is not installed")
def test_no_name_is_undefined_or_unused():
    run("eslint", "src", "tests", folder=HERE.parents[1])


def test_modules_share_a_page_without_a_name_in_common():
    found = {}
    for path in MODULES:
        for name in re.findall(r"^(?:export )?(?:const|let) (\w+)", path.read_text(), re.M):
            assert found.setdefault(name, path.name) == path.name, name


def test_a_bundle_has_neither_imports_nor_exports():
    text = bundled([*SCRIPTS, *(f"sections/{p.name}" for p in MODULES if "sections" in str(p))])
    assert not re.search(r"^\s*(import|export) ", text, re.M)
    assert "</script" not in text
