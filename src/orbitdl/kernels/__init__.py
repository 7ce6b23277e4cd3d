"""How the hot loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

from orbitdl.kernels.cache import stamp
from orbitdl.kernels.messages import watch
from orbitdl.kernels.pipeline import Linked, LinkedOptimised, Spared

SETTINGS = {"nogil": True, "error_model": "numpy", "pipeline_class": Spared}
REORDER = {"reassoc", "contract", "nsz", "arcp"}
WITHIN = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": Linked}
BORROWED = {"_nrt": False}
"""For kernels that work on the arrays they are given and make none. To count who refers to every
array of a state, at every call, takes as long as the mathematics where atoms are few."""
OWNED = {"_nrt": True}
"""For the others. It has to be said: what is left open follows the caller."""

INSIDE = {**SETTINGS, **BORROWED, **WITHIN, "fastmath": REORDER}
"""How what only kernels call is compiled: with each of them, and for none alone."""

watching = watch()


def kept(**settings: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile on first use, and cache the machine code on disk if a folder can be written."""

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            kernel = njit(**settings, cache=True)(function)
        except RuntimeError:  # no folder can be written
            kernel = None
        if kernel is None or not stamp(kernel):
            watching.kept = False
            kernel = njit(**settings)(function)
        return kernel

    return compiled


fast = kept(**SETTINGS, **BORROWED, fastmath=REORDER)
"""Compile on first use, keep on disk, release the lock; sums may be reordered. No array is made."""

allocating = kept(**SETTINGS, **OWNED, fastmath=REORDER)
"""The same for kernels that make arrays."""

internal = njit(**INSIDE)
"""Like `fast` for what only other kernels call: compiled into each of them, and for none alone."""

internal_allocating = njit(**INSIDE | OWNED)
"""The same for those that make arrays."""

inner_loop = njit(**INSIDE | {"pipeline_class": LinkedOptimised})
"""Like `internal` where most time is spent: optimised while it is small, before it is linked."""

part = njit(**INSIDE, inline="always")
"""Like `internal` for what one kernel is divided into to be read: as if it were written there."""

internal_finite = njit(**INSIDE | {"fastmath": True})
"""Like `internal` where no number is infinite or NaN: searches for a maximum are vectorised."""
