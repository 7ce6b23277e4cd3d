"""Matching of the components of two models."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from orbitdl import WaveformLearning, dictionary_distance
from orbitdl.command.choices import describe_group
from orbitdl.encoding.metrics import orbit_distances
from orbitdl.estimators.comparison import Model, comparable
from orbitdl.groups.base import Group


def match(a: Model, b: Model) -> dict[str, Any]:
    """Return the optimal assignment, unmatched components, and both mean distances.

    Of every pair: the distance ``min_g ||a_i -+ g b_j||^2``, and the sign and move that reach it.
    """
    A, B, group = comparable(a, b)
    distance = orbit_distances(A, B, group)
    rows, columns = linear_sum_assignment(distance)
    representation = group.on(A.shape[1:])
    matched = representation.analyze(A[rows]), representation.analyze(B[columns])
    value, element = representation.match_pairs(*matched)
    shortest = representation.principal(element)
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
        "group": _describe_elements(a, group),
        "pairs": pairs,
        "only_in_a": [int(i) for i in np.setdiff1d(np.arange(len(A)), rows)],
        "only_in_b": [int(j) for j in np.setdiff1d(np.arange(len(B)), columns)],
        "a_to_b": dictionary_distance(A, B, group),
        "b_to_a": dictionary_distance(B, A, group),
    }


def _describe_elements(model: Model, group: Group) -> str:
    if isinstance(model, WaveformLearning):
        return "any time of a recording"
    return describe_group(group)
