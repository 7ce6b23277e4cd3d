"""The pilot that sizes of events and of noise are read from."""

import numpy as np
import pytest

from orbitdl.coding.atoms import Atoms
from orbitdl.encoding.encode import refit
from orbitdl.encoding.samples import Samples
from orbitdl.groups import ContinuousShift, IntegerShift
from orbitdl.groups.base import correlate
from orbitdl.learning.pilot import level_left


@pytest.mark.parametrize("group", [IntegerShift(), ContinuousShift()])
def test_the_level_counts_the_coefficients_and_the_shifts_that_were_fitted(group):
    rng, n, length = np.random.default_rng(0), 3000, 15
    t = np.arange(length) - length // 2
    wave = np.exp(-0.5 * (t / 1.5) ** 2)
    clean = group.on((length,)).act(rng.integers(length, size=(n, 1)).astype(float), wave)
    samples = Samples.of(5 * clean + 0.2 * rng.standard_normal((n, length)), group)
    A = samples.analyze([wave / np.linalg.norm(wave)])
    value, element = samples.representation.match(correlate(samples.Y, A))
    atoms = Atoms(1, np.arange(n + 1), np.zeros(n, dtype=int), value[:, 0], element[:, 0])
    assert level_left(samples, refit(samples, atoms, A), A) == pytest.approx(0.2, rel=0.015)
