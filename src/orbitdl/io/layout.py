"""Meaning of the rows of an array: from its file, and from the user."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from orbitdl.io.enumerations import member

if TYPE_CHECKING:
    from orbitdl.io.recording import Recording

FEW = 8
"""Maximum number of columns of a table that is a recording by default."""


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


def is_recording(
    recording: Recording,
    window: int | None = None,
    layout: Layout = Layout.auto,
    shape: tuple[int, ...] | None = None,
) -> bool:
    """Return whether rows are samples in time (True) or windows (False).

    `layout` decides unless it is "auto". Sound, WFDB records and single columns are recordings;
    rows of the shape of a model's data points are windows, and so are arrays of three axes. Other
    arrays are recordings if the length of windows or the sampling rate is known, or if they are
    tables (.csv, .parquet) of up to 8 columns.
    """
    requested = member(Layout, layout)
    if requested is not Layout.auto:
        return requested is Layout.recording
    if recording.kind == Kind.samples or recording.ndim == 1:
        return True
    if recording.shape[1:] == shape or (recording.ndim > 2 and window is None):
        return False
    if window is not None or recording.sfreq is not None:
        return True
    return recording.kind == Kind.table and recording.shape[1] <= FEW
