"""Write the report of a recording: validate, collect, render, replace the file atomically."""

from __future__ import annotations

import os
from pathlib import Path

from numpy.typing import ArrayLike

from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.recordings import Recording
from orbitdl.report.recording.facts import gather
from orbitdl.report.recording.page import page
from orbitdl.storage.writing import require_target, write_file


def write_recording_report(
    model: WaveformLearning,
    recording: Recording | ArrayLike,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    unit: str | None = None,
) -> Path:
    """Write one HTML file that shows the events of a recording, unusual ones first.

    The file needs no network. It has a summary, the events least similar to their waveform, the
    waveforms, the signal with panning and zooming, intervals and amplitudes over time, and the
    history of learning. Its size is bounded: of a long recording it has the outline, and all
    samples around listed events.

    Parameters
    ----------
    model : WaveformLearning
        Fitted.
    recording : Recording, or array-like of shape (T,) or (T, channels)
        NaN where a sample is missing. Without a sampling frequency, times are in samples. Times of
        an excerpt count from the start of the recording.
    path : str or path-like
        Output file; an existing file is replaced once the new one is complete.
    title : str, optional
    unit : str, optional
        Unit of the recording, such as "mV".

    Returns
    -------
    Path
        The file written.

    Examples
    --------
    >>> import tempfile
    >>> from orbitdl import WaveformLearning
    >>> from orbitdl.datasets import make_ecg_recording
    >>> heart = make_ecg_recording(duration=20, random_state=0)
    >>> model = WaveformLearning(length=200, random_state=0).fit(heart.signal)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_recording_report(model, heart, f"{folder}/heart.html", unit="mV")
    ...     file.stat().st_size < 10e6
    True
    """
    target = require_target(path)
    return write_file(target, page(gather(model, recording, title, unit)))
