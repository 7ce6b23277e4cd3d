"""Decoys: what is planted upside down, or reversed in time, is counted, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from orbitdl import WaveformLearning

LENGTH, EVERY = 60, 200
t = np.arange(LENGTH)
BUMP = np.exp(-0.5 * ((t - 29.5) / 6.0) ** 2)
"""Unlike anything upside down."""
CODE = np.random.default_rng(5).standard_normal(LENGTH)
"""Unlike its reversal, at any lag and of any sign."""


def recording(seed: int, *shapes: np.ndarray, samples: int = 20_000) -> np.ndarray:
    """Return noise with events of some shapes, by turns."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(samples)
    for k, at in enumerate(range(EVERY, samples - EVERY, EVERY)):
        first, a = at + rng.integers(0, 50), shapes[k % len(shapes)]
        x[first : first + LENGTH] += 15.0 * a / np.linalg.norm(a)
    return x


@pytest.mark.parametrize(
    ("settings", "shape", "decoy"),
    [({}, BUMP, -BUMP), ({"n_components": 1}, CODE, CODE[::-1])],
)
def test_what_is_planted_as_a_decoy_is_counted(settings, shape, decoy):
    model = WaveformLearning(length=LENGTH, random_state=0, **settings)
    model.fit(recording(0, shape))
    alone = model.events(recording(1, shape))
    mixed = model.events(recording(2, shape, shape, decoy))
    assert sum(alone.attrs["decoys"]) <= 1
    assert len(alone) == pytest.approx(99, abs=2)
    assert sum(mixed.attrs["decoys"]) == pytest.approx(33, abs=2)


def test_without_components_there_are_no_decoys():
    noise = np.random.default_rng(0).standard_normal(5000)
    with pytest.warns(RuntimeWarning, match="no waveform recurs"):
        model = WaveformLearning(length=LENGTH).fit(noise)
    assert model.events(noise).attrs["decoys"] == []


def test_decoys_of_a_long_recording_are_those_of_its_chunks():
    model = WaveformLearning(length=LENGTH, random_state=0).fit(recording(0, BUMP))
    long = recording(3, BUMP, -BUMP, samples=200_000)
    assert sum(model.events(long).attrs["decoys"]) == pytest.approx(499, abs=10)
