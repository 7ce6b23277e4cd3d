"""The simulators keep their promises, and recordings are cut and found as documented."""

import builtins
import os
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from orbitdl.datasets import (
    load_ecg,
    make_ecg_like,
    make_shift_data,
    make_synchronization_data,
    mit_bih,
    segment,
)

# Shifted samples


def shifted(component: np.ndarray, shift: float) -> np.ndarray:
    """Shift to the right by evaluating the trigonometric interpolant, term by term."""
    n = len(component)
    coefficients = np.fft.fft(component) / n
    frequencies = np.fft.fftfreq(n, 1 / n)
    t = np.arange(n) - shift
    return np.real(np.exp(2j * np.pi * np.outer(t, frequencies) / n) @ coefficients)


def rebuilt(data, move) -> np.ndarray:
    X = np.zeros_like(data.X)
    for i, j, c, shift in data.events.itertuples(index=False):
        X[i] += c * move(data.components[j], shift)
    return X


@pytest.mark.parametrize("length", [1, 2, 7, 8])
def test_integer_shift_samples_are_sums_of_rolled_components(length):
    data = make_shift_data(20, length, 2, 3, random_state=0)
    assert list(data.events.columns) == ["sample", "component", "coefficient", "shift"]
    assert_allclose(data.X, rebuilt(data, lambda a, r: np.roll(a, int(r))), atol=1e-12)


@pytest.mark.parametrize("subdivisions", [2, 5, None])
@pytest.mark.parametrize("length", [7, 8])
def test_fractional_shift_samples_are_sums_of_interpolated_components(length, subdivisions):
    data = make_shift_data(20, length, 2, 3, subdivisions=subdivisions, random_state=0)
    assert_allclose(data.X, rebuilt(data, shifted), atol=1e-12)


def test_planted_components_have_unit_norm():
    for subdivisions in (1, 4, None):
        data = make_shift_data(5, 8, 4, subdivisions=subdivisions, random_state=1)
        assert_allclose(np.linalg.norm(data.components, axis=1), 1.0)


def test_only_fractional_shifts_of_even_length_lose_the_nyquist_frequency():
    def highest(length, subdivisions):
        data = make_shift_data(5, length, 4, subdivisions=subdivisions, random_state=1)
        return np.abs(np.fft.rfft(data.components)[:, -1])

    assert_allclose(highest(8, 2), 0.0, atol=1e-12)
    assert_allclose(highest(8, None), 0.0, atol=1e-12)
    assert highest(8, 1).min() > 1e-3
    assert highest(7, None).min() > 1e-3


def test_components_have_no_preferred_direction():
    components = make_shift_data(1, 3, 20_000, 1, random_state=0).components
    assert_allclose(components.mean(axis=0), 0.0, atol=0.02)
    assert_allclose(components.T @ components / len(components), np.eye(3) / 3, atol=0.02)


@pytest.mark.parametrize(("subdivisions", "smallest"), [(1, 1.0), (4, 0.25)])
def test_shifts_fill_the_grid_evenly(subdivisions, smallest):
    shifts = make_shift_data(4000, 5, subdivisions=subdivisions, random_state=0).events["shift"]
    values, counts = np.unique(shifts, return_counts=True)
    assert_allclose(values, np.arange(5 * subdivisions) * smallest)
    assert_allclose(counts / counts.mean(), 1.0, atol=0.15)


def test_continuous_shifts_fill_the_circle_evenly_off_the_grid():
    shifts = make_shift_data(4000, 5, subdivisions=None, random_state=0).events["shift"]
    assert shifts.min() >= 0
    assert shifts.max() < 5
    assert shifts.nunique() == len(shifts)
    assert_allclose(np.histogram(shifts, 10, (0, 5))[0] / 2000, 1.0, atol=0.15)


def test_every_sample_has_its_number_of_atoms_and_components_are_used_evenly():
    events = make_shift_data(3000, 6, 3, 5, random_state=0).events
    assert_array_equal(events["sample"], np.repeat(np.arange(3000), 5))
    assert_allclose(events["component"].value_counts() / 5000, 1.0, atol=0.1)


def test_coefficients_are_standard_normal():
    c = make_shift_data(4000, 6, random_state=0).events["coefficient"]
    assert abs(c.mean()) < 0.03
    assert c.std() == pytest.approx(1.0, abs=0.03)
    assert (c**4).mean() == pytest.approx(3.0, abs=0.3)


