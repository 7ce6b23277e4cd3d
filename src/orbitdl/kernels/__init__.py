"""How the hot loops are compiled, cached and reported.

Numba compares a cached kernel with the file that it is written in. What the kernel calls, and the
constants that were compiled into it, may be in other files: machine code would outlive a change of
those. So a kernel is also cached under a hash of all source that it can depend on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

try:
    from orbitdl.kernels.pipeline import ALONE, BORROWED, LINKED, OPTIMISED, OWNED, is_sound
except Exception:  # Numba without the private names that the trimmed pipeline needs
    ALONE = BORROWED = LINKED = OPTIMISED = OWNED = {}

    def is_sound() -> bool:  # type: ignore[misc]
        """Return whether kernels are compiled by the trimmed pipeline."""
        return False


import gc
import hashlib
import logging
from functools import cache
from pathlib import Path

from numba.core import event

OUTER = frozenset(
    (
        "adapters",
        "command",
        "datasets",
        "io",
        "plot",
        "preprocessing",
        "report",
        "selection",
        "storage",
        "windows",
    )
)
"""Packages above all kernels: no kernel depends on them, so editing them recompiles nothing."""


@cache
def source_hash() -> str:
    """Return a hash of the Python files of this package, without the outer packages."""
    return hash_of(Path(__file__).parents[1])


def hash_of(root: Path) -> str:
    """Return a hash of the names and contents of the Python files below a folder."""
    total = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root)
        if name.parts[0] not in OUTER:
            content = path.read_bytes()
            total.update(f"{name.as_posix()} {len(content)}\n".encode() + content)
    return total.hexdigest()


def stamp(kernel: Any) -> bool:
    """Key the cache of a kernel by the source of the package; return whether that was possible.

    The hash becomes part of the version that Numba compares before it reads anything else: what it
    reads names classes of this package, which other sources may not have. Numba has no public name
    for it. Without the private one, the kernel must not be cached.
    """
    try:
        file = kernel._cache._cache_file
        file._version = f"{file._version} {source_hash()}"
    except AttributeError:
        return False
    return True


# The report

CACHED = "orbitdl: compiling for this machine (up to a minute, once; later runs start at once)"
NOT_CACHED = (
    "orbitdl: compiling for this machine (up to a minute), and again in every process, because no "
    "folder for compiled code can be written: set NUMBA_CACHE_DIR to one that can."
)

RARE = 20_000, 20, 1000
"""Objects made, and collections of the young and the middle-aged, before the next collection."""


class CompilationReport(event.Listener):
    """Reports once that kernels of this package are being compiled, and whether they are cached.

    What the compiler allocates lives until it is done: collecting garbage as often as Python does
    would take a tenth of the time.
    """

    def __init__(self) -> None:
        self.cached, self.reported = True, False
        self.depth, self.threshold = 0, gc.get_threshold()

    def on_start(self, started: Any) -> None:
        """A kernel is about to be compiled; kernels that it calls follow before it ends."""
        if not is_own_kernel(started):
            return
        if not self.depth:
            self.threshold = gc.get_threshold()
            gc.set_threshold(*RARE)
        self.depth += 1
        if not self.reported:
            self.reported = True
            logging.getLogger("orbitdl").warning(CACHED if self.cached else NOT_CACHED)

    def on_end(self, ended: Any) -> None:
        """A kernel is compiled, or could not be."""
        if not is_own_kernel(ended):
            return
        self.depth -= 1
        if not self.depth:
            gc.set_threshold(*self.threshold)


def is_own_kernel(compiled: Any) -> bool:
    """Return whether an event is about a kernel of this package."""
    return str(compiled.data["dispatcher"].py_func.__module__).startswith("orbitdl.")


def watch() -> CompilationReport:
    """Start listening to the compiler."""
    report = CompilationReport()
    event.register("numba:compile", report)
    return report


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
