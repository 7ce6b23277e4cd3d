"""Where events are, and that every one of them is listed once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import ACTIONS, action

from orbitdl import Codes, encode, positions
from orbitdl.coding.atoms import Atoms
from orbitdl.groups import ContinuousShift, IntegerShift, InterpolatedShift
from orbitdl.io import Preprocessing, Recording, event_table, prepare
from orbitdl.windows.overlaps import cuts, quiet_position, taper, window_starts, within_cuts


def bump(place: float, length: int = 40, width: float = 2.5) -> np.ndarray:
    """Return a pulse of unit norm on a circle, symmetric about its place."""
    t = (np.arange(length) - place + length / 2) % length - length / 2
    wave = np.exp(-0.5 * (t / width) ** 2)
    return wave / np.linalg.norm(wave)


def atoms_at(representation, shifts, components=None) -> Codes:
    """Return codes of one data point with an atom for every shift."""
    k = len(shifts)
    component = np.zeros(k, dtype=np.intp) if components is None else np.asarray(components)
    offsets, element = np.array([0, k]), np.asarray(shifts, dtype=float)[:, None]
    atoms = Atoms(int(component.max()) + 1, offsets, component, np.ones(k), element)
    return Codes(representation, atoms, np.zeros(1), np.zeros(1), np.array(["ok"], dtype=object))


# Where an atom is


@pytest.mark.parametrize("peak", [10.0, 10.3, 10.48, 10.52, 39.7, 0.05])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_peak_between_the_samples_is_found_where_it_is(peak, sign):
    codes = atoms_at(ContinuousShift().on((40,)), [0.0, 7.25, 33.9])
    found = positions(codes, sign * bump(peak)[None])
    assert_allclose(found, (peak + np.array([0.0, 7.25, 33.9])) % 40, atol=1e-4)


@pytest.mark.parametrize("group", [IntegerShift(), InterpolatedShift(4), ContinuousShift()])
def test_a_peak_is_the_largest_value_of_a_dense_search(group):
    """By brute force: transformed copies on a fine grid, the sample of the largest of them."""
    rng = np.random.default_rng(0)
    moves, fine = group.on((21, 2)), ContinuousShift().on((21, 2))
    steps = {IntegerShift: 1, InterpolatedShift: 4, ContinuousShift: 512}[type(group)]
    for _ in range(5):
        a = moves.project(rng.standard_normal((1, 21, 2)))
        moved = a[0] if steps == 1 else fine.act(-np.arange(21 * steps)[:, None] / steps, a)[:, 0]
        height = np.abs(moved).max(axis=-1)
        (found,) = positions(atoms_at(moves, [0.0]), a)
        assert abs(found - height.argmax() / steps) <= 0.51 / steps


@pytest.mark.parametrize("name", ACTIONS)
def test_every_group_says_where_its_atoms_are(name):
    moves, rng = action(name), np.random.default_rng(0)
    A = moves.project(rng.standard_normal((2, *moves.shape)))
    codes = encode(rng.standard_normal((6, *moves.shape)), A, group=moves.group, alpha=0.5)
    found, atoms = positions(codes, A), codes.atoms
    assert found.shape == atoms.component.shape
    assert np.all((found >= 0) & (found < moves.shape[0]))
    if not moves.presentation.in_time:
        moved = np.abs(moves.act(atoms.element, A[atoms.component]))
        height = moved.reshape(*moved.shape[:2], -1).max(axis=2)
        assert_array_equal(found, height.argmax(axis=1))


def test_positions_of_other_components_are_refused():
    codes = atoms_at(ContinuousShift().on((40,)), [0.0])
    with pytest.raises(ValueError, match="these codes are of 1 components of shape"):
        positions(codes, np.ones((2, 40)))


# Once, where windows overlap


def pulses(times: np.ndarray, n: int) -> np.ndarray:
    """Return pulses at these places as a recording of n samples."""
    t = np.arange(n) - times[:, None]
    return np.exp(-0.5 * (t / 2.5) ** 2).sum(axis=0)


def events_of(signal: np.ndarray, length: int, step: int, alpha: float = 0.3):
    component = ContinuousShift().on((length,)).project(bump(5.0, length)[None])
    windows = prepare(
        Recording(signal), Preprocessing(length, step), layout="recording", to_end=True
    )
    codes = encode(windows.values, component, group=ContinuousShift(), alpha=alpha)
    return event_table(codes, component, windows)


def times_found(signal, length, step) -> np.ndarray:
    """Return the places of all pulses found, in order: of all atoms that are no noise."""
    table = events_of(signal, length, step)
    return table.loc[table["coefficient"] > 1.0, "sample"].to_numpy()


CUTTING = [(64, 32), (64, 20), (65, 33), (64, 48), (64, 56)]


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize(("length", "step"), CUTTING)
def test_pulses_at_and_around_every_seam_are_listed_once(length, step, noise):
    """Each seam has a pulse within a sample of it, and one beyond that a window's end may cut."""
    rng = np.random.default_rng(length + step)
    seams = np.arange(1, 200) * step + (length - step) / 2
    away = rng.uniform(-1, 1, len(seams)) * np.where(np.arange(len(seams)) % 2, 1, 0.05)
    beside = seams[:-1] + rng.uniform(9, 11, len(seams) - 1)
    times = np.sort(np.concatenate([seams + away, beside]))
    n = int(seams[-1]) + length
    found = times_found(pulses(times, n) + noise * rng.standard_normal(n), length, step)
    assert len(found) == len(times)
    assert_allclose(found, times, atol=0.8)


