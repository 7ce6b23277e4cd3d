"""Symmetries: a group says what moves, its representation how data of one shape move.

`ListedRepresentation`, `CircleRepresentation` and `Transform` are there to derive from.
"""

from orbitdl.groups.azimuth import Azimuth
from orbitdl.groups.base import Group, Representation
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.continuous import ContinuousShift
from orbitdl.groups.finite import Finite
from orbitdl.groups.image_rotation import ImageRotation
from orbitdl.groups.integer_translation import IntegerTranslation
from orbitdl.groups.listed import ListedRepresentation
from orbitdl.groups.orthogonal import Orthogonal
from orbitdl.groups.permutation import Permutation, SignedPermutation
from orbitdl.groups.product import Product
from orbitdl.groups.reversal import Mirror, Reversal
from orbitdl.groups.shift import IntegerShift, InterpolatedShift
from orbitdl.groups.shift_and_phase import ShiftAndPhase
from orbitdl.groups.special_orthogonal import SpecialOrthogonal
from orbitdl.groups.square import SquareSymmetry
from orbitdl.groups.transforms.base import Transform
from orbitdl.groups.translation import Translation
from orbitdl.groups.trivial import Trivial
from orbitdl.groups.with_finite import WithFinite

__all__ = [
    "Azimuth",
    "CircleRepresentation",
    "ContinuousShift",
    "Finite",
    "Group",
    "ImageRotation",
    "IntegerShift",
    "IntegerTranslation",
    "InterpolatedShift",
    "ListedRepresentation",
    "Mirror",
    "Orthogonal",
    "Permutation",
    "Product",
    "Representation",
    "SignedPermutation",
    "SpecialOrthogonal",
    "Reversal",
    "ShiftAndPhase",
    "SquareSymmetry",
    "Transform",
    "Translation",
    "Trivial",
    "WithFinite",
]
