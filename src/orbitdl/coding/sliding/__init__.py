"""Atoms that slide: the coder of continuous shifts."""

from orbitdl.coding.sliding.coder import Sliding

__all__ = ["Sliding"]
