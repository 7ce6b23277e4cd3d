"""Codes of data points and of recordings are one class: they are indexed, joined and listed."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from orbitdl import Codes, OrbitDictionaryLearning, StoredCodes, WaveformLearning
from orbitdl.datasets import make_ecg_recording, make_shift_data
from orbitdl.domains.time.atoms import at_times, between, in_order, joined, later, outside
from orbitdl.groups import IntegerShift

WINDOWS = make_shift_data(n_samples=9, length=21, n_components=2, n_atoms=2, random_state=0).X
HEART = make_ecg_recording(duration=60, premature=0.0, random_state=0).signal
RECORDINGS = [HEART, HEART[5000:12_000], np.zeros(2000) + np.sin(np.arange(2000.0))]


def codes_of_windows() -> Codes:
    return OrbitDictionaryLearning(2, IntegerShift(), alpha=0.1, random_state=0).fit(WINDOWS).codes_


def codes_of_recordings() -> Codes:
    return WaveformLearning(length=200).fit(HEART).encode(RECORDINGS)


@pytest.fixture(scope="module", params=[codes_of_windows, codes_of_recordings])
def codes(request) -> Codes:
    return request.param()


def test_data_points_are_chosen_by_number_slice_and_mask(codes):
    n = len(codes)
    for which, expected in [
        (1, [1]),
        (-1, [n - 1]),
        (slice(1, None), range(1, n)),
        (np.arange(n) == 2, [2]),
        (np.array([2, 0]), [2, 0]),
    ]:
        chosen = codes[which]
        assert_array_equal(chosen.objective, codes.objective[list(expected)])
        assert_array_equal(chosen.atoms.counts, codes.atoms.counts[list(expected)])
    with pytest.raises(IndexError):
        codes[n]


def test_data_points_one_by_one_are_all_of_them(codes):
    again = Codes.concatenate(list(codes))
    assert_array_equal(again.gap, codes.gap)
    assert_array_equal(again.status, codes.status)
    pd.testing.assert_frame_equal(again.to_frame(), codes.to_frame())
    assert (again.explained is None) == (codes.explained is None)


def test_atoms_are_listed_with_the_number_of_their_data_point(codes):
    table = codes.to_frame()
    number = table.columns[0]
    assert number == ("recording" if codes.explained is not None else "sample")
    assert_array_equal(np.bincount(table[number], minlength=len(codes)), codes.atoms.counts)


def test_codes_of_several_recordings_are_those_of_each():
    model = WaveformLearning(length=200).fit(HEART)
    together = model.encode(RECORDINGS)
    for one, x in zip(together, RECORDINGS, strict=True):
        alone = model.encode(x)
        assert_allclose(one.objective, alone.objective)
        assert_allclose(model.decode(one, len(x)), model.decode(alone, len(x)))
    with pytest.raises(ValueError, match=r"codes are those of 3 recordings; pass .* codes\[k\]"):
        model.decode(together, 100)


def test_codes_of_recordings_are_written_to_a_folder(tmp_path):
    model = WaveformLearning(length=200).fit(HEART)
    stored = model.encode(RECORDINGS, to=tmp_path / "codes")
    codes = model.encode(RECORDINGS)
    pd.testing.assert_frame_equal(StoredCodes.open(tmp_path / "codes").to_frame(), codes.to_frame())
    assert stored.samples == 3
    assert_allclose(stored.objective, codes.objective.sum())


def test_a_recording_that_is_not_coded_to_the_tolerance_is_warned_of():
    model = WaveformLearning(length=200).fit(HEART)
    with pytest.warns(UserWarning, match="1 of 1 recordings stopped above the gap tolerance"):
        model.encode(HEART, tol=1e-15)


def test_atoms_at_times_are_split_joined_and_shifted():
    rng = np.random.default_rng(0)
    atoms = at_times(rng.integers(2, size=40), rng.uniform(0, 100, 40), rng.standard_normal(40), 2)
    inside, rest = between(atoms, 20.0, 60.0), outside(atoms, 20.0, 60.0)
    again, expected = in_order(joined([rest, inside])), in_order(atoms)
    assert len(again) == 1
    for name in ("component", "time", "coefficient"):
        assert_array_equal(getattr(again, name), getattr(expected, name))
    assert_allclose(later(atoms, 2.5).time, atoms.time + 2.5)
