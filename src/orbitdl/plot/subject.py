"""Common interface of both estimators for displays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError

from orbitdl.coding.codes import Codes
from orbitdl.estimators.orbit import OrbitDictionaryLearning
from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.groups.base import Action, Floats
from orbitdl.groups.default import group_or_default
from orbitdl.plot.sketch import Sketch

Model = OrbitDictionaryLearning | WaveformLearning


def require_model(model: Any) -> Model:
    """Return a fitted model; raise an error for other objects."""
    if not isinstance(model, OrbitDictionaryLearning | WaveformLearning):
        raise TypeError(
            "model must be an OrbitDictionaryLearning or a WaveformLearning, not "
            f"{type(model).__name__}."
        )
    if not hasattr(model, "components_"):
        raise NotFittedError(f"this {type(model).__name__} is not fitted; call its fit first.")
    return model


def representation_of(model: OrbitDictionaryLearning) -> Action:
    """Return the action of the group of a model on its components."""
    return group_or_default(model.group).on(model.components_.shape[1:])


def sketch_of(model: Model, sfreq: float | None = None) -> Sketch:
    """Return the style of the components of a model, whose rate is the default."""
    sfreq = sfreq or model.sfreq_
    if isinstance(model, WaveformLearning):
        return Sketch.of_waveforms(model.components_.shape[1:], sfreq)
    return Sketch.of(representation_of(model), sfreq)


def shares_of(codes: Codes | None, q: int) -> Floats | None:
    """Return the share of each component in the sum of absolute coefficients, (q,).

    None without atoms.
    """
    if codes is None or not len(codes.atoms.coefficient):
        return None
    total = np.bincount(codes.atoms.component, np.abs(codes.atoms.coefficient), q)
    return np.asarray(total / total.sum())


def centred(components: ArrayLike) -> Floats:
    """Return components (q, N, ...) of a group of shifts, shifted circularly to their peaks."""
    result = np.array(components, dtype=np.float64)
    for j, a in enumerate(result):
        peak = np.abs(a).reshape(len(a), -1).max(axis=1).argmax()
        result[j] = np.roll(a, len(a) // 2 - peak, axis=0)
    return result
