"""Files of every format become the same windows, and bad ones one sentence."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.io import wavfile

from orbitdl.io import Recording, is_recording, read
from orbitdl.io.channels import channel_index
from orbitdl.preprocessing import SplitWindows

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
    "unknown suffix": (lambda p: write_text(p / "a.xyz", "1"), "pass .csv, .tsv or .txt"),
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
    assert is_recording(given, window, "auto", shape) is expected
    assert is_recording(given, window, "recording", shape) is True
    assert is_recording(given, window, "windows", shape) is False


def test_rows_at_a_sampling_rate_are_samples_unless_they_fit_a_model():
    def rule(*shape, of_model=None):
        return is_recording(replace(content(*shape), sfreq=360.0), None, "auto", of_model)

    assert rule(100, 2)
    assert rule(10800, 2)  # two channels, and not 10800 windows
    assert rule(100, 20, of_model=(10,))
    assert not rule(100, 10, of_model=(10,))
    assert not rule(100, 10, 2)


def test_channels_are_chosen_by_number_name_and_mean():
    named = Recording(LEADS, ch_names=NAMES)
    assert_array_equal(named.pick("V5"), LEADS[:, 1])
    assert_array_equal(Recording(LEADS).pick("1"), LEADS[:, 1])
    assert_array_equal(named.pick("V5,0"), LEADS[:, ::-1])
    assert_array_equal(named.pick("mean"), LEADS.mean(axis=1))
    with pytest.raises(ValueError, match=r"from 0 to 1, a name \(MLII, V5\) or mean"):
        channel_index("V6", NAMES, 2)


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
        SplitWindows(10).fit_transform(content)


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
