"""The report: one HTML file that shows what a model has learned and how it explains data."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from orbitdl.arrays.validation import require_count, require_positive
from orbitdl.coding.codes import Codes
from orbitdl.estimators.preprocessed import after_preprocessing
from orbitdl.groups.default import group_or_default
from orbitdl.report.clock import Clock
from orbitdl.report.coded_recording import CodedRecording
from orbitdl.report.coded_windows import CodedWindows
from orbitdl.report.facts import Facts
from orbitdl.report.inputs import Acquisition, acquisition_of, as_windows, one_recording
from orbitdl.report.page import page
from orbitdl.report.section import Section
from orbitdl.report.sections import default_sections
from orbitdl.storage.writing import require_target, write_file
from orbitdl.windows import Windows

BATCH = 2048
"""Data points coded before progress is reported."""
Progress = Callable[[int], object]


class Report:
    """A report of a fitted model, and of data as the model explains them.

    One HTML file that works offline, on mobile, in print, in dark mode and by keyboard.

    Parameters
    ----------
    model : OrbitDictionaryLearning or WaveformLearning
        Fitted.
    data : array-like, Recording, Windows, path or None
        As for the estimator: data points of shape (n, ...), or a recording of shape (T,) or
        (T, channels); NaN is missing. Sampling rate, channel names, unit and first sample are
        those of a `Recording` or of `Windows`, of which values are shown before normalisation.
        None: the report describes the model alone.
    title : str, optional
    sfreq : float, optional
        Sampling rate in Hz; overrides that of the data.
    unit : str, optional
        Unit of the data, such as "mV"; overrides that of the data.
    ch_names : sequence of str, optional
        Names of the channels; overrides those of the data.
    codes : Codes, optional
        Those of the data, if already computed.
    n_windows : int
        Maximum number of data points shown: those with the largest residuals, and evenly spaced
        others. Large data points allow fewer.
    selection : Selection, optional
        What `orbitdl.selection.select` returned, if the model comes from it.
    command : str, optional
        Command lines that led to the report.
    progress : callable, optional
        Called while coding with the number of samples, or of data points, that were done.

    Examples
    --------
    >>> import tempfile
    >>> from orbitdl import WaveformLearning
    >>> from orbitdl.datasets import make_ecg_recording
    >>> heart = make_ecg_recording(duration=20, random_state=0)
    >>> model = WaveformLearning(length=200, random_state=0).fit(heart.signal)
    >>> report = Report(model, heart, unit="mV")
    >>> report.add(Section("Patient", lambda facts: "<p>Simulated</p>"))
    <Report of WaveformLearning, 7200 samples>
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = report.write(f"{folder}/heart.html")
    ...     file.stat().st_size < 1e6
    True
    """

    def __init__(
        self,
        model: Any,
        data: Any = None,
        *,
        title: str | None = None,
        sfreq: float | None = None,
        unit: str | None = None,
        ch_names: Sequence[str] | None = None,
        codes: Codes | None = None,
        n_windows: int = 200,
        selection: Any = None,
        command: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        check_is_fitted(model)
        self.model, self.codes, self.progress = model, codes, progress
        n_windows = require_count(n_windows, "n_windows")
        rate = None if sfreq is None else require_positive(sfreq, "sfreq")
        self.source = str(data) if isinstance(data, str | os.PathLike) else None
        opened = as_windows if hasattr(model, "group") else one_recording
        self.data: Any = None if data is None else opened(model, data)
        self.plain = model
        if self.data is not None and not isinstance(self.data, Windows):
            self.plain, self.data = after_preprocessing(model, self.data)
        known = acquisition_of(self.data)
        self.acquisition = Acquisition(
            rate or known.sfreq or model.sfreq_,
            tuple(map(str, ch_names or known.ch_names or model.ch_names_)),
            unit or known.unit or model.unit_,
            known.first_sample,
        )
        self.labels = {
            "title": "What was learned" if title is None else str(title),
            "command": command,
            "selection": selection,
        }
        self.sections: list[Section] = default_sections(n_windows)

    def add(self, *sections: Section, before: str | None = None) -> Self:
        """Add sections at the end, or before the section of a title; return the report."""
        titles = [section.title for section in self.sections]
        if before is not None and before not in titles:
            raise ValueError(f"before={before!r} is no section; use one of: {', '.join(titles)}.")
        place = len(titles) if before is None else titles.index(before)
        self.sections[place:place] = sections
        return self

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the report; an existing file is replaced once the new one is complete."""
        target = require_target(path)
        return write_file(target, self.html())

    def html(self) -> str:
        """Return the report as HTML."""
        return page(self.facts, self.sections)

    def _repr_html_(self) -> str:
        """Return the report in a frame of its own, for notebooks."""
        return (
            f'<iframe srcdoc="{escape(self.html(), quote=True)}" sandbox="allow-scripts" '
            'title="Report" style="width:100%;height:46rem;border:1px solid rgba(128,128,128,.4)">'
            "</iframe>"
        )

    def __repr__(self) -> str:
        """Return the estimator and the size of the data."""
        name = type(self.model).__name__
        if self.data is None:
            return f"<Report of {name}>"
        if isinstance(self.data, Windows):
            return f"<Report of {name}, {len(self.data)} data points>"
        return f"<Report of {name}, {len(getattr(self.data, 'signal', self.data))} samples>"

    @cached_property
    def facts(self) -> Facts:
        """What the sections are about; the data are coded when this is first used."""
        known = self.acquisition
        facts: dict[str, Any] = {
            **self.labels,
            "model": self.model,
            "clock": Clock(known.sfreq),
            "unit": known.unit,
            "ch_names": known.ch_names,
            "first_sample": known.first_sample,
            "source": self.source,
        }
        if self.data is None:
            return Facts(**facts)
        code = self._code_windows if isinstance(self.data, Windows) else self._code_recording
        return Facts(**facts, **code())

    def _code_recording(self) -> dict[str, Any]:
        """Encode the recording, and detect its events."""
        data, model = self.data, self.plain
        codes = self.codes or model.encode(data, progress=self.progress)
        events = model.events(data, self.acquisition.sfreq, codes=codes)
        first, rate = self.acquisition.first_sample, self.acquisition.sfreq
        recording = CodedRecording.of(model, data, events, first, rate)
        return {"codes": codes, "events": events, "recording": recording}

    def _code_windows(self) -> dict[str, Any]:
        """Encode the data points, and list their events."""
        windows, model = self.data, self.model
        assert isinstance(windows, Windows)
        codes = self.codes or self._encode(windows)
        if windows.values.shape != (len(codes), *model.components_.shape[1:]):
            raise ValueError(
                f"codes of {len(codes)} windows do not belong to X of shape "
                f"{windows.values.shape}; leave codes out, or pass what model.encode(X) returned."
            )
        components = np.asarray(model.components_)
        in_time = group_or_default(model.group).on(components.shape[1:]).presentation.in_time
        coded = CodedWindows(windows, codes, model.decode(codes), components, in_time)
        events = model.events(windows, codes=codes)
        return {"codes": codes, "events": events, "windows": coded}

    def _encode(self, windows: Windows) -> Codes:
        """Return the codes of windows; without progress those of the fit, if it had them."""
        if self.progress is None:
            codes: Codes = self.model.codes_of(windows)
            return codes
        parts = []
        for begin in range(0, len(windows), BATCH):
            parts.append(self.model.encode(windows.part(begin, begin + BATCH)))
            self.progress(len(parts[-1]))
        return Codes.concatenate(parts)