def test_shift_noise_has_the_asked_standard_deviation():
    data = make_shift_data(500, 30, noise=0.3, random_state=0)
    error = data.X - rebuilt(data, lambda a, r: np.roll(a, int(r)))
    assert error.std() == pytest.approx(0.3, rel=0.03)


# Synchronisation


def test_synchronization_samples_are_weighted_sums_of_rotated_components():
    data = make_synchronization_data(30, 3, 4, 2, noise=0.0, random_state=0)
    for i in range(30):
        moved = [
            data.coefficients[i, j] * data.rotations[i, j] @ data.components[j] for j in (0, 1)
        ]
        assert_allclose(data.X[i], sum(moved), atol=1e-12)


def test_one_generator_has_coefficient_one_and_several_have_normal_ones():
    assert_array_equal(make_synchronization_data(9, random_state=0).coefficients, 1.0)
    c = make_synchronization_data(2000, n_components=2, random_state=0).coefficients
    assert c.shape == (2000, 2)
    assert abs(c.mean()) < 0.05
    assert c.std() == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_rotations_are_orthogonal_and_of_both_determinants(dimension):
    G = make_synchronization_data(400, dimension, 2, random_state=0).rotations[:, 0]
    identity = np.broadcast_to(np.eye(dimension), G.shape)
    assert_allclose(G @ G.transpose(0, 2, 1), identity, atol=1e-12)
    assert np.mean(np.linalg.det(G) > 0) == pytest.approx(0.5, abs=0.1)


def test_rotations_are_uniform():
    G = make_synchronization_data(20_000, 3, 1, random_state=0).rotations[:, 0]
    assert_allclose(G.mean(axis=0), 0.0, atol=0.02)
    # Of a uniform column, each entry is uniform on [-1, 1] in three dimensions.
    assert_allclose((G**2).mean(axis=0), 1 / 3, atol=0.02)
    assert_allclose(np.trace(G, axis1=1, axis2=2).var(), 1.0, atol=0.05)


def test_columns_of_generators_have_unit_norm():
    data = make_synchronization_data(2, 3, 20, 2, random_state=0)
    assert_allclose(np.linalg.norm(data.components, axis=1), 1.0)
    assert_allclose((data.components**2).sum(axis=(1, 2)), 20.0)


def test_synchronization_noise_has_the_asked_standard_deviation():
    noisy = make_synchronization_data(500, noise=0.1, random_state=0)
    error = noisy.X - noisy.rotations[:, 0] @ noisy.components[0]
    assert error.std() == pytest.approx(0.1, rel=0.03)


# Heartbeats


def test_ecg_like_windows_follow_each_other_with_zero_mean_and_unit_norm():
    data = make_ecg_like(20, random_state=0)
    windows = data.signal.reshape(20, 128)
    windows = windows - windows.mean(axis=1, keepdims=True)
    assert_allclose(data.X, windows / np.linalg.norm(windows, axis=1, keepdims=True))


