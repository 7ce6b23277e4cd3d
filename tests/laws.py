"""The laws of a group action, each a function of a representation and a random generator.

A law raises AssertionError where it does not hold. LAWS lists them all by name, with the kind of
representation that each is about.
"""

import pickle
from collections.abc import Callable

import numpy as np
from numpy.testing import assert_allclose, assert_array_less
from scipy.optimize import linprog

from orbitdl.groups import Action, CircleRepresentation, FiniteRepresentation, Representation
from orbitdl.groups.base import Blocks, Combination, Floats, as_real, correlate, inner

Law = Callable[[Action, np.random.Generator], None]
Kind = Callable[[Action], bool]
LAWS: dict[str, tuple[Law, Kind]] = {}


def any_group(rep: Action) -> bool:
    return True


def group_of_matrices(rep: Action) -> bool:
    """Others are said in terms of one: a group with finitely many other transformations."""
    return isinstance(rep, Representation)


def listed_group(rep: Representation) -> bool:
    return isinstance(rep, FiniteRepresentation)


def searchable_group(rep: Representation) -> bool:
    """Trying all elements, or a dense grid of a circle, comes close to the best."""
    return isinstance(rep, FiniteRepresentation | CircleRepresentation)


def group_with_tangents(rep: Representation) -> bool:
    return group_of_matrices(rep) and rep.has_tangents


def group_with_gauge(rep: Representation) -> bool:
    """In closed form; for the others see `tests/reproduction/test_gauges.py`."""
    return group_of_matrices(rep) and rep.has_gauge


def searchable_group_with_gauge(rep: Representation) -> bool:
    return searchable_group(rep) and group_with_gauge(rep)


def group_with_prox(rep: Representation) -> bool:
    return group_of_matrices(rep) and rep.has_prox


def law_of(kind: Kind) -> Callable[[Law], Law]:
    """Put a law on the list."""

    def enlist(function: Law) -> Law:
        LAWS[function.__name__] = function, kind
        return function

    return enlist


# What the laws are checked on


def draw_data(rep: Representation, rng: np.random.Generator, n: int = 3) -> Floats:
    """Draw data points."""
    return rng.standard_normal((n, *rep.shape))


def draw_correlations(rep: Representation, rng: np.random.Generator, n: int = 3) -> Blocks:
    """Draw ``C = y a^H`` for random y and a."""
    Y, A = rep.analyze(draw_data(rep, rng, n)), rep.analyze(draw_data(rep, rng, n))
    return Y @ A.conj().swapaxes(-1, -2)


def draw_codes(
    rep: Representation, rng: np.random.Generator, n: int = 3, k: int = 4
) -> tuple[Blocks, Floats]:
    """Draw ``Z = sum_k c_k rho(g_k)`` and return it with ``sum_k |c_k|``."""
    c = rng.standard_normal((n, k))
    rho = rep.represent(rep.sample(rng, n * k))
    return np.einsum("nk,nk...->n...", c, rho.reshape(n, k, *rho.shape[1:])), np.abs(c).sum(axis=1)


def many_elements(rep: Representation, rng: np.random.Generator, density: int = 40) -> Floats:
    """Return all elements of a group that lists them, a fine grid of a circle, or a sample."""
    if isinstance(rep, FiniteRepresentation):
        return rep.elements
    if isinstance(rep, CircleRepresentation):
        return np.arange(density * rep.cells)[:, None] * (rep.period / rep.cells) / density
    return rep.sample(rng, 2000)


def weigh(rep: Representation, Z: Blocks) -> Blocks:
    """Return ``w Z``, so that ``<w Z, V>`` is the inner product of the metric."""
    return rep.metric[:, None, None] * Z


def close(actual: Floats, expected: Floats, scale: float = 1.0, tol: float = 1e-10) -> None:
    """Assert agreement to a fraction of a scale."""
    assert_allclose(actual, expected, rtol=tol, atol=tol * scale)


def at_most(small: Floats, large: Floats, tol: float = 1e-9) -> None:
    """Assert ``small <= large`` up to rounding."""
    assert_array_less(small, large + tol * (1.0 + np.abs(large)))


