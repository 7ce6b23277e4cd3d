"""What the command line does when something is wrong, and what it prints where."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from typer.testing import CliRunner

import orbitdl
from orbitdl.coding import ActiveSet
from orbitdl.command import app
from orbitdl.command.output import is_own
from orbitdl.groups import IntegerShift

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

LENGTH = 16
X = np.random.default_rng(0).standard_normal((40, LENGTH))
PATIENCE = 600
"""Seconds after which a process hangs for sure, on a loaded machine that compiles too."""
PROGRESS = re.compile(r"iteration \d+  objective \S+  gap \S+")
"""What is said every ten seconds of a long run where there is no terminal."""
COMPILING = "orbitdl: compiling for this machine (up to a minute, once; later runs start at once)\n"


def run(*arguments: object):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert "Traceback" not in result.stderr
    return result


def refused(result, sentence: str) -> None:
    """Check for exit code 1, one sentence on stderr and nothing on stdout."""
    assert result.exit_code == 1
    assert re.search(sentence, result.stderr), result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


COMMAND = "from orbitdl.command import main; main()"
INTERRUPTED = """
import os, signal
from contextlib import contextmanager
from orbitdl.command import display, main

signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored

@contextmanager
def learning(self, total):
    yield lambda it: it.number == 5 and os.kill(os.getpid(), signal.SIGINT)

