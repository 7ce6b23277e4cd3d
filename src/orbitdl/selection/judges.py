"""Cross-validation data of an estimator, and learning from them along a path of alphas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.blocks import Blocks
from orbitdl.coding.base import Coder
from orbitdl.coding.choice import default_coder
from orbitdl.dictionaries.base import Dictionary
from orbitdl.encoding.encode import decode_atoms, refit
from orbitdl.encoding.samples import Samples
from orbitdl.events.model import Excerpt
from orbitdl.groups.base import Group
from orbitdl.learning.alternation import learn
from orbitdl.learning.pilot import sizes_of
from orbitdl.learning.restarts import TRIAL, Restarts
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.starts import choose_starts
from orbitdl.learning.state import Iteration, State
from orbitdl.selection.held_out import HeldOut, Judged, Judges, Mask, Speckles, falling
from orbitdl.selection.recordings import SEGMENTS, UNIT_LENGTH, EventJudges
from orbitdl.storage.checkpoint import Checkpoint

if TYPE_CHECKING:
    from orbitdl.estimators.orbit import OrbitDictionaryLearning
    from orbitdl.estimators.waveform import WaveformLearning

BELOW_NOISE, BELOW_EVENTS = 0.25, 1 / 64
"""Smallest alpha, relative to the noise of rough components and to a median event."""


POINTS = 500
"""Default number of data points."""
ROUGH = 1e-2
"""Relative duality gap at which random starts are compared."""
SEED = 40_961
"""Random seed of the starts, combined with the number of the round."""
GAP = 1e-3
"""Relative duality gap of codes, and relative tolerance of the objective: far below the differences
between candidates."""


@dataclass(frozen=True, eq=False)
class HeldOutPoints(HeldOut):
    """Data points with held-out entries."""

    shards: SampleShards
    samples: Samples
    truth: Samples
    hidden: Mask
    judged: Mask

    @property
    def energy(self) -> float:
        return float(np.sum(self.truth.signal[self.hidden] ** 2))

    def starts(self, q: int, generators: list[np.random.Generator]) -> list[Dictionary]:
        return choose_starts("data", self.shards, q, generators)

    def judge(self, shards: SampleShards, A: Blocks) -> Judged:
        assert shards.atoms is not None
        atoms = shards.atoms.from_copies(shards.action)
        count = len(atoms.coefficient) / len(self.samples)
        some = self.samples.take(self.judged)
        refitted = refit(some, atoms.take(self.judged), A)
        predicted = decode_atoms(some.representation, refitted, A)
        true, hidden = self.truth.signal[self.judged], self.hidden[self.judged]
        axes = tuple(range(1, true.ndim))
        error = np.sum(np.where(hidden, true - predicted, 0.0) ** 2, axis=axes)
        return Judged(error, np.sum(np.where(hidden, true, 0.0) ** 2, axis=axes), count)


@dataclass(frozen=True, eq=False)
class PointJudges(Judges):
    """Data points, and candidate groups."""

    samples: Samples
    candidates: tuple[Group, ...]
    coder: Coder | None
    speckles: Speckles
    fingerprint: str

    @property
    def groups(self) -> tuple[str, ...]:  # type: ignore[override]
        names = [group.name for group in self.candidates]
        several = [
            name if names.count(name) == 1 else repr(one)
            for name, one in zip(names, self.candidates, strict=True)
        ]
        return tuple(several)

    def hold_out(self, group: int, number: int) -> HeldOut:
        truth, is_complete = self.on(self.candidates[group]), self.samples.observed is None
        observed = np.ones(truth.signal.shape, dtype=bool) if is_complete else truth.observed
        assert observed is not None
        judged = self.speckles.parts(len(truth)) == number
        hidden = self.hide(number) & observed
        known = np.where(hidden, 0.0, truth.signal)
        samples = Samples.on(truth.representation, known, observed & ~hidden)
        coder = self.coder or default_coder(truth.representation)
        shards = SampleShards.cut(samples, coder, 1.0)
        return HeldOutPoints(shards, samples, truth, hidden, judged)

    def hide(self, number: int) -> Mask:
        """Return the mask of held-out entries in a round: runs along the first axis."""
        shape = self.samples.signal.shape
        judged = self.speckles.parts(len(self.samples)) == number
        drawn = self.speckles.hide((shape[1], shape[0], *shape[2:]), number)
        return np.asarray(np.moveaxis(drawn, 0, 1) & judged.reshape(-1, *[1] * (len(shape) - 1)))

    def on(self, group: Group) -> Samples:
        """Return the data in the blocks of a group."""
        representation = group.on(self.samples.representation.shape)
        return Samples.on(representation, self.samples.signal, self.samples.observed)

    def alphas(self, q: int) -> tuple[list[float], float]:
        samples = self.on(self.candidates[0])
        shards = SampleShards.cut(samples, default_coder(samples.representation), 1.0)
        sizes = sizes_of(shards, q)
        begin = sizes.alpha() or 1.0  # data of zeros
        least = max(BELOW_NOISE * sizes.noise, BELOW_EVENTS * sizes.event)
        return falling(begin, min(least, begin / 4) or begin / 4), begin


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
    with estimator._dataset(X, mask) as dataset:
        n, most = len(dataset.points), most or POINTS
        if min(n, most) < speckles.rounds:
            raise ValueError(
                f"{min(n, most)} data points are fewer than rounds={speckles.rounds}; pass more of "
                "them, or fewer rounds."
            )
        rng = np.random.default_rng(speckles.seed)
        rows = np.sort(rng.choice(n, min(n, most), replace=False))
        samples, data = dataset.points.take(rows), dataset.fingerprint
    candidates = tuple(groups or [estimator._group()])
    return PointJudges(samples, candidates, estimator.coder, speckles, data)


def event_judges(
    estimator: WaveformLearning, X: Any, numbers: list[int], speckles: Speckles, most: int | None
) -> tuple[EventJudges, str]:
    """Validate recordings and prepare them for cross-validation; return a fingerprint, too."""
    estimator._check_parameters()
    with estimator._dataset(X) as dataset:
        excerpt, data = Excerpt.of(dataset.shards), dataset.fingerprint
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


@dataclass(frozen=True)
class Effort:
    """Maximum numbers of iterations and of restarts at every alpha."""

    max_iter: int
    n_restarts: int


def judge_path(
    held_out: HeldOut,
    q: int,
    alphas: list[float],
    first: int,
    number: int,
    effort: Effort,
) -> list[Judged]:
    """Learn q components at every alpha, and return the prediction errors.

    Random starts, seeded by the number of the round, are compared at ``alphas[first]``. From the
    best of them the path goes to smaller alphas, and then to larger ones: at a large alpha codes
    are too sparse to start from.
    """
    shards = replace(held_out.shards, alpha=alphas[first])
    generators = np.random.default_rng([SEED, number]).spawn(effort.n_restarts)
    start = best_start(shards, held_out.starts(q, generators))
    middle = last_of(shards, start, effort)
    found = {first: held_out.judge(middle.shards, middle.components)}
    for order in (range(first + 1, len(alphas)), range(first - 1, -1, -1)):
        steps = learned_along(middle, [alphas[k] for k in order], effort)
        for k, step in zip(order, steps, strict=True):
            found[k] = held_out.judge(step.shards, step.components)
    return [found[k] for k in range(len(alphas))]


def best_start(shards: Any, starts: Sequence[Dictionary]) -> Dictionary:
    """Return the dictionary of the best start after a few iterations at a loose gap."""
    follow = partial(learn, gap=ROUGH, max_iter=TRIAL, tol=GAP)
    trials = Restarts(follow, Checkpoint(0, TRIAL), None, 0)
    best, _ = trials.best([State(shards, start) for start in starts])
    return best.dictionary


def learned_along(begin: Iteration, alphas: Iterable[float], effort: Effort) -> Iterable[Iteration]:
    """Yield the last iteration at each alpha, with warm starts of codes and components."""
    step = begin
    for alpha in alphas:
        step = last_of(replace(step.shards, alpha=alpha), step.dictionary, effort)  # type: ignore[type-var]
        yield step


def last_of(shards: Any, start: Dictionary, effort: Effort) -> Iteration:
    """Return the last iteration of learning from a dictionary."""
    *_, last = learn(State(shards, start), gap=GAP, max_iter=effort.max_iter, tol=GAP)
    return last
