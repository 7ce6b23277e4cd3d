"""Two models on one footing: components of one shape, and what moves them."""

from __future__ import annotations

import numpy as np

from orbitdl.estimators.orbit import OrbitDictionaryLearning
from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.groups import ContinuousShift
from orbitdl.groups.base import Floats, Group
from orbitdl.groups.default import group_or_default

Model = OrbitDictionaryLearning | WaveformLearning


def comparable(a: Model, b: Model) -> tuple[Floats, Floats, Group]:
    """Return the components of two fitted models, and what moves them.

    Components of data points are moved by the group of the first model, waveforms of recordings to
    any time: zeros are appended to these, so that going round the circle is moving along the line.
    """
    if isinstance(a, WaveformLearning) != isinstance(b, WaveformLearning):
        raise ValueError(
            "one model has waveforms of a recording and the other components of windows; only "
            "models of one kind can be compared."
        )
    A, B = a.components_, b.components_
    if isinstance(a, OrbitDictionaryLearning):
        group = group_or_default(a.group)
    else:
        _require_one_rate(a, b)
        size = A.shape[1] + B.shape[1] | 1  # an odd length moves all there is
        A, B, group = _padded(A, size), _padded(B, size), ContinuousShift()
    if A.shape[1:] != B.shape[1:]:
        raise ValueError(
            f"the components have shapes {A.shape[1:]} and {B.shape[1:]}; only models of one shape "
            "can be compared."
        )
    return A, B, group


def _padded(components: Floats, size: int) -> Floats:
    """Append zeros in time."""
    more = size - components.shape[1]
    return np.pad(components, [(0, 0), (0, more), *[(0, 0)] * (components.ndim - 2)])


def _require_one_rate(a: Model, b: Model) -> None:
    rates = [model.sfreq_ for model in (a, b)]
    if all(rates) and rates[0] != rates[1]:
        raise ValueError(
            f"the waveforms have {rates[0]:g} and {rates[1]:g} samples per second; learn them from "
            "recordings of one rate to compare them."
        )
