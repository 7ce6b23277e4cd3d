"""The documentation, as far as it can be checked without building it."""

import ast
import fnmatch
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from check_site import faults
from command_page import page as command_page
from docstrings import show_equations
from reference_pages import page as reference_page
from reference_pages import public_modules
from typer.testing import CliRunner

from orbitdl import groups
from orbitdl.command import app
from orbitdl.datasets import make_ecg_recording

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MADE = {"reference/commands", "reference/modules/*", "gallery_pages/index"}
"""What is made when the site is built."""
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text()
    for path in sorted(DOCS.rglob("*.md"))
    if path.relative_to(DOCS).with_suffix("").as_posix() not in MADE
}
BLOCK = re.compile(r"^( *)(```+|:::+)([^\n]*)\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
RUN, SHOWN = {"python", "console"}, {"text", "markdown"}
"""Kinds of blocks whose lines are run, and whose lines are only shown."""


def blocks(text: str) -> list[tuple[str, str]]:
    """Return kind and content of the fenced blocks of a page."""
    return [(kind.strip(), content) for _, _, kind, content in BLOCK.findall(text)]


def commands(text: str) -> list[str]:
    """Return the commands of a page."""
    lines = [content.splitlines() for kind, content in blocks(text) if kind == "console"]
    return [line.removeprefix("$ ") for content in lines for line in content]


def entries(name: str, text: str) -> set[str]:
    """Return the pages that a page's tables of contents list; those that are made as they are."""
    listed = set[str]()
    for kind, content in blocks(text):
        if kind == "{toctree}":
            lines = [line.strip() for line in content.splitlines()]
            listed |= {line for line in lines if line and not line.startswith(":")}
    paths = {(DOCS / name).parent.joinpath(line).resolve().relative_to(DOCS) for line in listed}
    return {path.as_posix() for path in paths}


def test_every_name_a_module_exports_has_an_entry_in_the_reference():
    modules = public_modules()
    text = {name: reference_page(name, modules) for name in modules}
    root = ROOT / "src/orbitdl"
    for path in [*root.glob("*/__init__.py*"), *root.glob("__init__.py*")]:
        within = ".".join(path.relative_to(ROOT / "src").parts[:-1])
        if within == "orbitdl.command" or "__all__ = [" not in path.read_text():
            continue  # names that are imported when first used are listed in a .pyi file
        (exported,) = (
            ast.literal_eval(node.value)
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
        )
        for name in exported:
            entry = rf"^   {name}$|:py:obj:`[\w.]+\.{name}`"
            assert re.search(entry, text[within], re.MULTILINE), f"{within}.{name}"


def test_every_command_and_option_has_an_entry_in_the_reference():
    sections = re.split(r"^### orbitdl (\w+)$", command_page(), flags=re.MULTILINE)
    by_command = dict(zip(sections[1::2], sections[2::2], strict=True))
    for command in app.registered_commands:
        name = command.callback.__name__
        wide = {"COLUMNS": "200", "TERM": "dumb"}
        shown = CliRunner().invoke(app, [name, "--help"], env=wide).stdout
        options = set(re.findall(r"^│[ *]+(--[a-z-]+)", shown, re.MULTILINE)) - {"--help"}
        assert options
        for option in options:
            assert f"`{option}`" in by_command[name], f"orbitdl {name} {option}"


def test_every_page_is_in_a_table_of_contents():
    found, new = set[str](), {"index"}
    while new:
        found |= new
        patterns = {entry for name in new if name in PAGES for entry in entries(name, PAGES[name])}
        known = [*PAGES, *(pattern for pattern in patterns if pattern in MADE)]
        new = {name for pattern in patterns for name in fnmatch.filter(known, pattern)} - found
        for pattern in patterns:
            assert fnmatch.filter(known, pattern), f"no page is {pattern}"
    assert set(PAGES) - found == set()


@pytest.mark.parametrize("name", PAGES)
def test_all_code_of_a_page_is_run(name):
    for kind, content in blocks(PAGES[name]):
        assert kind.startswith("{") or kind in RUN | SHOWN, f"{name}: nobody runs {kind!r}"
        if kind == "python":
            assert content.lstrip().startswith(">>>"), f"{name}: {content}"
        if kind == "console":
            assert all(line.startswith("$ orbitdl ") for line in content.splitlines()), content


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
)
def test_files_that_a_page_links_to_are_there(path):
    text = BLOCK.sub("", path.read_text())
    for address in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"https://|#", address):
            target = path.parent / address.split("#")[0]
            is_made = {"reference", "pictures"} & set(target.parts)
            assert target.exists() or is_made, f"{path.name}: {address}"


def test_commands_of_all_pages_run_in_their_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    heart = make_ecg_recording(duration=30, random_state=0).signal
    np.save("heart.npy", heart)  # files that readers of tutorials have
    np.save("holed.npy", np.where(np.arange(len(heart)) // 50 == 40, np.nan, heart))
    every = [line for text in PAGES.values() for line in commands(text)]
    assert len(every) > 10
    for line in dict.fromkeys(every):  # pages repeat each other
        if not line.startswith("orbitdl demo --of"):  # tests of demonstrations run these
            result = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
            assert result.exit_code == 0, f"{line}\n{result.stderr}"


def test_the_table_of_symmetries_has_every_group():
    table = "".join(re.findall(r"^\| (.*?) \|", PAGES["symmetries"], re.MULTILINE))
    named = set(re.findall(r"`(\w+)\(", table))
    concrete = {
        name
        for name in groups.__all__
        if isinstance(kind := getattr(groups, name), type)
        and issubclass(kind, groups.Group)
        and kind is not groups.Group
    }
    assert concrete - named == set()


SOUND = '<h1 id="top">A</h1><a href="#top">up</a><a href="https://example.org/">away</a>'


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (SOUND, None),
        ('<a href="gone.html">b</a>', "gone.html does not exist"),
        ('<a href="index.html#gone">b</a>', "no such place"),
        ('<img src="gone.png">', "gone.png does not exist"),
        ('<script src="https://example.org/x.js"></script>', "from the network"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "from the network"),
        ('<a href="http://example.org/">b</a>', "not a whole address"),
        ('<a href="https://example/ b">b</a>', "not a whole address"),
    ],
)
def test_the_check_of_a_built_site_finds(content, fault, tmp_path):
    (tmp_path / "index.html").write_text(content)
    found = faults(tmp_path)
    assert found == [] if fault is None else fault in found[0]


def test_the_check_of_a_built_site_looks_into_styles(tmp_path):
    (tmp_path / "index.html").write_text(SOUND)
    (tmp_path / "site.css").write_text("body { background: url(https://example.org/x.png) }")
    assert "site.css" in faults(tmp_path)[0]


def test_equations_of_docstrings_are_shown_as_they_are():
    lines = ["Solve.", "", "Notes", "-----", "The problem is", "", "    sum |c_k|", "", "always."]
    show_equations(None, "class", "Solver", None, None, lines)
    assert lines[4:] == ["The problem is", "", "::", "", "    sum |c_k|", "", "always."]


def test_descriptions_of_parameters_are_no_equations():
    lines = ["Solve.", "", "Parameters", "----------", "tol : float", "    One.", "", "    Two."]
    kept = list(lines)
    show_equations(None, "class", "Solver", None, None, lines)
    assert lines == kept
