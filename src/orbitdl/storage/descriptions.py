"""Groups and coders as plain data, and back: by name, from a table, nothing is executed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl import groups
from orbitdl.coding import ActiveSet, Coder, Matching, Proximal, Semidefinite, Sliding
from orbitdl.groups import Finite, Group
from orbitdl.groups.base import Representation
from orbitdl.groups.listed import ListedRepresentation
from orbitdl.storage.container import Header, Tensors

GROUPS: dict[str, type[Group]] = {
    name: kind
    for name in groups.__all__
    if issubclass(kind := getattr(groups, name), Group) and kind is not Group
}
"""Every group that `orbitdl.groups` exports."""
CODERS: dict[str, type[Coder]] = {
    kind.__name__: kind for kind in (ActiveSet, Sliding, Proximal, Matching, Semidefinite)
}
DEEPEST = 8
"""Levels of lists and tables that `plain` accepts."""
LARGEST_TABLE = 2**32
"""Bytes that the tables may take which the settings of a stored group or coder call for."""


def describe(thing: Group | Coder) -> Header:
    """Return name and settings of a group or coder; its arrays are left to `arrays_of`."""
    name = type(thing).__name__
    if type(thing) not in (GROUPS.get(name), CODERS.get(name)):
        known = ", ".join(GROUPS if isinstance(thing, Group) else CODERS)
        raise ValueError(f"{name} is not one of the kinds that files can hold ({known})")
    settings = {f.name: plain(getattr(thing, f.name)) for f in _settings(type(thing))}
    if isinstance(thing, Finite):
        settings["size"] = len(thing.matrices)
    return {"name": name, "settings": settings}


def arrays_of(group: Group) -> Tensors:
    """Return the arrays that belong to a group: the generators of a `Finite` one."""
    if not isinstance(group, Finite):
        return {}
    generators = np.asarray(group.generators)
    whole = np.issubdtype(generators.dtype, np.integer)
    return {"generators": generators.astype(np.int64 if whole else np.float64)}


def group_from(description: object, arrays: Tensors) -> Group:
    """Build the group that `describe` and `arrays_of` were given."""
    kind, settings = _known(description, GROUPS, "group")
    if kind is not Finite:
        if arrays:
            raise ValueError(f"{kind.__name__} has no array {min(arrays)[:40]!r}")
        simple: Group = kind(**settings)
        return simple
    if set(arrays) != {"generators"}:
        raise ValueError("a Finite group needs its generators")
    generators, size = arrays["generators"], settings.pop("size")
    k, d = generators.shape[:1] + generators.shape[-1:] if generators.ndim > 1 else (0, 0)
    if size < 1 or 8 * ((size + k) * d * d + size * size) > LARGEST_TABLE:
        raise ValueError(f"a Finite group of {size} matrices of size {d} is not possible here")
    if len(Finite(generators, size).matrices) != size:  # ends early if the size is a lie
        raise ValueError(f"the generators do not make a group of {size} elements")
    return Finite(generators, **settings)


def coder_from(description: object) -> Coder | None:
    """Build the coder that `describe` was given."""
    if description is None:
        return None
    kind, settings = _known(description, CODERS, "coder")
    coder: Coder = kind(**settings)
    return coder


def require_moderate(representation: Representation, coder: Coder | None, q: int) -> None:
    """Refuse settings whose tables of inner products of q components would fill the memory.

    They hold ``q * q * |G|`` numbers, or those of all pairs of atoms that `Matching` places.
    """
    size = representation.size if isinstance(representation, ListedRepresentation) else 1
    slots = q * coder.n_atoms if isinstance(coder, Matching) else q
    if 8 * max(q * q * size, slots * slots) > LARGEST_TABLE:
        raise ValueError(
            "its group has more elements, or its coder more atoms, than coding has memory for"
        )


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value made of text, finite numbers, lists and tables with names, as JSON has them.

    Examples
    --------
    >>> plain({"window": np.int64(201), "channels": (0, 1)})
    {'window': 201, 'channels': [0, 1]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping) and depth < DEEPEST and all(type(key) is str for key in value):
        return {key: plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple) and depth < DEEPEST:
        return [plain(item, depth + 1) for item in value]
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return int(value)
    if isinstance(value, float) and np.isfinite(value):
        return float(value)
    raise ValueError(f"{str(value)[:60]!r} is not text, a finite number, a list or a table of them")


def checked(record: object, kinds: Mapping[str, tuple[type, ...]], what: str) -> Header:
    """Return the table if it has exactly these entries, each of one of these types."""
    if not isinstance(record, dict):
        raise ValueError(f"{what} is not a table")
    if odd := set(record) ^ set(kinds):
        verb = "has an unknown" if min(odd) in record else "lacks the"
        raise ValueError(f"{what} {verb} entry {min(odd)[:40]!r}")
    for name, accepted in kinds.items():
        if type(record[name]) not in accepted:
            raise ValueError(f"{name} of {what} is of the wrong type")
    return record


def checked_array(
    tensors: Tensors, name: str, shape: tuple[int, ...], dtype: type = np.float64
) -> NDArray[Any]:
    """Return an array if it has this shape and type and no NaN."""
    array = tensors[name]
    if array.shape != shape or array.dtype != dtype:
        raise ValueError(f"{name} is not an array of shape {shape} and type {np.dtype(dtype)}")
    if np.isnan(array).any():
        raise ValueError(f"{name} contains NaN")
    return array


def _settings(kind: type) -> list[Field[Any]]:
    """Return the fields that are numbers or switches."""
    return [f for f in fields(kind) if f.init and f.default is not MISSING]


def _known(description: object, table: Mapping[str, type], what: str) -> tuple[Any, Header]:
    """Return the class and its settings, each of the type of its default."""
    record = checked(description, {"name": (str,), "settings": (dict,)}, what)
    if record["name"] not in table:
        raise ValueError(f"this version of orbitdl has no {what} {record['name'][:40]!r}")
    kind = table[record["name"]]
    kinds: dict[str, tuple[type, ...]] = {
        f.name: (int, float) if type(f.default) is float else (type(f.default),)
        for f in _settings(kind)
    }
    if kind is Finite:
        kinds["size"] = (int,)
    return kind, dict(checked(record["settings"], kinds, f"{what} {kind.__name__}"))
