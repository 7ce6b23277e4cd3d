"""Values of options, and the objects of the library they stand for."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orbitdl.groups import Group


class GroupName(StrEnum):
    """Names of groups; listed here so that --help does not import the library."""

    trivial = "trivial"
    integer_shift = "integer-shift"
    interpolated_shift = "interpolated-shift"
    continuous_shift = "continuous-shift"
    shift_and_phase = "shift-and-phase"
    reversal = "reversal"
    mirror = "mirror"
    integer_translation = "integer-translation"
    translation = "translation"
    image_rotation = "image-rotation"
    square_symmetry = "square-symmetry"
    orthogonal = "orthogonal"
    special_orthogonal = "special-orthogonal"
    permutation = "permutation"
    signed_permutation = "signed-permutation"
    azimuth = "azimuth"
    finite = "finite"


class GroupNames(tuple[GroupName, ...]):
    """Candidate groups, simplest first."""


class MatricesName(StrEnum):
    """Matrix groups that act on the channels, combined with shifts."""

    orthogonal = "orthogonal"
    special_orthogonal = "special-orthogonal"
    azimuth = "azimuth"
    permutation = "permutation"
    signed_permutation = "signed-permutation"


SHIFTS = (GroupName.integer_shift, GroupName.interpolated_shift, GroupName.continuous_shift)
"""Shift groups that can be combined with matrix groups."""


class Symbols(dict[int, str]):
    """Annotation codes of components."""


class DemoName(StrEnum):
    """Names of demonstrations."""

    heart = "heart"
    sensors = "sensors"
    images = "images"


class Start(StrEnum):
    """Initialisations."""

    data = "data"
    random = "random"


class NoiseName(StrEnum):
    """Noise models of recordings."""

    auto = "auto"
    white = "white"


class ReferenceName(StrEnum):
    """Common references of channels."""

    median = "median"
    mean = "mean"


def make_group(
    name: GroupName,
    subdivisions: int | None,
    generators: Path | None,
    matrices: MatricesName | None = None,
) -> Group:
    """Return the group of this name; raise on options of other groups."""
    from orbitdl import groups

    if matrices is not None:
        if name not in SHIFTS:
            raise typer.BadParameter(
                f"--matrices goes with shifts, --group {', '.join(SHIFTS)}, not with {name}."
            )
        turns = getattr(groups, class_name(matrices))()
        return groups.Product(make_group(name, subdivisions, generators), turns)
    if subdivisions is not None and name is not GroupName.interpolated_shift:
        raise typer.BadParameter(
            f"--subdivisions belongs to --group interpolated-shift, not to {name}."
        )
    if (generators is not None) != (name is GroupName.finite):
        raise typer.BadParameter(
            "--group finite and --generators FILE.npy belong together; give both."
        )
    if name is GroupName.interpolated_shift:
        return groups.InterpolatedShift(2 if subdivisions is None else subdivisions)
    if generators is not None:
        return groups.Finite(_generators(generators))
    simple: Group = getattr(groups, class_name(name))()
    return simple


def group_names(text: str) -> GroupNames:
    """Parse comma-separated names of groups."""
    names = [part.strip() for part in text.split(",")]
    for name in names:
        if name not in list(GroupName):
            raise typer.BadParameter(
                f"{name or 'an empty name'} is no group; choose from {', '.join(GroupName)}."
            )
    return GroupNames(dict.fromkeys(map(GroupName, names)))


def make_groups(
    names: GroupNames,
    subdivisions: int | None,
    generators: Path | None,
    matrices: MatricesName | None = None,
) -> list[Group]:
    """Return groups of these names; each option is passed to the group that has it."""

    def own(option: Any, owner: GroupName, name: GroupName) -> Any:
        return option if name is owner or owner not in names else None

    return [
        make_group(
            name,
            own(subdivisions, GroupName.interpolated_shift, name),
            own(generators, GroupName.finite, name),
            matrices,
        )
        for name in names
    ]


def class_name(name: GroupName | MatricesName) -> str:
    """Return the class name for a name of the command line, such as IntegerShift."""
    return name.title().replace("-", "")


def describe_group(group: Group | None) -> str:
    """Return a readable name of a group."""
    from orbitdl.groups.default import group_or_default

    return group_or_default(group).short_name()


def _generators(path: Path) -> NDArray[Any]:
    """Read permutations (k, d) or matrices (k, d, d) from a file."""
    import numpy as np

    from orbitdl.io.array_files import read_npy

    if not path.is_file():
        raise FileNotFoundError(f"cannot read {path}: there is no such file.")
    values = np.asarray(read_npy(path), dtype=np.float64)
    return values.astype(np.intp) if values.ndim == 2 and (values % 1 == 0).all() else values


def number_or(text: str, option: str, *words: str) -> float | None:
    """Parse a positive number, or one of the keywords, which gives None."""
    if text in words:
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        listed = " or ".join(["a positive number", *words])
        raise typer.BadParameter(f"{option} must be {listed}, not {text}.")
    return value


def annotation_symbols(text: str) -> Symbols:
    """Parse annotation codes of components.

    Examples
    --------
    >>> annotation_symbols("0=N,1=V")
    {0: 'N', 1: 'V'}
    """
    pairs = [part.strip().partition("=") for part in text.split(",")]
    if not all(number.isdecimal() and symbol for number, _, symbol in pairs):
        raise typer.BadParameter(
            f"{text} does not pair components with annotation codes; write it like 0=N,1=V."
        )
    return Symbols({int(number): symbol for number, _, symbol in pairs})
