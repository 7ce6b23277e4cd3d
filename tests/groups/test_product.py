"""Shifts and matrices at once: against brute force, CVXPY and what was planted."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import minimum
from scipy.linalg import expm

from orbitdl import OrbitDictionaryLearning, encode
from orbitdl.coding import Growing, Sliding
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import certify
from orbitdl.coding.choice import default_coder
from orbitdl.coding.codes import Codes
from orbitdl.coding.problem import Problem
from orbitdl.encoding.metrics import orbit_distances
from orbitdl.groups import (
    Azimuth,
    ContinuousShift,
    IntegerShift,
    InterpolatedShift,
    Orthogonal,
    Permutation,
    Product,
    Representation,
    SpecialOrthogonal,
    Trivial,
)
from orbitdl.groups.base import correlate, inner
from orbitdl.groups.maxima.grids import on_grid
from orbitdl.groups.vectors.jacobi import nuclear_norms, polar_factors
from orbitdl.groups.vectors.matrix_group import exponential, rotation_generators
from orbitdl.groups.vectors.orthogonal import clip_largest, clipped_matrices, spectral_norms
from orbitdl.report import Report
from orbitdl.report.sections.windows import payload
from orbitdl.storage.kinds import describe, rebuild

TURNS = Product(ContinuousShift(), Orthogonal())
AZIMUTHS = Product(ContinuousShift(), Azimuth())


def ricker(length: int, rng: np.random.Generator, q: int = 1) -> np.ndarray:
    """Return q wavelets (q, length, 3) of norm one, each with another polarisation in time."""
    t = np.arange(length)[:, None] - length / 2
    waves = []
    for _ in range(q):
        width, phase = rng.uniform(2.0, 3.0), rng.uniform(0, 2 * np.pi, 3)
        wave = np.exp(-((t / width) ** 2)) * np.cos(t + phase) * rng.uniform(0.5, 1.0, 3)
        waves.append(wave / np.linalg.norm(wave))
    return np.array(waves)


# Small matrices


def matrices(kind: str, d: int, rng: np.random.Generator, n: int = 3001) -> np.ndarray:
    """Draw matrices (n, d, d)."""
    column, row = rng.standard_normal((n, d, 1)), rng.standard_normal((n, 1, d))
    if kind == "any":
        return rng.standard_normal((n, d, d))
    if kind == "orthogonal":
        return np.linalg.qr(rng.standard_normal((n, d, d)))[0]
    if kind == "of rank one":
        return column * row
    if kind == "nearly of rank one":
        return column * row + 10.0 ** rng.uniform(-16, -1, (n, 1, 1)) * rng.standard_normal(
            (n, d, d)
        )
    if kind == "of small integers":
        return rng.integers(-1, 2, (n, d, d)).astype(float)
    if kind == "of one row":
        return column[:, :1] * row * np.eye(d)[rng.integers(d, size=n)][:, :, None]
    if kind == "with rows and columns of zeros":
        present = rng.random((2, n, d)) < 0.5
        return rng.standard_normal((n, d, d)) * present[0, :, :, None] * present[1, :, None]
    return 1e-150 * rng.standard_normal((n, d, d))


KINDS = [
    "any", "orthogonal", "of rank one", "nearly of rank one", "of small integers", "tiny",
    "of one row", "with rows and columns of zeros",
]  # fmt: skip


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_nuclear_norms_and_polar_factors_are_right_to_the_last_digits(kind, d):
    X = matrices(kind, d, np.random.default_rng(0))
    expected = np.linalg.svd(X, compute_uv=False).sum(axis=-1)
    norm, factor = polar_factors(X)
    assert_allclose(nuclear_norms(X), expected, rtol=1e-14)
    assert_allclose(norm, expected, rtol=1e-14)
    assert_allclose(np.sum(X * factor, axis=(1, 2)), expected, rtol=1e-14)
    unit = np.broadcast_to(np.eye(d), X.shape)
    assert_allclose(factor @ factor.swapaxes(1, 2), unit, atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_a_matrix_alone_has_the_polar_factor_that_it_has_among_others(kind):
    # sixteen are rotated together until the last of them is done: alone, each has to be done
    X = matrices(kind, 3, np.random.default_rng(0))
    alone = [polar_factors(one[None]) for one in X]
    norm, factor = (np.concatenate(column) for column in zip(*alone, strict=True))
    expected = np.linalg.svd(X, compute_uv=False).sum(axis=-1)
    assert_allclose(norm, expected, rtol=1e-14)
    assert_allclose([nuclear_norms(one[None])[0] for one in X], expected, rtol=1e-14)
    unit = np.broadcast_to(np.eye(3), X.shape)
    assert_allclose(factor @ factor.swapaxes(1, 2), unit, atol=1e-14)


@pytest.mark.parametrize("group", [Orthogonal(), SpecialOrthogonal()])
def test_a_sensor_with_one_live_channel_is_coded_by_elements_of_the_group(group):
    rng = np.random.default_rng(0)
    for _ in range(40):
        X, A = np.full((1, 11, 3), np.nan), rng.standard_normal((1, 11, 3))
        X[:, :, 0] = rng.standard_normal((1, 11))
        A /= np.linalg.norm(A)
        codes = encode(X, A, group=Product(IntegerShift(), group), alpha=0.3)
        assert codes.gap.max() <= 1e-4
        assert codes.representation.contains(codes.atoms.element)


def test_an_atom_outside_the_group_has_no_certificate():
    moves = Product(ContinuousShift(), Orthogonal()).on((12, 3))
    A = moves.analyze(np.random.default_rng(0).standard_normal((1, 12, 3)))
    element = np.concatenate([[0.0], np.eye(3).ravel()])[None].repeat(3, axis=0)
    element[1, -1] = 0.0  # a matrix that is not orthogonal
    atoms = Atoms(1, np.arange(4), np.zeros(3, dtype=np.intp), np.ones(3), element)
    _, gap = certify(Problem(moves, A.repeat(3, axis=0), A, 0.1), atoms)
    assert list(np.isinf(gap)) == [False, True, False]


@pytest.mark.parametrize("amount", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_clipped_matrices_are_those_of_a_general_decomposition(kind, d, amount):
    X = matrices(kind, d, np.random.default_rng(0))
    u, s, vt = np.linalg.svd(X)
    size = s.max()
    expected = (u * clip_largest(s, amount * size)[:, None]) @ vt
    assert_allclose(clipped_matrices(X, amount * size) / size, expected / size, atol=1e-14)
    assert_allclose(spectral_norms(X), s[:, 0], rtol=1e-14)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_quick_exponential_is_the_exponential(d):
    by = np.random.default_rng(0).standard_normal((50, d * (d - 1) // 2))
    by[0], by[1] = 0.0, 1e-9
    expected = expm(np.tensordot(by, rotation_generators(d), 1))
    assert_allclose(exponential(by, rotation_generators(d)), expected, atol=1e-13)


# Azimuth


def test_an_azimuth_turns_the_first_axis_towards_the_second():
    x = np.random.default_rng(0).standard_normal((3, 2))
    c, s = np.cos(np.radians(30)), np.sin(np.radians(30))
    expected = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ x
    assert_allclose(Azimuth().on((3, 2)).act(np.array([30.0]), x), expected, atol=1e-12)
    assert_allclose(Azimuth().matrix_group(3).matrix(np.array([30.0])) @ x, expected, atol=1e-12)


def test_azimuths_are_a_circle_and_coded_as_one():
    rng, wave = np.random.default_rng(0), np.eye(3)[:1] + 0.3
    turned = Azimuth().on((3,)).act(np.array([[200.0]]), wave)
    assert isinstance(default_coder(Azimuth().on((3,))), Sliding)
    codes = encode(-2 * turned, wave / np.linalg.norm(wave), group=Azimuth(), alpha=1e-3)
    strongest = np.abs(codes.atoms.coefficient).argmax()
    assert codes.atoms.coefficient[strongest] < 0
    assert_allclose(codes.atoms.element[strongest], [200.0], atol=0.5)
    X = rng.standard_normal((100, 3, 3))
    angle = np.linspace(0, 360, 3601)[:, None]
    tried = np.einsum("nij,gij->ng", X, Azimuth().matrix_group(3).matrix(angle))
    assert_allclose(Azimuth().matrix_group(3).polar(X), np.abs(tried).max(axis=1), rtol=1e-5)


@pytest.mark.parametrize(
    ("group", "shape", "words"),
    [
        (Azimuth(), (4, 2), "acts on"),
        (AZIMUTHS, (9, 2), "not on vectors of length 2"),
        (TURNS, (9,), r"acts on data points of shape \(length, d\)"),
        (TURNS, (9, 0), "acts on"),
        (Product(Orthogonal(), Orthogonal()), (9, 3), "Orthogonal does not shift signals"),
        (
            Product(IntegerShift(), Trivial()),
            (9, 3),
            "Trivial does not act on channels",
        ),
    ],
)
def test_what_cannot_be_moved_is_refused_in_words(group, shape, words):
    with pytest.raises(ValueError, match=words):
        group.on(shape)


def test_a_product_is_made_of_groups():
    with pytest.raises(ValueError, match="must be an object from orbitdl.groups"):
        Product(ContinuousShift, Orthogonal())


# The action


@pytest.mark.parametrize("length", [6, 7])
def test_a_product_shifts_and_multiplies(length):
    rng = np.random.default_rng(0)
    moves = Product(IntegerShift(), Orthogonal()).on((length, 3, 2))
    x, h = rng.standard_normal((length, 3, 2)), moves.matrix_group.sample(rng, 1)[0]
    expected = np.einsum("ij,tjr->tir", h.reshape(3, 3), np.roll(x, 2, axis=0))
    assert_allclose(moves.act(np.array([2.0, *h]), x), expected, atol=1e-12)


def test_a_product_of_continuous_shifts_moves_a_wave_between_samples():
    moves, t = AZIMUTHS.on((9, 3)), np.arange(9)
    x = np.cos(2 * np.pi * 2 * t / 9)[:, None] * [1.0, 0.0, 2.0]
    expected = np.cos(2 * np.pi * 2 * (t - 0.3) / 9)[:, None] * [0.0, 1.0, 2.0]
    assert_allclose(moves.act(np.array([0.3, 90.0]), x), expected, atol=1e-12)


def test_interpolated_shifts_make_a_product_too():
    moves = Product(InterpolatedShift(4), Orthogonal()).on((8, 2))
    C = correlations(moves, np.random.default_rng(0), 5)[:, None]
    anywhere = Product(ContinuousShift(), Orthogonal()).on((8, 2)).largest_polar(C)
    assert not moves.is_invertible
    assert np.all(moves.largest_polar(C) <= (1 + 1e-9) * anywhere)
    assert np.all(moves.largest_polar(C) >= np.cos(np.pi * 3 / 32) * anywhere)


def test_a_product_is_stored_with_both_of_its_groups():
    for group in (TURNS, Product(InterpolatedShift(3), Azimuth())):
        assert rebuild(type(group).__mro__[1], *describe(group)) == group


# The best element


def correlations(
    moves: Representation, rng: np.random.Generator, n: int, kind: str = "any"
) -> np.ndarray:
    """Return correlations (n, F, d, d) of signals with components."""
    x = rng.standard_normal((n, *moves.shape))
    a = rng.standard_normal((n, *moves.shape))
    if kind == "nearly of rank one":
        small = 10.0 ** rng.uniform(-12, -2, (2, n, 1, 1))
        x = x[:, :, :1] * rng.standard_normal((n, 1, 3)) + small[0] * x
        a = a[:, :, :1] * rng.standard_normal((n, 1, 3)) + small[1] * a
    if kind == "of nearly equal maxima":
        g, h = moves.sample(rng, n), moves.sample(rng, n)
        nearly = 1 + 10.0 ** rng.uniform(-14, -6, (n, 1, 1))
        x = moves.act(g, a) + nearly * moves.act(h, a)
    return moves.analyze(x) @ moves.analyze(a).conj().swapaxes(-1, -2)


@pytest.mark.parametrize("kind", ["any", "nearly of rank one", "of nearly equal maxima"])
@pytest.mark.parametrize("group", [TURNS, AZIMUTHS], ids=["turns", "azimuth"])
def test_the_largest_product_is_bounded_and_attained(group, kind):
    """Ten thousand correlations in all, each against a fine grid of times."""
    moves, rng, per_sample, eps = group.on((9, 3)), np.random.default_rng(0), 40, 1e-6
    for _ in range(4):
        C = correlations(moves, rng, 420, kind)
        found, bound = np.abs(moves.match(C)[0]), moves.largest_polar(C[:, None], eps)
        seen = moves.matrix_group.polar(on_grid(C, 9 * per_sample, axis=-3)).max(axis=1)
        assert np.all(bound >= seen)
        assert np.all(bound >= found * (1 - 1e-14))
        assert np.all(found >= seen * (1 - 1e-9))
        assert np.all(bound <= (1 + eps) * found)
        assert np.all(bound <= (1 + eps) * seen / np.cos(np.pi * 4 / (9 * per_sample)))


@pytest.mark.parametrize("unit", [1e-180, 1e180])
@pytest.mark.parametrize("shift", [IntegerShift(), ContinuousShift()])
@pytest.mark.parametrize("matrices", [Orthogonal(), Azimuth(), Permutation()])
def test_products_are_the_same_in_any_unit(shift, matrices, unit):
    """Squares of such correlations vanish or overflow: data and components are that small."""
    moves, rng = Product(shift, matrices).on((8, 3)), np.random.default_rng(0)
    C = correlate(*moves.analyze(rng.standard_normal((2, 3, 8, 3))))
    value, element = moves.match(C)
    scaled, same = moves.match(unit * C)
    assert_allclose(scaled, unit * value, rtol=1e-12)
    assert_allclose(same, element, atol=1e-5)
    assert_allclose(moves.largest_polar(unit * C), unit * moves.largest_polar(C), rtol=1e-12)
    level, flat = 0.5 * np.abs(value).min(), C.reshape(-1, *C.shape[2:])
    peaks = moves.peaks(unit * flat, unit * level)
    assert_allclose(peaks.coefficient, unit * moves.peaks(flat, level).coefficient, rtol=1e-12)


@pytest.mark.parametrize("shift", [IntegerShift(), ContinuousShift()])
@pytest.mark.parametrize("length", [1, 2, 8, 31])
def test_no_element_exceeds_the_bound_over_all_components(shift, length):
    rng = np.random.default_rng(0)
    moves = Product(shift, Orthogonal()).on((length, 3, 2))
    y, a = rng.standard_normal((2, 3, length, 3, 2))
    C = correlate(moves.analyze(y), moves.analyze(a))
    rho = moves.represent(moves.sample(rng, 4000))
    tried = np.abs(inner(C[:, :, None], rho)).max(axis=(1, 2))
    assert np.all(tried <= moves.largest_polar(C))
    assert_allclose(moves.largest_polar(C), moves.polar(C).max(axis=1), rtol=2e-9)


@pytest.mark.parametrize("group", [TURNS, AZIMUTHS, Product(IntegerShift(), Orthogonal())])
def test_peaks_are_the_local_maxima_above_a_level(group):
    moves, smooth = group.on((21, 3)), np.exp(-np.arange(11) / 2)[:, None, None]
    C = smooth * correlations(moves, np.random.default_rng(0), 40)
    level = 0.6 * float(moves.polar(C).mean())
    peaks = moves.peaks(C, level)
    values = inner(C[peaks.row], moves.represent(peaks.element))
    assert_allclose(values, peaks.coefficient, rtol=1e-9)
    assert np.all(np.abs(values) > level)
    per_sample = 40 if moves.shifts.dimension else 1
    height = moves.matrix_group.polar(on_grid(C, 21 * per_sample, axis=-3))
    above = (height > np.roll(height, 1, 1)) & (height > np.roll(height, -1, 1)) & (height > level)
    assert 0.9 * above.sum() <= len(peaks.row) <= above.sum() + 1


@pytest.mark.parametrize("group", [TURNS, AZIMUTHS], ids=["turns", "azimuth"])
def test_the_largest_of_two_peaks_side_by_side_is_among_the_peaks(group):
    """Of 3000 random correlations, a handful has its two highest peaks within one grid cell."""
    moves = group.on((9, 3))
    C = correlations(moves, np.random.default_rng(1), 3000)
    peaks, largest = moves.peaks(C, 0.0), np.zeros(3000)
    np.maximum.at(largest, peaks.row, np.abs(peaks.coefficient))
    assert_allclose(largest, moves.polar(C), rtol=2e-4)


def test_large_and_small_parts_of_many_correlations_give_the_same(monkeypatch):
    moves = TURNS.on((9, 3))
    C = correlations(moves, np.random.default_rng(0), 50)
    whole = moves.peaks(C, 3.0), moves.match(C)[0], moves.largest_polar(C[:, None])
    monkeypatch.setattr("orbitdl.groups.vectors.product.CAPACITY", 1000)
    parts = moves.peaks(C, 3.0), moves.match(C)[0], moves.largest_polar(C[:, None])
    assert_allclose(whole[0].row, parts[0].row)
    assert_allclose(whole[0].element, parts[0].element, atol=1e-9)
    assert_allclose(whole[1], parts[1])
    assert_allclose(whole[2], parts[2])


# Coding and learning


def program(y: np.ndarray, components: np.ndarray, alpha: float) -> float:
    """Return ``min 1/2 ||y - sum Z_tau a(t - tau)||^2 + alpha sum ||Z_tau||`` over all matrices."""
    length, d = y.shape
    Z = [[cp.Variable((d, d)) for _ in range(length)] for _ in components]
    fit = sum(
        np.roll(a, tau, axis=0) @ Z[j][tau].T
        for j, a in enumerate(components)
        for tau in range(length)
    )
    weight = sum(cp.sigma_max(z) for own in Z for z in own)
    return minimum(0.5 * cp.sum_squares(y - fit) + alpha * weight, [])


@pytest.mark.parametrize("q", [1, 2])
def test_codes_of_whole_shifts_and_turns_have_the_objective_of_the_convex_program(q):
    rng = np.random.default_rng(q)
    X, components = rng.standard_normal((2, 5, 3)), rng.standard_normal((q, 5, 3))
    group = Product(IntegerShift(), Orthogonal())
    codes = encode(X, components, group=group, alpha=0.5, coder=Growing(1e-8))
    expected = [program(y, components, 0.5) for y in X]
    assert isinstance(default_coder(codes.representation), Growing)
    assert_allclose(codes.objective, expected, rtol=1e-6)


def test_codes_off_the_grid_are_better_than_those_of_a_fine_grid_by_as_much_as_they_may():
    """A grid of 1/8 of a sample shows ``cos(pi 3 / 56)`` of every certificate at least."""
    rng = np.random.default_rng(0)
    X, components = rng.standard_normal((6, 7, 3)), rng.standard_normal((1, 7, 3))
    any_time, grid = (
        encode(
            X, components, group=Product(shift, Orthogonal()), alpha=0.5, coder=Growing(1e-7)
        ).objective
        for shift in (ContinuousShift(), InterpolatedShift(8))
    )
    assert np.all(any_time <= grid * (1 + 1e-6))
    assert np.all(grid <= any_time / np.cos(np.pi * 3 / 56) ** 2)


@pytest.mark.parametrize("group", [TURNS, AZIMUTHS], ids=["turns", "azimuth"])
def test_codes_move_with_the_data(group):
    rng = np.random.default_rng(0)
    moves, wave = group.on((21, 3)), ricker(21, rng)
    X = moves.act(moves.sample(rng, 5), wave) + 0.1 * rng.standard_normal((5, 21, 3))
    there = moves.act(moves.sample(rng, 5), X)
    values = [
        encode(x, wave, group=group, alpha=0.2, coder=Growing(1e-7)).objective for x in (X, there)
    ]
    assert_allclose(values[0], values[1], rtol=1e-6)


def test_a_planted_waveform_is_learned_from_a_few_turned_copies():
    rng = np.random.default_rng(0)
    moves, wave = TURNS.on((31, 3)), ricker(31, rng)
    X = moves.act(moves.sample(rng, 25), wave) + 0.03 * rng.standard_normal((25, 31, 3))
    model = OrbitDictionaryLearning(1, group=TURNS, alpha=0.2, max_iter=8, random_state=0).fit(X)
    assert orbit_distances(model.components_, wave, TURNS)[0, 0] < 0.02
    assert orbit_distances(X[:1], wave, IntegerShift())[0, 0] > 0.1


# Events


def codes_of(group, shape, atoms: list[tuple[int, int, float, list[float]]], q: int = 2) -> Codes:
    """Return codes of two samples with atoms (sample, component, coefficient, element)."""
    atoms = sorted(atoms, key=lambda atom: atom[0])
    sample = np.array([atom[0] for atom in atoms], dtype=np.intp)
    own = Atoms(
        q,
        np.searchsorted(sample, [0, 1, 2]).astype(np.intp),
        np.array([atom[1] for atom in atoms], dtype=np.intp),
        np.array([atom[2] for atom in atoms], dtype=float),
        np.array([atom[3] for atom in atoms], dtype=float).reshape(
            len(atoms), len(group.on(shape).parameters)
        ),
    )
    return Codes(group.on(shape), own, np.zeros(2), np.zeros(2), np.zeros(2))


def test_atoms_at_one_time_are_one_event_also_round_the_end_of_a_window():
    codes = codes_of(
        AZIMUTHS,
        (10, 3),
        [
            (0, 1, 3.0, [9.95, 20.0]),
            (0, 1, 1.0, [0.15, 20.0]),
            (0, 1, 2.0, [5.0, 0.0]),
            (0, 0, -2.0, [9.9, 300.0]),
            (1, 1, 1.0, [9.9, 10.0]),
            (1, 1, 1.0, [0.2, 30.0]),
        ],
    )
    table = codes.to_events()
    assert table["sample"].tolist() == [0, 0, 0, 1, 1]
    assert table["component"].tolist() == [0, 1, 1, 1, 1]
    assert_allclose(table["amplitude"], [-2.0, 4.0, 2.0, 1.0, 1.0])
    assert_allclose(table["shift"], [9.9, 0.0, 5.0, 0.2, 9.9], atol=1e-9)
    assert_allclose(table["azimuth"], [300.0, 20.0, 0.0, 30.0, 10.0], atol=1e-9)
    assert table["n_atoms"].tolist() == [1, 2, 1, 1, 1]
    assert_allclose(table["minor_share"], [0.0, 0.25, 0.0, 0.0, 0.0])
    assert codes.to_events(within=0.5)["n_atoms"].tolist() == [1, 2, 1, 2]
    assert codes.to_events(within=100)["n_atoms"].tolist() == [1, 3, 2]


def test_events_tell_axis_and_angle_of_the_nearest_rotation():
    axis = np.array([2.0, -1.0, 2.0]) / 3
    vector = np.radians(50) * np.array([axis[2], -axis[1], axis[0]])
    turn = exponential(vector, rotation_generators(3))
    assert_allclose(turn @ axis, axis)
    half = turn @ np.diag([1.0, 1.0, -1.0])
    atoms = [
        (0, 0, 2.0, [3.0, *turn.ravel()]),
        (0, 0, 0.5, [3.1, *half.ravel()]),
        (1, 0, -1.0, [3.0, *turn.ravel()]),
    ]
    table = codes_of(TURNS, (8, 3), atoms).to_events()
    assert_allclose(table["angle"], [50.0, 50.0])
    assert_allclose(table[["axis_x", "axis_y", "axis_z"]], [axis, axis], atol=1e-12)
    assert table["mirrored"].tolist() == [False, True]
    assert_allclose(table["amplitude"], [2.5, 1.0])
    assert_allclose(table["minor_share"], [0.2, 0.0])


def test_events_of_other_groups_are_their_atoms_and_empty_codes_have_none():
    wave = np.array([[0.6, 0.8, 0.0, 0.0]])
    codes = encode(np.roll(wave, 1, axis=1), wave, group=IntegerShift(), alpha=0.1)
    assert codes.to_events().equals(codes.to_frame())
    assert len(codes_of(TURNS, (8, 3), []).to_events()) == 0
    with pytest.raises(ValueError, match="within must be a number of samples"):
        codes.to_events(within=-1.0)


@pytest.mark.parametrize("shift", [IntegerShift(), ContinuousShift()])
def test_an_atom_lies_where_its_vectors_are_longest(shift):
    rng, t = np.random.default_rng(0), np.arange(31)
    x = np.exp(-((t - 10.25) ** 2) / 8)[:, None] * [1.0, 2.0, -1.0]
    moves = Product(shift, Orthogonal()).on((31, 3))
    element = moves.sample(rng, 4)
    peak = 10.25 if isinstance(shift, ContinuousShift) else 10.0
    found = moves.locate(element, np.zeros(4, dtype=np.intp), x[None])
    assert_allclose(found, (peak + element[:, 0]) % 31, atol=1e-3)


def test_a_report_draws_atoms_turned_and_tells_where_they_lie():
    rng = np.random.default_rng(0)
    moves, wave = AZIMUTHS.on((15, 3)), ricker(15, rng)
    X = moves.act(moves.sample(rng, 4), wave)
    model = OrbitDictionaryLearning(1, group=AZIMUTHS, alpha=0.1, max_iter=2, init=wave).fit(X)
    facts = Report(model, X).facts
    page = payload(facts, facts.windows, n_windows=4)
    atom = max(page["shown"][0]["atoms"], key=lambda atom: abs(atom["c"]))
    drawn = atom["c"] * np.array(page["copies"][atom["copy"]])
    assert page["in_time"]
    assert "shift" not in atom
    assert_allclose(drawn, X[page["shown"][0]["number"]].T, atol=0.15 * np.abs(X).max())
    longest = np.sum(X[page["shown"][0]["number"]] ** 2, axis=1).argmax()
    assert abs((atom["place"] - longest + 7) % 15 - 7) <= 1


def test_elements_are_said_in_words():
    words = AZIMUTHS.on((9, 3)).presentation.label(np.array([2.345, 40.06]))
    assert words == "shift 2.35, azimuth 40.1°"
