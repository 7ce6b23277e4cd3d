"""Write the report: check, gather, assemble, and put the file in place at once."""

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

    The file needs no network. It has a summary and remarks in words, the components with a slider
    that moves them, how they are used, windows taken apart into atoms, events over time, the
    course of the learning, and how to run it again.

    Parameters
    ----------
    model : OrbitDictionaryLearning
        Fitted.
    X : array-like of shape (n, ...) or None
        Data to code; NaN is missing. With None the report is about the model alone.
    path : str or path-like
        Where to write; an existing file is replaced once the new one is complete.
    sfreq : float, optional
        Samples per second; then times are in seconds.
    title : str, optional
    n_windows : int
        Windows the reader can look at, at most: those with most left unexplained in their middle
        and others evenly spread.
        Large data points allow fewer.
    command : str, optional
        The command line that made the report.
    step : int, optional
        Samples from the start of one window to the start of the next; if left out, windows are
        taken to adjoin. With a step below their length they overlap, and an event that several of
        them see is counted once.
    unit : str, optional
        Unit of the recording, such as "mV".
    channels : sequence of str, optional
        Names of the channels.
    codes : Codes, optional
        ``model.encode(X)``, if it is at hand.
    mean, scale : array-like of shape (n,), optional
        What was taken off every window and what it was then divided by, where X was normalised:
        ``X = (windows - mean) / scale``. The report undoes it, and all it draws and prints is in
        the unit of the recording. The mean of several channels has shape (n, 1, channels).
    samples : int, optional
        Length of the recording, where the last window ends. What a window longer than that holds
        beyond it (NaN) is not missing then.
    offset : int
        Samples that lie before the first window in the recording, where X is from an excerpt of
        it: times count from the start of the recording.

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
