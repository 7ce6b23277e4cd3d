"""Meaning of the rows of an array: from its file, and from the user."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """Meaning of the rows according to the file."""

    samples = "samples"
    """Rows are samples in time."""
    table = "table"
    """Rows of a table: usually samples in time, sometimes windows."""
    array = "array"
    """Unknown."""


class Layout(StrEnum):
    """Meaning of the rows according to the user."""

    auto = "auto"
    """Decided by a rule; see `is_recording`."""
    recording = "recording"
    """Samples in time."""
    windows = "windows"
    """Windows."""
