"""The command line: every command, every failure, and what is printed where."""

import json
import re
from inspect import isabstract
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import ACTIONS
from scipy.io import wavfile
from typer.testing import CliRunner

import orbitdl
from orbitdl import groups
from orbitdl.command import app
from orbitdl.command.choices import GroupName, class_name
from orbitdl.groups import ContinuousShift, IntegerShift, Orthogonal, Product

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

RATE, LENGTH = 100.0, 64
N_WINDOWS = 30


def pulses(times: np.ndarray, sizes: np.ndarray, n: int) -> np.ndarray:
    """Return pulses, asymmetric and peaked at these times (in samples), as a signal of length n."""
    t = np.arange(n) - times[:, None]
    shape = np.exp(-0.5 * (t / 2.5) ** 2) - 0.3 * np.exp(-0.5 * ((t - 9) / 3) ** 2)
    return sizes @ shape


def planted() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a recording of one pulse every 64 samples, off the grid, and where and how large."""
    rng = np.random.default_rng(0)
    times = np.arange(N_WINDOWS) * LENGTH + rng.uniform(12, 44, N_WINDOWS)
    sizes = rng.uniform(1, 3, N_WINDOWS)
    n = N_WINDOWS * LENGTH
    return pulses(times, sizes, n) + 1e-3 * rng.standard_normal(n), times, sizes


SIGNAL, TIMES, SIZES = planted()
PEAK = np.linalg.norm(pulses(np.array([32.0]), np.ones(1), LENGTH))  # a pulse of size 1
LEARN = ["--components", "1", "--alpha", "0.02", "--jobs", "1", "--max-iter", "15"]
GROUP = ["--group", "continuous-shift"]
FIT = [*LEARN, *GROUP]


def run(*arguments: object) -> "Result":
    return Result(CliRunner().invoke(app, [str(a) for a in arguments]))


class Result:
    """Exit code, stdout and stderr; a traceback is a failure of the test."""

    def __init__(self, result) -> None:
        self.code, self.out, self.err = result.exit_code, result.stdout, result.stderr
        assert "Traceback" not in self.err

    def fine(self) -> "Result":
        assert self.code == 0, self.err
        return self

    def refused(self, sentence: str) -> "Result":
        assert self.code == 1
        assert re.search(sentence, self.err), self.err
        assert self.err.startswith("Error: ")
        assert self.err.count("\n") == 1
        assert self.out == ""
        return self


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder with the planted recording and a model learned from it."""
    path = tmp_path_factory.mktemp("command")
    np.save(path / "rec.npy", SIGNAL)
    fitted = run(
        "fit", path / "rec.npy", "-o", path / "model", "--window", LENGTH, "--sfreq", RATE, *FIT
    )
    fitted.fine()
    return path


@pytest.fixture(scope="module")
def model(folder) -> Path:
    return folder / "model"


# fit


def test_fit_writes_a_model_that_knows_how_its_data_were_made(model):
    learned = orbitdl.load(model)
    assert learned.components_.shape == (1, LENGTH)
    assert learned.preprocessing_[-1].length == LENGTH
    assert learned.sfreq_ == RATE
    assert learned.provenance_["data"] == "rec.npy"


def test_fit_learns_the_planted_shape(model):
    truth = pulses(np.array([20.0]), np.ones(1), LENGTH)[None]
    found = orbitdl.load(model).components_
    distance = orbitdl.dictionary_distance(truth / PEAK, found, ContinuousShift())
    assert distance < 1e-3


def test_fit_says_what_it_did_in_words_and_no_more_when_quiet(folder):
    arguments = ("fit", folder / "rec.npy", "-o", folder / "again", "--window", LENGTH, *FIT)
    told = run(*arguments).fine().out
    assert "Learned 1 component from 30 windows of 64 samples" in told
    assert str(folder / "again") in told
    silent = run(*arguments, "--quiet").fine()
    assert silent.out == ""
    assert silent.err == ""


def test_fit_prints_one_json_object_for_machines(folder):
    arguments = ("fit", folder / "rec.npy", "-o", folder / "again", "--window", 60, *FIT)
    facts = json.loads(run(*arguments, "--json").fine().out)
    assert facts["windows"] == 32
    assert facts["samples_left_out"] == 0
    assert facts["alpha"] == 0.02
    assert facts["gap"] <= 1e-4
    assert facts["model"] == str(folder / "again")


