"""The command line that chooses: how many components, which alpha, which group."""

import json
import os
import shlex
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from test_command import run
from test_command_recordings import misused

from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.command import following, learning_options, options
from orbitdl.command.choices import GroupName, MatricesName, group_names, make_groups
from orbitdl.command.display import Screen
from orbitdl.command.lengths import parse_span, parse_time
from orbitdl.command.option_groups import as_typed
from orbitdl.command.selecting import best_rows
from orbitdl.datasets import make_ecg_recording, make_shift_data
from orbitdl.events.model import MAX_LENGTHS
from orbitdl.groups import ContinuousShift, IntegerShift, InterpolatedShift
from orbitdl.io.layout import Layout
from orbitdl.selection import Selection, judges, select

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

RATE, LENGTH = 60, 42
X = make_shift_data(
    n_samples=24, length=12, n_components=2, n_atoms=2, noise=0.05, random_state=0
).X
HEART = make_ecg_recording(duration=9, sfreq=RATE, premature=0.0, random_state=0).signal
TRIED = ("--components", "1,2", "--alphas", "0.4,0.2", "--rounds", 2, "--jobs", 1)
QUICK = ("--components", 1, "--alphas", "0.4", "--rounds", 2, "--group", "trivial", "--jobs", 1)
STATE = "x.npy.selection.checkpoint"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder where the command is run, with windows and a recording in it."""
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    np.save("heart.npy", HEART)
    return tmp_path


def facts_of(*arguments) -> dict:
    return json.loads(run("select", *arguments, "--json").fine().out)


def by_the_library(estimator, data, numbers, **settings):
    return select(estimator, data, n_components=numbers, alphas=[0.4, 0.2], rounds=2, **settings)


def rows(table: pd.DataFrame) -> list[dict]:
    return table.to_dict(orient="records")


def test_windows_are_judged_as_the_library_does(folder):
    groups = [IntegerShift(), ContinuousShift()]
    own = by_the_library(
        OrbitDictionaryLearning(random_state=0), X, [1], groups=groups, max_samples=20
    )
    names = ("--group", "integer-shift,continuous-shift")
    facts = facts_of("x.npy", *TRIED, "--components", 1, *names, "--samples", 20)
    assert facts["table"] == rows(own.table)
    assert facts["reason"] == own.reason
    assert [facts["group"], facts["components"], facts["alpha"]] == list(own.choice.values())
    assert "--group integer-shift --components 1" in facts["command"]


def test_a_recording_is_prepared_as_fit_does_and_its_events_are_judged(folder):
    own = select(WaveformLearning(length=LENGTH, random_state=0), HEART[60:], rounds=2)
    more = ("--length", "0.7s", "--sfreq", RATE, "--from", "1s", "--rounds", 2)
    facts = facts_of("heart.npy", *more)
    assert facts["table"] == rows(own.table)
    assert facts["reason"] == own.reason
    assert facts["command"].endswith("--length 0.7s --sfreq 60 --from 1s --components auto")
    assert "agreement" in run("select", "heart.npy", *more).fine().out
    run("select", "heart.npy", *more, "--alphas", 1).refused("is for data points: recordings are")


def test_the_command_that_is_named_next_learns_what_was_chosen(folder):
    more = ("--window", 30, "--step", 20, "--sfreq", RATE, "--seed", 3, "--normalize")
    facts = facts_of("heart.npy", *TRIED, "--group", "integer-shift", *more)
    program, *words = shlex.split(facts["command"])
    assert program == "orbitdl"
    assert words == [
        *("fit", "heart.npy", "-o", "heart.safetensors", "--window", "30", "--normalize"),
        *("--step", "20", "--sfreq", "60", "--seed", "3", "--jobs", "1"),
        *("--group", "integer-shift", "--components", str(facts["components"])),
        *("--alpha", f"{facts['alpha']:g}"),
    ]
    learned = json.loads(run(*words, "--max-iter", 1, "--json").fine().out)
    assert learned["components"] == facts["components"]
    assert learned["alpha"] == facts["alpha"]
    assert learned["group"] == "IntegerShift()"


def test_options_are_written_as_they_are_typed():
    line = learning_options.WaveformOptions(parse_span("0.7"), integer_shifts=True)
    cutting = options.WindowOptions(
        channel="a b", sfreq=62.5, layout=Layout.recording, begin=parse_time("0")
    )
    assert as_typed(line, cutting) == [
        *("--length", "0.7", "--integer-shifts", "--channel", "a b", "--sfreq", "62.5"),
        *("--layout", "recording", "--from", "0"),
    ]


def test_options_of_a_group_that_was_not_chosen_are_left_out():
    moving = learning_options.GroupOptions(3, MatricesName.azimuth)
    assert as_typed(moving.of(GroupName.integer_shift)) == ["--matrices", "azimuth"]
    assert as_typed(moving.of(GroupName.interpolated_shift))[:2] == ["--subdivisions", "3"]


def test_an_option_of_one_group_goes_to_that_of_several():
    names = group_names("integer-shift,interpolated-shift,integer-shift")
    assert make_groups(names, 3, None) == [IntegerShift(), InterpolatedShift(3)]


def test_people_are_told_the_choice_the_reason_and_what_to_run_next(folder):
    arguments = ("x.npy", *QUICK, "--alphas", "0.4,0.2")
    facts = facts_of(*arguments)
    told = run("select", *arguments).fine().out
    assert told.endswith(f"{facts['reason']}\nNext:\n  {facts['command']}\n")
    (marked,) = (line for line in told.splitlines() if "chosen" in line)
    number, alpha = (word.strip() for word in marked.split("│")[1:3])
    assert (int(number), float(alpha)) == (facts["components"], facts["alpha"])


@pytest.mark.filterwarnings("default:the means of the windows")
def test_windows_that_are_mostly_means_are_warned_of(folder):
    np.save("high.npy", X + 5.0)
    more = ("--group", "integer-shift")
    assert "means of the windows carry 9" in run("select", "high.npy", *QUICK, *more).fine().err
    assert run("select", "high.npy", *QUICK, *more, "--normalize").fine().err == ""


def test_quiet_prints_nothing(folder):
    silent = run("select", "x.npy", *QUICK, "--quiet").fine()
    assert silent.out + silent.err == ""


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_all_that_was_tried_is_written_to_a_table(folder, suffix):
    facts = facts_of("x.npy", *QUICK, "-o", f"tried.{suffix}")
    read = {"csv": pd.read_csv, "json": pd.read_json, "parquet": pd.read_parquet}[suffix]
    expected = pd.DataFrame(facts["table"])
    pd.testing.assert_frame_equal(read(f"tried.{suffix}"), expected, check_dtype=False)
    assert facts["output"] == f"tried.{suffix}"
    assert sorted(os.listdir()) == ["heart.npy", f"tried.{suffix}", "x.npy"]


def table_of(least: float, chosen: float) -> Selection:
    """Return a selection of one component at three alphas, with the least error at one of them."""
    errors = [0.2 - 0.1 * (alpha == least) for alpha in (0.4, 0.2, 0.1)]
    table = pd.DataFrame({"group": "any", "n_components": 1, "alpha": (0.4, 0.2, 0.1)})
    more = {"error": errors, "standard_error": 0.2, "atoms": 1.0}
    choice = {"group": "any", "n_components": 1, "alpha": chosen}
    return Selection(table.assign(**more), choice, "", OrbitDictionaryLearning())


def test_the_best_alpha_is_shown_beside_the_one_that_was_chosen():
    assert best_rows(table_of(0.1, 0.4))["alpha"].tolist() == [0.4, 0.1]
    assert best_rows(table_of(0.1, 0.1))["alpha"].tolist() == [0.1]


def follow(monkeypatch, stop: int | None = None) -> list[tuple[int, int]]:
    """Return a list that is told how far runs are, and interrupt when so many are done."""
    told = []

    @contextmanager
    def steps(self):
        def show(part, what, done, total):
            told.append((done, total))
            if done == stop:
                raise KeyboardInterrupt

        yield show

    monkeypatch.setattr(Screen, "steps", steps)
    return told


def test_a_run_that_was_interrupted_goes_on_when_the_command_is_given_again(folder, monkeypatch):
    arguments = ("select", "x.npy", *QUICK, "--json")
    follow(monkeypatch, stop=1)
    stopped = run(*arguments)
    assert stopped.code == 130
    assert "the state is in x.npy.selection.checkpoint: run the same command" in stopped.err
    told = follow(monkeypatch)
    resumed = run(*arguments).fine()
    again = resumed.out
    assert resumed.err == "Resuming: 1 of 2 runs were done before.\n"
    assert told == [(1, 2), (2, 2)]
    assert not (folder / STATE).exists()
    assert again == run(*arguments).fine().out


def test_without_a_terminal_lines_say_how_far_it_is(folder, monkeypatch):
    monkeypatch.setattr(following, "PAUSE", -1.0)
    lines = run("select", "x.npy", *QUICK).fine().err.splitlines()
    runs = [line for line in lines if line.startswith("Selecting: ")]
    assert len(runs) > 1
    count = runs[-1].split()[1]
    assert runs[-1] == f"Selecting: {count} of {count} runs"
    assert run("select", "x.npy", *QUICK, "--quiet").fine().err == ""


def test_a_run_that_was_interrupted_at_once_leaves_nothing(folder, monkeypatch):
    follow(monkeypatch, stop=0)
    stopped = run("select", "x.npy", *QUICK)
    assert stopped.code == 130
    assert stopped.err == "Interrupted before the first run was done; nothing was written.\n"
    assert not (folder / STATE).exists()


def test_restart_discards_what_another_run_left_in_the_way(folder, monkeypatch):
    follow(monkeypatch, stop=1)
    assert run("select", "x.npy", *QUICK).code == 130
    other = ("select", "x.npy", *QUICK, "--seed", 1, "--samples", 30)
    sentence = "belongs to another selection, which differs in max_samples, seed; discard it with"
    follow(monkeypatch)
    run(*other).refused(sentence)
    assert (folder / STATE).exists()
    assert (
        run(*other, "--restart")
        .fine()
        .out.startswith("Discarded the state of an earlier run: " + STATE)
    )
    assert not (folder / STATE).exists()


def test_a_state_that_was_named_stays_and_restart_deletes_nothing_else(folder):
    arguments = ("select", "x.npy", *QUICK, "--checkpoint")
    run(*arguments, "kept").fine()
    assert (folder / "kept").exists()
    run(*arguments, "heart.npy", "--restart").refused("heart.npy is not an orbitdl selection")
    assert (folder / "heart.npy").exists()


MISUSE = {
    "--components 0": "it must be integers, 1 or more, such as 1,2,4 or 1-4, not 0.",
    "--components 3-1": "it must be integers, 1 or more, such as 1,2,4 or 1-4, not 3-1.",
    "--components few": "it must be integers, 1 or more, such as 1,2,4 or 1-4, not few.",
    "--alphas 0.1,-1": "it must be positive numbers, such as 0.1,0.2, not 0.1,-1.",
    "--rounds 1": "it must be an integer, 2 or more, not 1.",
    "--share 1": "it must be a number between 0.01 and 0.9, not 1.",
    "--samples 0": "it must be an integer, 1 or more, not 0.",
    "--group shift": "shift is no group; choose from trivial, integer-shift,",
    "--length 42 --group trivial": "--length learns from the whole recording, and --group is for",
    "--positive": "--positive belongs to --length, how long a waveform is at most.",
    "--subdivisions 2": "--subdivisions belongs to --group interpolated-shift, not to",
}


@pytest.mark.parametrize("case", MISUSE)
def test_wrong_usage_is_one_sentence_before_data_are_read(case):
    misused(run("select", "not there", *case.split()), MISUSE[case])


BAD = {
    "no such file": (("none.npy",), "none.npy: there is no such file"),
    "a recording without a length": (("heart.npy",), "for instance --length 0.7s, or split it"),
    "fewer windows than rounds": (("x.npy", "--rounds", 50), "fewer than --rounds 50"),
    "a table of another kind": (("x.npy", "-o", "t.xls"), "must end in .csv or .parquet or .json"),
    "an output that is the input": (("x.npy", "-o", "x.npy"), "it is what is read"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_sentence_and_leaves_nothing(folder, case):
    arguments, sentence = BAD[case]
    run("select", *arguments).refused(sentence)
    assert sorted(os.listdir()) == ["heart.npy", "x.npy"]


def test_the_help_says_the_numbers_that_the_library_takes():
    said = " ".join(run("select", "--help").fine().out.replace("│", " ").split())
    assert f"If left out, {judges.POINTS} windows or {MAX_LENGTHS} waveform lengths." in said


def test_waveforms_too_large_for_memory_are_refused_before_any_is_learned(tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).standard_normal(40_000))
    arguments = ("select", tmp_path / "a.npy", "--length", 20_000, "--components", 8)
    run(*arguments).refused("8 waveforms of 20000 samples would take tables of")
    arguments = ("select", tmp_path / "a.npy", "--length", 50_000)
    run(*arguments).refused("the recording has 40000 samples, fewer than one waveform")