display.Screen.learning = learning
main()
"""


def start(*arguments: object, code: str = COMMAND) -> subprocess.Popen:
    """Start the command in a process of its own, as a user would."""
    forced = ("GITHUB_ACTIONS", "FORCE_COLOR", "PY_COLORS")
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={name: value for name, value in os.environ.items() if name not in forced},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # as in the background
    )


@pytest.fixture
def files(tmp_path) -> Path:
    """Return a folder with windows and a model of them."""
    np.save(tmp_path / "x.npy", X)
    model = orbitdl.OrbitDictionaryLearning(2, IntegerShift(), 0.5, max_iter=1, random_state=0)
    model.fit(X).save(tmp_path / "model")
    return tmp_path


# bad input


BAD_DATA = {
    "missing": (lambda p: None, "data.npy: there is no such file"),
    "wrong shape": (lambda p: np.save(p, X[:, :9]), r"shape \(9,\), but the model was .* \(16,\)"),
    "too many channels": (lambda p: np.save(p, X[..., None] * [1, 1]), "select matching data"),
    "text": (lambda p: np.save(p, np.array([["a"]])), "not real numbers"),
    "infinite": (lambda p: np.save(p, X * np.inf), "infinite"),
    "not an array": (lambda p: p.write_text("hello"), "damaged or something else"),
}


@pytest.mark.parametrize("kind", BAD_DATA)
def test_bad_data_are_refused_in_one_sentence(files, kind):
    make, message = BAD_DATA[kind]
    make(files / "data.npy")
    result = run("events", files / "model", files / "data.npy", "-o", files / "e.csv")
    refused(result, message)
    assert not (files / "e.csv").exists()


def test_text_in_a_table_is_pointed_at(files):
    (files / "data.csv").write_text("1,2\n3,x\n")
    result = run("fit", files / "data.csv", "-o", files / "m", "--layout", "windows")
    refused(result, "'x' in row 2, column 2")


def test_a_recording_needs_a_length(files):
    np.save(files / "rec.npy", X.ravel())
    sentence = "for instance --length 0.7s, or split it with --window"
    refused(run("fit", files / "rec.npy", "-o", files / "m"), sentence)


@pytest.mark.parametrize("command", ["events", "complete", "denoise", "report"])
def test_something_else_than_a_model_is_refused(files, command):
    suffix = {"fit": "safetensors", "events": "csv", "report": "html"}.get(command, "npy")
    result = run(command, files / "x.npy", files / "x.npy", "-o", files / f"out.{suffix}")
    refused(result, "x.npy is not an orbitdl model file")


def test_models_of_different_shapes_are_not_compared(files):
    orbitdl.OrbitDictionaryLearning(1, max_iter=1).fit(X[:, :9]).save(files / "other")
    refused(run("compare", files / "model", files / "other"), r"\(16,\) and \(9,\)")


BAD_USE = {
    "no output": ["fit", "x.npy"],
    "no such command": ["learn", "x.npy"],
    "no such group": ["fit", "x.npy", "-o", "m", "--group", "dihedral"],
    "no components": ["fit", "x.npy", "-o", "m", "--components", "0"],
    "alpha in words": ["fit", "x.npy", "-o", "m", "--alpha", "small"],
    "alpha below zero": ["fit", "x.npy", "-o", "m", "--alpha", "-1"],
    "matrices alone": ["fit", "x", "-o", "m", "--group", "reversal", "--matrices", "azimuth"],
    "an option of another group": ["fit", "x.npy", "-o", "m", "--subdivisions", "2"],
    "a group without its option": ["fit", "x.npy", "-o", "m", "--group", "finite"],
    "no threads": ["fit", "x.npy", "-o", "m", "--jobs", "0"],
    "no tolerance": ["fit", "x.npy", "-o", "m", "--tol", "0"],
    "no command": [],
}


NUMBERS = {
    "--sfreq -5": "it must be a positive number of samples per second, such as 360, not -5.",
    "--sfreq fast": "it must be a positive number of samples per second, such as 360, not fast.",
    "--components 0": "it must be an integer, 1 or more, not 0.",
    "--components two": "it must be an integer, 1 or more, not two.",
    "--max-iter -1": "it must be an integer, 0 or more, not -1.",
    "--tol 0": "it must be a positive number, not 0.",
    "--highpass -1": "it must be a positive number, not -1.",
    "--jobs 0": "it must be a number of threads, or -1 for all, not 0.",
    "--length 0": "0 is not a length; pass a positive number of samples, such as 201, or of",
}


@pytest.mark.parametrize("case", NUMBERS)
def test_a_number_out_of_range_is_one_sentence(case):
    result = run("fit", "x.npy", "-o", "m", *case.split())
    assert result.exit_code == 2
    said = " ".join(re.sub("[│╭╮╰╯─]", " ", result.stderr).split())
    assert f"Invalid value for '{case.split()[0]}': {NUMBERS[case]}" in said


NOTHING = {
    "missing": (np.full((40, LENGTH), np.nan), "missing throughout: all values are NaN"),
    "zero": (np.zeros((40, LENGTH)), "the data are constant, so no component is in them"),
    "constant": (np.full((40, LENGTH), 5.0), "the data are constant"),
}


@pytest.mark.parametrize("case", NOTHING)
@pytest.mark.parametrize("more", [(), ("--normalize",), ("--window", 20, "--normalize")])
def test_data_that_nothing_is_in_are_refused_before_learning(files, case, more):
    values, sentence = NOTHING[case]
    np.save(files / "data.npy", values.ravel() if "--window" in more else values)
    refused(run("fit", files / "data.npy", "-o", files / "m", *more), sentence)
    assert not (files / "m.checkpoint").exists()


@pytest.mark.parametrize("case", BAD_USE)
def test_wrong_usage_exits_with_2(case):
    result = run(*BAD_USE[case])
    assert result.exit_code == 2
    assert "Usage" in result.stderr + result.stdout


# bad outputs: refused before the data, which are not there, are looked for


BAD_OUTPUTS = {
    "no folder": ("none/e.csv", "there is no folder"),
    "a folder": ("folder.csv", "it is a folder"),
    "a file as folder": ("x.npy/e.csv", "there is no folder"),
    "another suffix": ("e.xls", "must end in .csv or .parquet or .json"),
}


@pytest.mark.parametrize("case", BAD_OUTPUTS)
def test_an_output_that_cannot_be_is_refused_first(files, case):
    name, message = BAD_OUTPUTS[case]
    (files / "folder.csv").mkdir()
    refused(run("events", "no-model", "no-data", "-o", files / name), message)


FOREIGN = {
    "fit": ("m.safetensors", b"\x10\0\0\0\0\0\0\0{}              "),
    "events": ("100.atr", b"\x12\x70\x00\x00"),
    "complete": ("a.csv", b"0.5\n0.25\n"),
    "denoise": ("a.npy", b"\x93NUMPY\x01\x00"),
    "report": ("a.html", b"<!DOCTYPE html><title>notes</title>"),
}


@pytest.mark.parametrize("command", FOREIGN)
def test_what_exists_is_not_overwritten_unless_that_is_asked_for(files, command):
    name, content = FOREIGN[command]
    (files / name).write_bytes(content)
    inputs = ["no-data"] if command == "fit" else ["no-model", "no-data"]
    arguments = (command, *inputs, "-o", files / name)
    refused(run(*arguments), f"cannot write .*{name}: it exists, .* replace it with --overwrite")
    assert (files / name).read_bytes() == content
    refused(run(*arguments, "--overwrite"), "no-(model|data)")  # the next thing that is wrong


@pytest.mark.parametrize("device", ["/dev/full", "/dev/null"])
def test_a_device_is_no_place_for_a_model(files, device):
    refused(run("fit", "no-data", "-o", device), f"cannot write {device}: it is a device")


@pytest.mark.parametrize("name", ["y.txt", "m.npy", "m.csv"])
def test_a_model_file_has_no_suffix_of_another_kind(files, name):
    refused(run("fit", "no-data", "-o", files / name), "its name must end in .safetensors")


OWN = {
    "events.csv": b"onset,sample,component,amplitude,coefficient\n",
    "vectors.csv": b"sample,window,component,shift,amplitude\n",
    "events.json": b'[{"sample":1.5,"component":0,"coefficient":2.0}]',
    "report.html": b'<!DOCTYPE html><meta name="generator" content="orbitdl">',
    "empty.csv": b"",
    "none.json": b"[]",
}


@pytest.mark.parametrize("name", OWN)
def test_what_orbitdl_wrote_is_told_by_its_marks(tmp_path, name):
    (tmp_path / name).write_bytes(OWN[name])
    assert is_own(tmp_path / name)
    (tmp_path / "100.atr").write_bytes(OWN[name])  # experts correct annotations by hand
    assert not is_own(tmp_path / "100.atr")


def test_a_table_of_parquet_is_told_by_its_columns(tmp_path):
    table = pd.DataFrame({"sample": np.arange(9000.0), "component": 0, "coefficient": 1.0})
    table.to_parquet(tmp_path / "events.parquet")
    table[["sample"]].to_parquet(tmp_path / "other.parquet")
    assert is_own(tmp_path / "events.parquet")
    assert not is_own(tmp_path / "other.parquet")


@pytest.mark.parametrize("command", ["fit", "events", "complete", "denoise", "report"])
def test_a_read_only_folder_is_refused_first(files, monkeypatch, command):
    def refuse(**settings):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    suffix = {"fit": "safetensors", "events": "csv", "report": "html"}.get(command, "npy")
    inputs = ["no-data"] if command == "fit" else ["no-model", "no-data"]
    result = run(command, *inputs, "-o", files / f"out.{suffix}")
    refused(result, "cannot write .*: Read-only file system")


@pytest.fixture
def full_disk():
    """Return a function that makes every file longer than 64 bytes fail, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_the_old_table_as_it_was(files, full_disk):
    arguments = ("events", files / "model", files / "x.npy", "-o", files / "e.csv", "--jobs", 1)
    assert run(*arguments).exit_code == 0
    names, old = sorted(os.listdir(files)), (files / "e.csv").read_bytes()
    full_disk()
    refused(run(*arguments), "e.csv could not be written: file too large")
    assert (files / "e.csv").read_bytes() == old
    assert sorted(os.listdir(files)) == names


