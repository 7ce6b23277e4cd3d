"""Groups of options: one parameter of a command, several options on the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_origin, get_type_hints


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters are the fields of its groups of options.

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

    for parameter in parameters:
        _hide_values_of_flag(parameter.annotation)
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


def _hide_values_of_flag(annotation: Any) -> None:
    """Hide the value of flags in help: typer shows <bool>, but none can be passed."""
    if get_origin(annotation) is Annotated and annotation.__origin__ is bool:
        annotation.__metadata__[0].metavar = ""


def as_typed(*groups: Any) -> list[str]:
    """Return the options that differ from their defaults, as arguments of a command."""
    words: list[str] = []
    for group in groups:
        hints = get_type_hints(type(group), include_extras=True)
        for field in fields(group):
            value = getattr(group, field.name)
            if value == field.default:
                continue
            words.append(_name_of(hints[field.name].__metadata__[0], field.name))
            words += [] if value is True else [written(value)]
    return words


def written(value: Any) -> str:
    """Return the value of an option as text."""
    return f"{value:.15g}" if isinstance(value, float) else str(getattr(value, "text", value))


def _name_of(option: Any, field: str) -> str:
    """Return the declared name of an option, or that of its field."""
    said = (option.default, *(option.param_decls or ()))
    own = [word for word in said if isinstance(word, str) and word.startswith("--")]
    return own[0] if own else f"--{field.replace('_', '-')}"
