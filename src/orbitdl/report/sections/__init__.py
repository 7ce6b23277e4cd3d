"""The sections of a report, in their order; a file each."""

from __future__ import annotations

from functools import partial

from orbitdl.report.section import Section
from orbitdl.report.sections import (
    amplitudes,
    components,
    convergence,
    events,
    intervals,
    noise,
    provenance,
    remarks,
    selection,
    strip,
    summary,
    unusual,
    windows,
)


def default_sections(n_windows: int) -> list[Section]:
    """Return all sections; those that do not apply to a model or its data are left out."""
    return [
        Section("Summary", summary.content),
        Section("Remarks", remarks.content),
        Section("Unusual events", unusual.content),
        Section("Components", components.content),
        Section("Recording", strip.content),
        Section("Decomposition", partial(windows.content, n_windows=n_windows)),
        Section("Certainty of events", events.content),
        Section("Intervals", intervals.content),
        Section("Amplitudes", amplitudes.content),
        Section("Noise", noise.content),
        Section("Convergence", convergence.content),
        Section("Selection", selection.content),
        Section("Provenance", provenance.content),
    ]
