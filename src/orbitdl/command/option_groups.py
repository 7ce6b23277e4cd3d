"""Options that belong together: one parameter of a command, several on the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the fields of its groups of options one by one.

    A group is a parameter whose type is a dataclass; typer, which makes one option of every
    parameter, knows no groups.
    """
    parameters: list[Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in signature(command, eval_str=True).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            own = signature(groups[parameter.name], eval_str=True)
            parameters += own.parameters.values()
        else:
            parameters.append(parameter)

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run