# Elements and their matrices


@law_of(group_of_matrices)
def the_product_of_elements_is_represented_by_the_product_of_matrices(rep, rng):
    g, h = rep.sample(rng, 5), rep.sample(rng, 5)
    close(rep.represent(rep.compose(g, h)), rep.represent(g) @ rep.represent(h))


@law_of(any_group)
def an_inverse_undoes_its_element(rep, rng):
    g, x = rep.sample(rng, 5), rep.project(draw_data(rep, rng, 5))
    for both in (rep.compose(g, rep.inverse(g)), rep.compose(rep.inverse(g), g)):
        close(rep.act(both, x), x)


@law_of(group_of_matrices)
def an_inverse_is_represented_by_the_adjoint(rep, rng):
    g = rep.sample(rng, 5)
    close(rep.represent(rep.inverse(g)), rep.represent(g).conj().swapaxes(-1, -2))


@law_of(any_group)
def elements_and_blocks_have_the_shapes_they_announce(rep, rng):
    n_blocks, d, _ = rep.block_shape
    g, x = rep.sample(rng, 4), draw_data(rep, rng, 4)
    assert g.shape == (4, len(rep.parameters))
    assert rep.contains(g)
    if group_of_matrices(rep):
        assert rep.represent(g).shape == (4, n_blocks, d, d)
    assert rep.analyze(x).shape == (4, *rep.block_shape)
    assert rep.analyze(x).dtype == rep.dtype
    assert rep.analyze(x[0]).shape == rep.block_shape
    assert rep.act(g, x).shape == x.shape
    assert rep.act(g[:0], x[:0]).shape == x[:0].shape


@law_of(listed_group)
def the_list_of_elements_is_numbered_identity_first(rep, rng):
    everything = rep.elements
    assert len(everything) == rep.size
    assert np.array_equal(rep.index(everything), np.arange(rep.size))
    rho = rep.represent(everything)
    close(rho[0], np.broadcast_to(np.eye(rho.shape[-1]), rho[0].shape))
    C = draw_correlations(rep, rng)
    close(rep.correlations(C), inner(C[:, None], rho[None]), scale=np.abs(C).max())


@law_of(listed_group)
def the_table_of_quotients_divides_from_the_left(rep, rng):
    g, h = rng.integers(rep.size, size=(2, 10))
    rho = rep.represent(rep.elements)
    close(rho[rep.divide(g, h)], rho[g].conj().swapaxes(-1, -2) @ rho[h])


@law_of(listed_group)
def every_entry_is_one_of_a_few_that_is_moved(rep, rng):
    first, source, number = rep.entries()
    count = int(np.prod(rep.shape))
    units = rep.analyze(np.eye(count).reshape(count, *rep.shape))
    close(rep.represent(rep.elements[number]) @ units[first[source]], units)


@law_of(group_of_matrices)
def every_element_is_a_combination_of_the_cover(rep, rng):
    table, some = (
        as_real(rep.represent(g)) for g in (rep.spanning_elements(), rep.sample(rng, 20))
    )
    weights = np.linalg.lstsq(table.T, some.T, rcond=1e-10)[0]
    close(table.T @ weights, some.T, tol=1e-8)


@law_of(any_group)
def shortest_parameters_name_the_same_elements(rep, rng):
    g, x = rep.sample(rng, 5), draw_data(rep, rng, 5)
    close(rep.act(rep.principal(g), x), rep.act(g, x))
    at_most(np.abs(rep.principal(g)), np.abs(g))


@law_of(any_group)
def examples_are_elements_and_no_more_than_asked_for(rep, rng):
    for most in (2, 5, 24):
        g = rep.examples(most)
        assert 1 <= len(g) <= most
        assert rep.contains(g)
        x = rep.project(draw_data(rep, rng, len(g)))
        close(rep.act(g, rep.act(rep.inverse(g), x)), x)


