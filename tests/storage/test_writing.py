"""Every writer goes through one function: a file is complete or not there, and nothing is lost."""

import errno
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import orbitdl
from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.command.demonstrations.base import drawing
from orbitdl.command.output import write_array, write_table
from orbitdl.datasets import make_shift_data
from orbitdl.io import Recording
from orbitdl.report import Report
from orbitdl.storage import writing
from reproduction import figures
from reproduction.figures import Picture
from reproduction.page import write_page

X = make_shift_data(20, 10, random_state=0).X
ROOM = re.compile(
    r"could not be written: no space left on device; free disk space, or pass another"
)


@pytest.fixture(scope="module")
def model() -> OrbitDictionaryLearning:
    return OrbitDictionaryLearning(alpha=0.1, n_restarts=1, random_state=0).fit(X)


@pytest.fixture(scope="module")
def waveforms() -> WaveformLearning:
    return WaveformLearning(
        length=10, alpha=1.0, n_restarts=1, random_state=0, n_components=1, noise="white"
    ).fit(X.ravel())


def draw(path: Path) -> None:
    with drawing(path, 1, 1):
        pass


@pytest.fixture(
    params=["model", "report", "recording report", "table", "array", "parquet", "picture"]
)
def write(request, model, waveforms):
    frame = pd.DataFrame({"sample": [1.0]})
    return {
        "model": model.save,
        "report": lambda path: Report(model).write(path),
        "recording report": lambda path: Report(waveforms, Recording(X.ravel())).write(path),
        "table": lambda path: write_table(frame, path),
        "parquet": lambda path: write_table(frame, path.with_suffix(".parquet")),
        "array": lambda path: write_array(X, path),
        "picture": draw,
    }[request.param]


def assert_one_sentence(error: BaseException) -> None:
    assert "\n" not in str(error)
    assert re.search(r"; (pass|name|free) .*\.$", str(error))


def test_a_pipe_is_refused_and_stays(write, tmp_path):
    for name in ("pipe.png", "pipe.parquet"):
        os.mkfifo(tmp_path / name)
    with pytest.raises((OSError, ValueError), match="it is a device or a pipe") as caught:
        write(tmp_path / "pipe.png")
    assert_one_sentence(caught.value)
    assert all(path.is_fifo() for path in tmp_path.iterdir())
    assert len(list(tmp_path.iterdir())) == 2


def test_a_link_to_a_device_is_refused_and_stays(write, tmp_path):
    for name in ("null.png", "null.parquet"):
        (tmp_path / name).symlink_to("/dev/null")
    with pytest.raises((OSError, ValueError), match="it is a device or a pipe"):
        write(tmp_path / "null.png")
    assert Path("/dev/null").is_char_device()
    assert all(path.is_symlink() for path in tmp_path.iterdir())


def test_a_folder_is_refused(write, tmp_path):
    for name in ("folder.png", "folder.parquet"):
        (tmp_path / name).mkdir()
    with pytest.raises((OSError, ValueError), match="it is a folder") as caught:
        write(tmp_path / "folder.png")
    assert_one_sentence(caught.value)


def test_a_full_disk_is_one_sentence_and_leaves_the_old_file(write, tmp_path, monkeypatch):
    def full(file, content):
        file.write(content[: len(content) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for name in ("old.png", "old.parquet"):
        (tmp_path / name).write_text("old")
    monkeypatch.setattr(writing, "_write_through", full)
    with pytest.raises((OSError, ValueError), match=ROOM) as caught:
        write(tmp_path / "old.png")
    assert_one_sentence(caught.value)
    assert {path.read_text() for path in tmp_path.iterdir()} == {"old"}
    assert len(list(tmp_path.iterdir())) == 2


def test_a_link_stays_one_and_its_file_is_written(write, tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    for suffix in (".png", ".parquet"):
        (there / f"x{suffix}").write_text("old")
        (tmp_path / f"link{suffix}").symlink_to(there / f"x{suffix}")
    write(tmp_path / "link.png")
    assert all(path.is_symlink() for path in tmp_path.glob("link.*"))
    assert any(path.read_bytes() != b"old" for path in there.iterdir())


def test_the_page_of_experiments_and_its_pictures_are_refused_too(tmp_path):
    os.mkfifo(tmp_path / "results.json")
    os.mkfifo(tmp_path / "a.png")
    with pytest.raises(OSError, match="it is a device or a pipe"):
        write_page([], tmp_path, quick=True)
    with pytest.raises(OSError, match="it is a device or a pipe"):
        figures.save(Picture("a", "", figures.panels(1, 1)[0]), tmp_path)


def test_no_other_function_of_the_package_writes_files():
    """But for scratch folders of our own, which nobody else names."""
    root = Path(orbitdl.__file__).parent
    own = {"storage/writing.py", "storage/stored_codes.py", "learning/scratch.py"}
    own |= {"sources/spooled.py", "line/spooled.py"}
    pattern = re.compile(r"write_text\(|write_bytes\(|os\.replace\(|savefig\((?!buffer)|mkstemp")
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if any(
            pattern.search(line) and ">>>" not in line and "..." not in line
            for line in path.read_text().splitlines()
        )
    }
    assert found <= own


def test_a_report_is_written_with_the_permissions_of_other_files(model, tmp_path):
    (tmp_path / "plain").write_text("")
    Report(model).write(tmp_path / "r.html")
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_what_is_written_is_what_was_given(tmp_path):
    assert writing.write_file(tmp_path / "a", "Übung").read_bytes() == "Übung".encode()
    assert writing.write_file(tmp_path / "a", b"\x00").read_bytes() == b"\x00"
    write_array(np.ones((2, 2)), tmp_path / "a.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), np.ones((2, 2)))
