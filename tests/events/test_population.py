"""How the events of a component vary."""

import numpy as np
from numpy.testing import assert_allclose

from orbitdl.domains.time.atoms import at_times
from orbitdl.events.population import Population


def test_spread_and_variability_are_those_of_the_planted_events():
    rng, n = np.random.default_rng(0), 4000
    component, outlier = np.arange(n) % 2, np.arange(n) % 10 < 2
    size = np.where(component == 0, 10 + rng.standard_normal(n), 40 + 6 * rng.standard_normal(n))
    left = np.where(component == 0, 0.04, 0.01) * size**2
    size, left = np.where(outlier, 3 * size, size), np.where(outlier, 100 * left, left)
    events = at_times(component, np.arange(n), size, 2)
    found = Population.of(np.array([10.0, 40.0]), events, left, signed=False)
    assert_allclose(found.spread, [1.3, 8.0], rtol=0.1)  # with a fifth of outliers
    assert_allclose(found.variability, [0.04, 0.01], rtol=1e-12)
