"""Every symmetry and every coder the contracts are checked on: one line each.

A line of ACTIONS takes a length and a number of channels to a group and a shape it acts on.
"""

import numpy as np

from orbitdl.coding import ActiveSet, Growing, Matching, Proximal, Sliding
from orbitdl.groups import (
    Azimuth,
    ContinuousShift,
    Finite,
    ImageRotation,
    IntegerShift,
    IntegerTranslation,
    InterpolatedShift,
    Mirror,
    Orthogonal,
    Permutation,
    Product,
    Reversal,
    SemidirectProduct,
    ShiftAndPhase,
    SignedPermutation,
    SpecialOrthogonal,
    SquareSymmetry,
    Translation,
    Trivial,
)
from reproduction.semidefinite import Semidefinite


def turn(angle: float) -> np.ndarray:
    """Return the rotation of the plane by an angle."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


MIRROR = np.diag([1.0, -1.0])
PENTAGON = Finite([turn(2 * np.pi / 5), MIRROR])  # without -I
HEXAGON = Finite([turn(2 * np.pi / 6), MIRROR])  # with -I
PERMUTATIONS = Finite([[1, 2, 0], [1, 0, 2]])  # of three things: not commutative
CYCLE = Finite([[1, 2, 3, 4, 0]])  # whole shifts of five samples, as matrices
DOUBLED = Finite([[0, 2, 4, 6, 1, 3, 5]])  # times of seven samples doubled: three moves
QUARTER_TURNS = Finite([[1, 3, 0, 2]])  # of an image of 2 x 2 pixels


def square(side: int) -> Finite:
    """Return turns and reflections of an image of side x side pixels."""
    pixels = np.arange(side * side).reshape(side, side)
    return Finite([np.rot90(pixels).ravel(), pixels.T.ravel()])


SQUARE = square(3)  # irreducible parts of sizes 1 and 2, in several copies
PAIRS = Finite([[3, 4, 0, 5, 1, 2], [0, 3, 4, 1, 2, 5]])  # pairs of four things: sizes 1, 2 and 3

ACTIONS = {
    "trivial": lambda length, channels: (Trivial(), (length,)),
    "trivial on matrices": lambda length, channels: (Trivial(), (length, channels)),
    "integer shift": lambda length, channels: (IntegerShift(), (length,)),
    "integer shift of channels": lambda length, channels: (IntegerShift(), (length, channels)),
    "interpolated shift 1": lambda length, channels: (InterpolatedShift(1), (length,)),
    "interpolated shift 3": lambda length, channels: (InterpolatedShift(3), (length,)),
    "interpolated shift 2 of channels": lambda length, channels: (
        InterpolatedShift(2),
        (length, channels),
    ),
    "continuous shift": lambda length, channels: (ContinuousShift(), (length,)),
    "continuous shift of channels": lambda length, channels: (
        ContinuousShift(),
        (length, channels),
    ),
    "shift and phase": lambda length, channels: (ShiftAndPhase(), (max(length, 3), channels)),
    "reversal": lambda length, channels: (Reversal(), (length, channels)),
    "continuous shift with reversal": lambda length, channels: (
        SemidirectProduct(ContinuousShift(), Reversal()),
        (length, channels),
    ),
    "integer shift with doubling": lambda length, channels: (
        SemidirectProduct(IntegerShift(), DOUBLED),
        (7, channels),
    ),
    "orthogonal": lambda length, channels: (Orthogonal(), (min(length, 4), channels)),
    "orthogonal on vectors": lambda length, channels: (Orthogonal(), (min(length, 4),)),
    "rotations": lambda length, channels: (SpecialOrthogonal(), (min(length, 4), channels)),
    "rotations of odd size": lambda length, channels: (SpecialOrthogonal(), (3, channels)),
    "orders of rows": lambda length, channels: (Permutation(), (min(length, 4), channels)),
    "orders and signs of rows": lambda length, channels: (
        SignedPermutation(),
        (min(length, 4), channels),
    ),
    "permutations": lambda length, channels: (PERMUTATIONS, (3, channels)),
    "cycle": lambda length, channels: (CYCLE, (5, channels)),
    "quarter turns of images": lambda length, channels: (QUARTER_TURNS, (2, 2)),
    "square on images": lambda length, channels: (SQUARE, (3, 3)),
    "pairs of four things": lambda length, channels: (PAIRS, (6, channels)),
    "pentagon": lambda length, channels: (PENTAGON, (2, channels)),
    "azimuth": lambda length, channels: (Azimuth(), (3, channels)),
    "whole shifts and turns": lambda length, channels: (
        Product(IntegerShift(), Orthogonal()),
        (length, min(channels, 2)),
    ),
    "shifts and turns": lambda length, channels: (
        Product(ContinuousShift(), Orthogonal()),
        (length, channels),
    ),
    "shifts and azimuth": lambda length, channels: (
        Product(ContinuousShift(), Azimuth()),
        (length, 3, channels),
    ),
    "hexagon": lambda length, channels: (HEXAGON, (2, channels)),
    "whole translations of images": lambda length, channels: (
        IntegerTranslation(),
        (1 + length // 2, 4),
    ),
    "whole translations of colour images": lambda length, channels: (
        IntegerTranslation(),
        (3, 1 + length // 2, channels),
    ),
    "rotations of images": lambda length, channels: (ImageRotation(), (2 + length // 2,) * 2),
    "rotations of colour images": lambda length, channels: (ImageRotation(), (5, 5, channels)),
    "rotations and reflections of images": lambda length, channels: (
        ImageRotation(reflections=True),
        (5, 5),
    ),
    "translations of images": lambda length, channels: (Translation(), (1 + length // 2, 3)),
    "mirrored images": lambda length, channels: (Mirror(), (length, 2, channels)),
    "translated, turned and mirrored images": lambda length, channels: (
        SemidirectProduct(Translation(), SquareSymmetry()),
        (3, 3),
    ),
    "moves of a square": lambda length, channels: (SquareSymmetry(), (4 + length // 4,) * 2),
    "moves of a square in colour": lambda length, channels: (
        SquareSymmetry(),
        (2 + channels // 2, 2 + channels // 2, channels),
    ),
}

# To a coder these are like another one.
ALIKE = {
    "trivial",
    "interpolated shift 1",
    "interpolated shift 2 of channels",
    "cycle",
    "quarter turns of images",
    "pairs of four things",
    "hexagon",
    "whole translations of colour images",
    "rotations of colour images",
    "moves of a square in colour",
    "mirrored images",
    "reversal",
    "orders and signs of rows",
    "translated, turned and mirrored images",
    "rotations and reflections of images",
    "whole shifts and turns",
}

# One action of every kind, for tests of what does not depend on the group: blocks real or complex,
# of size one or more, one or many; elements listed, on a circle, with a proximal map, or none.
KINDS = [
    "trivial on matrices",
    "integer shift of channels",
    "interpolated shift 3",
    "continuous shift of channels",
    "orthogonal",
    "permutations",
    "square on images",
    "shifts and turns",
    "translations of images",
    "continuous shift with reversal",
]

# Coders by name, with their settings; the tolerance is the test's.
CODERS = {
    "active set": lambda **settings: ActiveSet(**settings),
    "proximal": lambda **settings: Proximal(**settings),
    "sliding": lambda **settings: Sliding(**settings),
    "growing": lambda **settings: Growing(**settings),
    "semidefinite": lambda **settings: Semidefinite(**settings),
    "matching": lambda **settings: Matching(n_atoms=2, **settings),
}


GROWN = ["integer shift", "permutations"]
"""Listed groups on which `Growing` is tested, too."""


def served(coder: str, name: str) -> bool:
    """Tell whether a coder is tested on an action: by the group alone that it codes with.

    `Growing` is tested on few of those that are listed.
    """
    rep = action(name)
    if coder == "growing" and name not in GROWN and ActiveSet().serves(rep.base):
        return False
    if coder == "semidefinite" and rep.n_copies > 1:  # a reference, slow with many components
        return False
    return CODERS[coder]().serves(rep.base)


def action(name: str, length: int = 7, channels: int = 2):
    """Return the representation of the group of that name on data of this size."""
    group, shape = ACTIONS[name](length, channels)
    return group.on(shape)


ALONE = [name for name in KINDS if action(name).n_copies == 1]
"""Those of KINDS whose elements are matrices; the others are coded with copies of components."""
