"""Files as users have them are read right, or refused in a sentence whose remedy works."""

import numpy as np
import pandas as pd
import pytest
from makers import MAKERS, NAMES, RATE, SIGNAL, N, rows, text
from numpy.testing import assert_allclose
from test_command import run

from orbitdl import WaveformLearning
from orbitdl.adapters import to_edf
from orbitdl.datasets import make_ecg_recording
from orbitdl.io import read

# fits end early here, on purpose; what other packages do with NumPy is theirs
pytestmark = [
    pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:pyedflib"),
]


@pytest.mark.parametrize("kind", MAKERS)
def test_a_file_of_users_is_read_right(tmp_path, kind):
    make, known = MAKERS[kind]
    recording = read(make(tmp_path), **known.arguments)
    if "channel" in known.arguments:
        recording = recording.pick(known.arguments["channel"])
    values = np.asarray(recording, dtype=np.float64).reshape(N, -1)
    expected = known.scale * SIGNAL[:, known.columns]
    assert_allclose(values, expected, rtol=0, atol=known.precision)
    assert recording.sfreq == (None if known.sfreq is None else pytest.approx(known.sfreq))
    assert recording.ch_names == known.ch_names
    assert recording.units == known.units


def test_there_are_at_least_forty_kinds():
    assert len(MAKERS) + len(REFUSED) >= 40


def without_unit(folder):
    lines = ["time,x", *(f"{4 * k},{x:.6f}" for k, x in enumerate(SIGNAL[:, 0]))]
    return text(folder / "x.csv", lines)


def in_seconds_of_the_day(folder):
    lines = ["t,x", *(f"{1e-9 * k:.12f},{x:.6f}" for k, x in enumerate(SIGNAL[:, 0]))]
    return text(folder / "x.csv", lines)


def one_number_or_two(folder):
    return text(folder / "x.csv", [f"{k},{k % 7}" for k in range(30)])


def with_a_preamble(folder):
    head = ["Instrument: A 7", "Operator,someone,else"]
    return text(folder / "x.csv", [*head, "MLII,V5", *rows()])


def two_arrays(folder):
    np.savez(folder / "x.npz", a=SIGNAL, b=SIGNAL)
    return folder / "x.npz"


def channels_first(folder):
    np.save(folder / "x.npy", SIGNAL.T)
    return folder / "x.npy"


QUICK = ("--components", 1, "--alpha", 2, "--noise", "white", "--max-iter", 1, "--restarts", 1)
REFUSED = {
    "a rate below 1 Hz": (without_unit, {"time_column": "time"}, "a sampling rate of 0.25 Hz",
                          {"time_column": "time", "time_unit": "ms"}),
    "a rate above 10 MHz": (in_seconds_of_the_day, {"time_column": "t"},
                            r"a sampling rate of 1e\+09 Hz",
                            {"time_column": "t", "time_unit": "s"}),
    "decimal commas or two columns": (one_number_or_two, {}, "is ambiguous",
                                      {"separator": "comma", "decimal": "point"}),
    "a preamble": (with_a_preamble, {}, "skiprows=", {"skiprows": 2}),
    "several arrays": (two_arrays, {}, r"2 arrays \(a, b\); choose one with key=", {"key": "b"}),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_ambiguous_is_refused_and_the_remedy_works(tmp_path, case):
    make, arguments, sentence, remedy = REFUSED[case]
    path = make(tmp_path)
    with pytest.raises(ValueError, match=sentence) as caught:
        read(path, **arguments)
    assert "\n" not in str(caught.value)
    assert len(read(path, **remedy)) >= 30


def test_channels_first_are_told_and_the_remedy_works(tmp_path):
    path = channels_first(tmp_path)
    model = WaveformLearning(n_components=1, length=50, noise="white", max_iter=1, n_restarts=1)
    with pytest.raises(ValueError, match="2 samples of 2000 channels; .* transpose"):
        model.fit(read(path))
    assert model.fit(read(path, transpose=True)).components_.shape[2] == 2
    arguments = ("fit", path, "-o", tmp_path / "m", "--length", 50, *QUICK)
    run(*arguments).refused("--transpose")
    run(*arguments, "--transpose").fine()


def test_a_table_with_a_rate_is_a_recording_of_two_channels_and_not_windows(tmp_path):
    table = pd.DataFrame(np.tile(SIGNAL, (6, 1))[:10800], columns=NAMES)
    table.to_csv(tmp_path / "x.csv", index=False)
    np.save(tmp_path / "x.npy", table.to_numpy())
    for name in ("x.csv", "x.npy"):
        arguments = ("fit", tmp_path / name, "-o", tmp_path / "m", "--sfreq", RATE)
        result = run(*arguments)
        assert result.code == 1
        assert "one recording of 10800 samples in 2 channels" in result.err
        run(*arguments, "--length", "0.6s", *QUICK).fine()


def test_an_edf_file_goes_from_the_command_line_to_events_in_seconds(tmp_path):
    heart = make_ecg_recording(duration=60, sfreq=RATE, n_leads=2, random_state=0)
    path = to_edf(heart, tmp_path / "heart.edf")
    run("fit", path, "-o", tmp_path / "m", "--length", "0.7s", "--channel", "II").fine()
    run("events", tmp_path / "m", path, "-o", tmp_path / "e.csv").fine()
    events = pd.read_csv(tmp_path / "e.csv")
    true = heart.beats.query("inside")["seconds"].to_numpy()
    assert len(events) == len(true)
    assert np.abs(events["onset"].to_numpy() - true).max() < 0.1  # kinds peak at their own places
