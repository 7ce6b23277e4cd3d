"""Model selection: group, number of components and alpha by cross-validation."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from orbitdl.arrays.validation import (
    as_alphas,
    as_candidates,
    require_between,
    require_count,
    require_jobs,
)
from orbitdl.coding.parallel import in_threads
from orbitdl.estimators.orbit import OrbitDictionaryLearning
from orbitdl.estimators.start import AUTO
from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.groups.base import Group, require_group
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.selection.choice import Selection, choose, reason_for, reason_of_events
from orbitdl.selection.held_out import Judges, Speckles
from orbitdl.selection.judges import Effort, event_judges, judge_path, point_judges
from orbitdl.selection.results import Job, Progress, Results
from orbitdl.selection.scores import Scores
from orbitdl.storage.container import as_path

OF_WAVEFORMS = ("length", "detrend", "noise", "positive")
"""Parameters of `WaveformLearning` that scores depend on."""
SHARE = 0.1
"""Default fraction of held-out entries."""
WAVEFORMS_ONLY = (
    "{0} is for data points: recordings are scored by the events in held-out segments, at the "
    "threshold of the calibrated detector; leave out {0}."
)


@single_threaded_blas()
def select(
    estimator: OrbitDictionaryLearning | WaveformLearning,
    X: Any,
    *,
    n_components: Iterable[int] = (1, 2, 3, 4),
    alphas: Iterable[float] | None = None,
    groups: Iterable[Group] | None = None,
    mask: ArrayLike | None = None,
    rounds: int = 5,
    share: float | None = None,
    speckle: int | None = None,
    max_samples: int | None = None,
    progress: Progress | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> Selection:
    """Choose the group, the number of components and alpha by cross-validation.

    Data points are scored by the prediction of held-out entries, recordings by the events found in
    held-out segments.

    Parameters
    ----------
    estimator : OrbitDictionaryLearning or WaveformLearning
        With the parameters that are not selected, such as `length`, `noise` or `random_state`. Its
        `n_jobs` threads process one candidate or one round each.
    X : as in `fit` of the estimator
        Data points, or a recording or several. NaN means missing.
    n_components : iterable of int
        Candidate numbers of components. For recordings the number found by ``n_components="auto"``
        is added, and larger numbers are skipped: further components are duplicates.
    alphas : iterable of float, optional
        Candidate regularisation weights; by default a range around the automatic alpha. Not for
        recordings: their events come from the calibrated detector, which does not depend on alpha.
    groups : iterable of Group, optional
        Candidate groups, the simplest first; by default the estimator's group. Not for recordings.
    mask : array-like of bool, optional
        As in `fit` of `OrbitDictionaryLearning`.
    rounds : int
        Number of folds. In every round one fold has held-out entries, or is held out.
    share : float, optional
        Fraction of held-out entries of a fold, 0.1 by default. Not for recordings.
    speckle : int, optional
        Number of neighbouring samples held out together, 1 by default: pass more if noise is
        autocorrelated. Not for recordings.
    max_samples : int, optional
        Maximum number of data points, 500 by default. For recordings the maximum number of
        samples, by default as many as `fit` uses to find waveforms.
    progress : callable, optional
        Called with the number of finished runs and their total: paths of alphas, or rounds of a
        recording. By default they are printed if the estimator is `verbose`.
    checkpoint : path-like, optional
        A file in which finished runs are saved. If it exists, only missing runs are computed.

    Returns
    -------
    Selection
        A table of all candidates, the selected parameters, the reason, and an unfitted estimator.

    Notes
    -----
    **Data points**: speckled cross-validation. In round r of R the entries H_r, a fraction of those
    in fold r, are held out. Components are learned from all others along a path of alphas with warm
    starts. The coefficients of the atoms are refitted to observed entries by least squares and
    predict x on H_r; over all rounds the error of a candidate is

        sum_r sum_{H_r} (x - prediction)^2 / sum_r sum_{H_r} x^2.

    White noise cannot be predicted: atoms that fit noise increase the error, and so do duplicate
    components. Windows of a recording must not overlap, as an entry held out in one would be
    observed in the next. The computation takes minutes: every number of components is learned at
    every alpha in every round.

    **Recordings**: held-out events. A recording is whitened by its noise model and divided into
    units of eight waveform lengths or more. In round r those of fold r, drawn at random, are held
    out. Components are learned from the others as in `fit`, and their events in fold r are
    detected. An event is reproducible if the components of the complete recording detect it, too.
    With noise level sigma, residual r of whitened samples y after subtraction of reproducible
    events, n samples and K events of q components in T samples, the error is

        (sum (r / sigma)^2 - n + 2 K log(q T)) / (sum (y / sigma)^2 - n),

    summed over units. A false event explains at most ``2 log(q T)``, so it never decreases the
    error, and neither does a component that is not reproducible. The cost is a few fits with
    ``n_components="auto"``. The returned estimator has ``n_components="auto"`` if that number is
    selected.

    One-standard-error rule: of the candidates within one standard error of the minimum, the
    simplest is selected: fewest components, then the first group, then the largest alpha. The
    standard error is that of paired differences over units (data points, or units of a recording).

    Examples
    --------
    >>> from orbitdl import OrbitDictionaryLearning
    >>> from orbitdl.datasets import make_shift_data
    >>> X = make_shift_data(
    ...     n_samples=100, length=24, n_components=2, n_atoms=2, noise=0.05, random_state=0
    ... ).X
    >>> estimator = OrbitDictionaryLearning(n_restarts=2, random_state=0)
    >>> selection = select(estimator, X, n_components=(1, 2, 3), alphas=(0.4, 0.2), rounds=2)
    >>> selection.choice["n_components"]
    2
    >>> model = selection.estimator.fit(X)
    """
    numbers = sorted(
        {require_count(q, "n_components") for q in as_candidates(n_components, "n_components")}
    )
    requested = None if alphas is None else as_alphas(alphas)
    own = None
    if groups is not None:
        own = [require_group(group) for group in as_candidates(groups, "groups")]
    most = None if max_samples is None else require_count(max_samples, "max_samples")
    path = None if checkpoint is None else as_path(checkpoint, "checkpoint")
    if not isinstance(estimator, OrbitDictionaryLearning | WaveformLearning):
        raise ValueError(
            f"select takes an OrbitDictionaryLearning or a WaveformLearning, not {estimator!r}."
        )
    seed, parts = seed_of(estimator), require_count(rounds, "rounds", least=2)
    progress = progress or (print_progress if estimator.verbose else None)
    if isinstance(estimator, WaveformLearning):
        of_points = {"alphas": requested, "groups": own, "mask": mask, "share": share}
        refuse_of_points(of_points | {"speckle": speckle})
        judging = Speckles(parts, 0.0, 1, seed)
        return select_by_events(estimator, X, numbers, judging, most, path, progress)
    speckles = Speckles(
        parts,
        SHARE if share is None else require_between(share, "share", 0.01, 0.9),
        1 if speckle is None else require_count(speckle, "speckle"),
        seed,
    )
    judges = point_judges(estimator, X, mask, own, speckles, most)
    require_hidden(judges, rounds)
    default, begin = judges.alphas(numbers[len(numbers) // 2])
    weights = default if requested is None else sorted(set(requested), reverse=True)
    candidates = [(group, q) for group in range(len(judges.groups)) for q in numbers]
    jobs = [(*candidate, number) for candidate in candidates for number in range(rounds)]
    first = int(np.argmin(np.abs(np.log(np.array(weights) / begin))))
    identity = identity_of(judges.fingerprint, speckles, weights, estimator, own, most)
    results = Results(identity | {"the initial alpha": weights[first]}, jobs, path, progress)
    run_missing(results, judges, weights, first, estimator)
    judged = [[results.done[*one, number] for number in range(rounds)] for one in candidates]
    scores = Scores.of(judges.groups, candidates, weights, judged)
    return selection_of(scores, estimator, own)


def select_by_events(
    estimator: WaveformLearning,
    X: Any,
    numbers: list[int],
    speckles: Speckles,
    most: int | None,
    path: Path | None,
    progress: Progress | None,
) -> Selection:
    """Choose the number of components of recordings by held-out events."""
    judges, data = event_judges(estimator, X, numbers, speckles, most)
    identity = identity_of(data, speckles, [], estimator, None, most)
    jobs = [(0, 0, number) for number in range(speckles.rounds)]
    results = Results(identity | {"candidates": judges.candidates}, jobs, path, progress)

    def run(job: Job) -> None:
        results.add(job, judges.judge(job[2]))

    in_threads(run, results.missing, require_jobs(estimator.n_jobs))
    every = range(len(judges.candidates))
    judged = [[[results.done[job][c]] for job in jobs] for c in every]
    scores = Scores.of(("any time",), [(0, q) for q in judges.candidates], [1.0], judged)
    chosen = choose(scores)
    _, q = scores.candidates[chosen[0]]
    n_components = AUTO if q == judges.candidates[-1] else q
    ready = clone(estimator).set_params(n_components=n_components)
    reason = reason_of_events(scores, chosen, numbers, judges.reason)
    return Selection(scores.of_recordings(), {"n_components": q}, reason, ready)


def refuse_of_points(values: dict[str, Any]) -> None:
    """Raise ValueError for options that apply to data points only."""
    for name, value in values.items():
        if value is not None:
            raise ValueError(WAVEFORMS_ONLY.format(name))


def print_progress(done: int, total: int) -> None:
    """Print the number of finished runs."""
    print(f"{done} of {total} runs")


def require_hidden(judges: Judges, rounds: int) -> None:
    """Raise ValueError if all held-out entries would be zero."""
    if not any(judges.hold_out(0, number).energy > 0.0 for number in range(rounds)):
        raise ValueError(
            "all held-out entries are zero, or there are none; pass more data, a larger share or a "
            "smaller speckle."
        )


def seed_of(estimator: OrbitDictionaryLearning | WaveformLearning) -> int:
    """Return the random seed: that of the estimator, otherwise 0."""
    return 0 if getattr(estimator, "random_state", None) is None else estimator._seed()


def run_missing(
    results: Results,
    judges: Judges,
    alphas: list[float],
    first: int,
    estimator: OrbitDictionaryLearning,
) -> None:
    """Learn and score the missing paths of alphas."""
    effort = Effort(estimator.max_iter, estimator.n_restarts)

    def run(job: Job) -> None:
        group, q, number = job
        held_out = judges.hold_out(group, number)
        results.add(job, judge_path(held_out, q, alphas, first, number, effort))

    in_threads(run, results.missing, require_jobs(estimator.n_jobs))


def selection_of(
    scores: Scores,
    estimator: OrbitDictionaryLearning,
    groups: list[Group] | None,
) -> Selection:
    """Select a candidate, with the reason and an estimator with its parameters."""
    chosen = choose(scores)
    (group, q), alpha = scores.candidates[chosen[0]], scores.alphas[chosen[1]]
    ready = clone(estimator).set_params(n_components=q, alpha=alpha)
    if groups is not None:
        ready.set_params(group=groups[group])
    choice = {"group": scores.groups[group], "n_components": q, "alpha": alpha}
    return Selection(scores.to_frame(), choice, reason_for(scores, chosen), ready)


def identity_of(
    fingerprint: str,
    speckles: Speckles,
    alphas: list[float],
    estimator: OrbitDictionaryLearning | WaveformLearning,
    groups: list[Group] | None,
    most: int | None,
) -> dict[str, Any]:
    """Return the settings with which runs in a file must agree."""
    settings = estimator.get_params(deep=False)
    own = {name: settings[name] for name in OF_WAVEFORMS if name in settings}
    candidates = groups or ([estimator._group()] if "group" in settings else [])
    return own | {
        "data": fingerprint,
        "max_samples": most,
        "groups": [group.as_code() for group in candidates],
        "coder": repr(settings.get("coder")),
        "alphas": alphas,
        "rounds": speckles.rounds,
        "share": speckles.share,
        "speckle": speckles.size,
        "seed": speckles.seed,
        "max_iter": estimator.max_iter,
        "n_restarts": estimator.n_restarts,
    }
