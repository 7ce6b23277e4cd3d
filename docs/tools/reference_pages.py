"""The reference: a page per public module, with an entry for every name it exports."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from types import ModuleType

import orbitdl

ELSEWHERE = {"orbitdl.command"}
"""The command line has a reference of its own."""


def public_modules() -> dict[str, ModuleType]:
    """Return the package and those modules right below it that say what they export."""
    below = [f"orbitdl.{found.name}" for found in pkgutil.iter_modules(orbitdl.__path__)]
    modules = {name: import_module(name) for name in ["orbitdl", *below]}
    return {
        name: module
        for name, module in modules.items()
        if hasattr(module, "__all__") and name not in ELSEWHERE
    }


def home(within: str, name: str, modules: dict[str, ModuleType]) -> str:
    """Return under which module an object is described: the package, or the nearest of them."""
    thing = getattr(modules[within], name)
    exporting = [
        other
        for other, module in modules.items()
        if name in module.__all__ and getattr(module, name) is thing
    ]
    defined = getattr(thing, "__module__", within)
    return max(exporting, key=lambda own: (own == "orbitdl", defined.startswith(own), len(own)))


def page(name: str, modules: dict[str, ModuleType]) -> str:
    """Return the page of one module: what it is for, and its names with their first lines."""
    entries = sorted(modules[name].__all__, key=str.lower)
    homes = {entry: home(name, entry, modules) for entry in entries}
    here = "".join(f"   {entry}\n" for entry in entries if homes[entry] == name)
    also = [f":py:obj:`{homes[entry]}.{entry}`" for entry in entries if homes[entry] != name]
    return (
        f"{name}\n{'=' * len(name)}\n\n"
        f".. automodule:: {name}\n   :no-members:\n\n"
        f".. currentmodule:: {name}\n\n"
        f".. autosummary::\n   :toctree: ../names\n   :nosignatures:\n\n{here}"
        + (f"\nAlso exported here: {', '.join(also)}.\n" if also else "")
    )


def write(folder: Path) -> None:
    """Write all pages, and leave those that have not changed."""
    folder.mkdir(parents=True, exist_ok=True)
    modules = public_modules()
    pages = {folder / f"{name}.rst": page(name, modules) for name in modules}
    for stale in set(folder.glob("*.rst")) - set(pages):
        stale.unlink()
    for path, text in pages.items():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
