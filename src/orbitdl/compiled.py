"""How the hot loops are compiled."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from numba import njit

SETTINGS = {"cache": True, "nogil": True, "error_model": "numpy"}
REORDER = {"reassoc", "contract", "nsz", "arcp"}
WITHIN = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
BORROWED = {"_nrt": False}
"""For kernels that work on the arrays they are given and make none. To count who refers to every
array of a state, at every call, would take as long as the mathematics, and half of compilation."""
OWNED = {"_nrt": True}
"""For the others. It has to be said: what is left open follows the caller."""

INSIDE = {"nogil": True, "error_model": "numpy", "fastmath": REORDER} | BORROWED
"""How an overload that only kernels call is compiled: with its caller."""

fast = njit(**SETTINGS, **BORROWED, fastmath=REORDER)
"""Compile on first use, keep on disk, release the lock; sums may be reordered. No array is made."""

allocating = njit(**SETTINGS, **OWNED, fastmath=REORDER)
"""The same for kernels that make arrays."""

internal = njit(**SETTINGS, **BORROWED, **WITHIN, fastmath=REORDER)
"""Like `fast` for what only other kernels call: not callable from Python, quicker to compile."""

internal_allocating = njit(**SETTINGS, **OWNED, **WITHIN, fastmath=REORDER)
"""The same for those that make arrays."""

part = njit(**SETTINGS, **BORROWED, **WITHIN, fastmath=REORDER, inline="always")
"""The same for what one kernel is divided into to be read: compiled as if it were written there."""

internal_finite = njit(**SETTINGS, **BORROWED, **WITHIN, fastmath=True)
"""Like `internal` where no number is infinite or NaN: searches for a maximum are vectorised."""


def say_if_compiling(kernel: Any) -> None:
    """Say in one line that a kernel is about to be compiled, unless it is on disk already."""
    stats = getattr(kernel, "stats", None)  # none when compilation is switched off
    if stats is None or stats.cache_path is None or kernel.signatures:
        return
    if not any(Path(stats.cache_path).glob(f"*.{kernel.__name__}-*.nbi")):
        logging.getLogger("orbitdl").warning(
            "orbitdl: compiling for this machine (up to a minute, once; later runs start at once)"
        )
