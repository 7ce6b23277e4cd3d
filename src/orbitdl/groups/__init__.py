"""Symmetries: a group says what moves, its representation how data of one shape move."""

from orbitdl.groups.base import Group, Representation
from orbitdl.groups.continuous import ContinuousShift
from orbitdl.groups.finite import Finite
from orbitdl.groups.orthogonal import Orthogonal
from orbitdl.groups.shift import IntegerShift, InterpolatedShift
from orbitdl.groups.trivial import Trivial

__all__ = [
    "ContinuousShift",
    "Finite",
    "Group",
    "IntegerShift",
    "InterpolatedShift",
    "Orthogonal",
    "Representation",
    "Trivial",
]
