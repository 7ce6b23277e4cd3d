"""Gaps that may hide an event."""

import numpy as np
from numpy.testing import assert_array_equal

from orbitdl.events.intervals import gap_middles, own_intervals_of


def test_only_gaps_of_half_a_waveform_or_more_may_hide_an_event():
    missing = np.array([[10, 14], [30, 35], [60, 90]])
    assert_array_equal(gap_middles(missing, 10), [32.5, 75.0])


def test_an_own_interval_is_not_interrupted_by_other_components():
    time, component = np.array([1.0, 3.0, 7.0, 20.0]), np.array([0, 1, 0, 0])
    found = own_intervals_of(time, component, holes=np.array([10.0]))
    assert_array_equal(found, [np.nan, np.nan, 6.0, np.nan])
