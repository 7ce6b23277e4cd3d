"""Symmetries of images: against true rotations, rolled images, dense grids and scikit-learn."""

import numpy as np
import pytest
from laws import LAWS
from numpy.testing import assert_allclose
from sklearn.linear_model import Lasso

from orbitdl import OrbitDictionaryLearning, dictionary_distance, load
from orbitdl.coding import ActiveSet, Growing, Sliding
from orbitdl.coding.active_set import unroll
from orbitdl.coding.choice import default_coder
from orbitdl.dictionaries.least_squares import unit_norm
from orbitdl.groups import (
    ImageRotation,
    IntegerTranslation,
    SemidirectProduct,
    SquareSymmetry,
    Translation,
)
from orbitdl.groups.base import Combination, correlate, inner
from orbitdl.groups.images.square import LABELS
from orbitdl.groups.maxima.plane_values import as_table, jet_at, make_work, top_of_box
from orbitdl.groups.transforms import matrix_product
from orbitdl.kernels import allocating

TRANSLATIONS = [(5, 5), (6, 9), (4, 7, 2), (1, 5), (2, 4), (1, 1)]
WITHOUT_GAUGE = [law for law in LAWS if "gauge" not in law and "decompose" not in law]


def bumps(side: int, angle: float = 0.0, seed: int = 0) -> np.ndarray:
    """Draw an image of Gaussian bumps, turned exactly by an angle in degrees."""
    rng = np.random.default_rng(seed)
    distance, width = rng.uniform(0, 0.22 * side, 6), rng.uniform(0.05, 0.07, 6) * side
    place = distance * np.exp(1j * (rng.uniform(0, 2 * np.pi, 6) + np.deg2rad(angle)))
    row, column = np.mgrid[:side, :side] - (side - 1) / 2
    away = np.abs((column - 1j * row)[..., None] - place)
    return np.exp(-((away / width) ** 2) / 2) @ rng.standard_normal(6)


# Rotations about the centre


@pytest.mark.parametrize("side", [32, 48])
def test_a_rotation_turns_an_image_as_it_would_be_drawn_turned(side):
    turns, image = ImageRotation().on((side, side)), bumps(side)
    for angle in (10.0, 77.0, 200.5):
        error = turns.act(np.array([angle]), image) - bumps(side, angle)
        assert np.linalg.norm(error) < 1e-3 * np.linalg.norm(image)


@pytest.mark.parametrize("side", [2, 3, 4, 5, 8, 13])
@pytest.mark.parametrize("bandwidth", [0.8, 1.0])
def test_quarter_turns_are_exact(side, bandwidth):
    turns = ImageRotation(bandwidth=bandwidth).on((side, side, 2))
    image = turns.project(np.random.default_rng(0).standard_normal((side, side, 2)))
    assert_allclose(turns.act(np.array([90.0]), image), np.rot90(image), atol=1e-12)


def test_most_of_a_smooth_image_can_turn():
    turns, image = ImageRotation().on((32, 32)), bumps(32)
    assert np.linalg.norm(turns.project(image) - image) < 1e-3 * np.linalg.norm(image)


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, 1.1, np.nan])
def test_a_bandwidth_that_pixels_cannot_show_is_refused(bandwidth):
    with pytest.raises(ValueError, match="bandwidth"):
        ImageRotation(bandwidth=bandwidth)


def test_a_bandwidth_that_leaves_nothing_is_refused():
    with pytest.raises(ValueError, match="raise the bandwidth or use larger images"):
        ImageRotation(bandwidth=0.1).on((8, 8))


def test_codes_of_rotations_are_at_least_as_good_as_those_on_a_fine_grid():
    turns, rng = ImageRotation().on((9, 9)), np.random.default_rng(0)
    A = unit_norm(turns.analyze(rng.standard_normal((2, 9, 9))))
    Y = turns.analyze(rng.standard_normal((4, 9, 9)))
    alpha = 0.2 * float(turns.polar(correlate(Y, A)).max())
    codes = Sliding(tol=1e-7).code(turns, Y, A, alpha)
    assert codes.gap.max() <= 1e-7
    grid = turns.examples(72)
    copies = np.concatenate([turns.act_on_blocks(grid, a[None]) for a in A])
    best = [lasso_objective(turns, y, copies, alpha, tol=1e-5) for y in Y]
    assert np.all(codes.objective <= np.array(best) * (1 + 1e-7))
    assert_allclose(codes.objective, best, rtol=1e-2)


