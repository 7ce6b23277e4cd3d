"""Write the report: validate, collect, render, and replace the file atomically."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import require_count, require_positive
from orbitdl.coding.codes import Codes
from orbitdl.estimators.orbit import OrbitDictionaryLearning
from orbitdl.report.coded import Scaling
from orbitdl.report.facts import Labels, gather
from orbitdl.report.page import page
from orbitdl.storage.writing import require_target, write_file


def write_report(
    model: OrbitDictionaryLearning,
    X: ArrayLike | None,
    path: str | os.PathLike[str],
    *,
    sfreq: float | None = None,
    title: str | None = None,
    n_windows: int = 200,
    command: str | None = None,
    step: int | None = None,
    unit: str | None = None,
    channels: Sequence[str] | None = None,
    codes: Codes | None = None,
    mean: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    samples: int | None = None,
    offset: int = 0,
) -> Path:
    """Write one HTML file that shows what a model has learned and how it codes data.

    The file needs no network. It has a summary, remarks, the components with sliders that transform
    them, their usage, windows decomposed into atoms, events over time, the history of learning, and
    the code that reproduces it.

    Parameters
    ----------
    model : OrbitDictionaryLearning
        Fitted.
    X : array-like of shape (n, ...) or None
        Data to encode; NaN is missing. With None the report describes the model alone.
    path : str or path-like
        Output file; an existing file is replaced once the new one is complete.
    sfreq : float, optional
        Samples per second; then times are in seconds.
    title : str, optional
    n_windows : int
        Maximum number of windows shown: those with the largest residuals, and evenly spaced
        others. Large data points allow fewer.
    command : str, optional
        Command line that wrote the report.
    step : int, optional
        Samples from the start of one window to the start of the next; default is the
        length of a window. With a shorter step windows overlap, and an event in several of them
        is counted once.
    unit : str, optional
        Unit of the recording, such as "mV".
    channels : sequence of str, optional
        Names of the channels.
    codes : Codes, optional
        ``model.encode(X)``, if already computed.
    mean, scale : array-like of shape (n,), optional
        Mean and scale of the normalisation of each window, ``X = (windows - mean) / scale``. The
        report inverts it: all values are in the unit of the recording. With
        several channels the mean has shape (n, 1, channels).
    samples : int, optional
        Length of the recording. Values of the last window beyond it (NaN) do not count as missing.
    offset : int
        Samples of the recording before the first window, if X is an excerpt: times count from the
        start of the recording.

    Returns
    -------
    Path
        The file written.

    Examples
    --------
    >>> import tempfile
    >>> from orbitdl import OrbitDictionaryLearning
    >>> from orbitdl.datasets import make_shift_data
    >>> X = make_shift_data(n_samples=50, length=20, random_state=0).X
    >>> model = OrbitDictionaryLearning(n_components=2, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_report(model, X, f"{folder}/report.html", sfreq=100.0)
    ...     file.stat().st_size < 10e6
    True
    """
    target = require_target(path)
    labels = Labels(
        title="What was learned" if title is None else str(title),
        sfreq=None if sfreq is None else require_positive(sfreq, "sfreq"),
        step=None if step is None else require_count(step, "step"),
        unit=unit,
        channels=() if channels is None else tuple(str(name) for name in channels),
        samples=None if samples is None else require_count(samples, "samples"),
        offset=require_count(offset, "offset", least=0),
    )
    n_windows = require_count(n_windows, "n_windows")
    as_recorded = X is None or (mean is None and scale is None)
    scaling = None if as_recorded else Scaling.of(np.asarray(X), mean, scale)
    facts = gather(model, X, labels, codes, scaling)
    return write_file(target, page(facts, n_windows, command))