def test_alpha_auto_says_what_it_chose_and_why(folder):
    arguments = ("fit", folder / "rec.npy", "-o", folder / "auto", "--window", LENGTH, *GROUP)
    told = run(*arguments, "--components", 1, "--max-iter", 1).fine().out
    learned = orbitdl.load(folder / "auto")
    assert f"Chose alpha {learned.alpha_:.3g}: half of " in told
    assert "the size of a typical event" in learned.provenance_["alpha"]
    windows = SIGNAL.reshape(-1, LENGTH)
    suggested = orbitdl.suggest_alpha(windows, group=ContinuousShift())
    assert_allclose(learned.alpha_, suggested, rtol=1e-5)
    assert_allclose(suggested, 0.5 * np.median(SIZES) * PEAK, rtol=0.05)


def test_info_says_why_alpha_is_what_it_is(folder):
    arguments = ("fit", folder / "rec.npy", "-o", folder / "why", "--window", LENGTH)
    run(*arguments, "--components", 1, "--max-iter", 1, "--quiet").fine()
    facts = json.loads(run("info", folder / "why", "--json").fine().out)
    assert "half of" in facts["provenance"]["alpha"]


NEEDED = {
    "interpolated-shift": ["--subdivisions", "3"],
    "finite": ["--generators", "GENERATORS"],
}


GROUPS = {
    name: kind
    for name, kind in vars(groups).items()
    if name in groups.__all__ and issubclass(kind, groups.Group) and not isabstract(kind)
}


def test_every_group_of_the_library_has_a_name_unless_it_is_made_of_others():
    assert sorted(map(class_name, GroupName)) == sorted(
        GROUPS.keys() - {"Product", "SemidirectProduct"}
    )


@pytest.mark.parametrize("name", GroupName)
def test_every_group_can_be_asked_for(tmp_path, name):
    more, kind = NEEDED.get(name, []), GROUPS[class_name(name)]
    known = (make(5, 2) for make in ACTIONS.values())
    shape = (5,) if name in NEEDED else next(s for group, s in known if isinstance(group, kind))
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((8, *shape)))
    np.save(tmp_path / "generators.npy", np.array([[1, 2, 3, 4, 0]]))
    more = [tmp_path / "generators.npy" if a == "GENERATORS" else a for a in more]
    settings = ("--components", 2, "--alpha", 0.3, "--max-iter", 1, "--jobs", 1)
    run("fit", tmp_path / "x.npy", "-o", tmp_path / "m", "--group", name, *more, *settings).fine()
    learned = orbitdl.load(tmp_path / "m")
    assert isinstance(learned.group, kind)
    run("events", tmp_path / "m", tmp_path / "x.npy", "-o", tmp_path / "e.csv").fine()
    events = pd.read_csv(tmp_path / "e.csv")
    assert list(events)[:3] == ["sample", "window", "component"]
    assert events["sample"].between(0, 5).all()


def test_windows_of_vectors_are_shifted_and_turned(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((6, 9, 3)))
    settings = ("--components", 1, "--alpha", 2, "--max-iter", 1, "--jobs", 1)
    moves = ("--group", "integer-shift", "--matrices", "orthogonal")
    run("fit", tmp_path / "x.npy", "-o", tmp_path / "m", *moves, *settings).fine()
    assert orbitdl.load(tmp_path / "m").group == Product(IntegerShift(), Orthogonal())
    run("events", tmp_path / "m", tmp_path / "x.npy", "-o", tmp_path / "e.csv").fine()
    turn = ["angle", "axis_x", "axis_y", "axis_z", "mirrored"]
    assert list(pd.read_csv(tmp_path / "e.csv")) == [
        "sample", "window", "component", "shift", *turn, "amplitude", "n_atoms", "minor_share",
    ]  # fmt: skip
    assert "Product(shift=IntegerShift()" in run("info", tmp_path / "m").fine().out


def test_the_same_seed_and_any_number_of_jobs_give_the_same_model(folder):
    arguments = ("fit", folder / "rec.npy", "--window", 32, "--step", 2, "--seed", 3)
    for jobs in (1, 2):
        run(*arguments, "-o", folder / f"jobs{jobs}", "--max-iter", 2, "--jobs", jobs).fine()
    one, two = (orbitdl.load(folder / f"jobs{jobs}").components_ for jobs in (1, 2))
    assert_array_equal(one, two)


