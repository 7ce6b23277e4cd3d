"""Correlations of a recording that is longer than a transformed block."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from orbitdl.domains.time.correlations import correlations
from orbitdl.domains.time.waveforms import BEYOND, Waveforms


@pytest.mark.parametrize("n", [1, 500, 1800])
def test_correlations_of_any_length_are_those_of_the_definition(n):
    rng = np.random.default_rng(0)
    x, waveforms = rng.standard_normal((n, 2)), Waveforms(rng.standard_normal((3, 21, 2)))
    expected = [sum(np.correlate(x[:, c], u[:, c], "full") for c in (0, 1)) for u in waveforms.u]
    assert_allclose(correlations(x, waveforms)[:, BEYOND:-BEYOND], expected, atol=1e-10)
