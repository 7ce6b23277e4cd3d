"""What the rows of an array are: what its origin says of them, and what its user says."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What the origin of an array says of its rows."""

    samples = "samples"
    """Rows are samples in time."""
    table = "table"
    """Rows and columns of a table: most often samples in time, sometimes windows."""
    array = "array"
    """Numbers without a meaning of their own."""


class Layout(StrEnum):
    """What the rows of an array are said to be."""

    auto = "auto"
    """A rule decides; see `prepare`."""
    recording = "recording"
    """Samples in time."""
    windows = "windows"
    """Windows that were cut already."""
