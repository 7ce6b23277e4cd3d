"""Every law on every group, and each group against what it is by definition."""

import numpy as np
import pytest
from laws import LAWS, draw_codes, draw_correlations
from numpy.testing import assert_allclose, assert_array_equal
from registry import (
    ACTIONS,
    CYCLE,
    HEXAGON,
    PAIRS,
    PENTAGON,
    PERMUTATIONS,
    SQUARE,
    action,
    square,
    turn,
)

from orbitdl.groups import (
    ContinuousShift,
    Finite,
    IntegerShift,
    InterpolatedShift,
    Orthogonal,
    Trivial,
)
from orbitdl.groups.transforms import matrix_product

LENGTHS = [1, 2, 7, 8]
I_TIMES = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]]
J_TIMES = [[0, 0, -1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, -1, 0, 0]]
QUATERNIONS = Finite([I_TIMES, J_TIMES])  # 1, i, j, k and their negatives


REPRESENTATIONS = {name: action(name) for name in ACTIONS}
APPLICABLE = [
    (law, name)
    for law, (_, kind) in LAWS.items()
    for name, rep in REPRESENTATIONS.items()
    if kind(rep)
]


SIZES = [(1, 1), (2, 2), (7, 3), (8, 2), (5, 1), (6, 3), (9, 2)]
"""Lengths and numbers of channels."""


def sizes_that_differ(name: str) -> list[tuple[int, int]]:
    """Return one size for every shape of the data: some groups act on one only."""
    return list({ACTIONS[name](*size)[1]: size for size in SIZES}.values())


@pytest.mark.parametrize(("law", "name"), APPLICABLE)
def test_law_holds(law, name):
    check, _ = LAWS[law]
    for seed, (length, channels) in enumerate(sizes_that_differ(name)):
        check(action(name, length, channels), np.random.default_rng(seed))


USED = ["integer shift", "interpolated shift 2 of channels", "continuous shift of channels"]
LONG = [
    (law, name, length, channels)
    for law, (_, kind) in LAWS.items()
    for name in USED
    for length, channels in ((100, 1), (201, 2))
    if kind(REPRESENTATIONS[name])
]


@pytest.mark.parametrize(("law", "name", "length", "channels"), LONG)
def test_law_holds_at_lengths_people_use(law, name, length, channels):
    check, _ = LAWS[law]
    check(action(name, length, channels), np.random.default_rng(0))


# Each group is what it says


@pytest.mark.parametrize("length", LENGTHS)
def test_integer_shift_rolls(length):
    rng = np.random.default_rng(0)
    for shape in [(length,), (length, 3)]:
        shifts, x = IntegerShift().on(shape), rng.standard_normal(shape)
        for k in range(length):
            assert_allclose(shifts.act(np.array([float(k)]), x), np.roll(x, k, axis=0), atol=1e-12)


@pytest.mark.parametrize("length", LENGTHS)
def test_continuous_shift_by_integer_shifts_rolls_what_it_can_move(length):
    shifts = ContinuousShift().on((length, 2))
    x = shifts.project(np.random.default_rng(0).standard_normal((length, 2)))
    for k in range(length):
        assert_allclose(shifts.act(np.array([float(k)]), x), np.roll(x, k, axis=0), atol=1e-12)


def test_continuous_shift_moves_a_wave_by_any_amount():
    shifts, t = ContinuousShift().on((9,)), np.arange(9)
    for tau in (0.3, 4.75, 8.999):
        moved = shifts.act(np.array([tau]), np.cos(2 * np.pi * 2 * t / 9 + 0.4))
        assert_allclose(moved, np.cos(2 * np.pi * 2 * (t - tau) / 9 + 0.4), atol=1e-12)


@pytest.mark.parametrize("length", [2, 8])
def test_fractional_shifts_of_even_length_leave_the_alternating_signal_out(length):
    alternating = (-1.0) ** np.arange(length)
    for group in (ContinuousShift(), InterpolatedShift(2)):
        shifts = group.on((length,))
        assert not shifts.is_invertible
        assert_allclose(shifts.project(alternating), np.zeros(length), atol=1e-12)
    assert IntegerShift().on((length,)).is_invertible


