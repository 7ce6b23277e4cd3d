"""Recordings that are somewhere else: the same waveforms, codes and messages as in memory."""

import glob
import os
import pickle
import tempfile

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_waveform_learning import model, planted

from orbitdl.data.opening import remove_folder
from orbitdl.domains.time import alpha, pool
from orbitdl.domains.time.pool import Pool
from orbitdl.estimators.out_of_core_recordings import RecordingLoader
from orbitdl.estimators.recording_dataset import recording_dataset

dask = pytest.importorskip("dask", reason="needs orbitdl[distributed]")

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RECORDINGS = [planted(n, n // 50, seed)[0] for seed, n in enumerate((1200, 700, 1500))]
RECORDINGS[1][100:160] = np.nan
TWO = np.stack([RECORDINGS[0], RECORDINGS[0]], axis=1)


def later(recordings, change=lambda x: x):
    return [dask.delayed(change)(one) for one in recordings]


def quick(**settings):
    return model(**{"max_iter": 4, "n_restarts": 1, **settings})


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(RECORDINGS)


def assert_same_model(one, other):
    assert_allclose(one.history_[-1].objective, other.history_[-1].objective, rtol=1e-6)
    assert_allclose(one.components_, other.components_, atol=1e-6)
    assert one.alpha_ == other.alpha_
    assert one.provenance_["fingerprint"] == other.provenance_["fingerprint"]


# Learning


def test_delayed_recordings_give_the_waveforms_of_those_in_memory(fitted):
    scattered = quick().fit(later(RECORDINGS))
    assert_same_model(scattered, fitted)
    assert scattered.codes_ is None


def test_an_automatic_alpha_and_several_starts_are_those_of_recordings_in_memory():
    settings = {"alpha": "auto", "n_restarts": 2, "max_iter": 3}
    scattered = quick(**settings).fit(later(RECORDINGS))
    local = quick(**settings).fit(RECORDINGS)
    assert scattered.provenance_["alpha"] == local.provenance_["alpha"]
    assert_same_model(scattered, local)


def test_starts_are_drawn_from_the_same_stretches_of_long_recordings(monkeypatch):
    """Only some chunks are looked at: those that would be if all recordings were here."""
    monkeypatch.setattr("orbitdl.domains.time.chunks.LONG", 100)
    monkeypatch.setattr("orbitdl.domains.time.chunks.MIN_LENGTHS", 2)
    monkeypatch.setattr(pool, "MOST", 40)
    loader = RecordingLoader(31, 1, 0.3)
    with (
        recording_dataset(RECORDINGS, loader, None) as here,
        recording_dataset(later(RECORDINGS), loader, None) as there,
    ):
        assert here.shards.sizes == there.shards.sizes
        assert len(here.shards.sizes) > 20
        one, other = Pool.of(here.shards), Pool.of(there.shards)
        assert_array_equal(one.strong, other.strong)
        assert_array_equal(one.usual, other.usual)
        assert alpha.white_noise(here.shards) == alpha.white_noise(there.shards)
        none = (given.shards.no_statistics(2).arrays for given in (here, there))
        assert all(np.array_equal(*pair) for pair in zip(*none, strict=True))


def test_one_delayed_recording_of_two_channels_is_learned_from():
    scattered = quick().fit(dask.delayed(TWO))
    assert_same_model(scattered, quick().fit(TWO))
    assert scattered.components_.shape == (2, 31, 2)


def test_dask_arrays_in_a_list_are_recordings(fitted):
    import dask.array

    arrays = [dask.array.from_array(one, chunks=300) for one in RECORDINGS]
    assert_same_model(quick().fit(arrays), fitted)


def test_a_recording_is_computed_when_it_is_read_and_nothing_is_left(fitted):
    before, computed = set(glob.glob(f"{tempfile.gettempdir()}/orbitdl-*")), []

    def compute(k):
        computed.append(k)
        return RECORDINGS[k]

    recordings = [dask.delayed(compute)(k) for k in range(3)]
    assert not computed
    assert_same_model(quick().fit(recordings), fitted)
    assert set(computed) == {0, 1, 2}
    assert set(glob.glob(f"{tempfile.gettempdir()}/orbitdl-*")) <= before


def test_an_opening_can_be_sent():
    loader = pickle.loads(pickle.dumps(RecordingLoader(31, 1, 0.3)))
    assert loader.space.block_shape == (1, 31, 1)


def test_an_iterator_of_recordings_is_learned_from_and_its_scratch_folder_vanishes(fitted):
    before = set(glob.glob(f"{tempfile.gettempdir()}/orbitdl-*"))
    given = quick().fit(one.astype(np.float64) for one in RECORDINGS)
    assert_same_model(given, fitted)
    events = given.events(iter(RECORDINGS))
    assert [len(one) for one in events] == [len(fitted.events(one)) for one in RECORDINGS]
    del given
    assert set(glob.glob(f"{tempfile.gettempdir()}/orbitdl-*")) <= before


def test_a_full_scratch_folder_is_one_sentence(monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(OSError, match=r"^recording 0 could not be kept in .* set TMPDIR to"):
        quick().fit(iter(RECORDINGS))


def test_a_copy_of_a_process_leaves_the_scratch_folder_to_its_owner(tmp_path):
    remove_folder(str(tmp_path), owner=-1)
    assert tmp_path.exists()
    remove_folder(str(tmp_path), owner=os.getpid())
    assert not tmp_path.exists()


# Using


def test_codes_are_delayed_and_those_of_recordings_in_memory(fitted):
    codes = fitted.encode(later(RECORDINGS))
    assert all(hasattr(one, "__dask_graph__") for one in codes)
    for one, other in zip(dask.compute(*codes), fitted.encode(RECORDINGS), strict=True):
        assert_array_equal(one.atoms.time, other.atoms.time)
        assert one.objective == other.objective
    single = fitted.encode(dask.delayed(RECORDINGS[0])).compute(scheduler="synchronous")
    assert len(single.atoms.time) == len(fitted.encode(RECORDINGS[0]).atoms.time)


@pytest.mark.parametrize("sfreq", [None, 100.0])
def test_events_are_a_lazy_table_with_the_recording_first(fitted, sfreq):
    def fail():
        raise AssertionError("computed too early")

    fitted.events([dask.delayed(fail)()], sfreq)
    table = fitted.events(later(RECORDINGS), sfreq)
    assert table.npartitions == 3
    assert table.columns[0] == "recording"
    found = table.compute(scheduler="synchronous")
    assert dict(found.dtypes) == dict(table.dtypes)
    for k, one in enumerate(fitted.events(RECORDINGS, sfreq)):
        own = found[found["recording"] == k].drop(columns="recording")
        assert_array_equal(own.to_numpy(dtype=float), one.to_numpy(dtype=float))
        assert list(own.columns) == list(one.columns)


def test_events_of_codes_that_are_at_hand_are_not_coded_again(fitted):
    codes = fitted.encode(RECORDINGS, alpha=0.6)
    found = fitted.events(later(RECORDINGS), codes=codes).compute(scheduler="synchronous")
    assert len(found) == sum(map(len, fitted.events(RECORDINGS, codes=codes)))


def test_the_score_is_that_of_recordings_in_memory(fitted):
    assert_allclose(fitted.score(later(RECORDINGS)), fitted.score(RECORDINGS), rtol=1e-12)


def test_what_is_filled_and_denoised_is_delayed_too(fitted):
    for method in (fitted.complete, fitted.denoise):
        found = dask.compute(*method(later(RECORDINGS)), scheduler="synchronous")
        for one, other in zip(found, method(RECORDINGS), strict=True):
            assert_array_equal(one, other)


# What cannot be worked with

BAD = {
    "shape": (np.zeros((3, 3, 3)), "recording 1 has shape"),
    "missing": (np.full(500, np.nan), "recording 1 is missing throughout"),
    "channels": (TWO, "recording 1 has 2, and those before it have 1"),
    "text": (np.array(["a", "b"]), "recording 1 must be numbers"),
    "infinite": (np.full(500, np.inf), "recording 1 has infinite values"),
    "short": (np.arange(9.0), "recording 1 has 9 samples, fewer than one waveform"),
    "nothing": (None, "recording 1 must be numbers"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_wrong_recording_is_named_by_its_number(name, fitted):
    value, sentence = BAD[name]
    for given in (later([RECORDINGS[0], value]), iter([RECORDINGS[0], value])):
        with pytest.raises(ValueError, match=sentence):
            quick().fit(given)
    if name not in ("short", "channels"):
        with pytest.raises(ValueError, match=sentence):
            fitted.encode(later([RECORDINGS[0], value]))[1].compute(scheduler="synchronous")


def test_other_channels_than_those_of_the_model_are_refused_by_number(fitted):
    with pytest.raises(ValueError, match="recording 1 has 2 channels, but this model was fitted"):
        fitted.score(later([RECORDINGS[0], TWO]))


def test_a_recording_that_cannot_be_computed_is_named():
    def fail(x):
        raise OSError("the disk is gone")

    recordings = [*later(RECORDINGS[:1]), *later(RECORDINGS[1:2], fail)]
    with pytest.raises(ValueError, match="cannot read recording 1: the disk is gone"):
        quick().fit(recordings)


def test_delayed_recordings_do_not_go_with_others():
    with pytest.raises(ValueError, match="recording 0 is in memory, and recording 1 is delayed"):
        quick().fit([RECORDINGS[0], dask.delayed(RECORDINGS[1])])


def test_an_iterator_that_gives_nothing_is_refused():
    with pytest.raises(ValueError, match="the iterator gave no recording"):
        quick().fit(iter([]))
