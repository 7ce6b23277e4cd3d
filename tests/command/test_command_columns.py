"""Tables with columns of text and of time, from Python and on the command line."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_command import run

import orbitdl
from orbitdl.io import Preprocessing, prepare_signal, read
from orbitdl.io.time_columns import looks_like_time

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

RATE, N = 100.0, 600
TIME = np.arange(N) / RATE
PLACES = np.arange(40, N - 40, 97.3)
PULSES = np.exp(-0.5 * ((np.arange(N)[:, None] - PLACES) / 4) ** 2).sum(axis=1)
NOISE = 0.01 * np.random.default_rng(0).standard_normal((N, 2))
TABLE = {"t": TIME, "x": PULSES + NOISE[:, 0], "y": 2 * PULSES + NOISE[:, 1]}
LEARNING = ("--components", 1, "--restarts", 1, "--max-iter", 2, "--jobs", 1, "--quiet")
WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "parquet": lambda frame, path: frame.to_parquet(path),
}
DATES = pd.Timestamp("2024-05-01T23:59:58") + pd.to_timedelta(TIME, unit="s")


def fit(path, *more):
    """Learn a waveform, or whatever `more` says."""
    return run("fit", path, "-o", path.parent / "m", "--length", 40, *LEARNING, *more)


@pytest.fixture(params=WRITERS)
def table(request, tmp_path):
    """Return a function that writes columns as a file of either kind."""

    def write(**columns):
        path = tmp_path / f"log.{request.param}"
        WRITERS[request.param](pd.DataFrame(columns), path)
        return path

    return write


# columns of text


def test_text_in_a_column_that_is_not_chosen_is_in_no_ones_way(table):
    path = table(x=TABLE["x"], label=["N"] * N)
    assert_allclose(read(path, channel="x").signal[:, 0], TABLE["x"])
    fit(path, "--channel", "x").fine()
    run("encode", path.parent / "m", path, "-o", path.parent / "e.csv").fine()
    assert len(pd.read_csv(path.parent / "e.csv")) == len(PLACES)


def test_text_is_pointed_at_if_nothing_is_chosen_and_columns_of_numbers_are_named(table):
    path = table(**TABLE, label=["N"] * N)
    fit(path).refused(r"'N' in row \d, column label.* choose columns of numbers with --channel x,y")
    fit(path, "--channel", "x,label").refused(r"column label, .*--channel x\.")
    with pytest.raises(ValueError, match=r"column label.* channel='x,y'"):
        read(path)


def test_dates_are_pointed_at_as_what_they_are(table):
    path = table(when=DATES, x=TABLE["x"])
    fit(path).refused(r"column when.*--time-column when, or .*--channel")


def test_a_first_row_with_text_is_data_if_its_numbers_are_where_numbers_are(tmp_path):
    (tmp_path / "a.csv").write_text("1.5,N\n2.5,V\n3.5,N\n")
    assert_array_equal(read(tmp_path / "a.csv", channel="0").signal[:, 0], [1.5, 2.5, 3.5])


# columns of time


@pytest.mark.parametrize("name", ["t", "0"])
def test_the_rate_is_taken_from_a_column_that_is_left_out(table, name):
    recording = read(table(**TABLE), time_column=name)
    assert recording.sfreq == RATE
    assert recording.ch_names == ("x", "y")
    assert_allclose(recording.signal, np.column_stack([TABLE["x"], TABLE["y"]]))


WRITTEN = {
    "dates": DATES,
    "dates as text": DATES.strftime("%Y-%m-%dT%H:%M:%S.%f"),
    "times of day": [f"10:{int(t) // 60:02}:{t % 60:06.3f}" for t in TIME],
    "rounded seconds": np.round(TIME, 2) + 1.7e9,
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_times_are_written_in_many_ways(table, kind):
    recording = read(table(when=WRITTEN[kind], x=TABLE["x"]), time_column="when")
    assert recording.sfreq == pytest.approx(RATE, rel=1e-6)
    assert recording.signal.shape == (N, 1)


def test_an_array_has_columns_of_time_too(tmp_path):
    np.save(tmp_path / "a.npy", np.column_stack([TABLE["x"], TIME, TABLE["y"]]))
    recording = read(tmp_path / "a.npy", time_column="1")
    assert recording.sfreq == RATE
    chosen = prepare_signal(recording, Preprocessing(channel="2"))
    assert_array_equal(chosen.signal, TABLE["y"])  # by its number in the file
    with pytest.raises(ValueError, match="pass a number from 0 to 2, but 1"):
        prepare_signal(recording, Preprocessing(channel="1"))


def test_rounded_times_keep_their_rate(table):
    recording = read(table(t=np.round(np.arange(N) / 360, 3), x=TABLE["x"]), time_column="t")
    assert recording.sfreq == pytest.approx(360, rel=1e-3)


def changed(place, value):
    """Return the times with one of them changed."""
    times = TIME.copy()
    times[place] = value
    return times


UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9, "min": 1 / 60, "h": 1 / 3600}
HEADERS = {"time_ms": "ms", "t (us)": "us", "Time [s]": "s", "elapsed time (min)": "min"}
HEADERS |= {"Time/s": "s", "milliseconds": "ms", "time_since_start_ns": "ns", "t(\u00b5s)": "us"}


@pytest.mark.parametrize("name", HEADERS)
def test_the_unit_of_time_is_the_one_in_the_name_of_its_column(table, name):
    recording = read(table(**{name: TIME * UNITS[HEADERS[name]], "x": PULSES}), time_column=name)
    assert recording.sfreq == pytest.approx(RATE, rel=1e-6)
    assert recording.time_unit == HEADERS[name]


@pytest.mark.parametrize("unit", UNITS)
def test_the_unit_of_time_may_be_given_and_overrides_the_name(table, unit):
    path = table(time_ms=TIME * UNITS[unit], x=PULSES)
    assert read(path, time_column="time_ms", time_unit=unit).sfreq == pytest.approx(RATE, rel=1e-6)


def test_a_model_remembers_the_unit_of_time(table):
    path = table(t=1e3 * TIME, x=PULSES)
    told = fit(path, "--time-column", "t", "--time-unit", "ms", "--json").fine().out
    assert '"sfreq": 100.0' in told
    assert '"time_unit": "ms"' in told
    output = path.parent / "e.csv"
    told = run("encode", path.parent / "m", path, "-o", output).fine().out
    assert "Sampling rate: 100 Hz, from times in ms." in told


def test_an_unusual_rate_is_questioned_unless_the_unit_was_given(table):
    path = table(t=2.0 * np.arange(N), x=PULSES)
    questioned = r"column t: steps in s make a sampling rate of 0.5 Hz; .* --time-unit s, if that"
    fit(path, "--time-column", "t").refused(questioned)
    fit(path, "--time-column", "t", "--time-unit", "s").fine()
    fit(path, "--time-unit", "s").refused("--time-unit s needs a time column; pass its name")


BAD_TIMES = {
    "a sample left out": (np.delete(np.append(TIME, N / RATE), 300), "is 0.02 s, but mostly"),
    "backwards": (TIME[::-1], "time does not increase from row 1 to row 2|from row 2 to row 3"),
    "twice": (changed(5, TIME[4]), "time does not increase"),
    "missing": (changed(5, np.nan), "the time in row [67] is missing"),
    "words": (["later"] * N, "'later' in row [12] is neither a number nor a date"),
}


@pytest.mark.parametrize("case", BAD_TIMES)
def test_times_that_make_no_rate_are_refused_with_their_row(table, case):
    times, sentence = BAD_TIMES[case]
    path = table(t=times, x=TABLE["x"])
    fit(path, "--time-column", "t").refused(f"column t: .*({sentence})")


def test_a_column_that_is_not_there_is_refused(table, tmp_path):
    fit(table(**TABLE), "--time-column", "u").refused(r"no --time-column u; .* \(t, x, y\)")
    np.save(tmp_path / "one.npy", PULSES)
    fit(tmp_path / "one.npy", "--time-column", "0").refused("--time-column 0 needs a table")


NAMED = {"t": False, "time": False, "Time (s)": False, "timestamp": False, "tide": True}


@pytest.mark.parametrize("name", NAMED)
def test_a_column_called_time_is_found_by_its_name(name):
    uneven = np.random.default_rng(1).standard_normal((50, 2))
    assert (looks_like_time(uneven, ("x", name)) is None) is NAMED[name]


@pytest.mark.parametrize("more", [(), ("--window", 60)])
def test_what_looks_like_time_is_refused_with_both_ways_out(tmp_path, more):
    np.save(tmp_path / "a.npy", np.column_stack([np.round(np.arange(N) / 360, 3), PULSES]))
    how = more or ("--length", 40)
    result = run("fit", tmp_path / "a.npy", "-o", tmp_path / "m", *how, *LEARNING)
    result.refused("column 0 looks like time, .*--time-column 0 --time-unit s .* --channel 1")
    assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]
    for way in (("--time-column", 0), ("--channel", 1)):
        run("fit", tmp_path / "a.npy", "-o", tmp_path / "m", *how, *LEARNING, *way).fine()
    run("encode", tmp_path / "m", tmp_path / "a.npy", "-o", tmp_path / "e.csv").fine()


def test_windows_in_rows_have_no_column_of_time(tmp_path):
    np.save(
        tmp_path / "w.npy", np.outer(np.arange(1.0, 21.0), np.sin(0.5 + np.pi * np.arange(16) / 8))
    )
    run("fit", tmp_path / "w.npy", "-o", tmp_path / "m", *LEARNING).fine()


def test_a_rate_beside_a_column_of_time_must_agree_with_it(table):
    path = table(t=TIME, x=TABLE["x"])
    fit(path, "--time-column", "t", "--sfreq", 50).refused(
        "--sfreq 50 contradicts --time-column t, whose steps make 100 samples per second"
    )
    fit(path, "--time-column", "t", "--sfreq", 100).fine()


@pytest.mark.parametrize("how", [("--length", "0.4s"), ("--window", "0.6s")])
def test_a_model_remembers_the_column_of_time(tmp_path, how):
    frame = pd.DataFrame({"t": TIME, "x": TABLE["x"]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    arguments = ("-o", tmp_path / "m", *how, "--time-column", "t", *LEARNING)
    run("fit", tmp_path / "a.csv", *arguments).fine()
    kept = orbitdl.load(tmp_path / "m").preprocessing_
    assert (kept["time_column"], kept["sfreq"]) == ("t", RATE)
    tables = []
    np.save(tmp_path / "b.npy", TABLE["x"])  # without time: the rate is the model's
    for name in ("a.csv", "b.npy"):
        run("encode", tmp_path / "m", tmp_path / name, "-o", tmp_path / "e.csv").fine()
        tables.append(pd.read_csv(tmp_path / "e.csv"))
    pd.testing.assert_frame_equal(*tables, rtol=1e-6, atol=1e-6)
    run("denoise", tmp_path / "m", tmp_path / "a.csv", "-o", tmp_path / "c.npy").fine()
    assert np.load(tmp_path / "c.npy").size == N
    run("report", tmp_path / "m", tmp_path / "a.csv", "-o", tmp_path / "r.html").fine()
    frame.assign(t=2 * TIME).to_csv(tmp_path / "slow.csv", index=False)
    result = run("encode", tmp_path / "m", tmp_path / "slow.csv", "-o", tmp_path / "e.csv")
    assert "50 Hz, but the model was learned at 100 Hz" in result.err


def test_an_excerpt_is_in_the_time_of_the_column(table):
    path = table(t=TIME, x=TABLE["x"])
    result = run(
        "fit", path, "-o", path.parent / "m", "--length", 40, *LEARNING[:-1], "--json",
        "--time-column", "t", "--from", "1s", "--to", "5s", "--noise", "white",
    )  # fmt: skip
    assert '"samples": 400' in result.fine().out
