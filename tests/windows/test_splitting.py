"""Recordings split into windows, and put together again."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from orbitdl.datasets import segment
from orbitdl.io import Recording
from orbitdl.windows import split_recording

LEADS = np.round(np.random.default_rng(0).uniform(-1, 1, (40, 2)), 3)


@pytest.mark.parametrize("channels", [1, 2])
def test_windows_are_those_of_segment(channels):
    signal = LEADS[:, 0] if channels == 1 else LEADS
    windows = split_recording(Recording(signal), 7, 3, normalize=True)
    assert_allclose(windows.values, segment(signal, 7, 3), atol=1e-14)
    assert windows.left_out == 0 if channels else 1


def test_samples_that_do_not_fill_a_window_are_left_out_or_the_last_window_ends_with_them():
    left = split_recording(Recording(LEADS[:, 0]), 15)
    assert len(left) == 2
    assert left.left_out == 10
    every = split_recording(Recording(LEADS[:, 0]), 15, to_end=True)
    assert_array_equal(every.start, [0, 15, 25])
    assert every.left_out == 0
    assert_array_equal(every.values[2], LEADS[25:40, 0])


def test_a_recording_shorter_than_a_window_is_filled_up_with_missing_values():
    (window,) = split_recording(Recording(LEADS[:10, 0]), 15, to_end=True).values
    assert_array_equal(window[:10], LEADS[:10, 0])
    assert np.isnan(window[10:]).all()


@pytest.mark.parametrize("step", [7, 3, None])
@pytest.mark.parametrize("channels", [1, 2])
def test_windows_go_back_together(step, channels):
    signal = LEADS[:, 0] if channels == 1 else LEADS
    windows = split_recording(Recording(signal), 7, step, normalize=True, to_end=True)
    assert_allclose(windows.restore(windows.values), signal, atol=1e-14)
    assert windows.restore(np.zeros_like(windows.values)).shape == signal.shape


def test_missing_values_do_not_disturb_the_normalisation():
    holed = LEADS[:, 0].copy()
    holed[3] = np.nan
    (window,) = split_recording(Recording(holed[:7]), 7, normalize=True).values
    seen = np.delete(holed[:7], 3)
    expected = (seen - seen.mean()) / np.linalg.norm(seen - seen.mean())
    assert_allclose(np.delete(window, 3), expected, atol=1e-14)
    assert np.isnan(window[3])


def test_a_constant_window_becomes_zero_and_comes_back():
    windows = split_recording(Recording(np.full(14, 0.1)), 7, normalize=True)
    assert not windows.values.any()
    assert_allclose(windows.restore(windows.values), 0.1)


BAD = {
    "too short": (Recording(LEADS[:5]), "fewer than one window of 8; pass a longer recording"),
    "windows": (Recording(np.ones((2, 3, 4))), "so they are windows, not a recording"),
    "complex": (Recording(LEADS * 1j), "signal is complex"),
    "infinite": (Recording(np.full(9, np.inf)), "signal holds infinite values"),
    "nothing": (Recording([]), r"signal has shape \(0,\)"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_split_is_refused_in_one_sentence(case):
    recording, sentence = BAD[case]
    with pytest.raises(ValueError, match=sentence) as caught:
        split_recording(recording, 8)
    assert "--" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_lists_and_integers_are_recordings_too():
    assert_array_equal(split_recording(Recording([1, 2, 3, 4]), 2).values, [[1.0, 2.0], [3.0, 4.0]])
