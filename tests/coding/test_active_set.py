"""The active set where atoms depend on each other, and on orbits of large matrices."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose
from registry import action, square

from orbitdl import encode
from orbitdl.coding import ActiveSet, active_set
from orbitdl.groups import InterpolatedShift, Trivial
from orbitdl.groups.base import inner


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


@pytest.mark.parametrize("most", [0, active_set.MOST_PRODUCTS])
@pytest.mark.parametrize(
    "name", ["trivial", "integer shift", "whole translations of images", "moves of a square"]
)
def test_inner_products_of_atoms_are_where_the_layout_says(name, most, monkeypatch):
    monkeypatch.setattr(active_set, "MOST_PRODUCTS", most)
    rep, q = action(name), 3
    A = rep.analyze(np.random.default_rng(0).standard_normal((q, *rep.shape)))
    moved = rep.act_on_blocks(rep.elements[:, None], A)
    moved = moved.reshape(rep.size * q, *rep.block_shape)
    found = active_set.inner_products(rep, A)
    a, b = np.ogrid[: len(moved), : len(moved)]
    place = found.row[a] + found.shift[found.divisor[a], found.element[b]] + found.component[b]
    assert_allclose(found.products[place], inner(moved[:, None], moved), atol=1e-12)
    runs = place.reshape(len(moved), -1, found.run)
    assert np.all(np.diff(runs, axis=2) == 1)


def test_codes_do_not_depend_on_how_inner_products_are_laid_out(monkeypatch):
    X, components = patches(20, 3)
    coder = ActiveSet(tol=1e-9)
    whole = encode(X, components, group=square(8), alpha=0.3, coder=coder)
    holed = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
    masked = encode(holed, components, group=square(8), alpha=0.3, coder=coder)
    monkeypatch.setattr(active_set, "MOST_PRODUCTS", 0)
    for data, expected in ((X, whole), (holed, masked)):
        codes = encode(data, components, group=square(8), alpha=0.3, coder=coder)
        assert_allclose(codes.objective, expected.objective, rtol=1e-8)


def patches(n: int, q: int) -> tuple[np.ndarray, np.ndarray]:
    """Return images of 8 x 8 pixels, and components of unit norm."""
    rng = np.random.default_rng(0)
    images, components = rng.standard_normal((n, 8, 8)), rng.standard_normal((q, 8, 8))
    return images, components / np.linalg.norm(components, axis=(1, 2), keepdims=True)


def test_symmetries_of_images_are_coded_as_well_as_the_listed_orbits():
    X, components = patches(20, 3)
    turned = [np.rot90(a, k) for a in components for k in range(4)]
    listed = np.array(turned + [a.T for a in turned])
    codes = encode(X, components, group=square(8), alpha=0.3, coder=ActiveSet(tol=1e-9))
    expected = encode(X, listed, group=Trivial(), alpha=0.3, coder=ActiveSet(tol=1e-9))
    assert_allclose(codes.objective, expected.objective, rtol=1e-8)


def test_coding_under_large_matrices_needs_little_more_memory_than_the_data():
    """Not n q d^2 numbers, 512 times the data here."""
    X, components = patches(500, 8)
    encode(X[:2], components, group=square(8), alpha=0.5)
    tracemalloc.start()
    encode(X, components, group=square(8), alpha=0.5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * X.nbytes


@pytest.mark.parametrize("alpha", [0.3, 0.01])
@pytest.mark.parametrize(
    "name",
    ["hexagon", "interpolated shift 3", "interpolated shift 2 of channels", "square on images"],
)
def test_components_of_any_norm_are_coded_within_the_tolerance(name, alpha):
    """Atoms that depend on each other enter one by one, and find room for all that is needed."""
    rep = action(name, 8)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        data, components = (rng.standard_normal((n, *rep.shape)) for n in (50, 2))
        assert encode(data, components, group=rep.group, alpha=alpha).gap.max() <= 1e-4


def test_components_that_all_but_depend_on_each_other_get_their_shares():
    """What is added to the factor's diagonal must be small beside an eigenvalue of 1e-11."""
    components = np.eye(5)[1:4] * np.sqrt(2e-11) + np.eye(5)[0]
    components /= np.linalg.norm(components, axis=1, keepdims=True)
    alpha, shares = 1e-7, np.array([1.0, 2.0, 3.0])
    residual = alpha * np.linalg.lstsq(components, np.ones(3), rcond=None)[0]
    x = shares @ components + residual  # so that every component has the correlation alpha with it
    codes = encode(x[None], components, group=Trivial(), alpha=alpha, coder=ActiveSet(tol=1e-5))
    assert codes.gap[0] <= 1e-5
    assert_allclose(codes.objective[0], 0.5 * residual @ residual + alpha * 6, rtol=1e-5)