@law_of(any_group)
def every_element_is_said_and_every_data_point_drawn(rep, rng):
    shown = rep.presentation
    assert shown.description
    assert pickle.loads(pickle.dumps(rep)).presentation.description == shown.description
    assert all(isinstance(shown.label(g), str) for g in rep.sample(rng, 3))
    x = draw_data(rep, rng)
    lines = shown.view.lines(x, rep.shape)
    assert lines.shape == (3, shown.view.n_lines, shown.view.length)
    close(np.sort(lines.reshape(3, -1)), np.sort(x.reshape(3, -1)))


# The transform and the action


@law_of(any_group)
def analyze_keeps_inner_products(rep, rng):
    x, y = rep.project(draw_data(rep, rng)), rep.project(draw_data(rep, rng))
    product = np.sum(x * y, axis=tuple(range(1, x.ndim)))
    close(inner(rep.analyze(x), rep.analyze(y)), product)


@law_of(any_group)
def synthesize_is_the_adjoint_of_analyze(rep, rng):
    x = draw_data(rep, rng)
    B = rng.standard_normal((3, *rep.block_shape)).astype(rep.dtype)
    if np.iscomplexobj(B):
        B += 1j * rng.standard_normal(B.shape)
    product = np.sum(x * rep.synthesize(B), axis=tuple(range(1, x.ndim)))
    close(inner(rep.analyze(x), B), product)


@law_of(any_group)
def synthesize_inverts_analyze_on_what_moves(rep, rng):
    x = draw_data(rep, rng)
    seen = rep.project(x)
    close(rep.project(seen), seen)
    close(rep.analyze(seen), rep.analyze(x))
    assert rep.is_invertible == np.allclose(seen, x)


@law_of(any_group)
def the_action_is_linear(rep, rng):
    x, y, g = draw_data(rep, rng), draw_data(rep, rng), rep.sample(rng, 3)
    close(rep.act(g, 2.0 * x - y), 2.0 * rep.act(g, x) - rep.act(g, y), scale=10.0)


@law_of(any_group)
def the_action_keeps_norms(rep, rng):
    x, g = rep.project(draw_data(rep, rng)), rep.sample(rng, 3)
    axes = tuple(range(1, x.ndim))
    close(np.sum(rep.act(g, x) ** 2, axis=axes), np.sum(x**2, axis=axes))


@law_of(any_group)
def acting_twice_is_acting_with_the_product(rep, rng):
    x, g, h = draw_data(rep, rng), rep.sample(rng, 3), rep.sample(rng, 3)
    close(rep.act(g, rep.act(h, x)), rep.act(rep.compose(g, h), x), scale=10.0)


@law_of(group_of_matrices)
def analyze_turns_the_action_into_matrix_products(rep, rng):
    x, g = draw_data(rep, rng), rep.sample(rng, 3)
    close(rep.analyze(rep.act(g, x)), rep.represent(g) @ rep.analyze(x), scale=10.0)


@law_of(any_group)
def superpose_adds_moved_blocks(rep, rng):
    n, q, k = 3, 2, 8
    a = draw_data(rep, rng, q)
    A = rep.analyze(a)
    atoms = Combination(rng.integers(n, size=k), rng.standard_normal(k), rep.sample(rng, k))
    source = rng.integers(q, size=k)
    expected = np.zeros((n, *rep.block_shape), dtype=rep.dtype)
    moved = rep.analyze(rep.act(atoms.element, a[source]))
    moved = atoms.coefficient[:, None, None, None] * moved
    np.add.at(expected, atoms.row, moved)
    close(rep.superpose(atoms, n, source, A), expected, scale=10.0)
    none = Combination(*(column[:0] for column in atoms))
    assert not rep.superpose(none, n, source[:0], A).any()


# Polar: the best element


@law_of(group_of_matrices)
def match_attains_polar(rep, rng):
    C = draw_correlations(rep, rng)
    value, g = rep.match(C)
    close(np.abs(value), rep.polar(C), scale=np.abs(C).max())
    close(inner(C, rep.represent(g)), value, scale=np.abs(C).max())


@law_of(group_of_matrices)
def no_element_exceeds_polar(rep, rng):
    C = draw_correlations(rep, rng)
    rho = rep.represent(many_elements(rep, rng))
    at_most(np.abs(inner(C[:, None], rho[None])).max(axis=1), rep.polar(C))


