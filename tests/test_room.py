"""Memory follows the atoms that samples have, not those they could have."""

import numpy as np
import pytest

from orbitdl import encode
from orbitdl.coding import ActiveSet, Sliding, active_set
from orbitdl.coding.codes import Atoms
from orbitdl.coding.sliding import coder as sliding
from orbitdl.coding.workspace import in_growing_room
from orbitdl.groups import ContinuousShift, IntegerShift


def codes_of(counts):
    """Return codes with so many atoms per sample."""
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
    K = offsets[-1]
    return Atoms(1, offsets, np.zeros(K, np.intp), np.ones(K), np.zeros((K, 1)))


@pytest.mark.parametrize("first", [1, 4, 1000])
@pytest.mark.parametrize("most", [30, 32, 500])
def test_every_sample_gets_room_for_the_atoms_it_needs_and_goes_on_from_those_it_has(first, most):
    needed, known = np.array([0, 1, 3, 4, 5, 30, 30]), np.array([0, 0, 2, 9, 0, 0, 30])
    begun, rooms = known.copy(), []

    def solve(chosen, atoms, room):
        np.testing.assert_array_equal(np.diff(atoms.offsets), begun[chosen])
        assert np.all(begun[chosen] <= room)
        rooms.append(room)
        begun[chosen] = np.minimum(needed[chosen], room)
        return codes_of(begun[chosen]), needed[chosen] >= room

    found = in_growing_room(solve, codes_of(known), first, most)
    np.testing.assert_array_equal(np.diff(found.offsets), needed)
    assert max(rooms) <= max(2 * needed.max(), min(first, most))


@pytest.mark.parametrize(
    ("module", "coder", "group"),
    [(active_set, ActiveSet(), IntegerShift()), (sliding, Sliding(), ContinuousShift())],
    ids=["active set", "sliding"],
)
def test_a_window_has_no_more_room_than_a_few_times_its_atoms(module, coder, group, monkeypatch):
    rooms = []

    def noting(solve, *settings):
        def note(chosen, atoms, room):
            rooms.append(room)
            return solve(chosen, atoms, room)

        return in_growing_room(note, *settings)

    monkeypatch.setattr(module, "in_growing_room", noting)
    rng = np.random.default_rng(0)
    pulse = np.zeros(3000)
    pulse[:40] = np.hanning(40) / np.linalg.norm(np.hanning(40))
    events = np.zeros(3000)
    events[rng.choice(3000, 100, replace=False)] = rng.uniform(1, 2, 100)
    x = np.fft.irfft(np.fft.rfft(events) * np.fft.rfft(pulse), n=3000)
    codes = encode(x[None], pulse[None], group=group, alpha=0.05, coder=coder)
    assert codes.gap[0] <= 1e-4
    assert 64 < max(rooms) <= 4 * len(codes.atoms.coefficient)
