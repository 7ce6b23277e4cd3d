"""Which symmetry, how many components, which alpha: judged by what they predict."""

from orbitdl.selection.choice import Selection
from orbitdl.selection.select import select

__all__ = ["Selection", "select"]