@pytest.mark.parametrize(("length", "step"), [*CUTTING, (64, 7), (64, 2), (64, 1)])
def test_windows_that_place_an_event_differently_list_it_once(length, step):
    """Without a coder: each window sees each event up to 0.4 samples from where it is."""
    rng = np.random.default_rng(0)
    n_windows = 4000 // step
    start = np.arange(n_windows) * step
    times = np.arange(70, start[-1], 9) + rng.uniform(-2, 2, len(np.arange(70, start[-1], 9)))
    window, event = np.nonzero((times > start[:, None]) & (times < start[:, None] + length))
    apart = 0.4 if step > 2 else 0.1
    position = times[event] + rng.uniform(-apart, apart, len(event))
    size = rng.uniform(1, 3, len(times))[event] * rng.uniform(0.9, 1.1, len(event))
    listed = within_cuts(window, position, size, start=start, length=length)
    often = np.bincount(event[listed], minlength=len(times))
    assert_array_equal(often[event], 1)


@pytest.mark.parametrize("seed", range(5))
def test_every_place_belongs_to_one_window_however_crowded(seed):
    rng = np.random.default_rng(seed)
    window, within = rng.integers(0, 40, 3000), rng.uniform(0, 50, 3000)
    step = int(rng.integers(1, 50))
    start = window_starts(40, 50, step, samples=39 * step + 50 - int(rng.integers(step)))
    cut = cuts(window, within + start[window], rng.exponential(size=3000), start, 50)
    apart = np.diff(start)
    assert np.all(np.diff(cut) >= 0)
    assert np.all(np.abs(cut - start[:-1] - (50 + apart) / 2) <= np.minimum(apart, 50 - apart) / 2)


def test_an_event_that_one_window_alone_sees_is_not_lost():
    for seen_before in (True, False):
        for place in (99.5, 100.5):
            one = np.array([place]), np.ones(1), np.array([seen_before])
            cut = quiet_position(100.0, 8.0, *one)
            assert (place < cut) == seen_before


def test_what_one_window_splits_and_the_other_does_not_is_listed_by_one():
    position = np.array([99.8, 99.2, 100.6])
    seen_before = np.array([True, False, False])
    cut = quiet_position(100.0, 8.0, position, np.array([2.0, 0.7, 1.3]), seen_before)
    assert cut < 99 or cut > 101


def test_events_beyond_the_end_are_not_listed():
    position = np.array([3.0, 9.5, 10.0, 12.0])
    layout = {"start": np.array([0, 8]), "length": 8, "samples": 10}
    listed = within_cuts(np.array([0, 1, 1, 1]), position, np.ones(4), **layout)
    assert_array_equal(listed, [True, True, False, False])


def test_the_middle_of_a_window_counts_most_where_windows_overlap():
    """Weights 1, 2, 2, 1: by hand, where two windows say 1 and 2."""
    windows = prepare(Recording(np.zeros(6)), Preprocessing(4, 2), layout="recording")
    restored = windows.restore(np.repeat([[1.0], [2.0]], 4, axis=1))
    assert_allclose(restored, [1, 1, (2 * 1 + 1 * 2) / 3, (1 * 1 + 2 * 2) / 3, 2, 2])
    assert_array_equal(taper(5), [1, 2, 3, 2, 1])
