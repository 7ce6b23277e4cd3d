"""A recording is an array that is read when it is needed, and keeps what is known of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.io import wavfile

from orbitdl import WaveformLearning
from orbitdl.datasets import make_ecg_recording
from orbitdl.io import Recording, concatenate, read, reading
from orbitdl.io.lazy import LazyArray, ReadBy, is_lazy

X = np.random.default_rng(0).standard_normal((500, 3))
KNOWN = {"sfreq": 250.0, "ch_names": ("a", "b", "c"), "units": ("mV", "mV", "uV")}


class Watched(LazyArray):
    """Samples that tell which of them were read."""

    def __init__(self, values):
        self.values, self.shape, self.asked = values, values.shape, []

    def _read(self, first, last):
        self.asked.append((first, last))
        return self.values[first:last]


def test_a_slice_reads_only_what_it_holds():
    watched = Watched(X)
    recording = Recording(watched, **KNOWN)
    assert (len(recording), recording.shape, recording.n_channels) == (500, (500, 3), 3)
    assert recording.duration == 2.0
    assert not watched.asked
    assert_array_equal(recording[10:20], X[10:20])
    assert_array_equal(recording.pick("c,a").excerpt(100, 200)[5:9], X[105:109][:, [2, 0]])
    assert watched.asked == [(10, 20), (105, 109)]
    assert_array_equal(np.asarray(recording), X)


KEYS = [3, -1, slice(5, 9), slice(None, None, 7), slice(20, 5, -2), (slice(3, 6), 1), (4, 2)]


@pytest.mark.parametrize("key", [*KEYS, (slice(None), [0, 2])], ids=str)
def test_a_lazy_array_is_indexed_as_an_array(key):
    lazy = ReadBy(X.shape, lambda first, last: X[first:last])
    assert_array_equal(lazy[key], X[key])


@pytest.mark.parametrize("make", [np.asarray, Watched])
def test_excerpts_and_channels_keep_what_is_known(make):
    part = Recording(make(X), **KNOWN, ch_types=("ecg", "ecg", "emg")).excerpt(100, 300).pick("b,c")
    assert (part.sfreq, part.ch_names, part.units) == (250.0, ("b", "c"), ("mV", "uV"))
    assert (part.first_sample, part.ch_types, part.unit) == (100, ("ecg", "emg"), None)
    assert part.pick("b").unit == "mV"
    assert part.excerpt(50).first_sample == 150
    mean = part.pick("mean")
    assert (mean.ch_names, mean.shape) == (("mean",), (200,))
    assert_allclose(mean[:], X[100:300, 1:].mean(axis=1))


@pytest.mark.parametrize("make", [np.asarray, Watched])
def test_excerpts_are_joined_where_they_were(make):
    whole = Recording(make(X), **KNOWN)
    joined = concatenate([whole.excerpt(20, 50), whole.excerpt(80, 100)])
    assert (joined.first_sample, len(joined), joined.ch_names) == (20, 80, ("a", "b", "c"))
    expected = X[20:100].copy()
    expected[30:60] = np.nan
    assert_array_equal(joined[:], expected)
    assert_array_equal(joined[25:65], expected[25:65])
    assert len(concatenate([whole, whole], gap=7)) == 1007
    with pytest.raises(ValueError, match="excerpt 1 begins before excerpt 0 ends"):
        concatenate([whole.excerpt(20, 50), whole.excerpt(40, 60)])
    with pytest.raises(ValueError, match=r"differ in sfreq: 250\.0 and 100\.0"):
        concatenate([whole, Recording(X, 100.0, KNOWN["ch_names"], units=KNOWN["units"])])


def test_events_of_joined_excerpts_have_the_times_of_the_whole_recording():
    heart = make_ecg_recording(duration=120, random_state=4)
    model = WaveformLearning(length=252).fit(heart)
    joined = concatenate([heart.excerpt(7200, 18000), heart.excerpt(21600, 36000)])
    every, found = model.events(heart), model.events(joined)
    inside = every["sample"].between(7400, 17800) | every["sample"].between(21800, 35800)
    own = found["sample"].between(7400, 17800) | found["sample"].between(21800, 35800)
    assert own.sum() == inside.sum() > 80
    assert_allclose(found.loc[own, "sample"], every.loc[inside, "sample"], atol=0.3)
    assert found.loc[found["sample"] > 21600, "interval"].iloc[0] != found["interval"].iloc[1]
    assert np.isnan(found.loc[found["sample"] > 21600, "interval"].iloc[0])  # across the gap


def lazily_read(path, monkeypatch, **arguments):
    """Return a file once as an array, and once read when it is needed."""
    whole = read(path, **arguments)
    monkeypatch.setattr(reading, "SMALL", 0)
    monkeypatch.setattr("orbitdl.io.wfdb_records.LAZY", 0)
    lazy = read(path, **arguments)
    assert is_lazy(lazy.signal)
    return whole, lazy


def write_wav(folder):
    sound = np.rint(30_000 * np.tanh(X)).astype(np.int16)
    wavfile.write(folder / "x.wav", 250, sound)
    return folder / "x.wav"


def write_npy(folder):
    np.save(folder / "x.npy", X.astype(np.float32))
    return folder / "x.npy"


def write_record(folder):
    wfdb = pytest.importorskip("wfdb")
    wfdb.wrsamp("x", fs=250, units=["mV"] * 3, sig_name=list("abc"), p_signal=X,
                fmt=["16"] * 3, write_dir=str(folder))  # fmt: skip
    return folder / "x.hea"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("write", [write_wav, write_npy, write_record])
def test_a_large_file_is_read_when_it_is_needed_to_the_same_numbers(tmp_path, monkeypatch, write):
    whole, lazy = lazily_read(write(tmp_path), monkeypatch)
    assert isinstance(whole.signal, np.ndarray)
    assert (lazy.sfreq, lazy.ch_names, lazy.units) == (whole.sfreq, whole.ch_names, whole.units)
    for part in (slice(0, 7), slice(100, 333), slice(490, 500)):
        assert_array_equal(lazy[part], whole[part])


def test_what_is_learned_from_a_lazy_recording_is_the_same():
    heart = make_ecg_recording(duration=60, n_leads=2, random_state=3)
    lazy = Recording(Watched(heart.signal), heart.sfreq, heart.ch_names)
    one, two = WaveformLearning(length=252).fit(heart), WaveformLearning(length=252).fit(lazy)
    assert_allclose(two.components_, one.components_, atol=1e-9)
    assert (two.sfreq_, two.ch_names_) == (one.sfreq_, one.ch_names_) == (360.0, heart.ch_names)
    assert max(last - first for first, last in lazy.signal.asked) <= len(heart)
    assert_allclose(two.events(lazy)["sample"], one.events(heart)["sample"], atol=1e-6)
