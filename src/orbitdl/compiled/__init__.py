"""How the hot loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

from orbitdl.compiled.linked import Linked, LinkedOptimised
from orbitdl.compiled.watched import watch

SETTINGS = {"nogil": True, "error_model": "numpy"}
REORDER = {"reassoc", "contract", "nsz", "arcp"}
WITHIN = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": Linked}

INSIDE = {**SETTINGS, "fastmath": REORDER}
"""How an overload that only kernels call is compiled: with its caller."""

internal = njit(**SETTINGS, **WITHIN, fastmath=REORDER)
"""Compile what only other kernels call: into each of them, and for none alone."""

inner_loop = njit(**SETTINGS, **WITHIN | {"pipeline_class": LinkedOptimised}, fastmath=REORDER)
"""The same for loops where most time is spent: optimised while they are small, then linked."""

part = njit(**SETTINGS, **WITHIN, fastmath=REORDER, inline="always")
"""The same for what one kernel is divided into to be read: compiled as if it were written there."""

internal_finite = njit(**SETTINGS, **WITHIN, fastmath=True)
"""The same where no number is infinite or NaN: then searches for a maximum are vectorised."""

watching = watch()


def fast(function: Callable[..., Any]) -> Any:
    """Compile on first use, keep on disk, release the lock; sums may be reordered."""
    try:
        return njit(**SETTINGS, fastmath=REORDER, cache=True)(function)
    except RuntimeError:  # no folder can be written
        watching.kept = False
        return njit(**SETTINGS, fastmath=REORDER)(function)
