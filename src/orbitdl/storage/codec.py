"""Serialisation of dataclasses: fields and type hints define the content of a file.

Numbers, text, lists and tables are stored in the header, arrays as tensors. Nested records, lists
of records, groups, coders and histories are stored recursively, with prefixed names of arrays.
"""

from __future__ import annotations

from dataclasses import asdict, fields, is_dataclass
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from orbitdl.coding import Coder
from orbitdl.groups import Group
from orbitdl.learning.history import History
from orbitdl.learning.state import Record
from orbitdl.storage.container import Header, Tensors
from orbitdl.storage.kinds import describe, rebuild
from orbitdl.storage.plain import (
    alternatives,
    plain,
    require_names,
    require_shape,
    require_type,
    with_prefix,
    without_prefix,
)

Stored = TypeVar("Stored")

COLUMNS = {f.name: np.int64 if f.type == "int" else np.float64 for f in fields(Record)}
"""The columns of a history and their types."""


def pack(record: Any) -> tuple[Header, Tensors]:
    """Return a dataclass as a header and arrays."""
    header: Header = {}
    tensors: Tensors = {}
    for field in fields(record):
        name, value = field.name, getattr(record, field.name)
        if isinstance(value, np.ndarray):
            tensors[name] = value
        elif isinstance(value, History):
            tensors |= with_prefix(name, _columns(value))
        elif isinstance(value, list) and value and is_dataclass(value[0]):
            parts = [pack(item) for item in value]
            header[name] = [own for own, _ in parts]
            for k, (_, arrays) in enumerate(parts):
                tensors |= with_prefix(f"{name}.{k}", arrays)
        elif is_dataclass(value):
            form = describe if isinstance(value, Group | Coder) else pack
            header[name], arrays = form(value)
            tensors |= with_prefix(name, arrays)
        elif not _only_array(get_type_hints(type(record))[name]):
            header[name] = plain(value)
    return header, tensors


def unpack(kind: type[Stored], header: object, tensors: Tensors, what: str) -> Stored:
    """Return the record from the result of `pack`; raise ValueError if it is not valid."""
    hints, rest = get_type_hints(kind), dict(tensors)
    in_header = {name for name, hint in hints.items() if not _only_array(hint)}
    table = require_names(header, in_header, what)
    values = {
        name: _array(hint, name, rest)
        if name not in in_header
        else _value(hint, name, table[name], rest, what)
        for name, hint in hints.items()
    }
    if rest:
        raise ValueError(f"it has an unknown array {min(rest)[:40]!r}")
    return kind(**values)


def _value(hint: Any, name: str, given: Any, rest: Tensors, what: str) -> Any:
    """Return the value of an entry of the header with its arrays."""
    (kind, *_) = alternatives(hint) - {NoneType} or {NoneType}
    if given is None and NoneType in alternatives(hint):
        return None
    if get_origin(kind) is list and is_dataclass(get_args(kind)[0]):
        items = require_type(given, list, name, what)
        one, label = get_args(kind)[0], f"an entry of {name}"
        own = [without_prefix(f"{name}.{k}", rest) for k in range(len(items))]
        return [unpack(one, item, part, label) for item, part in zip(items, own, strict=True)]
    if isinstance(kind, type) and issubclass(kind, Group | Coder):
        return rebuild(kind, given, without_prefix(name, rest))
    if is_dataclass(kind):
        return unpack(kind, given, without_prefix(name, rest), f"the {name}")  # type: ignore[arg-type]
    return plain(require_type(given, hint, name, what))


def _array(hint: Any, name: str, rest: Tensors) -> Any:
    """Return an array, or the history stored in arrays."""
    if hint is History:
        return _history(without_prefix(name, rest))
    if name not in rest and NoneType not in alternatives(hint):
        raise ValueError(f"it lacks the array {name}")
    return rest.pop(name, None)


def _only_array(hint: Any) -> bool:
    """Return whether a field is stored in arrays only."""
    kinds = alternatives(hint) - {NoneType}
    return hint is History or {get_origin(kind) for kind in kinds} == {np.ndarray}


def _columns(history: History) -> Tensors:
    """Return one array per column of a history."""
    rows = [asdict(record) for record in history]
    return {
        name: np.array([row[name] for row in rows], dtype=dtype) for name, dtype in COLUMNS.items()
    }


def _history(columns: Tensors) -> History:
    """Return the history from columns of equal length, numbered from 0."""
    if missing := set(COLUMNS) - set(columns):
        raise ValueError(f"it lacks the array history.{min(missing)}")
    if odd := set(columns) - set(COLUMNS):
        raise ValueError(f"it has an unknown array {f'history.{min(odd)}'[:40]!r}")
    length = columns["number"].size
    checked = [
        require_shape(columns[name], name, (length,), dtype).tolist()
        for name, dtype in COLUMNS.items()
    ]
    history = History(Record(*row) for row in zip(*checked, strict=True))
    if [record.number for record in history] != list(range(length)):
        raise ValueError("the history does not count from 0")
    return history
