"""The command in a process of its own, as a user starts it: every format, the main failures."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_command import LENGTH, RATE, SAVERS, check_events

import orbitdl
from orbitdl.command.display import program
from orbitdl.groups import ContinuousShift

FORCED = ("GITHUB_ACTIONS", "FORCE_COLOR", "PY_COLORS")


def process(*arguments: object, limit: int | None = None) -> subprocess.CompletedProcess:
    """Run the command; with a limit, files longer than that many bytes fail as on a full disk."""

    def shrink() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [sys.executable, "-c", "from orbitdl.command import main; main()", *map(str, arguments)],
        env={name: value for name, value in os.environ.items() if name not in FORCED},
        capture_output=True,
        text=True,
        preexec_fn=shrink,
        timeout=600,
    )


def refused(result: subprocess.CompletedProcess, sentence: str) -> None:
    assert result.returncode == 1
    assert sentence in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """Return a model of the planted pulse, as `fit` would write it."""
    folder = tmp_path_factory.mktemp("process")
    SAVERS["rec.npy"](folder / "rec.npy")
    cut = {"window": LENGTH, "step": LENGTH, "sfreq": RATE}
    path = folder / "model"
    more = ["--group", "continuous-shift", "--alpha", 0.02, "--max-iter", 15, "--jobs", 1]
    cutting = ["--window", cut["window"], "--sfreq", cut["sfreq"]]
    result = process("fit", folder / "rec.npy", "-o", path, *cutting, *more)
    assert result.returncode == 0, result.stderr
    return path


@pytest.mark.parametrize("name", SAVERS)
def test_every_format_gives_the_same_events(tmp_path, model, name):
    SAVERS[name](tmp_path / name)
    more = ["--channel", "x"] if name == "two.csv" else []
    result = process("events", model, tmp_path / name, "-o", tmp_path / "events.csv", *more)
    assert result.returncode == 0, result.stderr
    check_events(tmp_path / "events.csv")


def test_a_missing_file_is_one_sentence(tmp_path, model):
    result = process("events", model, tmp_path / "no.npy", "-o", tmp_path / "e.csv")
    refused(result, "no.npy: there is no such file")


def test_data_of_another_shape_are_one_sentence(tmp_path, model):
    np.save(tmp_path / "x.npy", np.ones((20, 9)))
    result = process("events", model, tmp_path / "x.npy", "-o", tmp_path / "e.csv")
    refused(result, "has 9 channels, but the model was learned from one channel")
    assert os.listdir(tmp_path) == ["x.npy"]


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path, model):
    SAVERS["rec.npy"](tmp_path / "rec.npy")
    result = process("events", model, tmp_path / "rec.npy", "-o", tmp_path / "e.csv", limit=64)
    refused(result, "could not be written: file too large")
    assert os.listdir(tmp_path) == ["rec.npy"]


def test_what_was_fitted_in_a_process_loads_in_another(model):
    learned = orbitdl.load(model)
    assert learned.components_.shape == (1, LENGTH)
    assert learned.group == ContinuousShift()


def test_an_input_is_never_overwritten(tmp_path, model):
    SAVERS["rec.npy"](tmp_path / "rec.npy")
    before = (tmp_path / "rec.npy").read_bytes()
    data = tmp_path / "rec.npy"
    refused(process("fit", data, "-o", data, "--window", 64), "it is what is read; name another")
    refused(process("complete", model, data, "-o", data), "it is what is read; name another")
    assert data.read_bytes() == before


def test_what_the_demo_suggests_can_be_typed_where_the_program_is_not_on_the_path(monkeypatch):
    script = Path(sys.executable).with_name("orbitdl")
    if not script.is_file():
        pytest.skip("orbitdl is not installed beside this Python")
    monkeypatch.chdir(script.parents[2])
    monkeypatch.setattr(sys, "argv", [os.path.relpath(script), "demo"])
    monkeypatch.setenv("PATH", os.defpath)
    suggested = f"{program()} --version"
    assert not suggested.startswith("orbitdl")
    result = subprocess.run(suggested, shell=True, capture_output=True, text=True)
    assert result.stdout == f"orbitdl {orbitdl.__version__}\n"
    monkeypatch.setenv("PATH", str(script.parent))
    assert program() == "orbitdl"
