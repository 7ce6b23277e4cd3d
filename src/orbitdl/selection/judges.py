"""From an estimator and its data to what candidates are judged on."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.estimator import OrbitDictionaryLearning
from orbitdl.groups.base import Group
from orbitdl.selection.data_points import PointJudges
from orbitdl.selection.held_out import Judges, Speckles
from orbitdl.selection.stretches import StretchJudges, excerpts
from orbitdl.waveform_learning import WaveformLearning

POINTS, SAMPLES = 500, 2**15
"""Data points, and samples of recordings, that candidates are judged on unless told otherwise."""
FINE = 32
"""Parts of a waveform's length that are hidden together in recordings."""


@singledispatch
def judges_for(
    estimator: Any,
    X: Any,
    mask: ArrayLike | None,
    groups: list[Group] | None,
    speckles: Speckles,
    most: int | None,
) -> Judges:
    """Check data, and return what candidates are judged on: at most so many samples of them.

    Speckles of size 0 get the size that suits the data.
    """
    raise ValueError(
        f"select takes an OrbitDictionaryLearning or a WaveformLearning, not {estimator!r}."
    )


@judges_for.register
def _(
    estimator: OrbitDictionaryLearning,
    X: Any,
    mask: ArrayLike | None,
    groups: list[Group] | None,
    speckles: Speckles,
    most: int | None,
) -> Judges:
    estimator._check_parameters()
    with estimator._given(X, mask) as given:
        n, most = len(given.points), most or POINTS
        if min(n, most) < speckles.rounds:
            raise ValueError(
                f"{min(n, most)} data points are fewer than rounds={speckles.rounds}; pass more of "
                "them, or fewer rounds."
            )
        rng = np.random.default_rng(speckles.seed)
        rows = np.sort(rng.choice(n, min(n, most), replace=False))
        samples, data = given.points.take(rows), given.fingerprint
    candidates = tuple(groups or [estimator._group()])
    size = speckles.size or 1
    return PointJudges(samples, candidates, estimator.coder, replace(speckles, size=size), data)


@judges_for.register
def _(
    estimator: WaveformLearning,
    X: Any,
    mask: ArrayLike | None,
    groups: list[Group] | None,
    speckles: Speckles,
    most: int | None,
) -> Judges:
    estimator._check_parameters()
    if groups is not None or mask is not None:
        raise ValueError(
            "waveforms of a recording occur at any time, and NaN says what is missing; leave out "
            "groups and mask."
        )
    with estimator._given(X) as given:
        recordings, data = excerpts(given.shards, most or SAMPLES), given.fingerprint
    size = speckles.size or max(estimator.length // FINE, 1)
    return StretchJudges(recordings, replace(speckles, size=size), data)
