"""Which atoms are events: none that is next to a larger one and far too small for its kind."""

import numpy as np
import pytest

from orbitdl.discovery.background import Background
from orbitdl.discovery.discover import calibrated
from orbitdl.discovery.occurrences import is_event

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
