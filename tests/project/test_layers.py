"""No import cycles within a package; nobody asks which group it is. Layers: see `make lint`."""

import ast
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import orbitdl
from orbitdl import groups

ROOT = Path(orbitdl.__file__).parent


def modules() -> dict[str, Path]:
    """Return all modules of the package by name, ``groups.base`` and so on."""
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(path: Path) -> set[str]:
    """Return the modules of the package that a file imports, in functions and for types too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            inner = {name for name in whole if name.removeprefix("orbitdl.") in MODULES}
            names |= inner | ({node.module} if inner != whole else set())
    return {name.removeprefix("orbitdl.") for name in names if name.startswith("orbitdl.")}


GRAPH = {name: imports(path) for name, path in MODULES.items() if name}


def test_no_import_goes_round_in_a_circle():
    """Peel off modules whose imports are all peeled off: what is left stands in a circle."""
    left = {
        name: {other for other in used if other in GRAPH} - {name} for name, used in GRAPH.items()
    }
    while free := {name for name, used in left.items() if not used & left.keys()}:
        left = {name: used for name, used in left.items() if name not in free}
    assert not left


def test_the_library_imports_nothing_from_outside_the_wheel():
    outside = ("reproduction", "benchmarks", "tests")
    nodes = [node for path in MODULES.values() for node in ast.walk(ast.parse(path.read_text()))]
    names = {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}
    names |= {alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names}
    assert "numpy" in names
    assert not {name for name in names if name.split(".")[0] in outside}


CONCRETE = {
    "trivial", "finite", "signals.shift", "signals.continuous", "signals.reversal",
    "signals.shift_and_phase", "vectors.orthogonal", "vectors.special_orthogonal",
    "vectors.permutation", "vectors.azimuth", "vectors.product", "images.image_rotation",
    "images.integer_translation", "images.translation", "images.square", "with_finite",
}  # fmt: skip
"""Modules of `groups` that hold a group each."""
OUTSIDE = sorted(name for name in GRAPH if not name.startswith("groups"))
GROUPS = {name for name in groups.__all__ if name in vars(groups)} - {
    "Action", "CircleRepresentation", "Group", "FiniteRepresentation", "Representation", "Transform"
}  # fmt: skip


def asked_for(path: Path) -> set[str]:
    """Return the classes that a file asks with `isinstance` or `issubclass` whether it has."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    kinds = [c.args[1] for c in calls if ast.unparse(c.func) in ("isinstance", "issubclass")]
    return {ast.unparse(part) for kind in kinds for part in ast.walk(kind)}


def test_nobody_imports_one_group():
    """Outside `groups` one asks what a representation declares, so that others can declare it."""
    concrete = {f"groups.{module}" for module in CONCRETE}
    assert not {name for name in OUTSIDE if concrete & GRAPH[name]}


def test_nobody_asks_which_group_it_is():
    assert not {name for name in OUTSIDE if asked_for(MODULES[name]) & GROUPS}


@pytest.mark.parametrize("package", ["orbitdl", "orbitdl.io", "orbitdl.plot"])
def test_what_dir_lists_is_public(package):
    module = import_module(package)
    names = {name for name in dir(module) if not name.startswith("__")}
    assert set(module.__all__) <= names
    assert not {"lazy_loader"} & names
    others = names - set(module.__all__)
    assert all(isinstance(getattr(module, name), ModuleType) for name in others)