def test_a_full_disk_stops_fit_in_one_sentence(files, full_disk):
    arguments = ("fit", files / "x.npy", "-o", files / "m", "--max-iter", 1, "--alpha", 0.5)
    assert run(*arguments).exit_code == 0
    old = (files / "m").read_bytes()
    full_disk()
    refused(run(*arguments), "could not be written: file too large")
    assert (files / "m").read_bytes() == old


# interruptions


WINDOWS = ("--group", "integer-shift", "--alpha", 0.3, "--init", "random")
LINE = ("--length", LENGTH, "--alpha", 3.0, "--init", "random", "--components", 2)


@pytest.mark.parametrize("settings", [WINDOWS, LINE], ids=["windows", "line"])
def test_ctrl_c_leaves_a_checkpoint_from_which_the_same_command_goes_on(files, settings):
    """And ends where a run without interruption ends, to the bit.

    All in processes that find compiled kernels: one that compiles them itself may round otherwise.
    """
    values = np.random.default_rng(0).standard_normal((300, LENGTH))
    np.save(files / "many.npy", values[:100].ravel() if settings is LINE else values)
    arguments = ("fit", files / "many.npy", *settings, "--tol", 1e-9, "--max-iter", 30)
    state = files / "stopped.checkpoint"
    complete(*arguments[:-1], 1, "-o", files / "compiled")
    with start(*arguments, "-o", files / "stopped", code=INTERRUPTED) as process:
        told, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert told == ""
    assert f"Interrupted; the state is in {state}: run the same command again" in complaint
    assert "Traceback" not in complaint
    assert not (files / "stopped").exists()

    for name in ("stopped", "whole"):
        complete(*arguments, "-o", files / name)
    stopped, whole = orbitdl.load(files / "stopped"), orbitdl.load(files / "whole")
    assert stopped.n_iter_ == whole.n_iter_
    assert_array_equal(stopped.components_, whole.components_)
    assert not state.exists()


