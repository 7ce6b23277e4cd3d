"""Largest values of trigonometric polynomials against closed forms and polynomial roots."""

import numpy as np
import pytest
from scipy.special import factorial

from orbitdl.groups import ContinuousShift
from orbitdl.groups.maxima import largest as grid_kernels


def by_roots(C):
    """Return max |p| from the roots of p', a polynomial in z = exp(i theta)."""
    f = np.arange(len(C))
    slope = 1j * f * C / 2
    full = np.concatenate([np.conj(slope[:0:-1]), [0], slope[1:]])
    theta = np.angle(np.roots(full[::-1]))
    values = np.real(np.exp(1j * theta[:, None] * f) @ C)
    return np.abs(values).max()


@pytest.mark.parametrize("length", [5, 8, 15, 24, 41])
def test_polar_agrees_with_the_roots_of_the_derivative(length):
    rng = np.random.default_rng(length)
    moves = ContinuousShift().on((length,))
    shape = (50, moves.block_shape[0])
    C = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    C *= rng.uniform(0, 1, (50, 1)) ** np.arange(shape[1])  # smooth ones among them
    expected = [by_roots(c) for c in C]
    np.testing.assert_allclose(moves.polar(C[:, :, None, None]), expected, rtol=1e-10)


@pytest.mark.parametrize("length", [3, 64, 201, 1000])
def test_match_finds_a_known_shift(length):
    """With weights >= 0 the correlation of an atom with itself peaks at its shift."""
    rng = np.random.default_rng(length)
    moves = ContinuousShift().on((length,))
    shift = rng.uniform(0, length, (20, 1))
    weight = rng.uniform(0, 1, (20, moves.block_shape[0]))
    sign = rng.choice([-1.0, 1.0], 20)
    C = (sign[:, None] * weight)[:, :, None, None] * moves.represent(shift)
    value, found = moves.match(C)
    np.testing.assert_allclose(value, sign * weight.sum(axis=1), rtol=1e-12)
    apart = np.abs(found - shift)
    assert np.minimum(apart, length - apart).max() < 1e-6 * length


def test_two_maxima_within_a_grid_cell_are_told_apart():
    """Two equal atoms half a sample apart give a flat top whose higher side must be found."""
    moves = ContinuousShift().on((101,))
    for tilt in (1e-3, -1e-3):
        pair = moves.represent(np.array([[20.0], [20.62]]))
        C = (1 + tilt) * pair[0] + (1 - tilt) * pair[1]
        dense = np.linspace(18, 23, 200001)[:, None]
        brute = np.abs(np.sum(np.conj(moves.represent(dense)) * C, axis=(1, 2, 3)).real).max()
        np.testing.assert_allclose(moves.polar(C[None]), brute, rtol=1e-9)


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150])
@pytest.mark.parametrize("length", [3, 15, 41])
def test_the_largest_polar_is_the_largest_of_all_components(length, scale):
    rng = np.random.default_rng(length)
    moves = ContinuousShift().on((length,))
    shape = (40, 3, moves.block_shape[0])
    C = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    C *= rng.uniform(0, 1, (40, 3, 1)) ** np.arange(shape[2])
    expected = [max(by_roots(c) for c in row) for row in C]
    found = moves.largest_polar(scale * C[..., None, None])
    np.testing.assert_allclose(found / scale, expected, rtol=1e-10)


def test_the_largest_polar_of_nothing_is_zero():
    moves = ContinuousShift().on((21,))
    assert np.all(moves.largest_polar(np.zeros((3, 2, 11, 1, 1), dtype=complex)) == 0)


def bumps(rng, n):
    """Draw functions with ``|p^(5)| <= fifth`` and a maximum within half a cell of zero.

    Their fifth derivative jumps between its bounds at random places. Return values (n, 5) at the
    grid points from -2 to 2, the bounds (n,) and the maxima (n,).
    """
    place = (
        0.5 * np.sign(rng.uniform(-1, 1, n)) * (1 - rng.choice([0, 1], n) * rng.uniform(0, 1, n))
    )
    x = np.concatenate([np.tile(np.arange(-2.0, 3.0), (n, 1)), place[:, None]], axis=1)
    fifth = rng.choice([0.0, 1.0], n) * 10 ** rng.uniform(-3, 1, n)
    knots, signs = np.sort(rng.uniform(-2, 2, (n, 3))), rng.choice([-1.0, 1.0], (n, 1))
    jumps = np.concatenate([signs, -2 * signs, 2 * signs, -2 * signs], axis=1)
    start = np.concatenate([np.full((n, 1), -2.0), knots], axis=1)
    beyond = np.maximum(x[:, :, None] - start[:, None], 0.0)
    terms = [np.einsum("nxk,nk,n->nx", beyond**p, jumps, fifth / factorial(p)) for p in (5, 4, 3)]
    for p in (3, 4):
        c = (rng.choice([0.0, 1.0], n) * rng.standard_normal(n) * 10 ** rng.uniform(-3, 1, n))[
            :, None
        ]
        for order in range(3):
            terms[order] += c * x ** (p - order) / factorial(p - order)
    slope, bend = terms[1][:, -1:], terms[2][:, -1:]
    bent = -np.abs(rng.choice([0.0, 1.0], (n, 1)) * rng.standard_normal((n, 1)))
    away = x - place[:, None]
    p = terms[0] - slope * away + 0.5 * (bent - bend) * away**2
    p += np.abs(p[:, :-1]).max(axis=1, keepdims=True) * 10 ** rng.uniform(0, 1, (n, 1))
    return p[:, :-1], fifth, p[:, -1]


def test_no_cell_with_a_maximum_is_excluded():
    """The bounds hold for all functions with such a fifth derivative, and for rounded values."""
    rng, n = np.random.default_rng(14), 20_000
    may_exceed = getattr(grid_kernels.may_exceed, "py_func", grid_kernels.may_exceed)
    values, fifth, top = bumps(rng, n)
    error = rng.choice([0.0, 1e-3, 1e-2, 0.1], n)
    values += error[:, None] * rng.choice([-1.0, 1.0], values.shape)
    for p, f, best, e in zip(values, fifth, top, error, strict=True):
        if p[2] > 0.0:
            assert may_exceed(p, 2, f, best - 1e-9 * np.abs(p).max(), e)