@pytest.mark.parametrize("length", LENGTHS)
def test_one_subdivision_is_the_integer_shift(length):
    rng = np.random.default_rng(0)
    one, whole = InterpolatedShift(1).on((length,)), IntegerShift().on((length,))
    C, (Z, _) = draw_correlations(whole, rng), draw_codes(whole, rng)
    assert one.size == whole.size
    assert_array_equal(one.elements, whole.elements)
    assert_array_equal(one.polar(C), whole.polar(C))
    assert_array_equal(one.gauge(Z), whole.gauge(Z))
    assert_array_equal(one.prox(Z, 0.2), whole.prox(Z, 0.2))


@pytest.mark.parametrize("length", LENGTHS)
def test_gauge_of_integer_shifts_is_the_l1_norm_of_the_filter(length):
    rng = np.random.default_rng(0)
    shifts, c = IntegerShift().on((length,)), rng.standard_normal(length)
    Z = np.tensordot(c, shifts.represent(shifts.elements), 1)
    assert_allclose(shifts.gauge(Z[None]), [np.abs(c).sum()])
    kept = np.sign(c) * np.maximum(np.abs(c) - 0.4, 0)
    assert_allclose(
        shifts.prox(Z, 0.4), np.tensordot(kept, shifts.represent(shifts.elements), 1), atol=1e-12
    )


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_orthogonal_gauge_is_spectral_and_polar_is_nuclear(d):
    rng = np.random.default_rng(0)
    rotations, Z = Orthogonal().on((d, 4)), rng.standard_normal((6, 1, d, d))
    spectral = [np.linalg.norm(z[0], 2) for z in Z]
    nuclear = [np.linalg.norm(z[0], "nuc") for z in Z]
    assert_allclose(rotations.gauge(Z), spectral)
    assert_allclose(rotations.polar(Z), nuclear)


def test_orthogonal_matrices_act_from_the_left():
    rng = np.random.default_rng(0)
    rotations, x = Orthogonal().on((3, 4)), rng.standard_normal((3, 4))
    g = rotations.sample(rng, 1)[0]
    assert_allclose(rotations.act(g, x), g.reshape(3, 3) @ x)
    assert_allclose(g.reshape(3, 3) @ g.reshape(3, 3).T, np.eye(3), atol=1e-12)


def test_sampled_orthogonal_matrices_have_both_determinants_and_mean_zero():
    rotations = Orthogonal().on((3,))
    g = rotations.represent(rotations.sample(np.random.default_rng(0), 4000))[:, 0]
    assert abs(np.mean(np.linalg.det(g))) < 0.1
    assert np.abs(g.mean(axis=0)).max() < 0.05


def test_the_prox_of_the_spectral_norm_is_the_right_one_and_not_the_printed_one():
    rotations = Orthogonal().on((3, 20))
    assert_allclose(rotations.prox(np.eye(3)[None], 0.3)[0], 0.9 * np.eye(3))


@pytest.mark.parametrize(
    ("group", "size"), [(PERMUTATIONS, 6), (CYCLE, 5), (PENTAGON, 10), (HEXAGON, 12)]
)
def test_generators_close_to_the_whole_group(group, size):
    assert group.on((len(group.matrices[0]),)).size == size


def test_a_permutation_acts_by_indexing():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 2))
    moves = Finite([[2, 0, 3, 1]]).on((4, 2))
    assert_allclose(moves.act(np.array([1.0]), x), x[[2, 0, 3, 1]])


def test_a_cycle_of_matrices_and_integer_shifts_agree():
    rng = np.random.default_rng(0)
    y, a = rng.standard_normal((2, 4, 5))
    values = []
    for group in (CYCLE, IntegerShift()):
        moves = group.on((5,))
        C = moves.analyze(y) @ moves.analyze(a).conj().swapaxes(-1, -2)
        values.append(moves.polar(C))
    assert_allclose(values[0], values[1])


def test_matrices_are_split_into_their_irreducible_parts():
    def parts(group: Finite) -> list[tuple[int, ...]]:
        """Size and number of copies of each."""
        return sorted(part.copies.shape[1:] for part in group.parts)

    assert parts(PERMUTATIONS) == [(1, 1), (2, 1)]
    assert parts(PAIRS) == [(1, 1), (2, 1), (3, 1)]
    assert parts(CYCLE) == [(1, 1), (2, 1), (2, 1)]
    assert parts(PENTAGON) == [(2, 1)]
    assert parts(QUATERNIONS) == [(4, 1)]
    assert parts(square(8)) == [(1, 6), (1, 6), (1, 10), (1, 10), (2, 16)]


