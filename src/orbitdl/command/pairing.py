"""Which component of one model is which of another."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from orbitdl import OrbitDictionaryLearning, WaveformLearning, dictionary_distance
from orbitdl.command.choices import describe_group
from orbitdl.groups import ContinuousShift, Group
from orbitdl.groups.base import Floats, correlate
from orbitdl.groups.default import group_or_default
from orbitdl.metrics import orbit_distances

Model = OrbitDictionaryLearning | WaveformLearning


def match(a: Model, b: Model) -> dict[str, Any]:
    """Return the pairs of least total distance, who is left alone, and both mean distances.

    Of every pair: the distance ``min_g ||a_i -+ g b_j||^2``, and the sign and move that reach it.
    """
    A, B, group, moves = _comparable(a, b)
    if A.shape[1:] != B.shape[1:]:
        raise ValueError(
            f"the components have shapes {A.shape[1:]} and {B.shape[1:]}; only models of one shape "
            "can be compared."
        )
    distance = orbit_distances(A, B, group)
    rows, columns = linear_sum_assignment(distance)
    representation = group.on(A.shape[1:])
    C = correlate(representation.analyze(A[rows]), representation.analyze(B[columns]))
    value, element = representation.match(C[np.arange(len(rows)), np.arange(len(rows))])
    shortest = representation.shortest(element)
    pairs = [
        {
            "a": int(i),
            "b": int(j),
            "distance": float(distance[i, j]),
            "sign": -1 if v < 0 else 1,
            "move": dict(zip(representation.parameters, map(float, g), strict=True)),
        }
        for i, j, v, g in zip(rows, columns, value, shortest, strict=True)
    ]
    return {
        "group": moves,
        "pairs": pairs,
        "only_in_a": [int(i) for i in np.setdiff1d(np.arange(len(A)), rows)],
        "only_in_b": [int(j) for j in np.setdiff1d(np.arange(len(B)), columns)],
        "a_to_b": dictionary_distance(A, B, group),
        "b_to_a": dictionary_distance(B, A, group),
    }


def _comparable(a: Model, b: Model) -> tuple[Floats, Floats, Group, str]:
    """Return the components of both, what moves them, and that in words."""
    lines = [model for model in (a, b) if isinstance(model, WaveformLearning)]
    if len(lines) == 1:
        raise ValueError(
            "one model has waveforms of a recording and the other components of windows; only "
            "models of one kind can be compared."
        )
    if isinstance(a, OrbitDictionaryLearning):
        group = group_or_default(a.group)
        return a.components_, b.components_, group, describe_group(group)
    _require_one_rate(a, b)
    size = a.components_.shape[1] + b.components_.shape[1] | 1  # an odd length moves all there is
    both = _padded(a.components_, size), _padded(b.components_, size)
    return *both, ContinuousShift(), "any time of a recording"


def _padded(components: Floats, size: int) -> Floats:
    """Append zeros in time, so that going round the circle is moving along the line."""
    more = size - components.shape[1]
    return np.pad(components, [(0, 0), (0, more), *[(0, 0)] * (components.ndim - 2)])


def _require_one_rate(a: Model, b: Model) -> None:
    rates = [model.preprocessing_.get("rate") for model in (a, b)]
    if all(rates) and rates[0] != rates[1]:
        raise ValueError(
            f"the waveforms have {rates[0]:g} and {rates[1]:g} samples per second; learn them from "
            "recordings of one rate to compare them."
        )
