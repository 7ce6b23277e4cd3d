"""Units of data and components: how large numbers are makes no difference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from registry import action

from orbitdl import Status, encode

NAMES = ["trivial", "integer shift", "continuous shift", "orthogonal", "hexagon"]


def draw(name: str, seed: int = 0) -> tuple[object, np.ndarray, np.ndarray]:
    """Return a group, data and components of unit norm."""
    rep, rng = action(name, 8), np.random.default_rng(seed)
    X, A = (rng.standard_normal((k, *rep.shape)) for k in (6, 2))
    norms = np.sqrt((A**2).reshape(2, -1).sum(axis=1))
    return rep.group, X, A / norms.reshape(2, *[1] * len(rep.shape))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(NAMES),
    size=st.integers(-95, 95),
    length=st.integers(-95, 95),
    seed=st.integers(0, 3),
    holed=st.booleans(),
)
def test_units_of_data_and_components_do_not_matter(name, size, length, seed, holed):
    """Without a warning, for those are errors; objectives scale with the square of the unit."""
    group, X, A = draw(name, seed)
    if holed:
        X.flat[:: 7 + seed] = np.nan
    usual = encode(X, A, group=group, alpha=0.2)
    unit, scale = 10.0**size, 10.0**length
    other = encode(X * unit, A * scale, group=group, alpha=0.2 * unit * scale)
    assert other.gap.max() <= 1e-4
    assert_allclose(other.objective / unit**2, usual.objective, rtol=3e-4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("alpha", [1e100, 1e200, 1.7e308])
def test_beyond_every_correlation_codes_are_empty_however_large_alpha(name, alpha):
    group, X, A = draw(name)
    codes = encode(X, A, group=group, alpha=alpha)
    assert len(codes.to_frame()) == 0
    assert codes.gap.max() <= 1e-12


@pytest.mark.parametrize("holed", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_sample_whose_square_vanishes_is_not_called_zero(name, holed):
    group, X, A = draw(name)
    X[1], X[2] = X[1] * 1e-170, 0.0
    if holed:
        X[:, 0] = np.nan
    codes = encode(X, A, group=group, alpha=0.2)
    assert codes.status[1] is Status.CONVERGED
    assert codes.status[2] is Status.ZERO_DATA


@pytest.mark.parametrize("norms", [(1.0, 0.01), (0.1, 0.1), (30.0, 30.0), (1.0, 1e-30)])
def test_components_of_any_norm_are_coded_within_tolerance(norms):
    """On an orbit whose members are close to each other, too."""
    rep = action("hexagon", 8)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((6, *rep.shape))
        A = rng.standard_normal((2, *rep.shape)) * np.array(norms)[:, None]
        assert encode(X, A, group=rep.group, alpha=0.1 * max(norms)).gap.max() <= 1e-4
