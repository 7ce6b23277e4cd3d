"""Events that a change of structure must leave as they are, nothing tuned.

Three minutes of six records of MIT-BIH, and simulators. Where events are meant to change, store
them anew, and say in the changelog why:

    ORBITDL_DATA=... python tests/estimators/test_frozen_events.py
"""

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pytest

from orbitdl import WaveformLearning
from orbitdl.datasets import load_ecg, make_ecg_recording, make_spike_recording

STORED = Path(__file__).with_suffix(".json")
RECORDS = ("101", "106", "119", "203", "208", "223")
SAME, NEAR = 0.99, 0.5
"""Share of events that are found again, within so many samples: rounding decides about a few."""


def heart() -> tuple[np.ndarray, int]:
    return make_ecg_recording(duration=60, random_state=0).signal, 200


def spikes() -> tuple[np.ndarray, int]:
    return make_spike_recording(duration=10, random_state=0).signal, 60


def record(name: str) -> tuple[np.ndarray, int]:
    if "ORBITDL_DATA" not in os.environ:
        pytest.skip("set ORBITDL_DATA to the folder of recordings")
    try:
        return load_ecg(name).signal[: 180 * 360], 216
    except (FileNotFoundError, OSError) as error:
        pytest.skip(f"record {name} is not there: {error}")


CASES = {"heart": heart, "spikes": spikes} | {name: lambda n=name: record(n) for name in RECORDS}


def events(case: str) -> dict[str, list[float]]:
    """Return times in samples and components of all events, with nothing tuned."""
    x, length = CASES[case]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = WaveformLearning(length=length).fit(x).events(x)
    at, component = table["sample"].round(1), table["component"]
    return {"sample": at.tolist(), "component": component.tolist()}


def found_again(one: dict[str, list[float]], other: dict[str, list[float]]) -> float:
    """Return the share of events of one list that are in the other, of the same component."""
    a, b = (np.stack([e["sample"], 1e9 * np.array(e["component"])], axis=1) for e in (one, other))
    return float(np.mean(np.abs(a[:, None] - b).max(axis=2).min(axis=1) <= NEAR))


@pytest.mark.parametrize("case", CASES)
def test_events_are_those_that_were_stored(case):
    stored, now = json.loads(STORED.read_text())[case], events(case)
    assert found_again(stored, now) >= SAME
    assert found_again(now, stored) >= SAME


if __name__ == "__main__":
    STORED.write_text(json.dumps({case: events(case) for case in CASES}) + "\n")