def test_ecg_like_windows_hold_two_or_three_beats():
    data = make_ecg_like(100, random_state=0)
    window = (data.beats["seconds"] * data.sfreq // 128).astype(int)
    counts = np.bincount(window, minlength=100)
    assert np.mean((counts >= 2) & (counts <= 3)) > 0.9


def test_the_r_peaks_are_at_the_listed_times():
    data = make_ecg_like(60, sfreq=500.0, length=1000, noise=0.0, drift=0.0, random_state=0)
    for kind, height in (("normal", 1.0), ("premature", 0.9)):
        times = data.beats["seconds"][data.beats["kind"] == kind]
        at = np.rint(times[(times > 0.1) & (times < 119.9)] * 500).astype(int)
        assert_allclose(data.signal[at], height, atol=0.05)
        around = data.signal[at.to_numpy()[:, None] + np.arange(-25, 26)]
        assert (np.abs(np.argmax(around, axis=1) - 25) <= 2).all()


def test_the_p_wave_leads_and_the_t_wave_follows_the_r_peak():
    data = make_ecg_like(60, sfreq=500.0, length=1000, noise=0.0, drift=0.0, random_state=0)
    times = data.beats["seconds"][data.beats["kind"] == "normal"]
    at = np.rint(times[(times > 0.5) & (times < 119.5)] * 500).astype(int)
    assert np.median(data.signal[at - 85]) == pytest.approx(0.15, abs=0.02)
    assert np.median(data.signal[at + 120]) == pytest.approx(0.30, abs=0.02)


def test_beats_lie_between_the_samples_and_inside_the_recording():
    data = make_ecg_like(50, random_state=0)
    position = data.beats["seconds"] * data.sfreq
    assert position.is_monotonic_increasing
    assert position.between(0, len(data.signal), inclusive="left").all()
    assert np.abs(position - np.rint(position)).max() > 0.4


def test_premature_beats_come_early_and_a_pause_follows():
    beats = make_ecg_like(300, random_state=0).beats
    before = beats["seconds"].diff()
    premature = beats["kind"] == "premature"
    after_premature = premature.shift(fill_value=False) & ~premature
    after_normal = ~premature.shift(fill_value=True) & ~premature
    assert 0.08 < premature.mean() < 0.16
    assert before[premature].mean() < 0.8 * before[after_normal].mean()
    assert before[after_premature].mean() > 1.2 * before[after_normal].mean()


def test_drift_and_noise_have_the_asked_size():
    quiet = make_ecg_like(200, noise=0.0, drift=0.0, random_state=0).signal
    wandering = make_ecg_like(200, noise=0.0, drift=0.3, random_state=0).signal
    noisy = make_ecg_like(200, noise=0.05, drift=0.0, random_state=0).signal
    drift = wandering - quiet
    assert np.sqrt(np.mean(drift**2)) == pytest.approx(0.3, rel=0.05)
    assert np.abs(np.diff(drift)).max() < 0.05
    assert (noisy - quiet).std() == pytest.approx(0.05, rel=0.03)


# All simulators


def arrays(data) -> list[np.ndarray]:
    return [np.asarray(value) for value in vars(data).values()]


SIMULATORS = [
    partial(make_shift_data, 10),
    partial(make_shift_data, 10, subdivisions=None),
    partial(make_synchronization_data, 10, n_components=2),
    partial(make_ecg_like, 10),
]


@pytest.mark.parametrize("simulate", SIMULATORS)
def test_the_same_seed_gives_the_same_data_and_another_seed_does_not(simulate):
    first, again, other = (simulate(random_state=seed) for seed in (3, 3, 4))
    for one, two in zip(arrays(first), arrays(again), strict=True):
        assert_array_equal(one, two)
    assert not np.array_equal(first.X, other.X)


@pytest.mark.parametrize("simulate", SIMULATORS)
def test_a_generator_is_a_seed_that_advances(simulate):
    rng = np.random.default_rng(3)
    first, second = simulate(random_state=rng), simulate(random_state=rng)
    assert_array_equal(first.X, simulate(random_state=3).X)
    assert not np.array_equal(first.X, second.X)


@pytest.mark.parametrize(
    ("simulate", "name", "value"),
    [
        (make_shift_data, "n_samples", 0),
        (make_shift_data, "length", 0),
        (make_shift_data, "n_components", 0),
        (make_shift_data, "n_atoms", 0),
        (make_shift_data, "subdivisions", 0),
        (make_shift_data, "noise", -0.1),
        (make_synchronization_data, "n_samples", 0),
        (make_synchronization_data, "dimension", 0),
        (make_synchronization_data, "n_devices", 0),
        (make_synchronization_data, "n_components", 0),
        (make_synchronization_data, "noise", -0.1),
        (make_ecg_like, "n_windows", 0),
        (make_ecg_like, "length", 0),
        (make_ecg_like, "sfreq", 0.0),
        (make_ecg_like, "noise", -0.1),
        (make_ecg_like, "drift", -0.1),
    ],
)
def test_simulators_name_the_argument_they_refuse(simulate, name, value):
    with pytest.raises(ValueError, match=f"^{name} == {value}, must be >"):
        simulate(**{name: value})


# Windows


def test_windows_start_every_step_and_the_incomplete_last_one_is_left_out():
    windows = segment(np.arange(10), 4, 3, normalize=False)
    assert_array_equal(windows, [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9]])
    assert len(segment(np.arange(9), 4, 3, normalize=False)) == 2
    assert windows.dtype == np.float64


def test_channels_of_a_window_stay_in_their_column():
    signal = np.column_stack([np.arange(10), 100 + np.arange(10)])
    windows = segment(signal, 4, 3, normalize=False)
    assert windows.shape == (3, 4, 2)
    assert_array_equal(windows[1], signal[3:7])


