"""Model selection by cross-validation: group, number of components, alpha."""

from orbitdl.selection.choice import Selection
from orbitdl.selection.select import select

__all__ = ["Selection", "select"]