# encode


def check_events(path: Path) -> pd.DataFrame:
    """Find every planted event once, to a twentieth of a sample, with its size."""
    events = pd.read_csv(path)
    strong = events[events["coefficient"].abs() > 0.5 * PEAK]
    assert len(strong) == len(TIMES)
    assert_allclose(strong["sample"], TIMES, atol=0.05)
    assert_allclose(strong["coefficient"].abs(), SIZES * PEAK, rtol=0.05)
    return strong


def test_encode_lists_every_planted_event_once_at_its_time(folder, model):
    run("events", model, folder / "rec.npy", "-o", folder / "events.csv").fine()
    events = check_events(folder / "events.csv")
    assert_allclose(events["onset"], events["sample"] / RATE)
    assert events["sample"].is_monotonic_increasing


def test_amplitudes_are_the_sizes_that_were_planted_without_the_penalty(folder, model):
    path = folder / "plain.csv"
    run("events", model, folder / "rec.npy", "-o", path, "--alpha", 0.5).fine()
    table = pd.read_csv(path).abs()
    assert len(table) == N_WINDOWS
    assert_allclose(table["coefficient"], SIZES * PEAK - 0.5, rtol=0.01)
    assert_allclose(table["amplitude"], SIZES * PEAK, rtol=0.01)


def test_encode_takes_another_alpha_than_the_models(folder, model):
    arguments = ("events", model, folder / "rec.npy", "-o", folder / "few.csv", "--json")
    own, other = (json.loads(run(*arguments, *a).fine().out) for a in ((), ("--alpha", "4")))
    assert own["alpha"] == 0.02
    assert other["alpha"] == 4.0
    assert 0 < other["events"] == np.sum(SIZES * PEAK > 4.0) < own["events"]
    wrong = run(*arguments, "--alpha", "-1")
    assert wrong.code == 2
    assert "positive number" in wrong.err


def test_overlapping_windows_list_an_event_once_too(folder, model):
    run("events", model, folder / "rec.npy", "-o", folder / "over.csv", "--step", 16).fine()
    check_events(folder / "over.csv")


def test_events_across_borders_are_found_with_overlapping_windows(folder, model):
    """Moved by half a window, events lie near or on the borders of adjoining windows."""
    moved = np.concatenate([SIGNAL[28:], np.zeros(28)])
    np.save(folder / "moved.npy", moved)
    run("events", model, folder / "moved.npy", "-o", folder / "moved.csv", "--step", 16).fine()
    events = pd.read_csv(folder / "moved.csv")
    strong = events[events["coefficient"].abs() > 0.5 * PEAK]
    inside = TIMES - 28 >= 0
    near = [np.abs(strong["sample"] - t).min() for t in (TIMES - 28)[inside]]
    assert np.median(near) < 0.05


@pytest.mark.parametrize("command", ["encode", "report"])
def test_every_event_is_listed_once_wherever_borders_lie(folder, model, command):
    """Of a model that learned from windows that adjoin, and with nothing said of steps."""
    times = np.arange(30, 1900, 53.7)  # at all places of a window
    np.save(folder / "anywhere.npy", pulses(times, np.ones(len(times)), 1950))
    facts = (folder / "anywhere.npy", "-o")
    if command == "encode":
        run("events", model, *facts, folder / "anywhere.csv").fine()
        found = pd.read_csv(folder / "anywhere.csv")
    else:
        run("report", model, *facts, folder / "anywhere.html").fine()
        found = marks_of(content_of(folder / "anywhere.html"))
        found = found.rename(columns={"size": "coefficient"})
    strong = found[found["coefficient"].abs() > 0.25 * PEAK]
    assert len(strong) == len(times)
    assert_allclose(strong["sample"], times, atol=0.2)


