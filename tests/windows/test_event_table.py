"""Events of windows: one table for Python and for the command line."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.io import wavfile
from test_command import GROUP, LENGTH, RATE, SIGNAL, run
from typer.testing import CliRunner

import orbitdl
from orbitdl import OrbitDictionaryLearning, datasets, encode, io
from orbitdl.command import app
from orbitdl.command.failures import in_options
from orbitdl.groups import ContinuousShift, IntegerShift, Orthogonal, Product
from orbitdl.io import Recording, read
from orbitdl.preprocessing import HighPass, SplitWindows
from orbitdl.windows import event_table, split_recording
from orbitdl.windows.deduplication import resolutions
from orbitdl.windows.splitting import given_windows

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

# The package


def test_the_package_is_imported_without_anything_heavy():
    code = (
        "import sys, orbitdl.io;"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'pandas', 'wfdb', 'typer')))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_every_name_of_the_package_is_there_and_documented():
    for name in io.__all__:
        assert getattr(io, name).__doc__
    assert set(io.__all__) <= set(dir(io))
    with pytest.raises(AttributeError, match="positions_of"):
        _ = io.positions_of


def test_a_recording_is_one_thing_in_the_whole_library():
    assert datasets.Recording is Recording


# The event table


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """Return a folder with a recording off zero and a model of overlapping, normalised windows."""
    folder = tmp_path_factory.mktemp("recordings")
    wavfile.write(folder / "rec.wav", int(RATE), 3 * SIGNAL[:-20] + 5)
    cutting = ("--window", LENGTH, "--step", 24, "--normalize", "--components", 1, "--alpha", 0.1)
    run("fit", folder / "rec.wav", "-o", folder / "model", *cutting, *GROUP, "--max-iter", 5).fine()
    return folder


@pytest.mark.parametrize("step", [None, 40, LENGTH])
def test_the_table_from_python_is_the_one_that_the_command_writes(fitted, step):
    model = orbitdl.load(fitted / "model")
    table = model.events(read(fitted / "rec.wav"), step=step)
    more = [] if step is None else ["--step", step]
    for suffix, reader in {"csv": pd.read_csv, "parquet": pd.read_parquet}.items():
        path = fitted / f"events.{suffix}"
        run("events", fitted / "model", fitted / "rec.wav", "-o", path, *more).fine()
        pd.testing.assert_frame_equal(table, reader(path), rtol=1e-8, check_exact=False)
    assert len(table) > 0
    assert_allclose(table["interval"][1:], np.diff(table["sample"]))
    assert_allclose(table["interval_s"], table["interval"] / RATE)


def test_new_data_are_cut_and_normalised_as_those_that_were_learned_from(fitted):
    recording = read(fitted / "rec.wav")
    windows = orbitdl.load(fitted / "model").prepared(recording).windows
    cut = datasets.segment(recording.signal, LENGTH, 24)
    assert_allclose(windows.values[: len(cut)], cut, atol=1e-14)
    assert_array_equal(windows.start[: len(cut)], 24 * np.arange(len(cut)))
    assert windows.sfreq == RATE


def test_coefficients_and_amplitudes_are_in_the_unit_of_the_recording(fitted):
    """The atoms of a window and its mean add up to what the model makes of the recording."""
    model, recording = orbitdl.load(fitted / "model"), read(fitted / "rec.wav")
    windows = model.prepared(recording, LENGTH).windows
    codes, table = model.encode(windows), model.events(recording, step=LENGTH)
    restored = windows.restore(model.decode(codes))
    shifts = ContinuousShift().on((LENGTH,))
    for w in range(5):
        own, part = table[table["window"] == w], slice(w * LENGTH, (w + 1) * LENGTH)
        atoms = shifts.act(own[["shift"]].to_numpy(), model.components_[0])
        mean = recording.signal[part].mean()
        coded = mean + own["coefficient"].to_numpy() @ atoms
        assert_allclose(coded, restored[part], atol=1e-9)
        refitted = mean + own["amplitude"].to_numpy() @ atoms
        best = np.linalg.lstsq(atoms.T, recording.signal[part] - mean, rcond=None)[0]
        assert_allclose(refitted, mean + best @ atoms, atol=1e-8)


def test_the_table_of_given_windows_is_the_one_that_the_command_writes(fitted):
    np.save(fitted / "windows.npy", SIGNAL.reshape(-1, LENGTH))
    model = orbitdl.load(fitted / "model")
    table = model.events(np.load(fitted / "windows.npy"))
    path = fitted / "given.parquet"
    run("events", fitted / "model", fitted / "windows.npy", "-o", path).fine()
    pd.testing.assert_frame_equal(table, pd.read_parquet(path))
    assert table["sample"].between(0, LENGTH).all()
    assert "onset" not in table


@pytest.mark.parametrize("step", [32, 50])
def test_simulated_beats_are_listed_once_at_their_times(step):
    """Two shapes planted off the grid: by the simulator's own table of beats."""
    heart = datasets.make_ecg_like(n_windows=60, noise=0.01, drift=0.0, random_state=3)
    normal = heart.beats.loc[heart.beats["kind"] == "normal", "seconds"].to_numpy()
    shapes = beats_in_windows(heart.sfreq, 128)
    sizes = np.linalg.norm(shapes, axis=1)
    components = shapes / sizes[:, None]
    recording = Recording(heart.signal, heart.sfreq)
    windows = split_recording(recording, 128, step, to_end=True)
    codes = encode(windows.values, components, group=ContinuousShift(), alpha=0.1)
    table = event_table(codes, components, windows)
    assert_allclose(table["onset"], table["sample"] / heart.sfreq)
    strong = table[(table["component"] == 0) & (table["coefficient"] > 0.6 * sizes[0])]
    inside = normal[(normal > 1.0) & (normal < 119.0)]  # the ends cut beats off
    distance = np.abs(strong["onset"].to_numpy()[:, None] - inside)
    assert_array_equal((distance < 0.25).sum(axis=0), 1)  # the next beat is farther away
    assert np.median(distance.min(axis=0)) * heart.sfreq < 0.05  # samples


