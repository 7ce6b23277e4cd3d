"""Energies and variances of the event model, of numbers that are planted."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from orbitdl import WaveformLearning
from orbitdl.discovery.background import Background
from orbitdl.domains.time.atoms import at_times
from orbitdl.events.detected_events import no_detected_events
from orbitdl.events.model import Excerpt, explained_share, residual_variance

L = 50


def test_the_variance_at_events_is_weighted_with_their_energy():
    left = np.zeros((1000, 1))
    left[100 : 100 + L], left[400 : 400 + L], left[700 : 700 + L] = 1.0, -2.0, 5.0
    excerpt = Excerpt(left, np.ones(1000, dtype=bool), L)
    events = at_times(np.array([0, 0, 1]), [100.4, 400.0, 700.9], [1.0, 3.0, 2.0], 3)
    found = residual_variance(left, excerpt, events, 3)
    assert_allclose(found[:, 0], [(1 * 1 + 9 * 4) / 10, 25.0, 0.0])


@pytest.mark.parametrize(("subtracted", "share"), [(1.0, 1.0), (0.5, 0.75), (0.0, 0.0)])
def test_the_share_is_of_the_energy_above_the_noise(subtracted, share):
    rng, n, level = np.random.default_rng(0), 40_000, 3.0
    events = 2 * level * np.sin(np.arange(n)[:, None] / 10)
    x = events + level * rng.standard_normal((n, 1))
    residual = np.pad(x - subtracted * events, [(L, L), (0, 0)])
    coded, sigma = SimpleNamespace(residual=residual), np.full(n + 2 * L, level)
    excerpt = Excerpt(x, np.ones(n, dtype=bool), L)
    found = explained_share(Background.white(np.ones(1)), excerpt, coded, sigma)
    assert found == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("sfreq", [None, 100.0])
def test_a_table_of_no_events_has_the_columns_of_all_others(sfreq):
    rng, t = np.random.default_rng(0), np.arange(6000)
    shape = np.exp(-0.5 * ((t % 200 - 100) / 4) ** 2)
    model = WaveformLearning(length=L).fit(10 * shape + rng.standard_normal(len(t)))
    table, none = model.events(10 * shape, sfreq=sfreq), no_detected_events(sfreq)
    assert len(table) > 20
    assert list(none) == list(table)
    assert none.dtypes.to_dict() == table.dtypes.to_dict()


def test_events_at_integer_shifts_are_at_samples():
    rng, t = np.random.default_rng(0), np.arange(6000)
    x = 10 * np.exp(-0.5 * ((t % 200 - 100) / 4) ** 2) + rng.standard_normal(len(t))
    sample = WaveformLearning(length=L, integer_shifts=True).fit(x).events(x)["sample"]
    assert len(sample) > 20
    assert_allclose(sample, np.rint(sample), atol=0)
