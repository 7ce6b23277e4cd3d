"""The reference of the command line, from the commands themselves."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from inspect import Parameter
from pathlib import Path

from typer.models import ArgumentInfo, OptionInfo

from orbitdl.command.app import EXAMPLES, OVERVIEW, PANELS
from orbitdl.command.option_groups import flattened

VALUES = {int: "INTEGER", float: "NUMBER", Path: "PATH", str: "TEXT"}
"""What stands for a value of a type."""


def page() -> str:
    """Return the whole page."""
    parts = ["# Commands", inspect.cleandoc(OVERVIEW), literal(EXAMPLES)]
    for panel, commands in PANELS.items():
        parts += [f"## {panel}", *(section(command) for command in commands)]
    return "\n\n".join(parts) + "\n"


def section(command: Callable[..., None]) -> str:
    """Return what one command does, with all it takes."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    said = [literal(text) if "\n " in text else literally(text) for text in paragraphs]
    takes = inspect.signature(flattened(command)).parameters.values()
    return "\n\n".join([f"### orbitdl {command.__name__}", *said, *entries(takes)])


def entries(takes: Iterable[Parameter]) -> Iterator[str]:
    """Yield what a command takes, under the headings that its help has."""
    by_panel: dict[str, list[str]] = {"": []}
    for parameter in takes:
        kind, info = typing.get_args(parameter.annotation)[:2]
        panel = info.rich_help_panel or ("Options" if isinstance(info, OptionInfo) else "")
        by_panel.setdefault(panel, []).append(entry(parameter, kind, info))
    for panel, listed in by_panel.items():
        yield from [f"**{panel}**"] * bool(panel) + listed


def literal(text: str) -> str:
    """Return lines as they are."""
    return f"```text\n{text.strip()}\n```"


def literally(text: str) -> str:
    """Return a paragraph in which options are set as code, and nothing else means anything."""
    words = text.replace("*", "\\*").replace("_", "\\_").replace("<", "\\<").split()
    return " ".join(option(word) if word.startswith("--") else word for word in words)


def option(word: str) -> str:
    """Return an option as code, and what follows it as it is."""
    name = word.rstrip(".,:;)")
    return f"`{name}`{word[len(name) :]}"


def entry(parameter: Parameter, kind: object, info: ArgumentInfo | OptionInfo) -> str:
    """Return an argument or option, what it means and what it is if left out."""
    head = ", ".join(f"`{name}`" for name in names(parameter, info))
    shown = info.metavar or value(kind)
    if isinstance(info, OptionInfo) and shown:
        head += f" *{literally(shown)}*"
    return f"{head}\n: {literally(info.help or '')}{default(parameter, info)}"


def names(parameter: Parameter, info: ArgumentInfo | OptionInfo) -> list[str]:
    """Return how a parameter is given."""
    if isinstance(info, ArgumentInfo):
        return [info.metavar or parameter.name.upper()]
    first = [info.default] if isinstance(info.default, str) else []  # as typer reads Annotated
    given = [name for both in [*first, *info.param_decls] for name in both.split("/")]
    return given or [f"--{parameter.name.replace('_', '-')}"]


def value(kind: object) -> str:
    """Return what stands for a value: nothing for switches, all of them for a few."""
    if isinstance(kind, types.UnionType):
        kind = next(part for part in typing.get_args(kind) if part is not type(None))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(str(member.value) for member in kind)
    return VALUES.get(kind, "")  # type: ignore[call-overload, no-any-return]


def default(parameter: Parameter, info: ArgumentInfo | OptionInfo) -> str:
    """Return what is taken if a parameter is left out."""
    given = parameter.default
    if isinstance(info.show_default, str):
        return f" Default: {info.show_default}."
    if given is Parameter.empty:
        return " Required."
    if given in (None, False) or not info.show_default:
        return ""
    return f" Default: `{given.value if isinstance(given, Enum) else given}`."


def write(path: Path) -> None:
    """Write the page, unless it has not changed."""
    text = page()
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
