"""How the hot loops are compiled."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from numba import njit

SETTINGS = {"cache": True, "nogil": True, "error_model": "numpy"}
REORDER = {"reassoc", "contract", "nsz", "arcp"}
WITHIN = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

INSIDE = {"nogil": True, "error_model": "numpy", "fastmath": REORDER}
"""How an overload that only kernels call is compiled: with its caller."""

fast = njit(**SETTINGS, fastmath=REORDER)
"""Compile on first use, keep on disk, release the lock; sums may be reordered."""

internal = njit(**SETTINGS, **WITHIN, fastmath=REORDER)
"""The same for what only other kernels call: not callable from Python, quicker to compile."""

part = njit(**SETTINGS, **WITHIN, fastmath=REORDER, inline="always")
"""The same for what one kernel is divided into to be read: compiled as if it were written there."""

internal_finite = njit(**SETTINGS, **WITHIN, fastmath=True)
"""The same where no number is infinite or NaN: then searches for a maximum are vectorised."""


def say_if_compiling(kernel: Any) -> None:
    """Say in one line that a kernel is about to be compiled, unless it is on disk already."""
    stats = getattr(kernel, "stats", None)  # none when compilation is switched off
    if stats is None or stats.cache_path is None or kernel.signatures:
        return
    if not any(Path(stats.cache_path).glob(f"*.{kernel.__name__}-*.nbi")):
        logging.getLogger("orbitdl").warning(
            "orbitdl: compiling for this machine (up to a minute, once; later runs start at once)"
        )
