"""The level of noise over time: louder and quieter parts of a recording."""

import numpy as np
import pytest

from orbitdl.discovery.level import local_level

L = 100


@pytest.mark.parametrize("factor", [0.2, 5.0])
def test_a_part_of_one_waveform_length_has_a_level_of_its_own(factor):
    rng = np.random.default_rng(0)
    r = rng.standard_normal((60 * L, 1))
    part = slice(30 * L, 32 * L)
    r[part] *= factor
    level = local_level(r, np.ones(len(r), dtype=bool), L)
    assert level[30 * L + L // 2 : 31 * L + L // 2].mean() == pytest.approx(factor, rel=0.25)
    assert np.median(level) == pytest.approx(1.0, rel=0.1)


def test_a_recording_of_which_nothing_was_observed_has_the_level_of_the_model():
    level = local_level(np.zeros((20 * L, 1)), np.zeros(20 * L, dtype=bool), L)
    np.testing.assert_array_equal(level, 1.0)