@law_of(searchable_group)
def polar_is_the_largest_value_of_a_dense_search(rep, rng):
    C = draw_correlations(rep, rng)
    tried = many_elements(rep, rng, density=2000 if rep.shape[0] < 50 else 800)
    some = np.array_split(tried, 1 + len(tried) // 5000)
    values = np.concatenate(
        [np.abs(inner(C[:, None], rep.represent(part)[None])) for part in some], axis=1
    )
    best = values.max(axis=1)
    if not isinstance(rep, FiniteRepresentation):
        best = np.maximum(best, parabola_top(values))
    close(rep.polar(C), best, tol=1e-9)


def parabola_top(values: Floats) -> Floats:
    """Return the top of the parabola through the largest value of a row and its neighbours."""
    rows, k = np.arange(len(values)), values.argmax(axis=1)
    left, top = values[rows, k - 1], values[rows, k]
    right = values[rows, (k + 1) % values.shape[1]]
    bend = np.maximum(2 * top - left - right, 1e-300)
    return top + np.where(bend > 1e-12 * top, (right - left) ** 2 / (8 * bend), 0.0)


@law_of(group_of_matrices)
def polar_is_the_largest_inner_product_with_a_moved_signal(rep, rng):
    y, a = rep.project(draw_data(rep, rng, 2)), rep.project(draw_data(rep, rng, 2))
    polar = rep.polar(correlate(rep.analyze(y), rep.analyze(a)))
    tried = many_elements(rep, rng)
    for i, j in np.ndindex(2, 2):
        moved = rep.act(tried, np.broadcast_to(a[j], (len(tried), *rep.shape)))
        best = np.abs((moved * y[i]).reshape(len(tried), -1).sum(axis=1)).max()
        at_most(best, polar[i, j])
        if searchable_group(rep):
            close(polar[i, j], best, tol=1e-3)


@law_of(any_group)
def the_moved_signal_with_the_largest_inner_product_is_found(rep, rng):
    y, a = rep.project(draw_data(rep, rng, 2)), rep.project(draw_data(rep, rng, 2))
    Y, A = rep.analyze(y), rep.analyze(a)
    value, element = rep.match_pairs(Y, A)
    products = np.sum((rep.act(element, a) * y).reshape(2, -1), axis=1)
    close(products, value, tol=1e-8)
    for i in range(2):
        largest = rep.largest_product(Y[i : i + 1], A[i : i + 1])[0]
        close(largest, np.abs(value[i]), tol=1e-7)
        tried = rep.sample(rng, 500)
        moved = rep.act(tried, np.broadcast_to(a[i], (500, *rep.shape)))
        at_most(np.abs((moved * y[i]).reshape(500, -1).sum(axis=1)).max(), largest)


# Gauge: the norm whose unit ball is the convex hull of the group


@law_of(group_with_gauge)
def gauge_and_polar_are_dual(rep, rng):
    Z, _ = draw_codes(rep, rng)
    C = draw_correlations(rep, rng)
    at_most(np.abs(inner(Z, C)), rep.gauge(Z) * rep.polar(C), tol=1e-7)
    best = rep.represent(rep.match(C)[1])
    close(np.abs(inner(best, C)), rep.gauge(best) * rep.polar(C), tol=1e-7)


@law_of(group_with_gauge)
def group_elements_have_gauge_one(rep, rng):
    rho = rep.represent(rep.sample(rng, 3))
    close(rep.gauge(rho), np.ones(3), tol=1e-7)


@law_of(group_with_gauge)
def gauge_is_at_most_the_weight_of_any_combination(rep, rng):
    Z, weight = draw_codes(rep, rng)
    at_most(rep.gauge(Z), weight, tol=1e-7)


@law_of(group_with_gauge)
def gauge_is_homogeneous(rep, rng):
    Z, _ = draw_codes(rep, rng, n=2)
    close(rep.gauge(-2.5 * Z), 2.5 * rep.gauge(Z), tol=1e-7)
    assert np.all(rep.gauge(0.0 * Z) == 0.0)


@law_of(group_with_gauge)
def gauge_satisfies_the_triangle_inequality(rep, rng):
    Z, _ = draw_codes(rep, rng, n=2)
    V, _ = draw_codes(rep, rng, n=2)
    both = rep.gauge(Z) + rep.gauge(V)
    at_most(rep.gauge(Z + V), both, tol=1e-7)
    at_most(rep.gauge(Z - V), both, tol=1e-7)


@law_of(any_group)
def components_and_their_copies_name_the_same_atoms(rep, rng):
    a, g = draw_data(rep, rng, 3), rep.sample(rng, 12)
    component = rng.integers(3, size=12)
    copy, alone = rep.to_copies(component, g)
    assert rep.base.contains(alone)
    copies = rep.copies(rep.analyze(a))
    assert len(copies) == 3 * rep.n_copies
    close(
        rep.base.act_on_blocks(alone, copies[copy]),
        rep.analyze(rep.act(g, a[component])),
        scale=10.0,
    )
    back = rep.from_copies(copy, alone)
    assert np.array_equal(back[0], component)
    close(rep.act(back[1], a[component]), rep.act(g, a[component]), scale=10.0)


@law_of(searchable_group_with_gauge)
def gauge_is_certified_from_below(rep, rng):
    """``gauge(Z) >= <Z, C> / polar(C)`` for any C; the C of a linear program comes close."""
    Z, _ = draw_codes(rep, rng, n=1, k=3)
    density = 40 if rep.shape[0] < 50 else 5
    rho = rep.represent(many_elements(rep, rng, density))
    rows, target = as_real(rho), as_real(Z)[0]
    within = np.concatenate([rows, -rows])
    result = linprog(-target, A_ub=within, b_ub=np.ones(len(within)), bounds=(None, None))
    C = (to_complex(result.x) if np.iscomplexobj(Z) else result.x).reshape(Z.shape)
    bound = inner(Z, C) / rep.polar(C)
    between = 1.0 / np.cos(np.pi / (2 * density)) - 1.0  # what C can exceed 1 by off the grid
    at_most(bound, rep.gauge(Z), tol=1e-8)
    close(rep.gauge(Z), bound, tol=1e-7 if isinstance(rep, FiniteRepresentation) else between)


def to_complex(row: Floats) -> Blocks:
    """Undo `as_real`."""
    real, imaginary = np.split(row, 2)
    return real + 1j * imaginary


@law_of(group_with_gauge)
def decompose_adds_up_with_the_weight_of_the_gauge(rep, rng):
    Z, _ = draw_codes(rep, rng)
    atoms = rep.decompose(Z)
    total = np.zeros_like(Z)
    np.add.at(
        total, atoms.row, atoms.coefficient[:, None, None, None] * rep.represent(atoms.element)
    )
    close(total, Z, scale=np.abs(Z).max(), tol=1e-7)
    weight = np.bincount(atoms.row, np.abs(atoms.coefficient), len(Z))
    close(weight, rep.gauge(Z), tol=1e-7)
    assert len(rep.decompose(0.0 * Z).coefficient) == 0


# The proximal map


@law_of(group_with_prox)
def prox_leaves_a_residual_in_the_polar_ball(rep, rng):
    """Moreau: ``V = prox(Z)`` exactly if polar(w (Z - V)) <= step and <w (Z - V), V> attains it.

    For combinations of elements, and for matrices that are none, as gradients may be.
    """
    for step in (0.05, 0.3, 1.5):
        for Z in (draw_codes(rep, rng)[0], draw_correlations(rep, rng)):
            V = rep.prox(Z, step)
            rest = weigh(rep, Z - V)
            at_most(rep.polar(rest), np.full(len(Z), step))
            close(inner(rest, V), step * rep.gauge(V), scale=np.abs(Z).max() ** 2)


@law_of(group_with_prox)
def nothing_near_prox_is_better(rep, rng):
    step = 0.3
    Z, _ = draw_codes(rep, rng)
    V = rep.prox(Z, step)

    def cost(V: Blocks) -> Floats:
        return 0.5 * inner(weigh(rep, V - Z), V - Z) + step * rep.gauge(V)

    random = [draw_codes(rep, rng)[0] for _ in range(6)]
    steepest = rep.represent(rep.match(weigh(rep, Z - V))[1])
    for direction in (Z - V, V - Z, V, -V, steepest, -steepest, *random):
        for size in (1e-1, 1e-3):
            at_most(cost(V), cost(V + size * direction), tol=1e-12)


@law_of(group_with_prox)
def prox_of_a_long_step_is_zero(rep, rng):
    Z, _ = draw_codes(rep, rng)
    enough = float(rep.polar(weigh(rep, Z)).max())
    close(rep.prox(Z, 1.0001 * enough), np.zeros_like(Z), tol=1e-12)


@law_of(group_with_prox)
def prox_derivative_is_how_prox_changes(rep, rng):
    Z, _ = draw_codes(rep, rng)
    H, _ = draw_codes(rep, rng)
    for step in (0.3, 1.5):
        seen = (rep.prox(Z + 1e-6 * H, step) - rep.prox(Z - 1e-6 * H, step)) / 2e-6
        close(rep.prox_derivative(Z, step)(H), seen, scale=np.abs(H).max(), tol=1e-5)


@law_of(group_with_tangents)
def tangents_are_how_moves_begin(rep: Representation, rng: np.random.Generator) -> None:
    B, g, h = rep.analyze(draw_data(rep, rng)), rep.sample(rng, 3), 1e-5
    moved = rep.represent(g) @ B
    tangents = rep.tangents(moved)
    assert tangents.shape == (3, rep.dimension, *rep.block_shape)
    for a in range(rep.dimension):
        by = np.zeros((3, rep.dimension))
        by[:, a] = h
        ahead, behind = (rep.represent(rep.retract(g, sign * by)) @ B for sign in (1, -1))
        scale = 1.0 + np.abs(tangents[:, a]).max()
        assert_allclose((ahead - behind) / (2 * h), tangents[:, a], atol=1e-4 * scale**3)


@law_of(group_with_tangents)
def generators_are_antisymmetric(rep: Representation, rng: np.random.Generator) -> None:
    B, C = rep.analyze(draw_data(rep, rng)), rep.analyze(draw_data(rep, rng))
    left, right = inner(rep.tangents(B), C[:, None]), inner(B[:, None], rep.tangents(C))
    assert_allclose(left, -right, atol=1e-10)


@law_of(group_of_matrices)
def moved_is_the_product_with_the_representation(
    rep: Representation, rng: np.random.Generator
) -> None:
    B, g = rep.analyze(draw_data(rep, rng)), rep.sample(rng, 3)
    assert_allclose(rep.act_on_blocks(g, B), rep.represent(g) @ B, atol=1e-12)


@law_of(group_of_matrices)
def no_rows_have_no_matches_and_no_peaks(rep: Representation, rng: np.random.Generator) -> None:
    n_blocks, d, _ = rep.block_shape
    none = np.zeros((0, n_blocks, d, d), dtype=rep.dtype)
    value, element = rep.match(none)
    assert value.shape == rep.polar(none).shape == (0,)
    assert element.shape == (0, len(rep.parameters))
    assert rep.largest_polar(none[:, None]).shape == (0,)
    assert len(rep.peaks(none, 0.1).row) == 0
    A = rep.analyze(draw_data(rep, rng))
    assert rep.largest_product(A[:0], A).shape == (0,)


@law_of(group_of_matrices)
def the_bound_of_polars_is_above_them_and_close(
    rep: Representation, rng: np.random.Generator
) -> None:
    C = draw_correlations(rep, rng, 4).reshape(2, 2, *rep.block_shape[:2], rep.block_shape[1])
    polar = rep.polar(C).max(axis=1)
    for eps in (1e-2, 1e-6):
        bound = rep.largest_polar(C, eps)
        assert np.all(bound >= polar * (1 - 1e-12))
        assert np.all(bound <= polar * (1 + eps) * (1 + 1e-12))
