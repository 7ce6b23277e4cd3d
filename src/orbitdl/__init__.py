"""Group invariant dictionary learning: components, their places, and a proof of how good."""

from orbitdl.codes import Codes
from orbitdl.encoding import decode, encode
from orbitdl.estimator import OrbitDictionaryLearning
from orbitdl.metrics import align, dictionary_distance

__version__ = "0.1.0"

__all__ = [
    "Codes",
    "OrbitDictionaryLearning",
    "align",
    "decode",
    "dictionary_distance",
    "encode",
]