def test_coefficients_of_normalised_windows_are_in_the_units_of_the_data(folder):
    offset = SIGNAL + 5
    np.save(folder / "offset.npy", offset)
    name = folder / "normal"
    cutting = ("--window", LENGTH, "--normalize")
    run("fit", folder / "offset.npy", "-o", name, *cutting, *FIT).fine()
    run("events", name, folder / "offset.npy", "-o", folder / "normal.csv").fine()
    events = pd.read_csv(folder / "normal.csv")
    strong = events[events["coefficient"].abs() > 0.5 * PEAK]
    centred = pulses(np.array([32.0]), np.ones(1), LENGTH)
    size = np.linalg.norm(centred - centred.mean())
    assert_allclose(strong["coefficient"].abs(), SIZES * size, rtol=0.12)
    assert "onset" not in events  # no rate is known


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_tables_are_written_by_suffix(folder, model, suffix):
    path = folder / f"table.{suffix}"
    facts = json.loads(run("events", model, folder / "rec.npy", "-o", path, "--json").fine().out)
    reader = {"csv": pd.read_csv, "parquet": pd.read_parquet, "json": pd.read_json}[suffix]
    table = reader(path)
    assert len(table) == facts["events"] > 0
    columns = ["onset", "sample", "window", "component", "shift", "amplitude", "coefficient"]
    assert list(table) == [*columns, "interval", "interval_s", "own_interval"]


def write_record(path: Path, signal: np.ndarray, sfreq: float) -> None:
    """Write a WFDB record of one lead, 16 bit numbers, 5000 per millivolt."""
    path.with_suffix(".dat").write_bytes(np.rint(5000 * signal).astype("<i2").tobytes())
    lines = f"{path.name} 1 {sfreq:g} {len(signal)}\n{path.name}.dat 16 5000(0)/mV 16 0 0 0 0 II\n"
    path.with_suffix(".hea").write_text(lines)


SAVERS = {
    "rec.npy": lambda path: np.save(path, SIGNAL),
    "rec.npz": lambda path: np.savez(path, x=SIGNAL),
    "rec.csv": lambda path: pd.DataFrame({"x": SIGNAL}).to_csv(path, index=False),
    "two.csv": lambda path: pd.DataFrame({"t": TIMES.sum() + 0 * SIGNAL, "x": SIGNAL}).to_csv(path),
    "rec.parquet": lambda path: pd.DataFrame({"x": SIGNAL}).to_parquet(path),
    "rec.wav": lambda path: wavfile.write(path, int(RATE), SIGNAL),
    "record": lambda path: write_record(path, SIGNAL, RATE),
}


@pytest.mark.parametrize("name", SAVERS)
def test_encode_finds_the_same_events_in_every_format(tmp_path, model, name):
    SAVERS[name](tmp_path / name)
    more = ["--channel", "x"] if name == "two.csv" else []
    run("events", model, tmp_path / name, "-o", tmp_path / "events.csv", *more).fine()
    events = check_events(tmp_path / "events.csv")
    assert_allclose(events["onset"], events["sample"] / RATE)  # of the file, or of the model


def test_windows_are_coded_one_by_one(folder, model):
    np.save(folder / "windows.npy", SIGNAL.reshape(-1, LENGTH))
    run("events", model, folder / "windows.npy", "-o", folder / "windows.csv").fine()
    events = pd.read_csv(folder / "windows.csv")
    strong = events[events["coefficient"].abs() > 0.5 * PEAK]
    assert_allclose(strong["sample"], TIMES % LENGTH, atol=0.05)
    assert_array_equal(strong["window"], np.arange(N_WINDOWS))


def test_another_rate_than_the_models_is_refused_unless_insisted_on(tmp_path, model):
    wavfile.write(tmp_path / "fast.wav", 200, SIGNAL)
    arguments = ("events", model, tmp_path / "fast.wav", "-o", tmp_path / "e.csv")
    run(*arguments).refused("200 Hz, but the model was learned at 100 Hz")
    run(*arguments, "--sfreq", 100).fine()
    check_events(tmp_path / "e.csv")


