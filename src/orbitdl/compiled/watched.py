"""What happens while a kernel is compiled: it is said, and the collector of garbage rests."""

from __future__ import annotations

import gc
import logging
from typing import Any

from numba.core import event

KEPT = "orbitdl: compiling for this machine (up to a minute, once; later runs start at once)"
LOST = (
    "orbitdl: compiling for this machine (up to a minute), and again in every process, because no "
    "folder for compiled code can be written: set NUMBA_CACHE_DIR to one that can."
)


class Watching(event.Listener):
    """Says once that kernels of this package are being compiled, and whether they are kept.

    What the compiler makes lives until it is done: to look through it for garbage, again and
    again, would take a sixth of the time.
    """

    def __init__(self) -> None:
        self.kept, self.said = True, False
        self.depth, self.collects = 0, False

    def on_start(self, started: Any) -> None:
        """A kernel is about to be compiled; kernels that it calls follow before it ends."""
        if not is_ours(started):
            return
        if not self.depth:
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1
        if not self.said:
            self.said = True
            logging.getLogger("orbitdl").warning(KEPT if self.kept else LOST)

    def on_end(self, ended: Any) -> None:
        """A kernel is compiled, or could not be."""
        if not is_ours(ended):
            return
        self.depth -= 1
        if not self.depth and self.collects:
            gc.enable()


def is_ours(compiled: Any) -> bool:
    """Tell whether an event is about a kernel of this package."""
    return str(compiled.data["dispatcher"].py_func.__module__).startswith("orbitdl.")


def watch() -> Watching:
    """Be told of all that is compiled from now on."""
    watching = Watching()
    event.register("numba:compile", watching)
    return watching
