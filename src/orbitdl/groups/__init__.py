"""Compact groups, and their orthogonal representations on data of one shape.

Derive from `FiniteRepresentation`, `CircleRepresentation` or `Transform` to add a group.
"""

from orbitdl.groups.base import Action, Group, Representation
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.finite import Finite
from orbitdl.groups.finite_representation import FiniteRepresentation
from orbitdl.groups.images.image_rotation import ImageRotation
from orbitdl.groups.images.integer_translation import IntegerTranslation
from orbitdl.groups.images.square import SquareSymmetry
from orbitdl.groups.images.translation import Translation
from orbitdl.groups.semidirect_product import SemidirectProduct
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
    "FiniteRepresentation",
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
    "SemidirectProduct",
]
