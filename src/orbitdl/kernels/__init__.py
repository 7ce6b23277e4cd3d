"""How the hot loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from orbitdl.kernels.cache import stamp, watch

try:
    from orbitdl.kernels.pipeline import ALONE, BORROWED, LINKED, OPTIMISED, OWNED, is_sound
except Exception:  # Numba without the private names that the trimmed pipeline needs
    ALONE = BORROWED = LINKED = OPTIMISED = OWNED = {}

    def is_sound() -> bool:  # type: ignore[misc]
        """Return whether kernels are compiled by the trimmed pipeline."""
        return False


SETTINGS = {"nogil": True, "error_model": "numpy"}
REORDER = {"reassoc", "contract", "nsz", "arcp"}
"""Sums may be reordered, and products with them contracted; NaN and infinity stay what they are."""

INSIDE = {**SETTINGS, **BORROWED, **LINKED, "fastmath": REORDER}
"""How what only kernels call is compiled: with each of them, and for none alone."""

ZERO, MINUS_ONE = np.int64(0), np.int64(-1)
"""Numbers that are not literals: kernels compile once for them and for all other counts."""

watching = watch()


def cached(**settings: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile on first use, and cache the machine code on disk if a folder can be written."""

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            kernel = njit(**settings, cache=True)(function)
        except RuntimeError:  # no folder can be written
            kernel = None
        if kernel is None or not stamp(kernel):
            watching.cached = False
            kernel = njit(**settings)(function)
        return kernel

    return compiled


fast = cached(**SETTINGS, **ALONE, **BORROWED, fastmath=REORDER)
"""Compile on first use, cache on disk, release the lock. Sums may be reordered; no array is made.
"""

allocating = cached(**SETTINGS, **ALONE, **OWNED, fastmath=REORDER)
"""The same for kernels that make arrays."""

internal = njit(**INSIDE)
"""Like `fast` for what only other kernels call: compiled into each of them, and for none alone."""

internal_allocating = njit(**INSIDE | OWNED)
"""The same for those that make arrays."""

inner_loop = njit(**INSIDE | OPTIMISED)
"""Like `internal` where most time is spent: optimised while it is small, before it is linked."""

part = njit(**INSIDE, inline="always")
"""Like `internal` for what one kernel is divided into to be read: as if it were written there."""

internal_finite = njit(**INSIDE | {"fastmath": True})
"""Like `internal` where no number is infinite or NaN: searches for a maximum are vectorised."""

__all__ = [
    "INSIDE", "MINUS_ONE", "OWNED", "ZERO",
    "allocating", "fast", "inner_loop", "internal", "internal_allocating", "internal_finite",
    "is_sound", "part", "watching",
]  # fmt: skip
