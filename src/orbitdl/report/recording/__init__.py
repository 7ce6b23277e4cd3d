"""The report of a recording: waveforms, events, and the signal itself."""

from orbitdl.report.recording.write import write_recording_report

__all__ = ["write_recording_report"]
