"""What all groups of circular shifts of signals share: time."""

from __future__ import annotations

from orbitdl.groups.base import Representation


class TimeShift(Representation):
    """Shifts of signals (length,) or (length, channels); an element is its shift in samples."""

    length: int
