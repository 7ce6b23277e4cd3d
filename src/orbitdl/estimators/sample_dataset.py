"""Data points in memory, on disk or on a cluster, ready to be learned from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from orbitdl.arrays.validation import require_in_range
from orbitdl.coding.base import Coder
from orbitdl.data.base import Source
from orbitdl.data.fingerprint import Digest
from orbitdl.encoding.samples import Samples
from orbitdl.executors.choice import executor_for
from orbitdl.groups.base import Action
from orbitdl.learning.executor import DataChunk
from orbitdl.learning.out_of_core_samples import OutOfCoreSamples
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.spill import AtomStore
from orbitdl.learning.starts import Points

NOTHING = "X has no observed entry; pass data that are not all missing."


@dataclass(frozen=True, eq=False)
class SampleDataset:
    """Data points to learn from, what codes them, and their fingerprint."""

    points: Points
    coder: Coder
    fingerprint: str


@dataclass(frozen=True)
class SampleSurvey:
    """What one pass over data points finds.

    Whether any entry is missing, whether any is there, the size of the largest, a fingerprint.
    """

    any_missing: bool
    any_observed: bool
    largest: float
    digest: Digest

    def __add__(self, other: SampleSurvey) -> SampleSurvey:
        return SampleSurvey(
            self.any_missing or other.any_missing,
            self.any_observed or other.any_observed,
            max(self.largest, other.largest),
            self.digest + other.digest,
        )


def survey_samples(chunk: DataChunk, store: AtomStore) -> SampleSurvey:
    """Look at a chunk, which was checked when it was read."""
    values, observed = chunk.data
    any_observed = observed is None or bool(observed.any())
    largest = float(np.abs(values).max(initial=0.0))
    digest = Digest.of(values, observed, chunk.first)
    return SampleSurvey(observed is not None, any_observed, largest, digest)


def in_memory(samples: Samples, coder: Coder, n_jobs: int | None) -> SampleDataset:
    """Return data points that are in memory."""
    if samples.observed is not None and not samples.observed.any():
        raise ValueError(NOTHING)
    digest = Digest.of(samples.signal, samples.observed, 0)
    points = SampleShards.cut(samples, coder, 1.0, n_jobs)
    return SampleDataset(points, coder, digest.hexdigest(samples.representation.shape))


@contextmanager
def out_of_core(
    source: Source, representation: Action, coder: Coder, n_jobs: int | None
) -> Iterator[SampleDataset]:
    """Return out-of-core data points; at the end nothing that was stored on the way is left."""
    with executor_for(source, n_jobs) as executor:
        survey = executor.total(survey_samples, executor.filled, "look")
        if not survey.any_observed:
            raise ValueError(NOTHING)
        require_in_range(survey.largest, "X")
        points = OutOfCoreSamples.of(executor, representation, coder, 1.0, survey.any_missing)
        yield SampleDataset(points, coder, survey.digest.hexdigest(source.shape))
