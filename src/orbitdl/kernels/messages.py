"""What happens while a kernel is compiled: it is said, and garbage is collected rarely."""

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

RARELY = 20_000, 20, 1000
"""Objects made, and collections of the young and the middle-aged, before the next collection."""


class Watching(event.Listener):
    """Says once that kernels of this package are being compiled, and whether they are kept.

    What the compiler makes lives until it is done: to look through it for garbage as often as
    Python does would take a tenth of the time.
    """

    def __init__(self) -> None:
        self.kept, self.said = True, False
        self.depth, self.often = 0, gc.get_threshold()

    def on_start(self, started: Any) -> None:
        """A kernel is about to be compiled; kernels that it calls follow before it ends."""
        if not is_ours(started):
            return
        if not self.depth:
            self.often = gc.get_threshold()
            gc.set_threshold(*RARELY)
        self.depth += 1
        if not self.said:
            self.said = True
            logging.getLogger("orbitdl").warning(KEPT if self.kept else LOST)

    def on_end(self, ended: Any) -> None:
        """A kernel is compiled, or could not be."""
        if not is_ours(ended):
            return
        self.depth -= 1
        if not self.depth:
            gc.set_threshold(*self.often)


def is_ours(compiled: Any) -> bool:
    """Tell whether an event is about a kernel of this package."""
    return str(compiled.data["dispatcher"].py_func.__module__).startswith("orbitdl.")


def watch() -> Watching:
    """Be told of all that is compiled from now on."""
    watching = Watching()
    event.register("numba:compile", watching)
    return watching
