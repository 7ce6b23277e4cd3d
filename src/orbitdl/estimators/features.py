"""Events of recordings as features of fixed length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from orbitdl.arrays.blocks import Floats
from orbitdl.arrays.validation import require_count
from orbitdl.coding.codes import Codes
from orbitdl.estimators.preprocessed import several_of
from orbitdl.estimators.recording_dataset import open_files

FEATURES = ("count", "amplitude")
"""Of each component: the number of its events, and their mean amplitude."""


class FeaturesMixin(TransformerMixin):
    """Turns recordings into features, for classifiers and regressors of scikit-learn."""

    n_components_: int
    events: Callable[..., Any]
    decode: Callable[..., Floats]
    _apply_steps: Callable[[Any], tuple[Any, Any]]

    def transform(self, recording: Any, *, window: int | None = None) -> Any:
        """Return the number of events and their mean amplitude, of each component.

        Parameters
        ----------
        recording
            As in `fit`: one recording, or several.
        window : int, optional
            Of one recording: a row for every window of so many samples, and not one for all of it.
            Windows adjoin, and the last one may be shorter.

        Returns
        -------
        ndarray of shape (n_recordings, 2 q) or (n_windows, 2 q)
            The columns are those of `get_feature_names_out`. The mean amplitude is 0 where there
            are no events.

        Examples
        --------
        >>> from orbitdl import WaveformLearning
        >>> from orbitdl.datasets import make_ecg_recording
        >>> heart = make_ecg_recording(duration=60, premature=0.0, random_state=0)
        >>> model = WaveformLearning(length=200).fit(heart)
        >>> list(model.get_feature_names_out())
        ['component0_count', 'component0_amplitude']
        >>> per_minute = model.transform(heart, window=3600)[:, 0]
        >>> len(per_minute), int(per_minute.sum()) == len(model.events(heart))
        (6, True)
        """
        check_is_fitted(self)
        if window is not None:
            require_count(window, "window")
        opened = open_files(recording)
        several = several_of(opened)
        if window is not None and several is opened and len(several) > 1:
            raise ValueError("window= is for one recording; pass one of them.")
        tables = [self.events(one) for one in several]
        if window is None:
            return np.stack([self._features(table) for table in tables])
        prepared, _ = self._apply_steps(several[0])
        first, samples = getattr(prepared, "first_sample", None) or 0, np.shape(prepared)[0]
        number = np.floor((tables[0]["sample"].to_numpy() - first) / window)
        count = -(-samples // window)
        number = np.clip(number, 0, count - 1)  # a peak may lie just outside the recording
        return np.stack([self._features(tables[0][number == k]) for k in range(count)])

    def inverse_transform(self, codes: Codes, n_samples: int) -> Floats:
        """Return the signal that codes describe: `decode`. Features say how much, and not when."""
        if not isinstance(codes, Codes):
            raise ValueError(
                "features say how strong events are, and not when they occur; pass the codes that "
                "encode returns."
            )
        return self.decode(codes, n_samples)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the features: component0_count, component0_amplitude, ..."""
        check_is_fitted(self)
        names = [f"component{j}_{name}" for j in range(self.n_components_) for name in FEATURES]
        return np.array(names, dtype=object)

    def _features(self, events: pd.DataFrame) -> Floats:
        """Return the features of a table of events, (2 q,)."""
        component = events["component"].to_numpy()
        count = np.bincount(component, minlength=self.n_components_)
        total = np.bincount(component, events["amplitude"], minlength=self.n_components_)
        mean = total / np.maximum(count, 1)
        return np.stack([count, mean], axis=1).ravel().astype(np.float64)
