"""Arguments are checked once, before any work; a message names the argument and the remedy."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.coding.base import Coder
from orbitdl.groups.base import Floats, Group


def as_data(X: ArrayLike, name: str = "X") -> Floats:
    """Return X as float64 of shape (n, ...) with at least one finite data point."""
    array = np.asarray(X)
    if np.iscomplexobj(array):
        raise ValueError(
            f"Complex data not supported: pass real {name}, for instance real and imaginary "
            "parts as two channels."
        )
    try:
        array = np.array(array, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers, not {array.dtype}; convert it first.") from None
    if array.ndim < 2:
        raise ValueError(
            f"{name} must have samples on its first axis and a signal on the others, not shape "
            f"{array.shape}; use {name}[None] for a single data point."
        )
    if 0 in array.shape:
        raise ValueError(f"{name} of shape {array.shape} is empty; pass at least one data point.")
    return require_finite(array, name)


def require_finite(array: Floats, name: str) -> Floats:
    """Return the array unless it has NaN or infinite entries."""
    if not np.isfinite(array).all():
        kind = "NaN" if np.isnan(array).any() else "infinity (inf)"
        raise ValueError(
            f"{name} contains {kind}; missing values are not supported yet, so drop those samples "
            "or fill them in first."
        )
    return array


def as_components(A: ArrayLike, name: str = "components") -> Floats:
    """Return components as float64 of shape (q, ...)."""
    return as_data(A, name)


def require_group(group: object) -> Group:
    """Return the group, or say how to make one."""
    if not isinstance(group, Group):
        raise ValueError(
            f"group must be an object from orbitdl.groups such as IntegerShift(), not {group!r}."
        )
    return group


def require_coder(coder: object) -> Coder | None:
    """Return the coder (None: choose one), or say how to make one."""
    if coder is not None and not isinstance(coder, Coder):
        raise ValueError(
            f"coder must be None or an object from orbitdl.coding such as ActiveSet(), "
            f"not {coder!r}."
        )
    return coder


def require_positive(value: object, name: str) -> float:
    """Return a positive finite number."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name} must be a positive number, not {value!r}.")
    return float(value)


def require_count(value: object, name: str, least: int = 1) -> int:
    """Return a whole number of at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}.")
    return int(value)
