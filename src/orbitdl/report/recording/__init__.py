"""The report of a recording: its waveforms, its events, and the signal itself over hours."""

from orbitdl.report.recording.write import write_recording_report

__all__ = ["write_recording_report"]
