"""What a preprocessing step is: a scikit-learn transformer of recordings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from orbitdl.groups.base import Floats
from orbitdl.io.lazy import LazyArray, is_lazy
from orbitdl.io.recording import Recording

SMALL = 2**24
"""Values up to which the result of a step is computed once, and not whenever it is read."""


class Step(TransformerMixin, BaseEstimator):
    """A transformation of recordings that a fitted model holds, and applies to new data.

    A scikit-learn transformer whose data are recordings. `fit` stores what it needs of the training
    recording, in attributes that end in an underscore; `transform` returns another recording,
    which is read, and computed, a part at a time; `restore` puts back what a user would miss in
    denoised or completed data, such as the baseline that a high-pass filter removes.
    """

    stored: tuple[str, ...] = ("sfreq_",)
    """Fitted attributes, which model files hold beside the parameters."""

    sfreq_: float | None

    def fit(self, recording: Any, y: None = None) -> Self:
        """Store what new recordings are to be treated with."""
        known = as_recording(recording)
        self.sfreq_ = known.sfreq
        self.check(known)
        return self

    def check(self, recording: Recording) -> None:
        """Raise ValueError unless the step can be applied to a recording."""

    @abstractmethod
    def transform(self, recording: Any) -> Any:
        """Return the transformed recording."""

    def restore(self, values: Floats, recording: Recording) -> Floats:
        """Return values in which nothing that a user would miss is missing; by default as given."""
        return values

    def per_sample(self, hertz: float, recording: Recording) -> float:
        """Return a frequency in cycles per sample; it is in Hz where the sampling rate is known."""
        check_is_fitted(self)
        if self.sfreq_ is None:
            return hertz
        return hertz / (recording.sfreq or self.sfreq_)

    def to_record(self) -> dict[str, Any]:
        """Return numbers and text from which `orbitdl.preprocessing.from_records` makes it anew."""
        own = {name: plain(getattr(self, name)) for name in self.stored if hasattr(self, name)}
        return {"step": type(self).__name__, **self.get_params(), "fitted": own}

    def with_fitted(self, fitted: Mapping[str, Any]) -> Self:
        """Return this step with the fitted attributes of a record."""
        for name in self.stored:
            value = fitted.get(name)
            setattr(self, name, np.array(value) if isinstance(value, list) else value)
        return self


def as_recording(data: Any) -> Recording:
    """Return a recording, or one of an array of samples of which nothing else is known."""
    if isinstance(data, Recording):
        return data
    known = hasattr(data, "shape") and hasattr(data, "dtype")
    return Recording(data if known else np.asarray(data))


def computed(values: LazyArray, source: Any) -> Any:
    """Return the samples of a step: computed now if they are few, or where the data are."""
    return np.asarray(values) if not is_lazy(source) or values.size <= SMALL else values


def plain(value: Any) -> Any:
    """Return a fitted attribute as numbers and text."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def require_rate(recording: Recording, fitted: float | None, what: str) -> float:
    """Return the sampling rate of a recording, or of the fitted one; raise if neither is known."""
    sfreq = recording.sfreq or fitted
    if sfreq is None:
        raise ValueError(
            f"{what} needs the sampling rate, and the recording has none; pass a Recording with "
            "sfreq=."
        )
    return sfreq
