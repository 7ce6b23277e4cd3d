"""Names of a package that are imported when first used, so that importing it is quick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def lazily(
    package: dict[str, Any], home: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : dict
        The package's ``globals()``.
    home : mapping
        From a name to the module below the package that defines it.
    """
    within = package["__name__"]

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {within!r} has no attribute {name!r}")
        package[name] = getattr(import_module(f"{within}.{home[name]}"), name)
        return package[name]

    def names() -> list[str]:
        there = (name for name, value in package.items() if isinstance(value, ModuleType))
        return sorted({*home, *there, *(name for name in package if name.startswith("__"))})

    return find, names
