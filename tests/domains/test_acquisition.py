"""New data are compared with what a model was learned from: rate, units, channels, scale."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from test_command import LEARN, LENGTH, RATE, SIGNAL, run

import orbitdl
from orbitdl import WaveformLearning
from orbitdl.datasets import make_ecg_recording
from orbitdl.domains.time.acquisition import acquired, acquisition_of
from orbitdl.io import Recording
from orbitdl.preprocessing import HighPass
from orbitdl.preprocessing.conformity import factor

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

RECORDING = Recording(SIGNAL, RATE, ("MLII",), units=("mV",))
USES = ("encode", "events", "denoise", "complete", "score")
WARNED = {
    "units": ({"units": ("counts",)}, "from data in mV, and these are in counts; convert them"),
    "names": ({"ch_names": ("V5",)}, "in channels MLII, and these are in channels V5; see"),
    "scale": ({"signal": 200 * SIGNAL + 1024}, "the values are 200 times as large"),
}


@pytest.fixture(scope="module")
def model():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = WaveformLearning(
            length=40,
            alpha=1.0,
            max_iter=1,
            n_restarts=1,
            random_state=0,
            n_components=1,
            noise="white",
        )
        return own.fit(RECORDING)


def test_a_model_remembers_how_its_recording_was_acquired(model, tmp_path):
    model.save(tmp_path / "m.safetensors")
    for one in (model, orbitdl.load(tmp_path / "m.safetensors")):
        known = dict(one.acquisition_)
        assert known.pop("scale")[0] > 0
        assert known == {"sfreq": RATE, "ch_names": ["MLII"], "units": ["mV"]}
    assert model.fit(SIGNAL).acquisition_ == {}  # an array says nothing of itself
    model.fit(RECORDING)


@pytest.mark.parametrize("use", USES)
def test_another_sampling_rate_is_refused(model, use):
    with pytest.raises(ValueError, match="rate of 250 Hz, but the model was learned at 100 Hz"):
        getattr(model, use)(replace(RECORDING, sfreq=250.0))


@pytest.mark.parametrize("case", WARNED)
def test_other_units_channels_and_scales_are_warned_of(model, case):
    changes, sentence = WARNED[case]
    with pytest.warns(UserWarning, match=sentence):
        model.events(replace(RECORDING, **changes))
    model.events(RECORDING)
    model.events(replace(RECORDING, ch_names=(), units=(), sfreq=None))  # nothing is known


def test_units_that_differ_by_a_prefix_are_converted(model):
    in_volts = replace(RECORDING, signal=1e-3 * SIGNAL, units=("V",))
    events, own = model.events(in_volts), model.events(RECORDING)
    assert_allclose(events["sample"], own["sample"], atol=1e-6)
    assert_allclose(events["amplitude"], own["amplitude"], rtol=1e-6)  # in the model's unit
    assert_allclose(model.denoise(in_volts), 1e-3 * model.denoise(RECORDING), atol=1e-12)
    assert factor("uV", "V") == 1e-6


def test_channels_are_found_by_their_names_in_any_order():
    heart = make_ecg_recording(duration=60, n_leads=2, random_state=0)
    model = WaveformLearning(length=252, preprocessing=[HighPass(0.5)]).fit(heart)
    turned = heart.pick("V1,II")
    own, found = model.events(heart), model.events(turned)
    assert_allclose(found["sample"], own["sample"], atol=1e-9)
    assert_allclose(model.denoise(turned), model.denoise(heart)[:, ::-1], atol=1e-9)


def test_recordings_at_different_rates_are_not_learned_from_together(model):
    with pytest.raises(ValueError, match="sampling rates of 100 and 250 Hz; resample"):
        WaveformLearning(length=40, n_components=1, noise="white").fit(
            [RECORDING, replace(RECORDING, sfreq=250.0)]
        )
    with pytest.raises(ValueError, match="250 Hz, but the model was learned at 100 Hz"):
        model.partial_fit(replace(RECORDING, sfreq=250.0))


def test_recordings_in_other_units_are_not_learned_from_together_without_a_warning():
    with pytest.warns(UserWarning, match="from data in mV, and these are in uV; convert them"):
        assert acquired([RECORDING, replace(RECORDING, units=("uV",))])["units"] == ["mV"]


def test_a_recording_of_which_nothing_was_observed_has_no_scale():
    assert "scale" not in acquisition_of(np.full((50, 2), np.nan))


@pytest.mark.filterwarnings("always:the values are")
@pytest.mark.parametrize(
    "how", [("--length", 40, "--alpha", 1, "--noise", "white"), ("--window", LENGTH)]
)
@pytest.mark.parametrize("command", ["events", "denoise", "complete"])
def test_commands_compare_new_data_with_the_model(tmp_path, how, command):
    table, counts, learned = (tmp_path / name for name in ("a.csv", "counts.csv", "m"))
    pd.DataFrame({"x": SIGNAL}).to_csv(table, index=False)
    pd.DataFrame({"x": 1024 + np.rint(200 * SIGNAL)}).to_csv(counts, index=False)
    run("fit", table, "-o", learned, "--sfreq", RATE, *LEARN, "--max-iter", 1, *how).fine()
    output = tmp_path / "out.csv"
    other = run(command, learned, table, "-o", output, "--sfreq", 250, "--quiet")
    other.refused("250 Hz, but the model was learned at 100 Hz; .* insist with --sfreq 100")
    assert not output.exists()
    more = ("--alpha", 1000.0) if command == "events" else ()
    said = run(command, learned, counts, "-o", output, *more).fine().err
    assert said.count("times as large as those that the model was learned from") == 1
