"""Coders: one algorithm a file, one certificate for all."""

from orbitdl.coding.active_set import ActiveSet
from orbitdl.coding.base import Coder
from orbitdl.coding.growing.coder import Growing
from orbitdl.coding.matching import Matching
from orbitdl.coding.proximal import Proximal
from orbitdl.coding.sliding.coder import Sliding

__all__ = [
    "ActiveSet",
    "Coder",
    "Growing",
    "Matching",
    "Proximal",
    "Sliding",
]
