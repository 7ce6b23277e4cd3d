"""Write the report of a recording: check, gather, assemble, and put the file in place at once."""

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
    """Write one HTML file that shows the events of a recording, what is unusual about them first.

    The file needs no network. It has a summary in words, the events least like their waveform, the
    waveforms, the signal itself to be moved and zoomed through, intervals and amplitudes over time,
    and the course of the learning. Its size is bounded: of a long recording it holds the outline,
    and every sample around what is listed.

    Parameters
    ----------
    model : WaveformLearning
        Fitted.
    recording : Recording, or array-like of shape (T,) or (T, channels)
        NaN where a sample is missing. Without a rate, times are samples;
        those of an excerpt count from the start of the whole.
    path : str or path-like
        Where to write; an existing file is replaced once the new one is complete.
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
