"""Select symmetry, number of components and alpha by predicting what was hidden."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.blas import single_threaded_blas
from orbitdl.coding.parallel import in_threads
from orbitdl.estimator import OrbitDictionaryLearning
from orbitdl.groups.base import Group, require_group
from orbitdl.scikit import clone
from orbitdl.selection.choice import Selection, choose, reason_for
from orbitdl.selection.held_out import Judges, Speckles
from orbitdl.selection.judges import judges_for
from orbitdl.selection.path import Effort, judge_path
from orbitdl.selection.results import Job, Progress, Results
from orbitdl.selection.scores import Scores
from orbitdl.storage.container import as_path
from orbitdl.validation import as_alphas, listed, require_between, require_count, require_jobs
from orbitdl.waveform_learning import WaveformLearning

OF_WAVEFORMS = ("length", "positive", "whole_samples", "detrend")
"""Settings of waveforms that paths depend on."""


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
    share: float = 0.1,
    speckle: int | None = None,
    max_samples: int | None = None,
    progress: Progress | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> Selection:
    """Choose symmetry, number of components and alpha by what they predict of hidden entries.

    Parameters
    ----------
    estimator : OrbitDictionaryLearning or WaveformLearning
        With the settings that are not to be chosen, such as `length`, `coder` or `random_state`.
        Its `n_jobs` threads each learn one candidate in one round at a time.
    X : as in `fit` of the estimator
        Data points, or a recording or several. NaN means missing.
    n_components : iterable of int
        Numbers of components to try.
    alphas : iterable of float, optional
        Weights of sparsity to try. If left out, some around what the estimator's "auto" takes.
    groups : iterable of Group, optional
        Symmetries to try, the simplest first; the estimator's own if left out. Recordings have
        none to choose.
    mask : array-like of bool, optional
        As in `fit` of `OrbitDictionaryLearning`.
    rounds : int
        Parts into which the data are divided. In every round another one has hidden entries.
    share : float
        Of its entries that are hidden.
    speckle : int, optional
        Neighbouring samples that are hidden together: take more where noise is alike in
        neighbouring samples. 1 if left out; for recordings a 32nd of a waveform.
    max_samples : int, optional
        Data points at most that are looked at, 500 if left out; of recordings samples, 32768.
    progress : callable, optional
        Called with how many paths of alphas are done, and how many there are; if left out they are
        printed where the estimator is `verbose`.
    checkpoint : path-like, optional
        A file in which paths that are done are kept; if it exists, only the others are learned.

    Returns
    -------
    Selection
        A table of all candidates, the choice, the reason, and an estimator ready to be fitted.

    Notes
    -----
    Speckled cross-validation. In round r of R the entries H_r, a share of those in part r of the
    data, are hidden. Components are learned from all others, at one alpha after the other, each
    from where the one before ended. The atoms found are fitted to what is known by least squares,
    and predict x on H_r; over all rounds the error of a candidate is

        sum_r sum_{H_r} (x - prediction)^2 / sum_r sum_{H_r} x^2.

    White noise cannot be predicted, so that atoms which code noise raise the error, and so do
    components that share what one of them should explain. Of the candidates within one standard
    error of the least, the simplest is chosen: fewest components, then the first group, then the
    largest alpha. The standard error is that of the difference, unit by unit: a unit is a data
    point, or a stretch of four waveforms.

    What predicts best gives signals back best. Where signals are smooth, that may take more atoms
    than there are events: to list events, pass an alpha of your own, or `suggest_alpha`'s, and let
    the number of components be chosen alone. Windows of a recording should not overlap: an entry
    that is hidden in one is still seen in the next.

    It takes minutes: every number of components is learned at every alpha in every round. Fewer of
    these, and a smaller `max_samples`, take less.

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
    speckles = Speckles(
        require_count(rounds, "rounds", least=2),
        require_between(share, "share", 0.01, 0.9),
        0 if speckle is None else require_count(speckle, "speckle"),
        seed_of(estimator),
    )
    judges = judges_for(estimator, X, mask, own, speckles, most)
    require_hidden(judges, rounds)
    usual, begin = judges.alphas(numbers[len(numbers) // 2])
    weights = usual if given is None else sorted(set(given), reverse=True)
    candidates = [(group, q) for group in range(len(judges.groups)) for q in numbers]
    jobs = [(*candidate, number) for candidate in candidates for number in range(rounds)]
    first = int(np.argmin(np.abs(np.log(np.array(weights) / begin))))
    identity = identity_of(judges, speckles, weights, estimator, own, most)
    progress = progress or (print_progress if estimator.verbose else None)
    results = Results(identity | {"the alpha to begin with": weights[first]}, jobs, place, progress)
    run_missing(results, judges, weights, first, estimator)
    judged = [[results.done[*one, number] for number in range(rounds)] for one in candidates]
    scores = Scores.of(judges.groups, candidates, weights, judged)
    return selection_of(scores, estimator, own)


def print_progress(done: int, total: int) -> None:
    """Print how many paths are done."""
    print(f"{done} of {total} paths of alphas")


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
    estimator: OrbitDictionaryLearning | WaveformLearning,
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
    estimator: OrbitDictionaryLearning | WaveformLearning,
    groups: list[Group] | None,
) -> Selection:
    """Choose, say why, and set the estimator accordingly."""
    chosen = choose(scores)
    (group, q), alpha = scores.candidates[chosen[0]], scores.alphas[chosen[1]]
    ready = clone(estimator).set_params(n_components=q, alpha=alpha)
    if isinstance(ready, WaveformLearning):
        ready.set_params(noise="white")  # alphas were compared in the unit of the data
    if groups is not None:
        ready.set_params(group=groups[group])
    choice = {"group": scores.groups[group], "n_components": q, "alpha": alpha}
    return Selection(scores.to_frame(), choice, reason_for(scores, chosen), ready)


def identity_of(
    judges: Judges,
    speckles: Speckles,
    alphas: list[float],
    estimator: OrbitDictionaryLearning | WaveformLearning,
    groups: list[Group] | None,
    most: int | None,
) -> dict[str, Any]:
    """Return what paths in a file must have been made with, to be of use here."""
    settings = estimator.get_params(deep=False)
    own = {name: settings[name] for name in OF_WAVEFORMS if name in settings}
    moves = groups or ([estimator._group()] if "group" in settings else [])
    return own | {
        "data": judges.fingerprint,
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
