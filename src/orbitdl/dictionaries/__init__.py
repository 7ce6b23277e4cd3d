"""Dictionaries: constraint sets of components, and their steps from sufficient statistics."""

from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.dictionaries.supported import Supported
from orbitdl.dictionaries.tied import Tied, dictionary_of
from orbitdl.dictionaries.unit_ball import UnitBall

__all__ = ["Dictionary", "Statistics", "Supported", "Tied", "UnitBall", "dictionary_of"]
