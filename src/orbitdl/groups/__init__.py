"""Symmetries: a group says what moves, its representation how data of one shape move.

`ListedRepresentation`, `CircleRepresentation` and `Transform` are there to derive from.
"""

from orbitdl.groups.base import Action, Group, Representation
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.enumerated import ListedRepresentation
from orbitdl.groups.finite import Finite
from orbitdl.groups.images.image_rotation import ImageRotation
from orbitdl.groups.images.integer_translation import IntegerTranslation
from orbitdl.groups.images.square import SquareSymmetry
from orbitdl.groups.images.translation import Translation
from orbitdl.groups.signals.continuous import ContinuousShift
from orbitdl.groups.signals.reversal import Mirror, Reversal
from orbitdl.groups.signals.shift import IntegerShift, InterpolatedShift
from orbitdl.groups.signals.shift_and_phase import ShiftAndPhase
from orbitdl.groups.transforms.base import Transform
from orbitdl.groups.trivial import Trivial
from orbitdl.groups.vectors.azimuth import Azimuth
from orbitdl.groups.vectors.orthogonal import Orthogonal
from orbitdl.groups.vectors.permutation import Permutation, SignedPermutation
from orbitdl.groups.vectors.product import Product
from orbitdl.groups.vectors.special_orthogonal import SpecialOrthogonal
from orbitdl.groups.with_finite import WithFinite

__all__ = [
    "Action",
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
