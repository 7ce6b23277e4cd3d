"""Cross-validation data of an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.estimators.orbit import OrbitDictionaryLearning
from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.events.model import Excerpt
from orbitdl.groups.base import Group
from orbitdl.selection.data_points import PointJudges
from orbitdl.selection.held_out import Speckles
from orbitdl.selection.recordings import SEGMENTS, UNIT_LENGTH, EventJudges

POINTS = 500
"""Default number of data points."""


def point_judges(
    estimator: OrbitDictionaryLearning,
    X: Any,
    mask: ArrayLike | None,
    groups: list[Group] | None,
    speckles: Speckles,
    most: int | None,
) -> PointJudges:
    """Validate data points and draw at most `most` of them for cross-validation."""
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
    return PointJudges(samples, candidates, estimator.coder, speckles, data)


def event_judges(
    estimator: WaveformLearning, X: Any, numbers: list[int], speckles: Speckles, most: int | None
) -> tuple[EventJudges, str]:
    """Validate recordings and prepare them for cross-validation; return a fingerprint, too."""
    estimator._check_parameters()
    with estimator._given(X) as given:
        excerpt, data = Excerpt.of(given.shards), given.fingerprint
    if most is not None:
        excerpt = shortened(excerpt, most)
    noise, positive = str(estimator.noise), bool(estimator.positive)
    rounds, seed = speckles.rounds, speckles.seed
    return EventJudges.of(excerpt, numbers, noise, rounds, seed, positive=positive), data


def shortened(excerpt: Excerpt, most: int) -> Excerpt:
    """Return equally spaced segments of an excerpt, at most `most` samples in total.

    One missing waveform length separates two of them.
    """
    n, gap = len(excerpt.x), excerpt.length
    if n > most:
        count = max(min(SEGMENTS, most // (UNIT_LENGTH * gap)), 1)
        size = most // count
        first = np.linspace(0, n - size, count).astype(int)
        at = np.concatenate([np.r_[np.arange(one, one + size), np.full(gap, n)] for one in first])
        x, observed = np.pad(excerpt.x, [(0, 1), (0, 0)]), np.append(excerpt.observed, False)
        excerpt = Excerpt(x[at[:-gap]], observed[at[:-gap]], gap)
    if np.sum(excerpt.observed) < gap:
        raise ValueError(
            f"max_samples={most} leaves no segment in which a waveform of length={gap} was "
            "observed; raise max_samples."
        )
    return excerpt
