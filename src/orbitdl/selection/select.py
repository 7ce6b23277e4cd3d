"""Select symmetry, number of components and alpha by predicting what was hidden."""

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
    listed,
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
from orbitdl.selection.judges import event_judges, point_judges
from orbitdl.selection.path import Effort, judge_path
from orbitdl.selection.results import Job, Progress, Results
from orbitdl.selection.scores import Scores
from orbitdl.storage.container import as_path

OF_WAVEFORMS = ("length", "detrend", "noise", "positive")
"""Settings of waveforms that judgements depend on."""
SHARE = 0.1
"""Of entries that are hidden, unless another one is requested."""
WAVEFORMS_ONLY = (
    "{0} is for data points: a recording is judged by the events in held-out stretches, at the "
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
    """Choose symmetry, number of components and alpha by cross-validation.

    Data points are judged by what is predicted of held-out entries, recordings by the events that
    are found in held-out stretches.

    Parameters
    ----------
    estimator : OrbitDictionaryLearning or WaveformLearning
        With the settings that are not to be chosen, such as `length`, `noise` or `random_state`.
        Its `n_jobs` threads each work on one candidate or one round at a time.
    X : as in `fit` of the estimator
        Data points, or a recording or several. NaN means missing.
    n_components : iterable of int
        Numbers of components to try. For recordings what ``n_components="auto"`` finds is added,
        and larger numbers are left out: what more there is, is no kind of its own.
    alphas : iterable of float, optional
        Weights of sparsity to try. If left out, some around what the estimator's "auto" takes.
        Not for recordings: their events are those of the calibrated detector, on which alpha has
        no influence.
    groups : iterable of Group, optional
        Symmetries to try, the simplest first; the estimator's own if left out. Not for recordings.
    mask : array-like of bool, optional
        As in `fit` of `OrbitDictionaryLearning`.
    rounds : int
        Parts into which the data are divided. In every round another one has hidden entries, or
        is held out.
    share : float, optional
        Of its entries that are hidden, 0.1 if left out. Not for recordings.
    speckle : int, optional
        Neighbouring samples that are hidden together: take more where noise is alike in
        neighbouring samples. 1 if left out. Not for recordings.
    max_samples : int, optional
        Data points at most that are used, 500 if left out. Of recordings samples; if left out, as
        many as `fit` finds waveforms in.
    progress : callable, optional
        Called with how many runs are done, and how many there are: paths of alphas, or rounds of a
        recording. If left out they are printed where the estimator is `verbose`.
    checkpoint : path-like, optional
        A file in which finished runs are saved; if it exists, only the others are made.

    Returns
    -------
    Selection
        A table of all candidates, the choice, the reason, and an estimator ready to be fitted.

    Notes
    -----
    **Data points**: speckled cross-validation. In round r of R the entries H_r, a share of those in
    part r of the data, are hidden. Components are learned from all others, at one alpha after the
    other, each from where the one before ended. The atoms found are fitted to what is known by
    least squares, and predict x on H_r; over all rounds the error of a candidate is

        sum_r sum_{H_r} (x - prediction)^2 / sum_r sum_{H_r} x^2.

    White noise cannot be predicted, so that atoms which code noise raise the error, and so do
    components that share what one of them should explain. Windows of a recording should not
    overlap: an entry that is hidden in one is still observed in the next. It takes minutes: every
    number of components is learned at every alpha in every round.

    **Recordings**: held-out events. A recording is whitened by its noise model and divided into
    units of eight waveform lengths or more. In round r those of part r, drawn at random, are held
    out. Components are learned from the rest as `fit` does with the number of the candidate, and
    their events in part r are detected. An event is
    reproducible if the components of the whole recording find it, too. With noise level sigma, r
    what reproducible events leave of whitened samples y, n samples and K events of q components in
    T samples, the error is

        (sum (r / sigma)^2 - n + 2 K log(q T)) / (sum (y / sigma)^2 - n),

    summed over units. An event of noise explains at most ``2 log(q T)``, so that it never pays, and
    neither does a component that is not found again. It takes a few times as long as a fit with
    ``n_components="auto"``. The estimator returned has ``n_components="auto"`` where the number
    chosen is that of "auto".

    Of the candidates within one standard error of the least, the simplest is chosen: fewest
    components, then the first group, then the largest alpha. The standard error is that of the
    difference, unit by unit: a unit is a data point, or that of a recording.

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
        {require_count(q, "n_components") for q in listed(n_components, "n_components")}
    )
    given = None if alphas is None else as_alphas(alphas)
    own = None if groups is None else [require_group(one) for one in listed(groups, "groups")]
    most = None if max_samples is None else require_count(max_samples, "max_samples")
    place = None if checkpoint is None else as_path(checkpoint, "checkpoint")
    if not isinstance(estimator, OrbitDictionaryLearning | WaveformLearning):
        raise ValueError(
            f"select takes an OrbitDictionaryLearning or a WaveformLearning, not {estimator!r}."
        )
    seed, parts = seed_of(estimator), require_count(rounds, "rounds", least=2)
    progress = progress or (print_progress if estimator.verbose else None)
    if isinstance(estimator, WaveformLearning):
        of_points = {"alphas": given, "groups": own, "mask": mask, "share": share}
        refuse_of_points(of_points | {"speckle": speckle})
        judging = Speckles(parts, 0.0, 1, seed)
        return select_by_events(estimator, X, numbers, judging, most, place, progress)
    speckles = Speckles(
        parts,
        SHARE if share is None else require_between(share, "share", 0.01, 0.9),
        1 if speckle is None else require_count(speckle, "speckle"),
        seed,
    )
    judges = point_judges(estimator, X, mask, own, speckles, most)
    require_hidden(judges, rounds)
    usual, begin = judges.alphas(numbers[len(numbers) // 2])
    weights = usual if given is None else sorted(set(given), reverse=True)
    candidates = [(group, q) for group in range(len(judges.groups)) for q in numbers]
    jobs = [(*candidate, number) for candidate in candidates for number in range(rounds)]
    first = int(np.argmin(np.abs(np.log(np.array(weights) / begin))))
    identity = identity_of(judges.fingerprint, speckles, weights, estimator, own, most)
    results = Results(identity | {"the alpha to begin with": weights[first]}, jobs, place, progress)
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
    place: Path | None,
    progress: Progress | None,
) -> Selection:
    """Choose the number of components of recordings by held-out events."""
    judges, data = event_judges(estimator, X, numbers, speckles, most)
    identity = identity_of(data, speckles, [], estimator, None, most)
    jobs = [(0, 0, number) for number in range(speckles.rounds)]
    results = Results(identity | {"candidates": judges.candidates}, jobs, place, progress)

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
    """Refuse options that say how data points are judged."""
    for name, value in values.items():
        if value is not None:
            raise ValueError(WAVEFORMS_ONLY.format(name))


def print_progress(done: int, total: int) -> None:
    """Print how many runs are done."""
    print(f"{done} of {total} runs")


def require_hidden(judges: Judges, rounds: int) -> None:
    """Refuse data of which nothing would be hidden that could be predicted."""
    if not any(judges.hold_out(0, number).energy > 0.0 for number in range(rounds)):
        raise ValueError(
            "all entries that would be hidden are zero, or there are none: nothing could be "
            "predicted; pass more data, a larger share or a smaller speckle."
        )


def seed_of(estimator: OrbitDictionaryLearning | WaveformLearning) -> int:
    """Return the seed of all chance: one and the same where the estimator has none."""
    return 0 if getattr(estimator, "random_state", None) is None else estimator._seed()


def run_missing(
    results: Results,
    judges: Judges,
    alphas: list[float],
    first: int,
    estimator: OrbitDictionaryLearning,
) -> None:
    """Learn and judge one path of alphas after the other, those that are not done."""
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
    """Choose, say why, and set the estimator accordingly."""
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
    """Return what runs in a file must have been made with, to be of use here."""
    settings = estimator.get_params(deep=False)
    own = {name: settings[name] for name in OF_WAVEFORMS if name in settings}
    moves = groups or ([estimator._group()] if "group" in settings else [])
    return own | {
        "data": fingerprint,
        "max_samples": most,
        "groups": [one.as_code() for one in moves],
        "coder": repr(settings.get("coder")),
        "alphas": alphas,
        "rounds": speckles.rounds,
        "share": speckles.share,
        "speckle": speckles.size,
        "seed": speckles.seed,
        "max_iter": estimator.max_iter,
        "n_restarts": estimator.n_restarts,
    }
