"""Recordings as windows, for the estimator of data points, and the events in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from orbitdl.arrays.validation import as_masked_data, require_count, require_positive
from orbitdl.coding.codes import Codes
from orbitdl.domains.time.acquisition import compare, require_same_rate
from orbitdl.encoding.encode import refitted
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Floats
from orbitdl.groups.presentation import Presentation
from orbitdl.io.reading import read
from orbitdl.io.recording import Recording, is_recording
from orbitdl.preprocessing.base import as_recording
from orbitdl.preprocessing.pipeline import Applied, apply_steps, fit_steps, require_steps
from orbitdl.preprocessing.splitting import SplitWindows
from orbitdl.windows.event_table import event_table
from orbitdl.windows.splitting import given_windows
from orbitdl.windows.windows import Windows

PARTS = 4
"""Ratio of the length of windows and their step for events: every event is then within an eighth
of a window from the centre of one."""


@dataclass(frozen=True, eq=False)
class PreparedData:
    """Data points, and the windows and the preprocessing that they come from, if any.

    Attributes
    ----------
    values : array-like of shape (n, ...)
    windows : Windows or None
    applied : Applied or None
    """

    values: Any
    windows: Windows | None = None
    applied: Applied | None = None

    def restored(self, values: Any) -> Any:
        """Return values of data points as those of what the user passed."""
        if self.applied is not None:
            return self.applied.restore(values)
        return values if self.windows is None else self.windows.restore(values)


class WindowsMixin:
    """Takes recordings, which its preprocessing splits into windows, and lists events in them."""

    preprocessing: Any
    preprocessing_: Sequence[Any]
    acquisition_: Mapping[str, Any]
    components_: Floats
    encode: Callable[..., Codes]
    _presentation: Callable[[], Presentation]
    _work: Callable[..., Any]
    _alpha: Callable[[], float]

    def events(
        self,
        X: Any,
        sfreq: float | None = None,
        *,
        alpha: float | None = None,
        step: int | None = None,
        codes: Codes | None = None,
    ) -> Any:
        """List the events of a recording, or of windows: what, when, how strong.

        Parameters
        ----------
        X : Recording, Windows or array-like
            A recording is preprocessed and split as the model says; windows overlap, so that every
            event is in the middle of one, and each event is listed once.
        sfreq : float, optional
            Sampling rate in Hz; overrides what the recording says.
        alpha : float, optional
            Regularisation weight; this model's if left out.
        step : int, optional
            Distance of the starts of windows in samples; by default that of the fit if windows
            overlapped there, else a quarter of a window for groups of shifts.
        codes : Codes, optional
            Of the windows, if known.

        Returns
        -------
        DataFrame
            One row per event, in the columns of `orbitdl.windows.event_table`.
        """
        data = self.prepared(X, step, for_events=True)
        windows = data.windows or given_windows(as_masked_array(data.values))
        found = self.encode(windows, alpha=alpha) if codes is None else codes
        rate = None if sfreq is None else require_positive(sfreq, "sfreq")
        return event_table(
            found, self.components_, windows, amplitude=self._refitted(windows, found), sfreq=rate
        )

    def _refitted(self, windows: Windows, codes: Codes) -> Floats:
        """Return the coefficients of atoms without the penalty, by least squares."""
        work = self._work(windows.values, windows.values.shape[1:], self._alpha())
        samples: Samples = work.prepare(as_masked_data(windows.values, None))
        return refitted(samples, codes.atoms, work.A)

    def prepared(
        self, X: Any, step: int | None = None, *, for_events: bool = False
    ) -> PreparedData:
        """Return the data points of a recording, after the preprocessing of this model.

        Windows cover the recording. `step`, in samples, overrides that of the fit; `for_events`
        lets windows overlap, so that every event is in the middle of one. Data points are returned
        as they are, or normalised if those of the fit were. A model of data points splits
        recordings into windows as long as its components.
        """
        check_is_fitted(self)
        if isinstance(X, Windows):
            return PreparedData(X.values, self._compared(X))
        if step is not None:
            require_count(step, "step")
        elif for_events:
            step = self._overlapping_step()
        steps = self.preprocessing_ or self._usual_steps(X)
        data = opened_file(X, steps, self.components_.shape[1:])
        if not isinstance(data, Recording):
            return self._given(data, steps)
        require_splitter(steps)
        applied = apply_steps(steps[:-1], data, self.acquisition_)
        windows = steps[-1].windows(applied.result, step or steps[-1]._step_again())
        windows = self._compared(windows)
        return PreparedData(
            windows.values, windows, Applied(steps, [*applied.stages, windows], applied.conformity)
        )

    def _usual_steps(self, X: Any) -> list[Any]:
        """Return the preprocessing of recordings for a model of data points."""
        length = self.components_.shape[1]
        return [SplitWindows(length).fit(X)] if isinstance(X, Recording) else []

    def _given(self, X: Any, steps: Sequence[Any]) -> PreparedData:
        """Return data points that are given; they are normalised if windows were."""
        if not steps or not steps[-1].normalize:
            return PreparedData(X)
        windows = given_windows(as_masked_array(X), normalize=True)
        return PreparedData(windows.values, windows)

    def _values(self, X: Any) -> Any:
        """Return the data points of what a fitted model is given."""
        return self.prepared(X).values

    def _compared(self, windows: Windows) -> Windows:
        """Refuse windows of other shape or sampling rate; warn of other units or scale, once."""
        if windows.compared:
            return windows
        shape = self.components_.shape[1:]
        if windows.values.shape[1:] != shape:
            raise ValueError(
                f"the data have windows of shape {windows.values.shape[1:]}, but the model was "
                f"learned from shape {shape}; select matching data: its channels, or its length."
            )
        found = windows.acquisition()
        require_same_rate(self.acquisition_.get("sfreq"), found.get("sfreq"), "resample the data")
        compare(self.acquisition_, found)
        return replace(windows, compared=True)

    def _fit_windows(self, X: Any) -> tuple[list[Any], Windows | None]:
        """Return fitted steps and windows of recordings to learn from; None for data points."""
        if isinstance(X, Windows):
            return [], X
        steps = require_steps(self.preprocessing)
        if steps and not isinstance(steps[-1], SplitWindows):
            require_splitter(steps)
        data = [opened_file(one, steps) for one in (X if is_list_of_recordings(X) else [X])]
        if not isinstance(data[0], Recording):
            if not steps:
                return [], None
            if len(steps) > 1:
                raise ValueError(
                    f"{steps[0]} needs a recording, and X is an array of data points; pass a "
                    "Recording, or leave out all of preprocessing but SplitWindows."
                )
            steps, applied = fit_steps(steps[-1:], data)
            return steps, applied[0].result
        require_splitter(steps)
        steps, applied = fit_steps(steps, data)
        return steps, joined([one.result for one in applied])

    def _overlapping_step(self) -> int | None:
        """Return a quarter of a window if the group shifts and training windows adjoined."""
        splitter = self.preprocessing_[-1] if self.preprocessing_ else None
        overlaps = splitter is not None and (splitter.step or splitter.length) < splitter.length
        if overlaps or not self._presentation().in_time:
            return None
        return max(int(self.components_.shape[1]) // PARTS, 1)


def opened_file(X: Any, steps: Sequence[Any], shape: tuple[int, ...] | None = None) -> Any:
    """Return a recording that is given, or named by a path if it is to be split; or an array."""
    length = steps[-1].length if steps and isinstance(steps[-1], SplitWindows) else None
    found: Any = read(Path(X)) if isinstance(X, str | PathLike) and length is not None else X
    if not isinstance(found, Recording):
        return found
    return found if is_recording(found, length, shape=shape) else np.asarray(found)


def require_splitter(steps: Sequence[Any]) -> None:
    """Raise ValueError unless the last step makes windows."""
    if not steps or not isinstance(steps[-1], SplitWindows):
        raise ValueError(
            "a recording has to be split into windows first: pass "
            "preprocessing=[SplitWindows(length)], with SplitWindows as the last step, or learn "
            "from it as a whole with WaveformLearning."
        )


def is_list_of_recordings(X: Any) -> bool:
    """Return whether X is a list of recordings."""
    return isinstance(X, list | tuple) and bool(X) and all(isinstance(one, Recording) for one in X)


def joined(parts: list[Windows]) -> Windows:
    """Return the windows of several recordings to learn from: those of one, or without times."""
    if len(parts) == 1:
        return parts[0]
    values, mean, scale = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("values", "mean", "scale")
    )
    first = parts[0]
    source = values * scale + mean
    names, units = first.ch_names, first.units
    return Windows(values, mean, scale, source, None, first.sfreq, names, units=units)


def acquired_by(windows: Windows | None) -> dict[str, Any]:
    """Return what is known of the recording that windows are from; of data points nothing."""
    return {} if windows is None else windows.acquisition()


def as_masked_array(X: Any) -> Floats:
    """Return data points as an array, NaN where missing."""
    return np.asarray(as_recording(X), dtype=np.float64)
