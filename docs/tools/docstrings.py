"""How docstrings are read for the reference."""

from __future__ import annotations

import inspect
import re
from enum import Enum
from typing import Any

SECTION = re.compile(r"^-{3,}$")


def show_equations(
    app: Any, what: str, name: str, thing: object, options: Any, lines: list[str]
) -> None:
    """Let displayed equations stand as they are written.

    They are indented paragraphs in the text of a docstring, before its first section or in its
    notes; elsewhere an indented paragraph describes a parameter.
    """
    shown: list[str] = []
    section, equation = "", False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if SECTION.match(following):
            section = line
        free = section in ("", "Notes")
        if not line.startswith("    "):
            equation = equation and not line
        elif free and not equation and number and not lines[number - 1] and before(shown):
            shown += ["::", ""]
            equation = True
        shown.append(line)
    lines[:] = shown


def describe_constants(
    app: Any, what: str, name: str, thing: object, options: Any, lines: list[str]
) -> None:
    """Say what a constant is, not what all values of its type are."""
    if what == "data" and "\n".join(lines).strip() == inspect.getdoc(type(thing)):
        lines[:] = [
            f"A constant: {len(thing)} entries." if isinstance(thing, tuple) else "A constant."
        ]


def before(shown: list[str]) -> bool:
    """Return whether a paragraph is what comes before: neither a list nor a literal block."""
    said = next((line for line in reversed(shown) if line), "")
    return not said.startswith((" ", "- ", ">>>")) and not said.endswith("::")


def skip_others(
    app: Any, what: str, name: str, thing: object, skip: bool, options: Any
) -> bool | None:
    """Leave out what a class has from elsewhere, of which others write; keep members of enums."""
    if isinstance(thing, Enum):
        return False
    home = getattr(thing, "__module__", None) or "orbitdl"
    return None if home.startswith("orbitdl") else True
