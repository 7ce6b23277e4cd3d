"""Shifts of bursts with any phase, against dense grids and closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from orbitdl.groups import ShiftAndPhase
from orbitdl.groups.base import inner
from orbitdl.groups.maxima.peaks import modulus_peaks

CASES = [(5, 1), (8, 2), (21, 1), (40, 3)]


def correlations(moves, n, seed):
    """Draw random C (n, F, 1, 1), smooth ones and single frequencies among them."""
    rng = np.random.default_rng(seed)
    shape = (n, moves.block_shape[0])
    C = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    C *= rng.uniform(0, 1, (n, 1)) ** np.arange(shape[1])
    C[0, 1:] = 0.0
    return C[:, :, None, None]


def moduli(moves, C, shift):
    """Return ``|sum_f C_f exp(2 pi i f shift / length)|``, (n, shifts)."""
    waves = np.exp(2j * np.pi * np.outer(moves.frequency, shift) / moves.shape[0])
    return np.abs(C[:, :, 0, 0] @ waves)


def burst(length, place, phase, width=3.0, frequency=0.22):
    t = np.arange(length)
    wave = np.cos(2 * np.pi * frequency * (t - place) - np.deg2rad(phase))
    return np.exp(-0.5 * ((t - place) / width) ** 2) * wave


@pytest.mark.parametrize(("length", "channels"), CASES)
def test_polar_is_the_largest_modulus_of_a_dense_grid(length, channels):
    moves = ShiftAndPhase().on((length, channels))
    C = correlations(moves, 50, length)
    dense = moduli(moves, C, np.linspace(0, length, 4000 * 5)).max(axis=1)
    assert np.all(moves.polar(C) >= dense * (1 - 1e-14))
    assert_allclose(moves.polar(C), dense, rtol=1e-5)
    value, element = moves.match(C)
    assert_allclose(value, moves.polar(C), rtol=1e-12)
    assert_allclose(inner(C, moves.represent(element)), value, rtol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150])
def test_the_largest_polar_is_the_largest_of_all_components(scale):
    moves = ShiftAndPhase().on((21,))
    C = correlations(moves, 60, 0).reshape(20, 3, -1, 1, 1)
    C[7] = 0.0
    found = moves.largest_polar(scale * C)
    assert_allclose(found / scale, moves.polar(C).max(axis=1), rtol=1e-12)
    assert found[7] == 0.0


def tops(values):
    """Return the places of local maxima on a circle that stand out by more than 1 %."""
    kind = np.sign(np.roll(values, -1) - values)
    turns = np.flatnonzero(kind != np.roll(kind, 1))
    height = values[turns]
    valley = np.maximum(np.roll(height, 1), np.roll(height, -1))  # the higher one beside a maximum
    return turns[height > 1.01 * valley]


@pytest.mark.parametrize(("length", "channels"), CASES)
def test_every_local_maximum_that_stands_out_is_among_the_peaks(length, channels):
    moves, step = ShiftAndPhase().on((length, channels)), 0.01
    C = correlations(moves, 300, 1)[1:]
    level = 0.5 * float(np.median(moves.polar(C)))
    found = moves.peaks(C, level)
    assert_allclose(inner(C[found.row], moves.represent(found.element)), found.coefficient)
    assert np.all((np.bincount(found.row, minlength=len(C)) > 0) == (moves.polar(C) > level))
    dense = moduli(moves, C, np.arange(0, length, step))
    for i, values in enumerate(dense):
        wanted = tops(values)
        apart = np.subtract.outer(
            step * wanted[values[wanted] > level], found.element[found.row == i, 0]
        )
        near = np.abs(apart - length * np.round(apart / length)) < 2 * step
        assert near.any(axis=1).all()


def test_no_peak_is_there_above_a_high_level_and_none_of_nothing():
    moves = ShiftAndPhase().on((9,))
    C = correlations(moves, 5, 0)
    assert len(moves.peaks(C, 1e6).row) == 0
    assert len(moves.peaks(C[:0], 0.1).row) == 0
    assert len(moves.peaks(0.0 * C, 0.1).row) == 0


def test_a_burst_is_moved_under_its_envelope():
    moves = ShiftAndPhase().on((64,))
    a = burst(64, 20.0, 0.0)
    moved = moves.act(np.array([12.5, 130.0]), a)
    # a shift moves the wave along with its envelope, the phase is that beneath it
    assert_allclose(moved, burst(64, 32.5, 130.0), atol=2e-3)
    value, element = moves.match((moves.analyze(moved) * moves.analyze(a).conj())[None])
    assert_allclose(element, [[12.5, 130.0]], atol=1e-6)
    assert_allclose(value, np.sum(moves.project(a) ** 2))


def test_the_place_of_a_burst_is_that_of_its_envelope():
    moves = ShiftAndPhase().on((64,))
    a = np.stack([burst(64, 20.0, 0.0), burst(64, 41.25, 77.0)])
    element = np.array([[0.0, 0.0], [3.5, 210.0], [50.0, 5.0]])
    place = moves.locate(element, np.array([0, 0, 1]), a)
    assert_allclose(place, [20.0, 23.5, 27.25], atol=0.1)


@pytest.mark.parametrize("length", [3, 4, 9])
def test_tangents_are_the_derivatives_of_moves(length):
    moves, rng = ShiftAndPhase().on((length, 2)), np.random.default_rng(0)
    B, g = moves.analyze(rng.standard_normal((4, length, 2))), moves.sample(rng, 4)
    X = moves.tangents(moves.act_on_blocks(g, B))
    for a, step in enumerate(1e-5 * np.eye(2)):
        ahead, behind = (moves.act_on_blocks(moves.retract(g, s * step), B) for s in (1, -1))
        assert_allclose((ahead - behind) / 2e-5, X[:, a], atol=1e-8)


@pytest.mark.parametrize("shape", [(2,), (1, 4), (0,), (5, 0), (3, 3, 3), ()])
def test_signals_too_short_to_oscillate_are_refused(shape):
    with pytest.raises(ValueError, match="acts on data points of shape"):
        ShiftAndPhase().on(shape)


def test_peaks_above_any_level_are_looked_for_without_overflow():
    C = np.zeros((2, 5), dtype=complex)
    C[1] = 1e-200
    for level in (1e-300, 1.0, 1e20, 1e300):
        found = modulus_peaks(C, level)
        assert np.all(found.value > level)
    assert set(modulus_peaks(C, 1e-250).row) == {1}