def beats_in_windows(sfreq: float, length: int) -> np.ndarray:
    """Return the simulator's normal and premature beat, (2, length), peaked in the middle."""
    t = (np.arange(length) - length // 2) / sfreq
    kinds = datasets.make_ecg_recording(1.0).waveforms.values()
    waves = [
        np.exp(-0.5 * ((t[:, None] - kind.centre) / kind.width) ** 2) @ kind.height[:, 0]
        for kind in kinds
    ]
    return ContinuousShift().on((length,)).project(np.array(waves))


def test_codes_of_other_windows_are_refused():
    windows = split_recording(Recording(SIGNAL), LENGTH)
    shape = np.eye(1, LENGTH)
    codes = encode(windows.values[:3], shape, group=IntegerShift(), alpha=0.5)
    with pytest.raises(ValueError, match="codes of 3 windows, not of 30; pass the windows"):
        event_table(codes, shape, windows)


# Windows


def test_a_model_of_data_points_splits_recordings_by_the_length_of_its_components():
    X = np.random.default_rng(0).standard_normal((20, 9))
    model = OrbitDictionaryLearning(1, IntegerShift(), max_iter=1, random_state=0).fit(X)
    windows = model.prepared(Recording(np.arange(20.0))).windows
    assert_array_equal(windows.start, [0, 9, 11])
    assert_array_equal(windows.values[2], np.arange(11.0, 20.0))
    assert_array_equal(model.prepared(Recording(X, kind="array")).values, X)


def test_a_recording_to_learn_from_has_to_be_split():
    model = OrbitDictionaryLearning(1, IntegerShift())
    with pytest.raises(ValueError, match=r"pass preprocessing=\[SplitWindows\(length\)\]"):
        model.fit(Recording(SIGNAL, RATE))
    two = Recording(np.stack([SIGNAL, SIGNAL], axis=1), RATE)  # not SIGNAL.size windows of two
    with pytest.raises(ValueError, match="learn from it as a whole with WaveformLearning"):
        model.fit(two)


def test_data_points_cannot_be_filtered():
    model = OrbitDictionaryLearning(preprocessing=[HighPass(0.1), SplitWindows(9)])
    with pytest.raises(ValueError, match=r"HighPass\(cutoff=0.1\) needs a recording, and X is"):
        model.fit(np.ones((20, 9)))


def test_a_model_remembers_preprocessing_with_numbers_of_numpy(tmp_path):
    steps = [SplitWindows(np.int64(8), np.int32(4))]
    model = OrbitDictionaryLearning(
        1, IntegerShift(), max_iter=1, random_state=0, preprocessing=steps
    )
    model.fit(Recording(SIGNAL[:80], np.float64(2.5))).save(tmp_path / "m")
    again = orbitdl.load(tmp_path / "m")
    assert_array_equal(
        again.prepared(Recording(SIGNAL[:80])).values,
        split_recording(Recording(SIGNAL[:80]), 8, 4).values,
    )
    assert again.sfreq_ == 2.5


# Sentences


def test_words_that_are_unknown_are_refused_with_those_that_are_known(tmp_path):
    (tmp_path / "a.csv").write_text("1;2\n")
    with pytest.raises(ValueError, match=r"separator must be 'semicolon' or .*, not ';'\."):
        read(tmp_path / "a.csv", separator=";")
    with pytest.raises(ValueError, match="layout must be 'auto' or 'recording' or 'windows', not"):
        io.is_recording(Recording(SIGNAL), layout="rows")
    assert read(tmp_path / "a.csv", separator="semicolon").signal.shape == (1, 2)


TOLD = {
    "no window": ([], "or split it with --window;"),
    "no such channel": (
        ["--window", 9, "--channel", "a b"],
        "--channel 'a b' does not exist",
    ),
    "a key": (["--key", "x"], "Error: --key x is for .npz, .mat"),
    "a mark": (["--decimal", "comma"], "Error: --separator and --decimal are for .csv files"),
    "too long a window": (["--window", 10**6], "a longer recording or a smaller --window."),
}


@pytest.mark.parametrize("case", TOLD)
def test_users_of_the_command_line_read_of_options(tmp_path, case):
    more, sentence = TOLD[case]
    np.save(tmp_path / "rec.npy", SIGNAL.reshape(-1, 2))
    arguments = ["fit", tmp_path / "rec.npy", "-o", tmp_path / "m", "--layout", "recording", *more]
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 1
    assert sentence in result.stderr


def test_sentences_of_the_library_speak_of_options_on_the_command_line():
    said = in_options("leave it out by naming the others in channel=, or say time_column='t'.")
    assert said == "leave it out by naming the others in --channel, or say --time-column t."


# Borders of windows


def pulse(place, length=96):
    """Return a pulse that is peaked at a sample, or between two."""
    return np.exp(-0.125 * (np.arange(length) - place) ** 2)


@pytest.mark.parametrize("place", [31.0, 31.5, 32.0, 32.4])
@pytest.mark.parametrize("step", [32, 16, 8])
def test_an_event_across_a_border_is_listed_once(place, step):
    component = pulse(16, 32)[None] / np.linalg.norm(pulse(16))
    windows = split_recording(Recording(5 * pulse(place)), 32, step, to_end=True)
    codes = encode(windows.values, component, group=ContinuousShift(), alpha=0.5)
    table = event_table(codes, component, windows)
    near = table[(table["coefficient"] > 1) & (np.abs(table["sample"] - place) < 3)]
    assert len(near) == 1
    off = 2.0 if step == 32 else 0.1  # windows that adjoin see halves of it
    assert abs(near["sample"].iloc[0] - place) < off


def test_two_events_on_both_sides_of_a_border_are_two():
    component = pulse(16, 32)[None] / np.linalg.norm(pulse(16))
    signal = 5 * pulse(26) + 5 * pulse(38)
    windows = split_recording(Recording(signal), 32, to_end=True)
    codes = encode(windows.values, component, group=ContinuousShift(), alpha=0.5)
    table = event_table(codes, component, windows)
    strong = table[table["coefficient"] > 1]
    assert_allclose(strong["sample"], [26, 38], atol=0.1)
    assert resolutions(component)[0] < 12


def test_vectors_that_are_turned_are_listed_by_events_not_by_atoms():
    group, rng = Product(IntegerShift(), Orthogonal()), np.random.default_rng(0)
    moves = group.on((9, 2))
    component = moves.project(rng.standard_normal((1, 9, 2)))
    component /= np.linalg.norm(component)
    turned = moves.act(moves.sample(rng, 6), component[[0] * 6])
    X = 3 * turned + moves.act(moves.sample(rng, 6), component[[0] * 6])
    windows = given_windows(X, normalize=True)
    codes = encode(windows.values, component, group=group, alpha=0.05)
    table, events = event_table(codes, component, windows), codes.to_events()
    assert len(table) == len(events) < len(codes.to_frame())
    assert_array_equal(table["n_atoms"], events["n_atoms"])
    scale = windows.scale.ravel()[events["sample"]]
    assert_allclose(table["amplitude"], events["amplitude"] * scale)
    largest = np.argmax((component[0] ** 2).sum(axis=1))
    assert_allclose(table["sample"], (events["shift"] + largest) % 9, atol=1e-9)
