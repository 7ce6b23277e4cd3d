"""Preprocessing that an estimator holds, and what is known of its data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import Any

from orbitdl.domains.time.dask_recordings import delayed_recordings
from orbitdl.preprocessing.base import as_recording
from orbitdl.preprocessing.pipeline import Applied, apply_steps, fit_steps, require_steps
from orbitdl.windows.windows import Windows


class PreprocessedMixin:
    """Holds fitted preprocessing steps, and knows how its data were acquired.

    Attributes
    ----------
    preprocessing_ : list of Step
        The fitted steps; none before `fit`.
    acquisition_ : dict
        What is known of the data after these steps: "sfreq", "ch_names", "units", "scale".
    """

    preprocessing: Iterable[Any] | None
    preprocessing_: Sequence[Any] = ()
    acquisition_: Mapping[str, Any] = MappingProxyType({})

    @property
    def sfreq_(self) -> float | None:
        """Sampling rate in Hz of the data that components were learned from; None: not known."""
        return self.acquisition_.get("sfreq")

    @property
    def ch_names_(self) -> tuple[str, ...]:
        """Names of the channels that components were learned from, or empty."""
        return tuple(self.acquisition_.get("ch_names") or ())

    @property
    def unit_(self) -> str | None:
        """Unit of the data; None if it is not known, or differs between channels."""
        units = set(self.acquisition_.get("units") or ())
        return units.pop() if len(units) == 1 else None

    def _fit_steps(self, recording: Any) -> tuple[list[Any], Any]:
        """Return fitted copies of the steps, and one recording, or several, after them."""
        if not require_steps(self.preprocessing):
            return [], recording
        lazy, several = delayed_recordings(recording)
        if lazy is not None:  # the first is computed: it says what the steps need to know
            first = (recording[0] if several else recording).compute()
            fitted, _ = fit_steps(self.preprocessing, [first])
            return fitted, _delayed(fitted, recording)
        fitted, applied = fit_steps(self.preprocessing, several_of(recording))
        return fitted, like(recording, [one.result for one in applied])

    def _apply_steps(self, recording: Any) -> tuple[Any, list[Applied]]:
        """Return one recording, or several, after the fitted steps, and how to undo these."""
        lazy, _ = delayed_recordings(recording)
        if lazy is not None:
            return _delayed(
                self.preprocessing_, recording
            ) if self.preprocessing_ else recording, []
        known = self.acquisition_
        applied = [apply_steps(self.preprocessing_, one, known) for one in several_of(recording)]
        return like(recording, [one.result for one in applied]), applied


def after_preprocessing(model: Any, recording: Any) -> tuple[Any, Any]:
    """Return a copy of a fitted model for data after its preprocessing, and a recording there."""
    plain = copy(model)
    plain.preprocessing_ = []
    return plain, apply_steps(model.preprocessing_, recording, model.acquisition_).result


def require_no_windows(recording: Any) -> None:
    """Refuse windows, where a recording is learned from as a whole."""
    if isinstance(recording, Windows):
        raise ValueError(
            "WaveformLearning learns from whole recordings; leave SplitWindows out of "
            "preprocessing=, or take OrbitDictionaryLearning for windows."
        )


def several_of(recording: Any) -> Sequence[Any]:
    """Return recordings as a list: the one that is given, or the several."""
    is_list = isinstance(recording, list | tuple)
    return recording if is_list and any(hasattr(one, "shape") for one in recording) else [recording]


def like(recording: Any, results: list[Any]) -> Any:
    """Return results as recordings were given: one, or a list."""
    return results if several_of(recording) is recording else results[0]


def _delayed(steps: Sequence[Any], recording: Any) -> Any:
    """Return delayed recordings after steps, which are applied where they are computed."""
    from dask import delayed

    apply = delayed(_result, pure=False)
    if isinstance(recording, list | tuple):
        return [apply(steps, one) for one in recording]
    return apply(steps, recording)


def _result(steps: Sequence[Any], recording: Any) -> Any:
    return apply_steps(steps, as_recording(recording)).result