def test_normalised_windows_have_zero_mean_in_each_channel_and_unit_norm_together():
    signal = 5 + np.random.default_rng(0).standard_normal((40, 2)) * [1.0, 10.0]
    windows = segment(signal, 7, 5)
    assert_allclose(windows.mean(axis=1), 0.0, atol=1e-12)
    assert_allclose((windows**2).sum(axis=(1, 2)), 1.0)
    assert (windows[..., 1].std(axis=1) > 2 * windows[..., 0].std(axis=1)).all()


@pytest.mark.parametrize("value", [0.0, 0.1, -1 / 3, 1e10 + 0.3, 7.7e-5])
def test_a_constant_window_becomes_zero(value):
    for length in (1, 3, 10, 201):
        assert_array_equal(segment(np.full(250, value), length, 10), 0.0)
        assert_array_equal(segment(np.full((250, 2), value), length, 10), 0.0)


def test_a_small_ripple_on_a_large_offset_is_kept():
    ripple = np.sin(np.arange(50.0))
    assert_allclose(segment(1e3 + 1e-6 * ripple, 50, 1), segment(ripple, 50, 1), atol=1e-6)


@pytest.mark.parametrize("step", [2, 4])
def test_windows_can_be_written_to_without_touching_the_signal(step):
    signal = np.arange(12.0)
    windows = segment(signal, 4, step, normalize=False)
    windows[:] = -1
    assert_array_equal(signal, np.arange(12.0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((2, 3, 4)), 2, 1), r"^signal has shape \(2, 3, 4\): pass one of shape"),
        ((np.float64(3), 2, 1), r"^signal has shape \(\): pass one of shape"),
        ((np.zeros((5, 0)), 2, 1), r"^signal has shape \(5, 0\): pass one of shape"),
        ((np.zeros(5), 0, 1), "^length == 0, must be >= 1"),
        ((np.zeros(5), 2, 0), "^step == 0, must be >= 1"),
        ((np.zeros(5), 6, 1), "^signal has 5 samples, fewer than length=6: pass"),
        (([], 1, 1), "^signal has 0 samples, fewer than length=1: pass"),
        (([1.0, np.inf], 1, 1), "^signal holds infinite values: set them to NaN"),
        (([1.0, 1j], 1, 1), "^signal is complex: pass"),
    ],
)
def test_segment_refuses_in_one_sentence_what_it_cannot_cut(arguments, message):
    with pytest.raises(ValueError, match=message) as caught:
        segment(*arguments)
    assert str(caught.value).count("\n") == 0


# Recordings


@pytest.fixture
def nowhere(monkeypatch, tmp_path) -> Path:
    """Point all places a recording may be found at an empty folder, and the source at nothing."""
    pytest.importorskip("wfdb", reason='needs the extra "orbitdl[ecg]"')
    pooch = pytest.importorskip("pooch", reason='needs the extra "orbitdl[ecg]"')
    monkeypatch.setenv("ORBITDL_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.setattr(mit_bih, "_SOURCE", "http://127.0.0.1:9/")
    return tmp_path


def write_record(folder: Path, name: str, offset: float = 0.0) -> np.ndarray:
    """Write two leads in WFDB's format 16 (interleaved 16-bit, 1000 steps per millivolt)."""
    folder.mkdir(parents=True)
    signal = offset + np.column_stack([np.sin(np.arange(100.0)), np.cos(np.arange(100.0))])
    np.rint(1000 * signal).astype("<i2").tofile(folder / f"{name}.dat")
    ch_names = [f"{name}.dat 16 1000 16 0 0 0 0 {lead}" for lead in ("I", "V1")]
    (folder / f"{name}.hea").write_text("\n".join([f"{name} 2 250 100", *ch_names, ""]))
    return signal


def test_a_channel_the_mean_or_all_leads_are_returned(nowhere):
    signal = write_record(nowhere / "data" / "mitdb", "207")
    one, mean, every = (load_ecg("207", channel=channel) for channel in (1, "mean", None))
    assert_allclose(one.signal, signal[:, 1], atol=1e-3)
    assert_allclose(mean.signal, signal.mean(axis=1), atol=1e-3)
    assert_allclose(every.signal, signal, atol=1e-3)
    assert (one.ch_names, mean.ch_names, every.ch_names) == (("V1",), ("mean",), ("I", "V1"))
    assert one.sfreq == 250.0


@pytest.mark.parametrize("channel", [2, -1, "V1"])
def test_a_channel_that_is_not_there_is_refused(nowhere, channel):
    write_record(nowhere / "data" / "mitdb", "207")
    with pytest.raises(ValueError, match=r"is not a lead of record 207: pass a number from 0 to 1"):
        load_ecg("207", channel=channel)


def test_the_data_folder_comes_before_the_cache(nowhere):
    write_record(nowhere / "cache" / "orbitdl" / "mitdb", "100", offset=5.0)
    assert load_ecg().signal.mean() > 4
    write_record(nowhere / "data" / "mitdb", "100")
    assert load_ecg().signal.mean() < 1


def test_the_cache_is_used_when_no_data_folder_is_named(nowhere, monkeypatch):
    monkeypatch.delenv("ORBITDL_DATA")
    signal = write_record(nowhere / "cache" / "orbitdl" / "mitdb", "100")
    assert_allclose(load_ecg().signal, signal[:, 0], atol=1e-3)


def test_offline_one_error_names_both_remedies(nowhere):
    with pytest.raises(FileNotFoundError) as caught:
        load_ecg()
    message = str(caught.value)
    assert "set ORBITDL_DATA to a folder that holds mitdb/100.dat and mitdb/100.hea" in message
    assert "connect to the internet once" in message


def test_a_record_without_known_hash_is_not_downloaded(nowhere):
    with pytest.raises(FileNotFoundError, match="Record 101 .* only record 100 is downloaded: set"):
        load_ecg("101")


@pytest.fixture
def served(nowhere, monkeypatch) -> Iterator[np.ndarray]:
    """Serve a record 100 in place of the public source."""
    signal = write_record(nowhere / "source", "100")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=nowhere / "source")
    ) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr(mit_bih, "_SOURCE", f"http://127.0.0.1:{server.server_port}/")
        yield signal
        server.shutdown()