def lasso_objective(rep, y, copies, alpha: float, tol: float = 1e-10) -> float:
    """Return the least objective of one sample over listed copies, by scikit-learn."""
    X = rep.synthesize(copies).reshape(len(copies), -1).T
    target = rep.synthesize(y).ravel()
    lasso = Lasso(alpha / len(target), fit_intercept=False, tol=tol, max_iter=100_000)
    c = lasso.fit(X, target).coef_
    return 0.5 * float(np.sum((target - X @ c) ** 2)) + alpha * float(np.abs(c).sum())


def test_turned_images_are_learned():
    rng, turns = np.random.default_rng(0), ImageRotation().on((16, 16))
    a = turns.project(bumps(16, seed=3))
    a /= np.linalg.norm(a)
    angles, size = turns.sample(rng, 60), rng.uniform(1, 2, 60)
    X = size[:, None, None] * turns.act(angles, np.broadcast_to(a, (60, 16, 16)))
    X = X + 0.01 * rng.standard_normal(X.shape)
    model = OrbitDictionaryLearning(
        1, ImageRotation(), alpha=0.1, max_iter=8, n_restarts=1, random_state=0
    )
    learned = turns.analyze(model.fit(X).components_)
    assert turns.polar(correlate(turns.analyze(a[None]), learned))[0, 0] > 0.99


# Translations by whole pixels


@pytest.mark.parametrize("shape", [(3, 4), (5, 2, 3), (1, 6), (4, 4), (5, 5)])
def test_integer_translations_roll(shape):
    moves, x = IntegerTranslation().on(shape), np.random.default_rng(0).standard_normal(shape)
    assert moves.is_invertible
    for down, right in moves.elements:
        rolled = np.roll(x, (int(down), int(right)), axis=(0, 1))
        assert_allclose(moves.act(np.array([down, right]), x), rolled, atol=1e-12)


@pytest.mark.parametrize("cycles", [(1,), (4,), (3, 5), (1, 4), (4, 1), (2, 3, 4)])
def test_unrolled_places_differ_by_quotients(cycles):
    spread, size = unroll(cycles), int(np.prod(cycles))
    places = np.indices(cycles).reshape(len(cycles), -1)
    for g in range(size):
        away = (places - places[:, [g]]) % np.array(cycles)[:, None]
        expected = np.ravel_multi_index(tuple(away), cycles)
        place = spread.position - spread.position[g] + spread.origin
        assert np.array_equal(spread.number[place], expected)


def test_codes_of_integer_translations_are_those_of_the_lasso_on_all_moved_copies():
    for shape in ((5, 4), (3, 6, 2)):
        moves, rng = IntegerTranslation().on(shape), np.random.default_rng(0)
        A = unit_norm(moves.analyze(rng.standard_normal((2, *shape))))
        Y = moves.analyze(rng.standard_normal((5, *shape)))
        alpha = 0.2 * float(moves.polar(correlate(Y, A)).max())
        codes = ActiveSet(tol=1e-9).code(moves, Y, A, alpha)
        copies = np.concatenate([moves.act_on_blocks(moves.elements, a[None]) for a in A])
        best = [lasso_objective(moves, y, copies, alpha) for y in Y]
        assert_allclose(codes.objective, best, rtol=1e-7)


def test_a_large_image_needs_no_table_of_quotients():
    moves, rng = IntegerTranslation().on((48, 40)), np.random.default_rng(0)
    a = np.zeros((1, 48, 40))
    a[0, :4, :4] = rng.standard_normal((4, 4))
    A = unit_norm(moves.analyze(a))
    atoms = Combination(
        np.zeros(3, int), np.array([2.0, -1.5, 1.0]), moves.elements[[70, 500, 1700]]
    )
    codes = ActiveSet(tol=1e-8).code(moves, moves.superpose(atoms, 1, np.zeros(3, int), A), A, 0.05)
    order = np.argsort(moves.index(codes.atoms.element))
    assert np.array_equal(codes.atoms.element[order], atoms.element)
    assert "quotient" not in vars(moves)


# Translations by any amount


@pytest.mark.parametrize("shape", [(7, 5), (8, 6), (1, 9)])
def test_translations_move_a_sum_of_waves_by_any_amount(shape):
    rng, moves = np.random.default_rng(0), Translation().on(shape)
    waves = moves.transform.waves
    size, phase = rng.standard_normal(len(waves)), rng.uniform(0, 2 * np.pi, len(waves))

    def image(down: float, right: float) -> np.ndarray:
        k, l = np.indices(shape)[..., None]
        turn = (
            2 * np.pi * (waves[:, 0] * (k - down) / shape[0] + waves[:, 1] * (l - right) / shape[1])
        )
        return np.cos(turn + phase) @ size

    for element in moves.sample(rng, 4):
        assert_allclose(moves.act(element, image(0, 0)), image(*element), atol=1e-10)


