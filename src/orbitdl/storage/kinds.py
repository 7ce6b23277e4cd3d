"""Serialisation of groups and coders by name.

Classes of orbitdl are stored by name, others by module and name, ``waves.groups:Mirror``. Classes
must already be imported: reading a file imports and executes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from inspect import isabstract
from types import NoneType
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from orbitdl import coding, groups
from orbitdl.coding import Coder
from orbitdl.groups import Group
from orbitdl.storage.container import Header, Tensors
from orbitdl.storage.plain import (
    alternatives,
    is_scalar,
    plain,
    require_names,
    require_type,
    with_prefix,
    without_prefix,
)

Kind = Group | Coder


def describe(thing: Kind) -> tuple[Header, Tensors]:
    """Return name and settings of a group or coder, and the arrays among them."""
    settings: Header = {}
    tensors: Tensors = {}
    for name, hint in _stored(type(thing)).items():
        value = getattr(thing, name)
        if isinstance(value, Kind):
            settings[name], arrays = describe(value)
            tensors |= with_prefix(name, arrays)
        elif is_scalar(hint):
            settings[name] = plain(value)
        else:
            tensors[name] = _as_numbers(value, name)
    return {"name": _name_of(type(thing)), "settings": settings}, tensors


def rebuild(base: type[Kind], description: object, tensors: Tensors) -> Any:
    """Build a group or coder (a subclass of `base`) from the result of `describe`."""
    what = base.__name__.lower()
    record = require_names(description, {"name", "settings"}, what)
    kind = _find(base, require_type(record["name"], str, "name", what))
    hints, rest = _stored(kind), dict(tensors)
    kinds = {name: hint for name, hint in hints.items() if is_scalar(hint) or _base_of(hint)}
    label = f"{what} {kind.__name__}"
    settings = require_names(record["settings"], set(kinds), label)
    values: dict[str, Any] = {}
    for name, hint in hints.items():
        if (inner := _base_of(hint)) is not None:
            values[name] = rebuild(inner, settings[name], without_prefix(name, rest))
        elif name in kinds:
            values[name] = require_type(settings[name], hint, name, label)
        elif name in rest:
            values[name] = rest.pop(name)
        else:
            raise ValueError(f"{kind.__name__} lacks the array {name}")
    if rest:
        raise ValueError(f"{kind.__name__} has no array {min(rest)[:40]!r}")
    return kind.from_stored(values)


def _stored(kind: type[Kind]) -> dict[str, Any]:
    """Return the types of the stored attributes of a class."""
    if "__dataclass_fields__" not in vars(kind):
        raise ValueError(f"{kind.__name__} is not a dataclass, so its settings are not known")
    hints = get_type_hints(kind)
    own = {field.name: hints[field.name] for field in fields(kind) if field.init}  # type: ignore[arg-type]
    return own | dict(kind.also_stored)


def _base_of(hint: Any) -> type[Kind] | None:
    """Return Group or Coder if a type hint is one of them."""
    kinds = [kind for kind in alternatives(hint) - {NoneType} if isinstance(kind, type)]
    return next((base for base in (Group, Coder) if any(issubclass(k, base) for k in kinds)), None)


def _name_of(kind: type[Kind]) -> str:
    home = vars(groups if issubclass(kind, Group) else coding)
    if home.get(kind.__name__) is kind:
        return str(kind.__name__)
    return f"{kind.__module__}:{kind.__qualname__}"


def _find(base: type[Kind], name: str) -> type[Kind]:
    """Return the imported class of this name."""
    what, known = base.__name__.lower(), {_name_of(kind): kind for kind in _below(base)}
    if name in known:
        return known[name]
    module, colon, _ = name.partition(":")
    if not colon:
        raise ValueError(f"this version of orbitdl has no {what} {name[:40]!r}")
    raise ValueError(f"its {what} {name[:60]!r} is not loaded: import {module[:40]} first")


def _below(base: type[Kind]) -> Iterator[type[Kind]]:
    """Yield the concrete classes derived from one, at any depth."""
    for kind in base.__subclasses__():
        if not isabstract(kind):
            yield kind
        yield from _below(kind)


def _as_numbers(value: Any, name: str) -> NDArray[Any]:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} is not an array of real numbers")
    return array.astype(np.int64 if array.dtype.kind in "biu" else np.float64)
