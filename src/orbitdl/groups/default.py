"""The default group."""

from __future__ import annotations

from orbitdl.groups.base import Group
from orbitdl.groups.signals.shift import IntegerShift

DEFAULT: Group = IntegerShift()


def group_or_default(group: Group | None) -> Group:
    """Return the group, or the default one for None.

    Examples
    --------
    >>> group_or_default(None)
    IntegerShift()
    """
    return DEFAULT if group is None else group