def test_alternating_waves_of_even_sizes_are_left_out():
    checks = (-1.0) ** np.indices((6, 5)).sum(axis=0)
    assert not Translation().on((6, 5)).is_invertible
    assert Translation().on((7, 5)).is_invertible
    rows = (-1.0) ** np.arange(6)[:, None] * np.ones(5)
    assert_allclose(Translation().on((6, 5)).project(rows), 0, atol=1e-12)
    assert np.abs(Translation().on((6, 5)).project(checks)).max() < 1e-12


@pytest.mark.parametrize("law", WITHOUT_GAUGE)
def test_laws_hold_for_translations(law):
    check, kind = LAWS[law]
    for shape in TRANSLATIONS:
        moves = Translation().on(shape)
        if kind(moves):
            check(moves, np.random.default_rng(0))


def polynomials(moves, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw correlations: random ones, and such with two peaks that are equal, or nearly so."""
    F = moves.block_shape[0]
    C = rng.standard_normal((n, F)) + 1j * rng.standard_normal((n, F))
    two = moves.represent(moves.sample(rng, n).reshape(n // 2, 2, 2))[..., 0, 0]
    sign, nearly = rng.choice([-1, 1], (n // 2, 1)), 1 + 1e-7 * rng.standard_normal((n // 2, 1))
    C[: n // 2] = two[:, 0] + sign * nearly * two[:, 1]
    C[: n // 4] += 1e-3 * rng.standard_normal((n // 4, F))
    return C[:, :, None, None]


@pytest.mark.parametrize("shape", [(5, 5), (7, 6), (9, 9), (1, 8), (8, 2)])
def test_bounds_of_translations_are_never_below_a_dense_grid_and_close_to_a_value(shape):
    rng, moves = np.random.default_rng(0), Translation().on(shape)
    C = polynomials(moves, 2000, rng)
    bound, (value, g) = moves.largest_polar(C[:, None], 1e-6), moves.match(C)
    dense = tuple(24 * size if size > 2 else 1 for size in shape)
    for part in np.array_split(np.arange(len(C)), 40):
        seen = np.abs(moves.transform.on_torus(C[part, :, 0, 0], dense)).max(axis=(1, 2))
        assert np.all(seen <= bound[part])
        assert np.all(seen >= 0.995 * bound[part])
    assert_allclose(inner(C, moves.represent(g)), value, rtol=1e-12)
    assert np.all(bound <= (1 + 2e-6) * np.abs(value))
    assert np.all(np.abs(value) <= bound)


def test_the_bound_of_several_components_is_that_of_the_best_one():
    moves = Translation().on((7, 8))
    C = polynomials(moves, 60, np.random.default_rng(0)).reshape(20, 3, -1, 1, 1)
    assert_allclose(moves.largest_polar(C, 1e-9), moves.polar(C).max(axis=1), rtol=2e-9)


@pytest.mark.parametrize("along", [(0, 1), (1, 0)])
def test_a_ridge_is_bounded_as_a_peak_is(along):
    """Stripes: the largest value is taken all along a line."""
    moves, place = Translation().on((15, 15)), np.indices((15, 15))
    stripes = np.cos(2 * np.pi * 3 * np.tensordot(along, place, 1) / 15)
    Y = moves.analyze(stripes[None])
    size = np.sqrt(np.sum(stripes**2))
    assert_allclose(moves.largest_polar(correlate(Y, Y), 1e-9), size**2, rtol=2e-9)


def test_a_constant_with_rounding_is_bounded_as_a_constant():
    moves, rng = Translation().on((9, 9)), np.random.default_rng(0)
    C = 1e-14 * rng.standard_normal((3, moves.block_shape[0])).astype(complex)
    C[:, 0] = 1.0
    assert_allclose(moves.largest_polar(C[:, None, :, None, None], 1e-9), 1.0, rtol=2e-9)


@allocating
def bound_on_cell(table, s, t, a, b, mu):
    """Return the quadratic bound of a cell of half widths (a, b), in radians of the last waves."""
    last = np.array([float(table.shape[1] // 2), float(table.shape[2] - 1)])
    jet = jet_at(table, s, t, 1.0, last, make_work(table))
    return top_of_box(jet, mu * (a + b) / 1.5, a, b)


def test_no_value_in_a_cell_exceeds_its_bound_which_is_of_third_order():
    moves, rng = Translation().on((7, 9)), np.random.default_rng(0)
    last, excess = np.array([3, 4]), []
    C = polynomials(moves, 40, rng)
    within = np.stack(np.meshgrid(*[np.linspace(-1, 1, 41)] * 2), axis=-1).reshape(-1, 2)
    for table, c, largest in zip(
        as_table(C[:, :, 0, 0], moves.transform.waves), C, moves.polar(C), strict=True
    ):
        centre, size = rng.uniform(0, 2 * np.pi, 2), rng.uniform(0.1, 0.4, 2)
        for shrunk in (size, 0.1 * size):
            angle = centre + within * shrunk / last
            top = inner(c, moves.represent(angle * moves.periods / (2 * np.pi))).max()
            bound = bound_on_cell(table, *centre, *shrunk, 1.2 * largest)
            assert top <= bound * (1 + 1e-12) + 1e-12
            assert bound - top <= 0.8 * largest * shrunk.sum() ** 3
            excess.append(bound - top)
    assert min(excess[::2]) > 0


@pytest.mark.parametrize("wave", [0.0, 1e-15, 1e-9, 1e-6])
def test_what_is_next_to_constant_is_bounded_closely(wave):
    """As images without contrast are: halving all cells until a cosine is flat would take hours."""
    moves, rng = Translation().on((17, 17)), np.random.default_rng(0)
    y, a = 1 + wave * rng.standard_normal((2, 1, 17, 17))
    C, shifts = correlate(moves.analyze(y), moves.analyze(a)), moves.sample(rng, 2000)
    seen = np.abs(inner(C[0], moves.represent(shifts))).max()
    assert seen <= moves.largest_polar(C, 1e-9)[0] <= seen * (1 + 1e-9 + 20 * wave)


def test_nothing_has_no_peaks_and_the_bound_zero():
    moves = Translation().on((5, 6))
    C = np.zeros((2, moves.block_shape[0], 1, 1), dtype=complex)
    assert np.all(moves.largest_polar(C[:, None]) == 0)
    assert len(moves.peaks(C, 0.0).row) == 0


def test_all_peaks_of_bumps_far_apart_are_found_once():
    moves, rng = Translation().on((21, 25)), np.random.default_rng(0)
    place = np.array([[3.3, 4.1], [10.2, 13.7], [17.8, 20.4]])
    C = np.tensordot([1.0, -0.8, 0.9], moves.represent(place), 1)[None]
    found = moves.peaks(C, 0.6 * float(moves.polar(C)[0]))
    order = np.argsort(found.element[:, 0])
    assert_allclose(found.element[order], place, atol=0.15)
    assert np.array_equal(np.sign(found.coefficient[order]), [1, -1, 1])
    assert_allclose(inner(C, moves.represent(found.element)), found.coefficient, rtol=1e-10)
    for by in rng.uniform(-1e-3, 1e-3, (5, 2)):
        near = inner(C, moves.represent(moves.retract(found.element, by)))
        assert np.all(np.abs(near) <= np.abs(found.coefficient))


def test_tangents_are_derivatives_of_the_action():
    moves, rng = Translation().on((5, 6, 2)), np.random.default_rng(0)
    B, g, h = moves.analyze(rng.standard_normal((5, 6, 2))), moves.sample(rng, 1)[0], 1e-5
    for a, X in enumerate(moves.tangents(moves.act_on_blocks(g, B))):
        step = h * np.eye(2)[a]
        ahead, behind = (moves.act_on_blocks(moves.retract(g, by), B) for by in (step, -step))
        assert_allclose((ahead - behind) / (2 * h), X, atol=1e-8)


# The moves of a square


@pytest.mark.parametrize("small", [0, matrix_product.SMALL])
@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (4, 4, 3), (7, 7), (8, 8, 2)])
def test_moves_of_a_square_turn_and_mirror_pixels(shape, small, monkeypatch):
    monkeypatch.setattr(matrix_product, "SMALL", small)
    moves, x = SquareSymmetry().on(shape), np.random.default_rng(0).standard_normal(shape)
    assert moves.is_invertible
    for turns, mirrored in moves.elements:
        expected = np.rot90(x[:, ::-1] if mirrored else x, int(turns))
        assert_allclose(moves.act(np.array([turns, mirrored]), x), expected, atol=1e-12)


def test_moves_of_a_square_are_said_in_words():
    x, moves = np.arange(9.0).reshape(3, 3), SquareSymmetry().on((3, 3))
    said = {moves.presentation.label(g): moves.act(g, x) for g in moves.elements}
    assert len(said) == len(LABELS) == 8
    assert_allclose(said["mirrored left-right"], x[:, ::-1], atol=1e-12)
    assert_allclose(said["mirrored top-bottom"], x[::-1], atol=1e-12)
    assert_allclose(said["mirrored at the falling diagonal"], x.T, atol=1e-12)
    assert_allclose(said["mirrored at the rising diagonal"], x[::-1, ::-1].T, atol=1e-12)


# What all have in common


@pytest.mark.parametrize(
    ("group", "shape"),
    [
        (ImageRotation(), (1, 1)),
        (ImageRotation(), (4, 5)),
        (ImageRotation(), (4,)),
        (IntegerTranslation(), (4,)),
        (IntegerTranslation(), (0, 3)),
        (Translation(), (3, 3, 3, 3)),
        (SquareSymmetry(), (1, 1)),
        (SquareSymmetry(), (3, 4)),
    ],
)
def test_a_shape_that_is_no_such_image_is_refused(group, shape):
    with pytest.raises(ValueError, match=r"acts on .*not \("):
        group.on(shape)


@pytest.mark.parametrize("kind", [IntegerTranslation, Translation])
def test_a_volume_is_not_read_as_an_image_of_many_channels(kind):
    with pytest.raises(ValueError, match=r"6 x 6 pixels with 7 channels.*channels=7\).*volumes"):
        kind().on((6, 6, 7))
    assert kind(channels=7).on((6, 6, 7)).block_shape[2] == 7
    assert kind().on((6, 6, 4)).block_shape[2] == 4
    with pytest.raises(ValueError, match=r"channels=2\) reads .* with 1 channel;"):
        kind(channels=2).on((6, 6))
    with pytest.raises(ValueError, match="channels must be an integer"):
        kind(channels=0)


def test_the_channels_of_translated_images_are_kept_in_a_model_file(tmp_path):
    X = np.random.default_rng(0).standard_normal((6, 3, 3, 5))
    group = IntegerTranslation(channels=5)
    model = OrbitDictionaryLearning(group=group, alpha=2.0, max_iter=0, n_restarts=1).fit(X)
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").group == group


def test_images_have_the_coder_that_is_made_for_their_group():
    assert isinstance(default_coder(ImageRotation().on((5, 5))), Sliding)
    for group in (IntegerTranslation(), SquareSymmetry()):
        assert isinstance(default_coder(group.on((5, 5))), ActiveSet)
    assert isinstance(default_coder(Translation().on((5, 5))), Growing)


def test_colours_are_drawn_side_by_side():
    x = np.random.default_rng(0).standard_normal((4, 5, 3))
    drawn = Translation().on((4, 5, 3)).presentation.view.lines(x, (4, 5, 3))
    assert_allclose(drawn, np.concatenate([x[..., k] for k in range(3)], axis=1))


def test_reflections_mirror_first_and_turn_then():
    moves = ImageRotation(reflections=True).on((9, 9, 2))
    image = moves.project(np.random.default_rng(0).standard_normal((9, 9, 2)))
    assert moves.parameters == ("angle", "mirrored")
    assert_allclose(moves.act(np.array([0.0, 1.0]), image), image[::-1], atol=1e-12)
    assert_allclose(moves.act(np.array([90.0, 1.0]), image), np.rot90(image[::-1]), atol=1e-12)


def test_reflections_are_on_or_off():
    with pytest.raises(ValueError, match="reflections must be True or False, not 0.8"):
        ImageRotation(0.8)


@pytest.mark.parametrize(
    ("group", "side"),
    [
        (Translation(), 7),
        (IntegerTranslation(), 6),
        (SquareSymmetry(), 5),
        (ImageRotation(reflections=True), 9),
        (SemidirectProduct(IntegerTranslation(), SquareSymmetry()), 5),
    ],
)
def test_a_planted_image_is_learned_from_moved_copies(group, side):
    moves, rng = group.on((side, side)), np.random.default_rng(0)
    planted = moves.project(rng.standard_normal((1, side, side)))
    planted /= np.linalg.norm(planted)
    X = moves.act(moves.sample(rng, 40), np.broadcast_to(planted, (40, side, side)))
    X = X + 0.02 * rng.standard_normal(X.shape)
    model = OrbitDictionaryLearning(1, group, alpha=0.2, max_iter=30, random_state=0).fit(X)
    assert dictionary_distance(planted, model.components_, group) < 0.01
    assert model.codes_.gap.max() <= 1e-4