@pytest.mark.parametrize("small", [0, matrix_product.SMALL])
@pytest.mark.parametrize(
    ("group", "shape"),
    [(SQUARE, (3, 3)), (square(8), (64, 2)), (PAIRS, (6, 3)), (QUATERNIONS, (4,)), (CYCLE, (5, 2))],
)
def test_a_finite_group_acts_by_its_matrices(group, shape, small, monkeypatch):
    monkeypatch.setattr(matrix_product, "SMALL", small)
    moves, x = group.on(shape), np.random.default_rng(0).standard_normal(shape)
    moved = moves.act(moves.elements, np.broadcast_to(x, (moves.size, *shape)))
    expected = group.matrices @ x.reshape(len(group.matrices[0]), -1)
    assert_allclose(moved, expected.reshape(moved.shape), atol=1e-11)


def test_blocks_of_an_image_hold_few_zeros_and_their_matrices_few_numbers():
    moves = square(8).on((8, 8))
    n_blocks, d, m = moves.block_shape
    assert d == 2
    assert n_blocks * d * m < 2 * 64
    assert n_blocks * d * d < 8 * moves.size


def test_codes_of_a_finite_group_are_unique_where_all_its_irreducible_parts_occur():
    """Images of the square: 1 + 1 + 1 + 1 + 4 numbers for 8 elements; three things: 1 + 4 for 6."""
    assert square(4).on((4, 4)).has_prox
    assert CYCLE.on((5,)).has_prox
    assert not PERMUTATIONS.on((3,)).has_prox
    assert not PAIRS.on((6,)).has_prox


@pytest.mark.parametrize("generators", [[turn(1.0)], [turn(2 * np.pi / 7), turn(1.0)]])
def test_generators_that_do_not_close_are_refused(generators):
    with pytest.raises(ValueError, match="generate more than 100 elements"):
        Finite(generators, max_size=100)


@pytest.mark.parametrize(
    "generators",
    [
        [[0, 1, 1]],
        [[0.5, 0.5]],
        [[[1.0, 1.0], [0.0, 1.0]]],
        [[[1j, 0], [0, 1]]],
        np.zeros((1, 2, 3)),
        [[[np.nan, 0.0], [0.0, 1.0]]],
        5,
    ],
)
def test_generators_that_are_no_moves_are_refused(generators):
    with pytest.raises(ValueError, match="generators"):
        Finite(generators)


@pytest.mark.parametrize(
    "generators",
    [[], [[]], np.zeros((0, 4, 4)), np.zeros((0, 4), dtype=int), np.zeros((1, 0, 0))],
)
def test_a_finite_group_needs_a_generator(generators):
    with pytest.raises(ValueError, match="at least one matrix"):
        Finite(generators)


@pytest.mark.parametrize("subdivisions", [0, -1, 1.5])
def test_subdivisions_must_be_a_positive_whole_number(subdivisions):
    with pytest.raises(ValueError, match="subdivisions"):
        InterpolatedShift(subdivisions)


@pytest.mark.parametrize(
    ("group", "shape"),
    [
        (IntegerShift(), (3, 3, 3)),
        (InterpolatedShift(2), (0,)),
        (ContinuousShift(), (3, 3, 3)),
        (ContinuousShift(), ()),
        (Orthogonal(), (2, 2, 2)),
        (PERMUTATIONS, (4, 2)),
        (PERMUTATIONS, ()),
    ],
)
def test_a_shape_the_group_cannot_act_on_is_refused(group, shape):
    with pytest.raises(ValueError, match="act"):
        group.on(shape)


def test_a_group_without_a_closed_form_prox_says_so():
    with pytest.raises(ValueError, match="no closed-form proximal map"):
        ContinuousShift().on((5,)).prox(np.zeros((1, 3, 1, 1), dtype=complex), 0.1)
    with pytest.raises(ValueError, match="no closed-form proximal map"):
        PENTAGON.on((2,)).prox(np.zeros((1, 1, 2, 2)), 0.1)


def test_every_group_acts_on_what_the_trivial_group_leaves_alone():
    x = np.random.default_rng(0).standard_normal((4, 3, 2, 2))
    trivial = Trivial().on((3, 2, 2))
    assert_array_equal(trivial.act(np.zeros((4, 0)), x), x)
