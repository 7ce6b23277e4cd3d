"""Recordings from other packages and events to them, with these packages themselves."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from orbitdl import WaveformLearning
from orbitdl.adapters import (
    from_mne,
    from_pandas,
    from_spikeinterface,
    from_xarray,
    to_annotations,
    to_edf,
    to_pandas,
    to_sorting,
    to_wfdb,
    to_xarray,
)
from orbitdl.datasets import make_ecg_recording
from orbitdl.io import Recording, read

# what other packages do with NumPy is theirs
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
RNG = np.random.default_rng(0)
X = RNG.standard_normal((1000, 2))
HEART = make_ecg_recording(duration=60, sfreq=250.0, random_state=2)
EVENTS = pd.DataFrame(
    {"onset": [0.5, 1.25], "sample": [125.2, 312.6], "component": [0, 1], "amplitude": [1.0, 2.0]}
)


@pytest.fixture(scope="module")
def events():
    return WaveformLearning(length=150).fit(HEART).events(HEART)


def test_a_raw_of_mne_is_a_recording_that_is_read_when_it_is_needed(monkeypatch):
    mne = pytest.importorskip("mne")
    info = mne.create_info(["Fz", "ecg"], 250.0, ["eeg", "ecg"])
    raw = mne.io.RawArray(1e-6 * X.T, info, first_samp=500, verbose="error")
    recording = from_mne(raw)
    assert (recording.sfreq, recording.ch_names) == (250.0, ("Fz", "ecg"))
    assert (recording.unit, recording.ch_types) == ("V", ("eeg", "ecg"))
    asked = []
    get = type(raw).get_data
    monkeypatch.setattr(
        type(raw),
        "get_data",
        lambda self, start, stop, verbose: (
            asked.append((start, stop)) or get(self, start=start, stop=stop, verbose=verbose)
        ),
    )
    assert_allclose(recording[100:110], 1e-6 * X[100:110])
    assert asked == [(100, 110)]


def test_waveforms_are_learned_from_a_raw_and_events_lie_on_its_axis_of_time(events):
    mne = pytest.importorskip("mne")
    raw = mne.io.RawArray(
        HEART.signal[None], mne.create_info(["ecg"], 250.0, "ecg"), verbose="error"
    )
    model = WaveformLearning(length=150).fit(from_mne(raw))
    assert (model.sfreq_, model.ch_names_, model.unit_) == (250.0, ("ecg",), "V")
    found = model.events(from_mne(raw))
    assert_allclose(found["onset"], events["onset"], atol=1e-9)
    annotations = to_annotations(found, {0: "beat"})
    raw.set_annotations(annotations)
    assert_allclose(raw.annotations.onset, found["onset"], atol=1e-6)
    assert set(raw.annotations.description[found["component"] == 0]) == {"beat"}
    cut = raw.copy().crop(10, 20)  # MNE's own events are where ours are
    inside = found["onset"].between(10, 20)
    assert len(cut.annotations) == inside.sum()


def test_events_without_a_rate_are_no_annotations():
    pytest.importorskip("mne")
    with pytest.raises(ValueError, match="have no column onset.* pass sfreq= to events"):
        to_annotations(EVENTS.drop(columns="onset"))


def test_a_recording_of_spikeinterface_is_in_microvolts():
    core = pytest.importorskip("spikeinterface.core")
    counts = np.rint(100 * X).astype(np.int16)
    theirs = core.NumpyRecording([counts, counts[:10]], 30_000.0, channel_ids=["a", "b"])
    plain = from_spikeinterface(theirs)
    assert (plain.units, plain.shape) == ((), (1000, 2))
    theirs.set_channel_gains(0.195)
    theirs.set_channel_offsets(5.0)
    recording = from_spikeinterface(theirs)
    assert (recording.sfreq, recording.ch_names, recording.unit) == (30_000.0, ("a", "b"), "uV")
    assert_allclose(recording[7:9], 0.195 * counts[7:9] + 5.0, rtol=1e-6)
    assert_allclose(from_spikeinterface(theirs, segment=1)[:], recording[:10])


def test_a_sorting_has_the_spikes_of_every_component():
    pytest.importorskip("spikeinterface.core")
    sorting = to_sorting(EVENTS, 250.0, n_components=3)
    assert_array_equal(sorting.get_unit_spike_train(0), [125])
    assert_array_equal(sorting.get_unit_spike_train(1), [313])
    assert len(sorting.get_unit_spike_train(2)) == 0
    assert sorting.get_sampling_frequency() == 250.0


def test_annotations_of_wfdb_claim_no_diagnosis_unless_symbols_are_given(tmp_path):
    wfdb = pytest.importorskip("wfdb")
    to_wfdb(EVENTS, tmp_path / "x.ann", 250.0)
    found = wfdb.rdann(str(tmp_path / "x"), "ann")
    assert_array_equal(found.sample, [125, 313])
    assert found.symbol == ['"', '"']
    assert found.fs == 250.0
    to_wfdb(EVENTS, tmp_path / "x.ann", symbols={1: "V"})
    assert wfdb.rdann(str(tmp_path / "x"), "ann").symbol == ['"', "V"]


def test_tables_of_pandas_bring_their_rate_and_names():
    times = pd.date_range("2024-05-01", periods=1000, freq="4ms")
    dated = from_pandas(pd.DataFrame(X, times, ["x", "y"]))
    assert (dated.sfreq, dated.ch_names) == (250.0, ("x", "y"))
    assert from_pandas(pd.Series(X[:, 0])).shape == (1000,)
    in_ms = pd.DataFrame(X, pd.Index(4.0 * np.arange(1000), name="time_ms"))
    assert from_pandas(in_ms).sfreq == pytest.approx(250.0)
    assert from_pandas(pd.DataFrame(X)).sfreq is None  # a number of a row is no time
    part = Recording(X, 250.0, ("x", "y")).excerpt(500)
    back = to_pandas(part)
    assert (back.index[0], back.index.name) == (2.0, "seconds")
    assert_array_equal(back["y"], X[500:, 1])


def test_arrays_of_xarray_come_and_go():
    xarray = pytest.importorskip("xarray")
    recording = Recording(X, 250.0, ("x", "y"), units=("mV", "mV"))
    array = to_xarray(recording)
    assert array.sel(time=0.4, channel="y").item() == X[100, 1]
    again = from_xarray(array.transpose("channel", "time"))
    assert (again.sfreq, again.ch_names, again.unit) == (250.0, ("x", "y"), "mV")
    assert_array_equal(again[:], X)
    with pytest.raises(ValueError, match="pass one of 'time' and at most one other"):
        from_xarray(xarray.DataArray(X, dims=("sample", "channel")))


def test_a_recording_written_as_edf_is_read_back(tmp_path):
    pytest.importorskip("edfio")
    recording = Recording(X[:998], 100.0, ("Fz", "Cz"), units=("mV", "mV"))
    again = read(to_edf(recording, tmp_path / "x.edf"))
    assert (again.sfreq, again.ch_names) == (100.0, ("Fz", "Cz"))
    assert_allclose(again[:998], 1e-3 * X[:998], atol=1e-3 * np.ptp(X) / 60_000)
    assert_allclose(again[998:], again[997:998].repeat(2, axis=0))  # whole seconds
    with pytest.raises(ValueError, match="no mark for missing samples; complete"):
        to_edf(Recording([np.nan, 1.0], 1.0), tmp_path / "y.edf")
