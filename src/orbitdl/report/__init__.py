"""The report: one HTML file that shows what was learned, to readers who need no mathematics."""

from orbitdl.report.recording import write_recording_report
from orbitdl.report.write import write_report

__all__ = ["write_recording_report", "write_report"]
