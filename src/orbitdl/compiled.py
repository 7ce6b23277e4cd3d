"""How the hot loops are compiled."""

from __future__ import annotations

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


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def largest(values):  # type: ignore[no-untyped-def]
    """Return the largest absolute value; finite numbers only, so that it vectorises."""
    top = values.dtype.type(0.0)
    for m in range(values.shape[0]):
        top = max(top, abs(values[m]))
    return top
