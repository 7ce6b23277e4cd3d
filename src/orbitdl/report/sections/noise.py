"""Noise: its spectrum, and its level over time."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.report.charts import Chart, axis, band, line, row
from orbitdl.report.facts import Facts
from orbitdl.report.phrasing import comma_list
from orbitdl.report.section import Content, rendered

FREQUENCIES = 256
"""Frequencies at which the spectrum is drawn."""
FEW_ROWS = 3
"""Channels whose spectrum is drawn one by one; of more, the median and the range."""
TEMPLATE = """
<p>{{ text }}</p>
<div class="pair">{% for chart in charts %}{{ chart }}{% endfor %}</div>
"""


def content(facts: Facts) -> Content | None:
    """Return spectrum and level of the noise, of a model with a noise model."""
    if getattr(facts.model, "event_model_", None) is None:
        return None
    charts = [_spectrum(facts)]
    level = None if facts.recording is None else facts.recording.noise_level
    if level is not None:
        charts.append(_level_over_time(facts, *level))
    text = sentences(facts, None if level is None else level[1])
    return Content(rendered(TEMPLATE, text=text, charts=charts), charts)


def sentences(facts: Facts, level: Floats | None) -> str:
    """Describe the noise model and the noise level of the recording."""
    background = facts.model.event_model_.background
    unit = f" {facts.unit}" if facts.unit else ""
    scales = [f"{scale:.3g}{unit}" for scale in background.scale]
    if len(scales) > 3:
        low, high = background.scale.min(), background.scale.max()
        scales = [f"{low:.3g} to {high:.3g}{unit}, channel by channel"]
    said = (
        f"The background noise is modelled as an autoregressive process of order "
        f"{background.order}. The standard deviation of its one-step prediction error is "
        f"{comma_list(scales)}."
    )
    if level is None:
        return said
    return (
        f"{said} In this recording the noise level is {np.median(level):.2f} times that (median "
        f"over time), and at most {level.max():.2g} times. Thresholds, p-values and standard "
        "errors follow it."
    )


def spectrum(facts: Facts) -> tuple[Floats, Floats]:
    """Return frequencies (m,) and amplitude spectral densities (channels, m) of the noise.

    ``scale |1 / h(f)| sqrt(2 / sfreq)``, in unit / sqrt(Hz), or per root of cycles per sample.
    """
    background, rate = facts.model.event_model_.background, facts.clock.sfreq or 1.0
    response = np.abs(np.fft.rfft(background.filters, 2 * FREQUENCIES, axis=1))
    density = background.scale[:, None] / np.maximum(response, 1e-300) * np.sqrt(2 / rate)
    return np.linspace(0, rate / 2, FREQUENCIES + 1), density


def _spectrum(facts: Facts) -> Chart:
    frequency, density = spectrum(facts)
    known, look = facts.clock.sfreq is not None, {"kind": "log"}
    unit = f"{facts.unit or '1'}/\N{SQUARE ROOT}Hz" if known else facts.unit or "density"
    rows = [
        row(f"{name} ({unit})" if len(density) > 1 else unit, line(frequency, one), **look)
        for name, one in zip(facts.channels, density, strict=True)
    ]
    if len(density) > FEW_ROWS:
        channels = band(frequency, density.min(axis=0), density.max(axis=0), colour="data")
        middle = line(frequency, np.median(density, axis=0), name="median channel")
        rows = [row(f"{unit}, all channels", channels, middle, **look)]
    caption = "Amplitude spectral density of the background"
    label = f"frequency ({'Hz' if known else 'cycles per sample'}); logarithmic scale"
    return Chart("noise-spectrum", caption, rows, axis(label), caption, 120 + 90 * len(rows))


def _level_over_time(facts: Facts, sample: Floats, level: Floats) -> Chart:
    return Chart(
        "noise-level",
        "Noise level over time, in standard deviations of the background",
        [row("times the background", line(sample, level, colour="ink"), zero=True)],
        axis("time", "time"),
        "Noise level over time",
    )
