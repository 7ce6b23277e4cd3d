"""Which atoms are events: none that is next to a larger one and far too small for its kind."""

import numpy as np
import pytest

from orbitdl.discovery.background import Background
from orbitdl.discovery.discover import calibrated
from orbitdl.discovery.occurrences import avoided_lag, is_event
from orbitdl.discovery.pursuit import Pursued

L = 60


def waveforms():
    n = np.arange(L) - L / 2
    A = np.stack([np.exp(-0.5 * (n / 6) ** 2), np.exp(-0.5 * (n / 6) ** 2) * np.sin(n / 3)])
    return (A / np.linalg.norm(A, axis=1, keepdims=True))[:, :, None]


def recording(small, every):
    """Return large events of two kinds, and small ones of the second next to some of the first."""
    A, rng = waveforms(), np.random.default_rng(0)
    x = rng.standard_normal((60_000, 1))
    first, second = np.arange(200, 59_000, 300), np.arange(350, 59_000, 1500)
    for start in first:
        x[start : start + L] += 60 * A[0]
    for start in second:
        x[start : start + L] += 60 * A[1]
    near = first[::every] + 25
    for start in near:
        x[start : start + L] += small * A[1]
    return x, near


@pytest.mark.parametrize(("small", "listed"), [(13.0, False), (57.0, True)])
def test_small_atoms_next_to_larger_events_are_events_if_isolated_ones_are_as_small(small, listed):
    x, near = recording(small, every=3)
    observed, rng = np.ones(len(x), dtype=bool), np.random.default_rng(0)
    noise = Background.white(np.ones(1))
    coded = calibrated(x, observed, noise, waveforms(), rng).coded
    events = coded.atoms.take(is_event(coded, len(x)))
    times = events.sample[events.component == 1] - L
    found = np.abs(times[:, None] - near).min(axis=0) <= 3
    assert found.all() if listed else not found.any()


def atoms_at(*times):
    """Return atoms of as many components, at integer samples."""
    component = np.repeat(np.arange(len(times)), [len(own) for own in times])
    return Pursued.at_samples(component, np.concatenate(times), np.ones(len(component)))


def regular(rng):
    """Return 300 times in 60 000 samples, at least 140 apart."""
    return np.arange(100, 60_000, 200) + rng.integers(-30, 31, 300)


@pytest.mark.parametrize("others", ["artefacts", "duplicates"])
def test_a_component_of_other_events_does_not_hide_that_most_avoid_each_other(others):
    rng = np.random.default_rng(0)
    times = regular(rng)
    more = {"artefacts": rng.integers(0, 60_000, 120), "duplicates": times[:120] + 12}[others]
    for atoms in (atoms_at(times, more), atoms_at(more, times)):
        assert avoided_lag(atoms, 60_000, 30) == 30


def test_regular_components_that_ignore_each_other_do_not_avoid_each_other():
    rng = np.random.default_rng(0)
    other = np.arange(7, 60_000, 211)  # at another rate, so that all lags occur
    assert avoided_lag(atoms_at(other), 60_000, 30) == 30
    assert avoided_lag(atoms_at(regular(rng), other), 60_000, 30) == 0


def test_components_that_alternate_avoid_each_other():
    times = regular(np.random.default_rng(0))
    assert avoided_lag(atoms_at(times[::2], times[1::2]), 60_000, 30) == 30
