"""Parts of a recording: what is done with them, and when their events happened."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_command import (
    FIT,
    LEARN,
    LENGTH,
    N_WINDOWS,
    RATE,
    SIGNAL,
    TIMES,
    content_of,
    folder,
    marks_of,
    model,
    run,
)

import orbitdl
from orbitdl.command.lengths import parse_time
from orbitdl.io import Recording
from orbitdl.windows import split_recording

__all__ = ["folder", "model"]  # fixtures
# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

BEGIN, END = 5 * LENGTH, 12 * LENGTH  # 3.2 s and 7.68 s


@pytest.mark.parametrize("step", [LENGTH, LENGTH // 4])
@pytest.mark.parametrize("places", [(BEGIN, END), ("3.2s", "7680ms")])
def test_events_of_an_excerpt_have_the_times_of_the_whole_recording(folder, model, places, step):
    part = ("--from", places[0], "--to", places[1], "--step", step)
    run("events", model, folder / "rec.npy", "-o", folder / "part.csv", *part).fine()
    events = pd.read_csv(folder / "part.csv").query("coefficient.abs() > 1")
    assert_allclose(events["sample"], TIMES[5:12], atol=0.1)
    assert_allclose(events["onset"], TIMES[5:12] / RATE, atol=1e-3)


def test_an_excerpt_from_the_start_or_to_the_end_is_one_too(folder, model):
    table = folder / "half.csv"
    run("events", model, folder / "rec.npy", "-o", table, "--from", "0", "--to", END).fine()
    assert len(pd.read_csv(table).query("coefficient.abs() > 1")) == 12
    run("events", model, folder / "rec.npy", "-o", table, "--from", BEGIN).fine()
    assert len(pd.read_csv(table).query("coefficient.abs() > 1")) == N_WINDOWS - 5


def test_fit_learns_from_an_excerpt_as_from_a_file_that_holds_no_more(folder):
    np.save(folder / "short.npy", SIGNAL[BEGIN:END])
    arguments = ("--window", "0.64s", "--sfreq", RATE, *FIT)
    part = ("--from", "3.2s", "--to", "7.68s")
    run("fit", folder / "rec.npy", "-o", folder / "a", *arguments, *part).fine()
    run("fit", folder / "short.npy", "-o", folder / "b", *arguments).fine()
    a, b = orbitdl.load(folder / "a"), orbitdl.load(folder / "b")
    assert_array_equal(a.components_, b.components_)


@pytest.mark.parametrize("command", ["denoise", "complete"])
def test_what_is_written_of_an_excerpt_has_its_length(folder, model, command):
    np.save(folder / "short.npy", SIGNAL[BEGIN : END - 20])
    part = ("--overwrite", "--from", BEGIN, "--to", END - 20)
    run(command, model, folder / "rec.npy", "-o", folder / "a.npy", *part).fine()
    run(command, model, folder / "short.npy", "-o", folder / "b.npy", "--overwrite").fine()
    assert_array_equal(np.load(folder / "a.npy"), np.load(folder / "b.npy"))
    assert len(np.load(folder / "a.npy")) == END - 20 - BEGIN


def test_the_report_of_an_excerpt_counts_from_the_start_of_the_recording(folder, model):
    page = folder / "part.html"
    part = ("--from", BEGIN, "--to", END, "--step", LENGTH)
    run("report", model, folder / "rec.npy", "-o", page, *part).fine()
    content = content_of(page)
    marks = marks_of(content)
    large = marks[marks["size"].abs() > 1]
    assert_allclose(large["sample"], TIMES[5:12], atol=0.1)
    starts = {window["start"] for window in content["windows"]["shown"]}
    assert starts == set(range(BEGIN, END, LENGTH))


REFUSED = {
    "to before from": (("--from", "5s", "--to", "3s"), r"from sample 500 \(5 s\) to sample 300"),
    "nothing between": (("--from", "500", "--to", "500"), "is empty; choose an end after"),
    "to the start": (("--to", "0"), "from sample 0 .* to sample 0 .* is empty"),
    "beyond the end": (("--to", "30s"), r"sample 3000 \(30 s\): .* ends at sample 1920 \(19.2 s\)"),
    "from beyond the end": (("--from", "1920"), "cannot extend to sample 1920"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_excerpt_that_is_none_is_refused(folder, model, case):
    part, sentence = REFUSED[case]
    run("events", model, folder / "rec.npy", "-o", folder / "none.csv", *part).refused(sentence)


def test_seconds_without_a_rate_are_refused(folder):
    arguments = ("fit", folder / "rec.npy", "-o", folder / "none", "--window", LENGTH, *FIT)
    sentence = "90s is a length in seconds, and how many samples .* say it with --sfreq"
    run(*arguments, "--from", "90s").refused(sentence)


def test_windows_have_no_excerpt(folder, model):
    np.save(folder / "windows.npy", SIGNAL.reshape(-1, LENGTH))
    arguments = ("events", model, folder / "windows.npy", "-o", folder / "none.csv", "--to", 3)
    run(*arguments).refused("the data are windows .* or pass --layout recording")


def test_times_are_in_milliseconds_seconds_minutes_and_hours():
    texts = ("90000ms", "90s", "1.5min", "0.025h")
    assert {parse_time(text).samples(RATE) for text in texts} == {9000}


@pytest.mark.parametrize("text", ["-1", "soon", "1.5", "1.5d"])
def test_what_is_no_time_is_a_wrong_usage(folder, model, text):
    said = run("events", model, folder / "rec.npy", "-o", folder / "x.csv", "--from", text)
    assert said.code == 2


def test_an_excerpt_of_an_excerpt_counts_from_the_start_of_all():
    part = Recording(SIGNAL, RATE).excerpt(100).excerpt(50, 250)
    assert part.first_sample == 150
    assert_array_equal(part.signal, SIGNAL[150:350])
    assert split_recording(part, LENGTH).first_sample == 150
    with pytest.raises(ValueError, match="begin must be an integer of at least 0, not -1"):
        part.excerpt(-1)


def test_events_of_an_excerpt_and_its_rate_are_the_recordings_own():
    model = orbitdl.WaveformLearning(
        length=40, max_iter=3, n_restarts=1, random_state=0, n_components=1, noise="white"
    )
    whole = Recording(SIGNAL, RATE)
    model.fit(whole)
    every, events = model.events(whole), model.events(whole.excerpt(BEGIN, END))
    assert_allclose(events["onset"], events["sample"] / RATE)
    inside = every["sample"].between(BEGIN + LENGTH, END - LENGTH)
    again = events["sample"].between(BEGIN + LENGTH, END - LENGTH)
    assert inside.sum() > 3
    assert_allclose(events.loc[again, "sample"], every.loc[inside, "sample"], atol=0.1)
    listed, other = model.events([whole.excerpt(BEGIN, END), Recording(SIGNAL)])
    pd.testing.assert_frame_equal(listed, events)
    assert "onset" not in other


@pytest.mark.parametrize("how", [("--length", 40, "--noise", "white"), ("--window", LENGTH)])
@pytest.mark.parametrize("channel", ["b", "1", "b,a", "mean"])
def test_chosen_channels_keep_their_names(tmp_path, how, channel):
    path, learned, clean = (tmp_path / name for name in ("two.csv", "m", "clean.csv"))
    pd.DataFrame({"a": SIGNAL, "b": 2 * SIGNAL}).to_csv(path, index=False)
    run("fit", path, "-o", learned, *how, "--channel", channel, *LEARN, "--max-iter", 1).fine()
    run("denoise", learned, path, "-o", clean).fine()
    names = {"1": ["b"]}.get(channel, channel.split(","))
    assert list(pd.read_csv(clean)) == names
    run("report", learned, path, "-o", tmp_path / "r.html").fine()
    page = (tmp_path / "r.html").read_text()
    assert re.search(rf'"channels":\s*\["{names[0]}"', page)
