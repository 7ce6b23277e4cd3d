"""Conversion to plain JSON values, and validation of the content of files."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Blocks, Floats
from orbitdl.storage.container import Header, Tensors

DEEPEST = 8
"""Maximum nesting depth of lists and tables."""
LARGEST = 1e150
"""Largest absolute value whose square is finite."""
SCALARS = {int, float, bool, str, NoneType}


def plain(value: Any, depth: int = 0) -> Any:
    """Convert a value to text, finite numbers, lists and dictionaries, as in JSON.

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


def alternatives(hint: Any) -> set[Any]:
    """Return the types that a type hint allows: ``int | None`` allows two."""
    kinds = set(get_args(hint)) if get_origin(hint) in (Union, UnionType) else {hint}
    return set(map(without_alias, kinds))


def without_alias(hint: Any) -> Any:
    """Return what an alias of a type stands for: NDArray is one from NumPy 2.5 on."""
    value = getattr(get_origin(hint) or hint, "__value__", None)
    if value is None:
        return hint
    return value[get_args(hint)] if get_args(hint) else value


def is_scalar(hint: Any) -> bool:
    """Return whether a type hint allows only numbers, text and None."""
    return alternatives(hint) <= SCALARS


def require_type(value: Any, hint: Any, name: str, what: str) -> Any:
    """Return a plain value of a type that the hint allows; integers pass as any number."""
    accepted = {get_origin(kind) or kind for kind in alternatives(hint)}
    if float in accepted:
        accepted.add(int)
    if type(value) not in accepted:
        raise ValueError(f"{name} of {what} is of the wrong type")
    return value


def require_names(record: object, names: set[str], what: str) -> Header:
    """Return the table if it has exactly these entries."""
    if not isinstance(record, dict):
        raise ValueError(f"{what} is not a table")
    if odd := set(record) ^ names:
        verb = "has an unknown" if min(odd) in record else "lacks the"
        raise ValueError(f"{what} {verb} entry {min(odd)[:40]!r}")
    return record


def require_shape(
    array: NDArray[Any], name: str, shape: tuple[int, ...], dtype: type = np.float64
) -> NDArray[Any]:
    """Return an array if it has this shape and type and no NaN."""
    if array.shape != shape or array.dtype != dtype:
        raise ValueError(f"{name} is not an array of shape {shape} and type {np.dtype(dtype)}")
    if np.isnan(array).any():
        raise ValueError(f"{name} contains NaN")
    return array


def require_moderate(array: NDArray[Any], name: str, shape: tuple[int, ...]) -> Floats:
    """Return an array if it has this shape and no value out of range."""
    if not np.all(np.abs(require_shape(array, name, shape)) < LARGEST):
        raise ValueError(f"{name} has values out of range")
    return array


def as_real(array: Blocks) -> Floats:
    """Return a complex array (...) as real and imaginary parts (..., 2), a real one as it is."""
    return array[..., None].view(np.float64) if np.iscomplexobj(array) else array


def as_complex(real: Floats, dtype: np.typing.DTypeLike) -> Blocks:
    """Invert `as_real` for an array of this type."""
    return real.view(np.complex128)[..., 0] if np.dtype(dtype).kind == "c" else real


def with_prefix(prefix: str, tensors: Tensors) -> Tensors:
    """Return the arrays with longer names: ``prefix.name``."""
    return {f"{prefix}.{name}": array for name, array in tensors.items()}


def without_prefix(prefix: str, tensors: Tensors) -> Tensors:
    """Take the arrays of this prefix out of the table, and return them by their shorter names."""
    names = [name for name in tensors if name.startswith(f"{prefix}.")]
    return {name.removeprefix(f"{prefix}."): tensors.pop(name) for name in names}
