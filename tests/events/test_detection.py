"""Events of neighbouring chunks, and which other component an event resembles."""

from types import SimpleNamespace

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from orbitdl.discovery.pursuit import Pursued
from orbitdl.domains.time.atoms import at_times
from orbitdl.events.detection import runners_up, without_duplicates

L = 32


def test_of_two_chunks_that_find_one_event_the_larger_is_listed():
    time, size = np.array([10.0, 11.0, 12.0, 40.0, 41.0]), np.array([5.0, 4.0, 1.0, 2.0, -3.0])
    owner = np.array([0, 1, 0, 1, 0])
    atoms = at_times(np.zeros(5, dtype=int), time, size, 1)
    found = without_duplicates(atoms, owner, 4)
    assert_array_equal(found, [True, False, True, False, True])


def test_the_runner_up_is_the_other_component_of_the_largest_correlation_nearby():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((3, L, 1))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    y = rng.standard_normal((400, 1))
    sample, component, c = np.array([50, 150, 300]), np.array([0, 1, 2]), np.array([9.0, 7.0, 8.0])
    atoms = Pursued.at_samples(component, sample, c)
    views = np.lib.stride_tricks.sliding_window_view(y[:, 0], L)
    coded = SimpleNamespace(detector=SimpleNamespace(A=A), atoms=atoms, eta=A[..., 0] @ views.T)
    other, rival = runners_up(coded, np.arange(3))
    for k in range(3):
        with_event = y[:, 0].copy()
        with_event[sample[k] : sample[k] + L] += c[k] * A[component[k], :, 0]
        views = np.lib.stride_tricks.sliding_window_view(with_event, L)
        near = (A[..., 0] @ views.T)[:, sample[k] - L // 8 : sample[k] + L // 8 + 1].max(axis=1)
        near[component[k]] = -np.inf
        assert other[k] == near.argmax()
        assert_allclose(rival[k], near.max())
