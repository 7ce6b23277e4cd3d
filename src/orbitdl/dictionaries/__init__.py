"""What is learned: parameters, the components that they make, and the best ones for given codes."""

from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.dictionaries.supported import Supported
from orbitdl.dictionaries.tied import Tied, dictionary_of
from orbitdl.dictionaries.unit_ball import UnitBall

__all__ = ["Dictionary", "Statistics", "Supported", "Tied", "UnitBall", "dictionary_of"]
