"""Atoms that move in any group, for codes off any grid."""

from orbitdl.coding.growing.coder import Growing

__all__ = ["Growing"]
