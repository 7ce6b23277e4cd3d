"""Report that kernels are being compiled, and collect garbage rarely meanwhile."""

from __future__ import annotations

import gc
import logging
from typing import Any

from numba.core import event

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
        if not is_own(started):
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
        if not is_own(ended):
            return
        self.depth -= 1
        if not self.depth:
            gc.set_threshold(*self.threshold)


def is_own(compiled: Any) -> bool:
    """Return whether an event is about a kernel of this package."""
    return str(compiled.data["dispatcher"].py_func.__module__).startswith("orbitdl.")


def watch() -> CompilationReport:
    """Start listening to the compiler."""
    report = CompilationReport()
    event.register("numba:compile", report)
    return report
