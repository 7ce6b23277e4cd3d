"""The active set on components whose moved copies depend on each other."""

import numpy as np

from orbitdl import encode
from orbitdl.coding import ActiveSet
from orbitdl.groups import InterpolatedShift


def test_codes_stay_finite_when_many_moved_components_depend_on_each_other():
    """A slow wave wants rows of half-sample shifts at once: their Gram matrix is singular."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal((1, 201))
    t = np.arange(201) / 201 + rng.uniform(0, 1, (20, 1))
    x = np.cos(2 * np.pi * t * rng.integers(1, 5, (20, 1))) / 10
    codes = encode(
        x, a / np.linalg.norm(a), group=InterpolatedShift(2), alpha=0.01, coder=ActiveSet()
    )
    assert np.isfinite(codes.objective).all()
    assert codes.gap.max() <= 1e-4