def complete(*arguments: object) -> None:
    """Run the command in a process of its own to its end."""
    with start(*arguments) as process:
        _, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, complaint


def test_a_named_checkpoint_is_kept_and_a_foreign_one_refused(files):
    arguments = ("fit", files / "x.npy", "-o", files / "m", "--max-iter", 1, "--components", 1)
    named = ("--checkpoint", files / "state")
    assert run(*arguments, *named, "--alpha", 0.5).exit_code == 0
    assert (files / "state").exists()
    refused(run(*arguments, *named, "--alpha", 0.4), "state .*discard it with --restart, or")
    refused(run(*arguments, "--checkpoint", files / "x.npy", "--alpha", 0.4), "checkpoint")


def test_restart_discards_the_state_that_an_earlier_run_left(files):
    arguments = ("fit", files / "x.npy", "-o", files / "m", "--max-iter", 1, "--components", 1)
    state = files / "m.checkpoint"
    assert run(*arguments, "--alpha", 0.5, "--checkpoint", state).exit_code == 0
    refused(run(*arguments, "--alpha", 0.4), "m.checkpoint .*discard it with --restart, or keep it")
    result = run(*arguments, "--alpha", 0.4, "--restart")
    assert result.exit_code == 0
    assert f"Discarded the state of an earlier run: {state}\n" in result.stdout
    assert not state.exists()
    assert "Discarded" not in run(*arguments, "--alpha", 0.4, "--restart").stdout


def test_restart_deletes_nothing_but_a_state(files):
    np.save(files / "precious.npy", X)
    arguments = ("fit", files / "x.npy", "-o", files / "m", "--max-iter", 1, "--restart")
    refused(run(*arguments, "--checkpoint", files / "precious.npy"), "not an orbitdl checkpoint")
    assert_array_equal(np.load(files / "precious.npy"), X)


@pytest.mark.parametrize("progress", [False, True])
def test_a_run_that_fails_leaves_a_checkpoint_if_it_got_anywhere(files, monkeypatch, progress):
    code, calls = ActiveSet.solve_with, []

    def fail(self, *arguments, **settings):
        calls.append(arguments)
        if len(calls) > (2 if progress else 0):
            raise MemoryError
        return code(self, *arguments, **settings)

    monkeypatch.setattr(ActiveSet, "solve_with", fail)
    settings = ("--group", "integer-shift", "--alpha", 0.5)
    refused(run("fit", files / "x.npy", "-o", files / "m", *settings), "fit into memory")
    assert (files / "m.checkpoint").exists() is progress