def test_a_last_window_that_is_not_full_is_coded_too(tmp_path, model):
    np.save(tmp_path / "short.npy", SIGNAL[: -LENGTH // 4])
    run("events", model, tmp_path / "short.npy", "-o", tmp_path / "events.csv").fine()
    check_events(tmp_path / "events.csv")


def content_of(page: Path) -> dict:
    """Return the data that a report carries."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.S)[1])


def marks_of(content: dict) -> pd.DataFrame:
    """Return the events that a report draws: their samples and sizes, in order of time."""
    layers = content["charts"]["amplitude-over-time"]["rows"][0]["layers"]
    drawn = [pd.DataFrame({"sample": layer["x"], "size": layer["y"]}) for layer in layers]
    return pd.concat(drawn).sort_values("sample", ignore_index=True)


@pytest.fixture(scope="module")
def overlapping(folder) -> Path:
    """Return a model learned from overlapping, normalised windows of a recording off zero."""
    np.save(folder / "raised.npy", 3 * SIGNAL[:-20] + 5)
    cutting = ("--window", LENGTH, "--step", 24, "--normalize", "--sfreq", RATE)
    name = folder / "overlapping"
    run("fit", folder / "raised.npy", "-o", name, *cutting, *FIT, "--alpha", 0.1).fine()
    return name


@pytest.mark.parametrize("more", [[], ["--step", 40], ["--step", LENGTH]])
def test_encode_and_report_cut_as_fit_did_and_count_the_same_events(folder, overlapping, more):
    table, page, data = folder / "again.csv", folder / "again.html", folder / "raised.npy"
    facts = json.loads(run("events", overlapping, data, "-o", table, *more, "--json").fine().out)
    run("report", overlapping, data, "-o", page, *more).fine()
    step = more[1] if more else 24
    assert facts["step"] == step
    assert facts["windows"] == -(-(len(SIGNAL) - 20 - LENGTH) // step) + 1
    content = content_of(page)
    assert len(marks_of(content)) == facts["events"]
    assert ("Windows overlap" in page.read_text()) == (step < LENGTH)


def test_windows_apart_in_learning_adjoin_in_use(folder):
    arguments = ("fit", folder / "rec.npy", "-o", folder / "apart", "--window", LENGTH)
    run(*arguments, "--step", 2 * LENGTH, "--sfreq", RATE, *FIT).fine()
    run("events", folder / "apart", folder / "rec.npy", "-o", folder / "apart.csv").fine()
    check_events(folder / "apart.csv")


def test_the_report_and_the_table_are_in_the_unit_of_the_recording(folder, overlapping):
    table, page, data = folder / "unit.csv", folder / "unit.html", folder / "raised.npy"
    run("events", overlapping, data, "-o", table).fine()
    run("report", overlapping, data, "-o", page, "--unit", "mV").fine()
    content, events, signal = content_of(page), pd.read_csv(table), np.load(data)
    drawn = marks_of(content)
    assert_allclose(drawn["sample"], events["sample"], atol=1e-4)
    assert_allclose(drawn["size"], events["amplitude"], atol=2e-3)
    shape = orbitdl.load(overlapping).components_[0]
    moves = ContinuousShift().on(shape.shape)
    for window in content["windows"]["shown"][:-1]:
        start = 24 * window["number"]
        assert_allclose(window["data"][0], signal[start : start + LENGTH], atol=2e-3)
        shifts = np.array([[atom["shift"]] for atom in window["atoms"]])
        sizes = np.array([atom["c"] for atom in window["atoms"]])
        atoms = sizes @ moves.act(shifts, shape[None])
        rest = 0 if window["rest"] is None else np.array(window["rest"][0])
        assert_allclose(window["base"][0] + atoms + rest, window["fit"][0], atol=2e-3)
        if window["rest"] is None:
            listed = events.loc[events["window"] == window["number"], "coefficient"].to_numpy()
            assert_allclose(
                np.abs(listed[:, None] - sizes).min(axis=1, initial=np.inf), 0, atol=1e-6
            )


def test_what_lies_beyond_the_end_is_not_called_missing(folder, overlapping):
    """A recording shorter than a window of the model."""
    page, short = folder / "end.html", folder / "short.npy"
    np.save(short, np.load(folder / "raised.npy")[: LENGTH - 5])
    run("report", overlapping, short, "-o", page).fine()
    text = page.read_text()
    assert "are missing" not in text
    assert re.search(r"The last window reaches \d+ samples beyond the end", text)


# complete and denoise


@pytest.mark.parametrize("step", [LENGTH, 16])
def test_complete_fills_gaps_and_leaves_the_rest_as_it_was(tmp_path, model, step):
    holed = SIGNAL.copy()
    holed[np.rint(TIMES[:5]).astype(int) + 3] = np.nan  # on the flanks of five pulses
    holed[-1] = np.nan
    np.save(tmp_path / "holed.npy", holed)
    arguments = ("complete", model, tmp_path / "holed.npy", "-o", tmp_path / "whole.npy")
    facts = json.loads(run(*arguments, "--step", step, "--json").fine().out)
    assert facts["filled"] == 6
    whole = np.load(tmp_path / "whole.npy")
    seen = ~np.isnan(holed)
    assert_array_equal(whole[seen], holed[seen])
    assert_allclose(whole, SIGNAL, atol=0.1)


def test_windows_are_completed_by_refitted_coefficients_unless_told_not_to(tmp_path, model):
    truth = pulses(TIMES, SIZES, len(SIGNAL))
    holed = truth.copy()
    holed[np.rint(TIMES).astype(int) + 3] = np.nan
    np.save(tmp_path / "holed.npy", holed)
    lost = {}
    for option in ("--debias", "--no-debias", None):
        more = ("--debias",) if option == "--debias" else (option,) if option else ()
        run(
            "complete",
            model,
            tmp_path / "holed.npy",
            "-o",
            tmp_path / "c.npy",
            "--overwrite",
            *more,
        ).fine()
        lost[option] = np.linalg.norm(np.load(tmp_path / "c.npy") - truth)
    assert lost[None] == lost["--debias"] < lost["--no-debias"]


def test_complete_exactly_agrees_without_noise(tmp_path, model):
    component = orbitdl.load(model).components_[0]
    windows = np.array([2 * np.roll(component, 5), np.roll(component, 30)])
    windows[0, 20:24] = np.nan
    np.save(tmp_path / "w.npy", windows)
    run("complete", model, tmp_path / "w.npy", "-o", tmp_path / "whole.csv", "--exact").fine()
    whole = np.loadtxt(tmp_path / "whole.csv", delimiter=",")
    assert_allclose(whole[0], 2 * np.roll(component, 5), atol=1e-4)


@pytest.mark.parametrize("more", [[], ["--alpha", "noise", "--debias"], ["--step", "16"]])
def test_denoise_brings_the_recording_closer_to_the_truth(tmp_path, model, more):
    truth = pulses(TIMES, SIZES, len(SIGNAL))
    noisy = truth + 0.1 * np.random.default_rng(1).standard_normal(len(truth))
    np.save(tmp_path / "noisy.npy", noisy[:-10])
    more = more or ["--alpha", "0.3"]
    run("denoise", model, tmp_path / "noisy.npy", "-o", tmp_path / "clean.npy", *more).fine()
    clean = np.load(tmp_path / "clean.npy")
    assert clean.shape == (len(truth) - 10,)
    assert np.std(clean - truth[:-10]) < 0.5 * np.std(noisy - truth)


def test_channels_keep_their_names(tmp_path):
    table = pd.DataFrame({"left": SIGNAL, "right": 2 * SIGNAL})
    table.to_csv(tmp_path / "two.csv", index=False)
    cutting = ("--window", LENGTH, *FIT)
    run("fit", tmp_path / "two.csv", "-o", tmp_path / "m", *cutting).fine()
    run("denoise", tmp_path / "m", tmp_path / "two.csv", "-o", tmp_path / "clean.csv").fine()
    clean = pd.read_csv(tmp_path / "clean.csv")
    assert list(clean) == ["left", "right"]
    assert_allclose(clean, table, atol=0.1)


@pytest.mark.parametrize("length", ["64", "0.64s", "640ms", "0.6391 s"])
def test_a_window_is_so_many_samples_or_seconds(folder, tmp_path, length):
    data, model = folder / "rec.npy", tmp_path / "model"
    cutting = ("--window", length, "--step", length, "--sfreq", RATE, "--group", "integer-shift")
    run("fit", data, "-o", model, *cutting, "--max-iter", 1, "--components", 1).fine()
    (split,) = orbitdl.load(model).preprocessing_
    assert (split.length, split.step) == (64, 64)
    run("events", model, data, "-o", tmp_path / "e.csv", "--step", "0.32s").fine()


BAD_LENGTHS = {
    "seconds without a rate": ("0.6s", 1, "0.6s is a length in seconds, .* say it with --sfreq"),
    "a fraction": ("0.6", 2, "for seconds write 0.6s"),
    "nothing": ("0", 2, "not a length"),
    "words": ("long", 2, "not a length"),
}


@pytest.mark.parametrize("case", BAD_LENGTHS)
def test_a_length_that_cannot_be_is_refused(folder, tmp_path, case):
    length, code, sentence = BAD_LENGTHS[case]
    result = run("fit", folder / "rec.npy", "-o", tmp_path / "m", "--window", length)
    assert result.code == code
    assert re.search(sentence, " ".join(re.sub("[│╭╮╰╯─]", " ", result.err).split()))


# report and demo


def test_report_writes_one_page_with_and_without_data(tmp_path, folder, model):
    for more in ([], [folder / "rec.npy"]):
        run("report", model, *more, "-o", tmp_path / "page.html", "--unit", "mV").fine()
        assert (tmp_path / "page.html").read_text().rstrip().endswith("</html>")


def test_demo_writes_recording_model_report_and_picture(tmp_path):
    told = run("demo", "-o", tmp_path / "new").fine().out
    assert "Found 750 of 750 true beats, and 0 events that are none." in told
    assert "103 of 103 are waveform 1" in told or "103 of 103 are waveform 0" in told
    names = {"heart.npy", "demo.safetensors", "report.html", "demo.png"}
    assert {path.name for path in (tmp_path / "new").iterdir()} == names
    command = told.rstrip().splitlines()[-1].split()  # the last line is a command to try
    run(*command[1:]).fine()


# info and compare


def test_info_tells_of_group_history_preprocessing_and_provenance(model):
    told = run("info", model).fine().out
    for words in ("ContinuousShift()", "0.02", "converged", "window", "fingerprint", "rec.npy"):
        assert words in told
    facts = json.loads(run("info", model, "--json").fine().out)
    assert facts["shape"] == [LENGTH]
    assert facts["history"]["iterations"] == orbitdl.load(model).n_iter_


def test_info_writes_the_waveforms_against_time(folder, model):
    path = folder / "waves.csv"
    assert str(path) in run("info", model, "--components", path).fine().out
    table = pd.read_csv(path)
    assert list(table) == ["seconds", "component_0"]
    assert_allclose(table["seconds"], np.arange(LENGTH) / RATE)
    assert_allclose(table["component_0"], orbitdl.load(model).components_[0], rtol=1e-9)
    run("info", model, "--components", folder / "waves.txt").refused("must end in .csv or")
    run("info", model, "--components", model).refused("it is what is read")


def test_waveforms_of_several_channels_have_a_column_per_channel(tmp_path):
    X = np.random.default_rng(0).standard_normal((20, 9, 2))
    learned = orbitdl.OrbitDictionaryLearning(2, max_iter=1, random_state=0).fit(X)
    learned.save(tmp_path / "model")
    run("info", tmp_path / "model", "--components", tmp_path / "waves.parquet").fine()
    table = pd.read_parquet(tmp_path / "waves.parquet")
    names = [f"component_{j}_channel_{k}" for j in range(2) for k in range(2)]
    assert list(table) == ["sample", *names]  # no rate is known
    for j in range(2):
        for k in range(2):
            assert_array_equal(table[f"component_{j}_channel_{k}"], learned.components_[j, :, k])


def test_compare_finds_moved_and_permuted_components(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 9))
    first = orbitdl.OrbitDictionaryLearning(3, IntegerShift(), max_iter=1, random_state=0).fit(X)
    first.save(tmp_path / "a")
    first.components_ = -np.roll(first.components_[[2, 0, 1]], 4, axis=1)
    first.save(tmp_path / "b")
    facts = json.loads(run("compare", tmp_path / "a", tmp_path / "b", "--json").fine().out)
    assert [(pair["a"], pair["b"]) for pair in facts["pairs"]] == [(0, 1), (1, 2), (2, 0)]
    assert all(pair["sign"] == -1 and pair["move"] == {"shift": -4.0} for pair in facts["pairs"])
    assert facts["a_to_b"] < 1e-12
    assert "0.0000" in run("compare", tmp_path / "a", tmp_path / "b").fine().out


def test_compare_says_who_has_no_partner(tmp_path):
    X = np.random.default_rng(0).standard_normal((20, 9))
    for q in (1, 2):
        orbitdl.OrbitDictionaryLearning(q, max_iter=1, random_state=0).fit(X).save(
            tmp_path / f"{q}"
        )
    told = run("compare", tmp_path / "1", tmp_path / "2").fine().out
    assert re.search(r"Without a partner in B: \d", told)
