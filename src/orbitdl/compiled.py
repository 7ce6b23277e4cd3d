"""How the hot loops are compiled."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from numba import njit

SETTINGS = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz", "arcp"},
}

fast = njit(**SETTINGS)
"""Compile on first use, keep on disk, release the lock; sums may be reordered."""

internal = njit(**SETTINGS, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""The same for what only other kernels call: not callable from Python, quicker to compile."""


def say_if_compiling(kernel: Any) -> None:
    """Say in one line that a kernel is about to be compiled, unless it is on disk already."""
    name = f"*.{kernel.__name__}-*.nbi"
    if not kernel.signatures and not any(Path(kernel.stats.cache_path).glob(name)):
        logging.getLogger("orbitdl").warning(
            "orbitdl: compiling for this machine (some 20 seconds, once; later runs start at once)"
        )


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def largest(values):  # type: ignore[no-untyped-def]
    """Return the largest absolute value; finite numbers only, so that it vectorises."""
    top = values.dtype.type(0.0)
    for m in range(values.shape[0]):
        top = max(top, abs(values[m]))
    return top
