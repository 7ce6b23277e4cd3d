"""Files of every format become the same windows, and bad ones one sentence."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from orbitdl.io.preparing import is_recording
from scipy.io import wavfile

from orbitdl.datasets import segment
from orbitdl.io import Preprocessing, Recording, prepare, read
from orbitdl.io.channels import choose_channel

RNG = np.random.default_rng(0)
LEADS = np.round(RNG.uniform(-1, 1, (40, 2)), 3)
NAMES = ("MLII", "V5")


def write_wfdb(path: Path) -> Path:
    """Write a record of two leads at 250 Hz: 16 bit numbers, 1000 per millivolt."""
    numbers = np.rint(1000 * LEADS).astype("<i2")
    path.with_suffix(".dat").write_bytes(numbers.tobytes())
    lines = [f"{path.name} 2 250 {len(LEADS)}"]
    lines += [f"{path.name}.dat 16 1000(0)/mV 16 0 0 0 0 {name}" for name in NAMES]
    write_text(path.with_suffix(".hea"), "\n".join(lines) + "\n")
    return path


def write_text(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


WRITERS = {
    "npy": lambda path: np.save(path.with_suffix(".npy"), LEADS) or path.with_suffix(".npy"),
    "npz": lambda path: np.savez(path.with_suffix(".npz"), x=LEADS) or path.with_suffix(".npz"),
    "csv": lambda path: write_text(
        path.with_suffix(".csv"), "".join(f"{a},{b}\n" for a, b in LEADS)
    ),
    "csv with a header": lambda path: write_text(
        path.with_suffix(".csv"), "MLII,V5\n" + "".join(f"{a},{b}\n" for a, b in LEADS)
    ),
    "csv with semicolons": lambda path: write_text(
        path.with_suffix(".csv"), "".join(f"{a};{b}\n" for a, b in LEADS)
    ),
    "csv with blanks": lambda path: write_text(
        path.with_suffix(".CSV"), "".join(f"{a}  {b}\n" for a, b in LEADS)
    ),
    "parquet": lambda path: (
        pd.DataFrame(LEADS, columns=NAMES).to_parquet(path.with_suffix(".parquet"))
        or path.with_suffix(".parquet")
    ),
    "wav": lambda path: (
        wavfile.write(path.with_suffix(".wav"), 250, LEADS) or path.with_suffix(".wav")
    ),
    "wfdb record": write_wfdb,
    "wfdb header": lambda path: write_wfdb(path).with_suffix(".hea"),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_every_format_gives_the_same_numbers(tmp_path, kind):
    content = read(WRITERS[kind](tmp_path / "rec"))
    assert_allclose(content.signal, LEADS, atol=1e-12)
    knows_rate = kind in ("wav", "wfdb record", "wfdb header")
    knows_names = kind in ("csv with a header", "parquet", "wfdb record", "wfdb header")
    assert content.sfreq == (250 if knows_rate else None)
    assert content.ch_names == (NAMES if knows_names else ())


@pytest.mark.parametrize(("dtype", "full"), [(np.int16, 2**15), (np.int32, 2**31), (np.uint8, 128)])
def test_full_scale_of_sound_is_one(tmp_path, dtype, full):
    offset = 128 if dtype is np.uint8 else 0
    sound = np.array([-full, 0, full // 2]) + offset
    wavfile.write(tmp_path / "sound.wav", 8000, sound.astype(dtype))
    assert_allclose(read(tmp_path / "sound.wav").signal, [-1, 0, 0.5])


def test_an_empty_cell_and_an_empty_line_are_missing_values(tmp_path):
    table = read(write_text(tmp_path / "a.csv", "a,b\n1,\n,4\n")).signal
    assert_array_equal(table, [[1, np.nan], [np.nan, 4]])
    column = read(write_text(tmp_path / "b.csv", "1\n\n3\n")).signal
    assert_array_equal(column, [[1], [np.nan], [3]])


def test_key_chooses_an_array_of_an_archive(tmp_path):
    np.savez(tmp_path / "two.npz", left=LEADS[:, 0], right=LEADS[:, 1])
    assert_array_equal(read(tmp_path / "two.npz", key="right").signal, LEADS[:, 1])


def savez(path: Path, **arrays: np.ndarray) -> Path:
    np.savez(path, **arrays)
    return path


def save(path: Path, array: np.ndarray) -> Path:
    np.save(path, array)
    return path


def cut_short(path: Path) -> Path:
    path.write_bytes(path.read_bytes()[:100])
    return path


BAD_FILES = {
    "missing": (lambda p: p / "none.npy", "there is no such file"),
    "missing record": (lambda p: p / "none", "no such file or WFDB record"),
    "missing header": (lambda p: p / "none.hea", "WFDB record"),
    "unknown suffix": (lambda p: write_text(p / "a.xyz", "1"), "pass .npy, .npz, .csv"),
    "a folder": (lambda p: p, "it is a folder; pass a file in it"),
    "text in a cell": (
        lambda p: write_text(p / "a.csv", "a,b\n1,2\n3,oops\n"),
        "'oops' in row 3, column b",
    ),
    "text in a cell without a header": (
        lambda p: write_text(p / "a.csv", "1,2\n3,oops\n"),
        "'oops' in row 2, column 2",
    ),
    "ragged rows": (lambda p: write_text(p / "a.csv", "1,2\n3,4,5\n"), "as a table of numbers"),
    "empty table": (lambda p: write_text(p / "a.csv", ""), "holds no numbers"),
    "header alone": (lambda p: write_text(p / "a.csv", "a,b\n"), "holds no numbers"),
    "not a table": (lambda p: save(p / "a.npy", LEADS).rename(p / "a.csv"), "table of numbers"),
    "infinite": (
        lambda p: save(p / "a.npy", np.array([1, np.inf])),
        "infinite values; mark missing",
    ),
    "complex": (lambda p: save(p / "a.npy", np.array([1j])), "not real numbers"),
    "text": (lambda p: save(p / "a.npy", np.array(["a"])), "not real numbers"),
    "objects": (lambda p: save(p / "a.npy", np.array([{}], dtype=object)), "as an .npy file"),
    "no array": (lambda p: write_text(p / "a.npy", "hello"), "as an .npy file"),
    "cut short": (lambda p: cut_short(save(p / "a.npy", LEADS)), "as an .npy file"),
    "no archive": (lambda p: write_text(p / "a.npz", "hello"), "as an .npz file"),
    "objects in an archive": (
        lambda p: savez(p / "a.npz", x=np.array([{}], dtype=object)),
        "as an .npz file",
    ),
    "several arrays": (
        lambda p: savez(p / "a.npz", x=LEADS, y=LEADS),
        r"2 arrays \(x, y\); choose one with key=",
    ),
    "no sound": (lambda p: write_text(p / "a.wav", "hello"), "as a WAV file"),
    "no parquet": (lambda p: write_text(p / "a.parquet", "hello"), "as a Parquet file"),
    "damaged header": (lambda p: write_text(p / "a.hea", "a 2 x\n"), "as a WFDB record"),
    "leads that are not there": (
        lambda p: write_text(p / "a.hea", "a 99999999 250 40\na.dat 16\n"),
        "states 99999999 leads and describes 1",
    ),
    "no samples": (lambda p: cut_short(write_wfdb(p / "a").with_suffix(".dat")), "WFDB record"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path, kind):
    make, message = BAD_FILES[kind]
    with pytest.raises((ValueError, FileNotFoundError), match=message) as caught:
        read(make(tmp_path))
    assert "\n" not in str(caught.value)


def test_a_key_that_is_not_there_or_not_needed_is_refused(tmp_path):
    with pytest.raises(ValueError, match="must be one of x"):
        read(savez(tmp_path / "a.npz", x=LEADS), key="y")
    with pytest.raises(ValueError, match="leave it out"):
        read(save(tmp_path / "a.npy", LEADS), key="y")


def content(*shape: int, kind: str = "array") -> Recording:
    return Recording(np.zeros(shape), kind=kind)


# content, window, shape of the model's data points, whether it is a recording
LAYOUTS = {
    "a single column": (content(100), None, None, True),
    "sound": (content(100, 2, kind="samples"), None, None, True),
    "an array without a window": (content(100, 2), None, None, False),
    "an array with a window": (content(100, 2), 10, None, True),
    "a narrow table": (content(100, 8, kind="table"), None, None, True),
    "a wide table": (content(100, 9, kind="table"), None, None, False),
    "a wide table with a window": (content(100, 9, kind="table"), 10, None, True),
    "windows with channels": (content(100, 9, 2), None, None, False),
    "rows of the model's shape": (content(100, 10), 10, (10,), False),
    "rows of another shape": (content(100, 2), 10, (10,), True),
    "rows of another shape, no window": (content(100, 20), None, (10,), False),
    "windows with channels for a model": (content(100, 10, 2), 10, (10, 2), False),
    "channels for a model": (content(100, 2), 10, (10, 2), True),
}


@pytest.mark.parametrize("case", LAYOUTS)
def test_rows_are_samples_or_windows_by_rule(case):
    given, window, shape, expected = LAYOUTS[case]
    assert is_recording(given, window, "auto", shape, None) is expected
    assert is_recording(given, window, "recording", shape, None) is True
    assert is_recording(given, window, "windows", shape, None) is False


def test_rows_at_a_sampling_rate_are_samples_unless_they_fit_a_model():
    assert is_recording(content(100, 2), None, "auto", None, 360.0)
    assert is_recording(content(100, 20), None, "auto", (10,), 360.0)
    assert not is_recording(content(100, 10), None, "auto", (10,), 360.0)
    assert not is_recording(content(100, 10, 2), None, "auto", None, 360.0)


def test_channels_are_chosen_by_number_name_and_mean():
    assert_array_equal(choose_channel(LEADS, NAMES, "V5", least=2)[0], LEADS[:, 1])
    assert_array_equal(choose_channel(LEADS, (), "1", least=2)[0], LEADS[:, 1])
    assert_array_equal(choose_channel(LEADS, NAMES, "V5,0", least=2)[0], LEADS[:, ::-1])
    assert_array_equal(choose_channel(LEADS, NAMES, "mean", least=2)[0], LEADS.mean(axis=1))
    with pytest.raises(ValueError, match=r"from 0 to 1, a name \(MLII, V5\) or mean"):
        choose_channel(LEADS, NAMES, "V6", least=2)


@pytest.mark.parametrize("channels", [1, 2])
def test_windows_are_those_of_segment(channels):
    signal = LEADS[:, 0] if channels == 1 else LEADS
    steps = Preprocessing(window=7, step=3, normalize=True)
    windows = prepare(Recording(signal), steps)
    assert_allclose(windows.values, segment(signal, 7, 3), atol=1e-14)
    assert windows.left_out == 0 if channels else 1


def test_samples_that_do_not_fill_a_window_are_left_out_or_the_last_window_ends_with_them():
    left = prepare(Recording(LEADS[:, 0]), Preprocessing(window=15))
    assert len(left) == 2
    assert left.left_out == 10
    every = prepare(Recording(LEADS[:, 0]), Preprocessing(window=15), to_end=True)
    assert_array_equal(every.start, [0, 15, 25])
    assert every.left_out == 0
    assert_array_equal(every.values[2], LEADS[25:40, 0])


def test_a_recording_shorter_than_a_window_is_filled_up_with_missing_values():
    (window,) = prepare(Recording(LEADS[:10, 0]), Preprocessing(window=15), to_end=True).values
    assert_array_equal(window[:10], LEADS[:10, 0])
    assert np.isnan(window[10:]).all()


@pytest.mark.parametrize("step", [7, 3, None])
@pytest.mark.parametrize("channels", [1, 2])
def test_windows_go_back_together(step, channels):
    signal = LEADS[:, 0] if channels == 1 else LEADS
    steps = Preprocessing(window=7, step=step, normalize=True)
    windows = prepare(Recording(signal), steps, to_end=True)
    assert_allclose(windows.restore(windows.values), signal, atol=1e-14)
    assert windows.restore(np.zeros_like(windows.values)).shape == signal.shape


def test_missing_values_do_not_disturb_the_normalisation():
    holed = LEADS[:, 0].copy()
    holed[3] = np.nan
    (window,) = prepare(Recording(holed[:7]), Preprocessing(window=7, normalize=True)).values
    seen = np.delete(holed[:7], 3)
    expected = (seen - seen.mean()) / np.linalg.norm(seen - seen.mean())
    assert_allclose(np.delete(window, 3), expected, atol=1e-14)
    assert np.isnan(window[3])


def test_a_constant_window_becomes_zero_and_comes_back():
    windows = prepare(Recording(np.full(14, 0.1)), Preprocessing(window=7, normalize=True))
    assert not windows.values.any()
    assert_allclose(windows.restore(windows.values), 0.1)


BAD_CUTS = {
    "recording without a window": (content(100), Preprocessing(), "for instance window=201"),
    "short recording": (content(5), Preprocessing(window=9), "fewer than one window of 9"),
    "windows with a window": (content(5, 9, 2), Preprocessing(window=3), "so they are windows"),
    "channel of a single column": (content(99), Preprocessing(9, channel="1"), "these have one"),
}


@pytest.mark.parametrize("case", BAD_CUTS)
def test_what_cannot_be_cut_is_refused(case):
    given, steps, message = BAD_CUTS[case]
    with pytest.raises(ValueError, match=message):
        prepare(given, steps)


def test_a_strange_preprocessing_in_a_model_file_is_refused():
    assert Preprocessing.of({}) == Preprocessing()
    assert Preprocessing.of({"window": 9, "other": 1}) == Preprocessing(window=9)
    for strange in ({"window": "9"}, {"window": -1}, {"sfreq": True}, {"channel": [1]}):
        with pytest.raises(ValueError, match="stored in the model file is not valid"):
            Preprocessing.of(strange)


CSV = {
    "a title with blanks": "volt (mV)\n1.5\n2\n",
    "a blank after the comma": "t, x\n0, 1.5\n0, 2\n",
    "decimal commas": "t;x\n0;1,5\n0;2\n",
    "comments on top": "# my recording\n# of today\nx\n1.5\n2\n",
    "no title": "1.5\n2\n",
    "blanks between columns": "t x\n0 1.5\n0 2\n",
}


@pytest.mark.parametrize("kind", CSV)
def test_tables_of_many_makers_are_read(tmp_path, kind):
    (tmp_path / "x.csv").write_text(CSV[kind])
    content = read(tmp_path / "x.csv")
    np.testing.assert_array_equal(content.signal[:, -1], [1.5, 2.0])
    assert content.signal.shape[1] == (2 if content.ch_names[:1] == ("t",) else 1)
    if content.ch_names:
        assert content.ch_names[-1] in ("x", "volt (mV)")


def test_a_column_that_looks_like_time_is_remarked_on():
    table = np.column_stack([0.01 * np.arange(50), np.sin(np.arange(50.0))])
    content = Recording(table, ch_names=("time", "x"), kind="table")
    with pytest.warns(UserWarning, match="column time increases uniformly, like time"):
        prepare(content, Preprocessing(10, 10, False, None, None), layout="recording")


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1, 0.01])
@pytest.mark.parametrize("dtype", [np.int16, np.float32, np.uint8])
def test_a_truncated_sound_is_refused(tmp_path, share, dtype):
    path = tmp_path / "a.wav"
    wavfile.write(path, 250, np.arange(8000, dtype=np.float64).reshape(-1, 2).astype(dtype))
    content = path.read_bytes()
    assert len(read(path).signal) == 4000
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match=r"a\.wav is truncated: .* states \d+ bytes"):
        read(path)


@pytest.mark.parametrize("sfreq", ["-100", "0", "-100/1000", "nan", "inf"])
def test_a_header_with_an_impossible_rate_is_refused(tmp_path, sfreq):
    record = write_wfdb(tmp_path / "a")
    header = record.with_suffix(".hea")
    first, *others = header.read_text().splitlines()
    name, leads, _, *rest = first.split()
    header.write_text("\n".join([" ".join([name, leads, sfreq, *rest]), *others]) + "\n")
    with pytest.raises(ValueError, match=rf"a\.hea.* a sampling rate of {sfreq}, .*positive"):
        read(header)


def test_a_signal_file_without_its_header_is_refused_as_that(tmp_path):
    record = write_wfdb(tmp_path / "a")
    record.with_suffix(".hea").unlink()
    with pytest.raises(FileNotFoundError, match=r"a\.dat: its header .*a\.hea does not exist"):
        read(record.with_suffix(".dat"))