def test_a_download_that_is_not_the_known_file_is_refused(served, nowhere):
    with pytest.raises(ValueError, match="hash"):
        load_ecg()
    assert not list((nowhere / "cache" / "orbitdl" / "mitdb").glob("*"))


def test_a_download_is_kept_for_the_next_time(served, nowhere, monkeypatch):
    hashes = {
        path.name: sha256(path.read_bytes()).hexdigest() for path in (nowhere / "source").iterdir()
    }
    monkeypatch.setattr(mit_bih, "_SHA256", hashes)
    assert_allclose(load_ecg().signal, served[:, 0], atol=1e-3)
    monkeypatch.setattr(mit_bih, "_SOURCE", "http://127.0.0.1:9/")
    assert_allclose(load_ecg().signal, served[:, 0], atol=1e-3)


@pytest.mark.parametrize("missing", ["wfdb", "pooch"])
def test_a_missing_extra_says_how_to_install_it(nowhere, monkeypatch, missing):
    original = builtins.__import__

    def without(name, *arguments):
        if name == missing:
            raise ImportError(name)
        return original(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=rf'needs {missing}; .* pip install "\.\[ecg\]"'):
        load_ecg()


def recording_is_here() -> bool:
    if find_spec("wfdb") is None or find_spec("pooch") is None:
        return False
    import pooch

    folders = [Path(pooch.os_cache("orbitdl"))]
    if "ORBITDL_DATA" in os.environ:
        folders.append(Path(os.environ["ORBITDL_DATA"]))
    return any((folder / "mitdb" / "100.dat").is_file() for folder in folders)


@pytest.mark.skipif(
    not recording_is_here(),
    reason="no wfdb or pooch, or MIT-BIH record 100 not in $ORBITDL_DATA/mitdb or the cache",
)
def test_record_100_is_the_published_one():
    recording = load_ecg(channel=None)
    assert recording.signal.shape == (650_000, 2)
    assert recording.sfreq == 360.0
    assert recording.ch_names == ("MLII", "V5")
    # From the header: 11 bits about 1024, 200 steps per millivolt, first values 995 and 1011.
    assert_allclose(recording.signal[0], [(995 - 1024) / 200, (1011 - 1024) / 200])
    assert segment(recording.signal[:, 0], 201, 10).shape == (64980, 201)


def test_gaps_stay_gaps_and_do_not_count_in_mean_and_norm():
    signal = np.array([1.0, np.nan, 3.0, 5.0, np.nan, np.nan, np.nan, np.nan])
    windows = segment(signal, 4, 4)
    np.testing.assert_allclose(windows[0], np.array([-2.0, np.nan, 0.0, 2.0]) / np.sqrt(8))
    assert np.isnan(windows[1]).all()
