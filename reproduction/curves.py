"""Follow the components through the iterations of a fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from orbitdl import OrbitDictionaryLearning
from orbitdl.coding.base import Coder
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Floats, Group
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.starts import start_from_noise
from orbitdl.learning.state import Iteration
from reproduction.printed import alternate, crude_coder

START = 1
"""Mixed into the seeds of starts, so that none repeats the numbers that made the data."""


def random_start(group: Group, q: int, shape: tuple[int, ...], seed: int) -> Floats:
    """Draw q components from the uniform measure on the sphere, shape (q, ...)."""
    representation = group.on(shape)
    blocks = start_from_noise(representation.base, q, np.random.default_rng([seed, START]))
    return representation.synthesize(blocks)


def follow(
    X: Floats,
    group: Group,
    start: Floats,
    *,
    alpha: float,
    iterations: int,
    crude: bool = False,
    coder: Coder | None = None,
    tol: float = 1e-8,
    n_jobs: int | None = None,
) -> list[Floats]:
    """Return the components at the start and after every iteration.

    Parameters
    ----------
    X : ndarray of shape (n, ...)
    group : Group
    start : ndarray of shape (q, ...)
    alpha : float
    iterations : int
        At most: a fit stops when the objective stands still.
    crude : bool
        Run the paper's algorithms as printed instead of ours.
    coder : Coder, optional
        Of our fit.
    tol : float
        Of our fit.
    n_jobs : int, optional

    Returns
    -------
    list of ndarray of shape (q, ...)
    """
    representation, found = group.on(X.shape[1:]), []
    if crude:
        printed = crude_coder(representation.base)
        shards = SampleShards.cut(Samples.of(X, group), printed, alpha, n_jobs)
        steps = alternate(shards, representation.analyze(start), iterations)
        return [representation.synthesize(A) for A in steps]

    def keep(iteration: Iteration) -> bool:
        found.append(representation.synthesize(iteration.components))
        return iteration.number == iterations

    OrbitDictionaryLearning(
        len(start), group, alpha=alpha, max_iter=iterations, tol=tol, init=start, coder=coder,
        n_jobs=n_jobs, callback=keep,
    ).fit(X)  # fmt: skip
    return found


def stop_after(iterations: int) -> Callable[[Iteration], bool]:
    """Return a callback for a fit of which no more iterations than these are wanted."""
    return lambda iteration: iteration.number == iterations


def padded(values: list[list[float]], length: int) -> Floats:
    """Repeat the last value of every curve up to a common length: (curves, length)."""
    return np.array([curve + curve[-1:] * (length - len(curve)) for curve in values])
