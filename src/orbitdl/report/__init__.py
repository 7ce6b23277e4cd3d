"""The report: one HTML file that shows what a model has learned and how it explains data."""

from orbitdl.report.charts import Chart, axis, band, bars, line, marks, row
from orbitdl.report.facts import Facts
from orbitdl.report.report import Report
from orbitdl.report.section import Content, Section

__all__ = [
    "Chart",
    "Content",
    "Facts",
    "Report",
    "Section",
    "axis",
    "band",
    "bars",
    "line",
    "marks",
    "row",
]