def test_ctrl_c_elsewhere_says_that_nothing_was_written(files, monkeypatch):
    def interrupt(self, X, *, alpha):
        raise KeyboardInterrupt

    monkeypatch.setattr(orbitdl.OrbitDictionaryLearning, "encode", interrupt)
    result = run("events", files / "model", files / "x.npy", "-o", files / "e.csv")
    assert result.exit_code == 130
    assert result.stderr == "Interrupted; nothing was written.\n"
    assert not (files / "e.csv").exists()


# what is printed where


@pytest.mark.filterwarnings("default")
def test_a_warning_is_one_line_on_stderr(files):
    arguments = ("--max-iter", 1, "--tol", 1e-30, "--alpha", 0.5, "--json")
    result = run("fit", files / "x.npy", "-o", files / "m", *arguments)
    assert result.exit_code == 0
    assert re.fullmatch(r"Warning: .* stopped above the gap tolerance .*\n", result.stderr)
    json.loads(result.stdout)


@pytest.mark.filterwarnings("default")
def test_data_that_are_not_centred_are_warned_of_with_the_remedy(files):
    t = np.arange(LENGTH)
    pulses = [20 + np.roll(np.exp(-0.5 * (t - 8) ** 2), shift) for shift in range(LENGTH)]
    np.save(files / "raised.npy", pulses)
    settings = ("--group", "integer-shift", "--components", 2, "--max-iter", 20)
    result = run("fit", files / "raised.npy", "-o", files / "m", *settings)
    assert result.exit_code == 0
    warned = re.search(
        "Warning: the means of the windows carry 100% .* 2 components of 2 .*", result.stderr
    )
    assert "--normalize" in warned[0]
    result = run("fit", files / "raised.npy", "-o", files / "m", *settings, "--normalize")
    assert "means of the windows" not in result.stderr


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("command", ["fit", "events"])
def test_codes_that_are_all_empty_are_warned_of_with_a_better_alpha(files, command):
    data = files / "x.npy"
    settings = ("--group", "integer-shift", "--alpha", 100, "--max-iter", 1, "--components", 2)
    result = run("fit", data, "-o", files / "m", *settings)
    if command == "events":
        result = run("events", files / "m", data, "-o", files / "e.csv")
    assert result.exit_code == 0
    limit = re.search(r"Warning: all codes are empty: alpha is at least (\S+),", result.stderr)[1]
    components = orbitdl.load(files / "m").components_
    expected = orbitdl.alpha_max(X, components, group=IntegerShift()).max()
    assert float(limit) == pytest.approx(expected, rel=1e-2)


def test_an_unexpected_failure_is_a_sentence_too(files, monkeypatch):
    monkeypatch.setattr(orbitdl.OrbitDictionaryLearning, "encode", lambda self, X, **_: 1 / 0)
    result = run("events", files / "model", files / "x.npy", "-o", files / "e.csv")
    refused(result, "this should not happen .ZeroDivisionError.*ORBITDL_TRACEBACK=1")


def test_piped_output_has_no_colours_and_no_progress_bar(files):
    with start("fit", files / "x.npy", "-o", files / "m", "--max-iter", 2) as fit:
        told, complaints = fit.communicate(timeout=PATIENCE)
    with start("info", files / "model") as info:
        table, _ = info.communicate(timeout=PATIENCE)
    assert fit.returncode == info.returncode == 0
    lines = complaints.replace(COMPILING, "").splitlines()
    assert all(PROGRESS.fullmatch(line) for line in lines), complaints
    assert "Model:" in told
    assert "IntegerShift()" in table
    assert "\x1b" not in told + table + complaints


def test_help_is_quick_because_nothing_heavy_is_imported():
    code = "import sys, orbitdl.command; sys.exit('numpy' in sys.modules or 'rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    "command", [c.name or c.callback.__name__ for c in app.registered_commands]
)
def test_the_help_of_every_command_has_examples(command):
    told = run(command, "--help")
    assert told.exit_code == 0
    assert f"orbitdl {command}" in told.stdout.split("Examples:")[1]


def test_the_version_is_that_of_the_library():
    assert run("--version").stdout == f"orbitdl {orbitdl.__version__}\n"
