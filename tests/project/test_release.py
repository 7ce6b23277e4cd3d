"""What a release is made of: extras, addresses, versions, and the checks before it."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
from first_hour import DATA, NEVER_SHIPPED, write_recording
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from release_version import faults

from orbitdl.arrays.optional import install_hint

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
ADDRESS = "https://github.com/orbitdl/orbitdl"


def hints() -> list[tuple[str, str, str]]:
    """Return file, packages and extra of every message about a missing dependency."""
    found = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "install_hint":
                packages, extra = (ast.literal_eval(one) for one in node.args[1:])
                found.append((path.name, packages, extra))
    return found


def packages_of(extra: str) -> set[str]:
    """Return the packages that an extra installs by name, those of extras within it too."""
    found = set()
    for one in map(Requirement, EXTRAS[extra]):
        if one.name == "orbitdl":
            found |= set().union(*map(packages_of, one.extras))
        else:
            found.add(canonicalize_name(one.name))
    return found


@pytest.mark.parametrize(("file", "packages", "extra"), hints())
def test_the_extra_that_a_message_names_installs_the_packages_it_names(file, packages, extra):
    assert set(map(canonicalize_name, packages.split())) <= packages_of(extra)


def test_there_are_messages_to_check():
    assert len(hints()) > 10


def test_a_message_is_true_for_a_release_and_for_a_checkout():
    said = install_hint("drawing", "matplotlib", "plot")
    assert 'pip install "orbitdl[plot]"' in said
    assert 'pip install ".[plot]" in a checkout' in said


@pytest.mark.parametrize("page", ["README.md", "docs/start.md", "CONTRIBUTING.md"])
def test_extras_that_a_page_installs_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r'pip install [^\n`]*?"(?:orbitdl|\.)\[([\w,]+)\]"', text)
    assert {one for names in named for one in names.split(",")} <= set(EXTRAS)


def test_extras_that_include_others_name_some_that_exist():
    for name in EXTRAS:
        assert packages_of(name)


def test_addresses_are_those_of_one_project():
    assert set(PROJECT["urls"]) == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    assert PROJECT["urls"]["Source"] == ADDRESS
    for name in ("SECURITY.md", "CONTRIBUTING.md", ".github/ISSUE_TEMPLATE/config.yml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert set(re.findall(r"https://github\.com/[\w-]+/[\w-]+", text)) <= {ADDRESS}


def test_every_python_that_is_tested_is_a_classifier():
    workflow = (ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8")
    tested = re.search(r'python: (\["3\.11", .*\])', workflow)
    classified = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if ":: 3." in one]
    assert ast.literal_eval(tested[1]) == classified
    assert PROJECT["requires-python"] == f">={classified[0]}"


def test_the_recipe_of_conda_needs_what_the_wheel_needs():
    text = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    listed = text.partition("  run:\n")[2].partition("\n\n")[0]
    needed = {line.strip().removeprefix("- ") for line in listed.splitlines()}
    wheel = {one.replace(">", " >", 1) for one in PROJECT["dependencies"]}
    assert needed == wheel | {"python >=${{ python_min }}"}


def test_links_of_the_readme_lead_to_the_repository_from_the_page_of_a_release():
    hook = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = "![a](docs/a.png), [b](docs/b.md#c), [d](https://d.org) and [e](#f)"
    for one in hook["substitutions"]:
        text = re.sub(one["pattern"], one["replacement"], text)
    raw = "https://raw.githubusercontent.com/orbitdl/orbitdl/main"
    assert text == (
        f"![a]({raw}/docs/a.png), [b]({ADDRESS}/blob/main/docs/b.md#c), "
        "[d](https://d.org) and [e](#f)"
    )


def released(folder: Path, heading: str, version: str) -> Path:
    """Write the two files that a release is compared with."""
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n")
    (folder / "CITATION.cff").write_text(f"cff-version: 1.2.0\nversion: {version}\n")
    return folder


def test_a_tag_that_fits_has_no_faults(tmp_path):
    assert faults("v1.2.3", released(tmp_path, "1.2.3 (2030-01-02)", "1.2.3")) == []


@pytest.mark.parametrize(
    ("tag", "heading", "version", "said"),
    [
        ("1.2.3", "1.2.3 (2030-01-02)", "1.2.3", "not v and a version"),
        ("v1.2.3", "Unreleased (1.2.3)", "1.2.3", "CHANGELOG.md begins with"),
        ("v1.2.3", "1.2.3 (2030-01-02)", "1.2.2", "CITATION.cff cites version 1.2.2"),
    ],
)
def test_a_tag_that_does_not_fit_is_refused(tmp_path, tag, heading, version, said):
    (found,) = faults(tag, released(tmp_path, heading, version))
    assert said in found


def test_the_sdist_leaves_out_recordings_and_results():
    exclude = PYPROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["exclude"]
    assert {"out", "*.edf", "*.safetensors"} <= set(exclude)
    assert ".edf" in DATA
    assert "out/" in NEVER_SHIPPED


def test_the_file_of_the_first_hour_is_a_table_of_times_and_two_channels(tmp_path):
    onsets = write_recording(tmp_path / "mine.csv")
    head, *rows = (tmp_path / "mine.csv").read_text().splitlines()
    assert head == "time,left,right"
    assert len(rows) == 15_000
    assert len(onsets) > 50
