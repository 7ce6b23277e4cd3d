"""Gauges without a closed form: found by programs or searched for, between two bounds."""

import cvxpy as cp
import numpy as np
import pytest
from laws import LAWS, at_most, draw_codes, group_with_gauge, searchable_group_with_gauge
from numpy.testing import assert_allclose
from outsiders import Harmonics
from reference import minimum
from registry import ACTIONS, action
from sklearn.exceptions import ConvergenceWarning
from test_group_contract import sizes_that_differ
from test_planted_faults import least_squares_decompose, spoil, without_last

from orbitdl.groups import (
    CircleRepresentation,
    ContinuousShift,
    FiniteRepresentation,
    IntegerShift,
    InterpolatedShift,
    Orthogonal,
    Permutation,
    Product,
    Representation,
    SpecialOrthogonal,
    Translation,
)
from orbitdl.groups.vectors.orthogonal import OrthogonalRepresentation
from reproduction.gauges import bracket, decompose, gauge, gauge_bracket, lightest_measure
from reproduction.gauges.bracket import lightest_atoms

KNOWN = {
    "integer shift": IntegerShift().on((8,)),
    "interpolated shift": InterpolatedShift(2).on((7,)),
    "continuous shift": ContinuousShift().on((9,)),
    "continuous shift of even length": ContinuousShift().on((16, 2)),
    "orthogonal": Orthogonal().on((3,)),
    "rotations of the plane": SpecialOrthogonal().on((2,)),
    "orders of rows": Permutation().on((5,)),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_search_agrees_with_closed_forms_and_programs(name):
    known, rng = KNOWN[name], np.random.default_rng(0)
    Z = np.concatenate([draw_codes(known, rng, n=1, k=k)[0] for k in (1, 4)])
    found, exact = lightest_atoms(known, Z), gauge(known, Z)
    assert np.all(found.lower <= (1 + 1e-9) * exact)
    assert np.all(found.upper >= (1 - 1e-9) * exact)
    assert_allclose(found.lower, found.upper, rtol=1.1e-8)


class Unknown(OrthogonalRepresentation):
    """All orthogonal matrices, as if nothing were known of their gauge."""

    gauge = Representation.gauge
    decompose = Representation.decompose
    has_prox = False


def with_gauge(sound):
    """Return a representation with the gauge and the atoms that `reproduction.gauges` finds."""
    return spoil(sound, {"gauge": gauge, "decompose": decompose})


def has_program(rep):
    """Return whether a linear or semidefinite program gives the gauge."""
    return isinstance(rep, FiniteRepresentation | CircleRepresentation) and not rep.has_gauge


GAUGE_LAWS = [
    law
    for law, (_, kind) in LAWS.items()
    if kind in (group_with_gauge, searchable_group_with_gauge)
]
PROGRAMS = [name for name in ACTIONS if has_program(action(name))]
SEARCHED = {
    "as if orthogonal matrices were unknown": Unknown(Orthogonal(), (2, 3)),
    "whole shifts and turns": Product(IntegerShift(), Orthogonal()).on((3, 2)),
    "whole shifts and orders": Product(IntegerShift(), Permutation()).on((3, 3)),
}
LONG = [("interpolated shift 2 of channels", 100), ("interpolated shift 2 of channels", 121),
        ("continuous shift of channels", 100), ("continuous shift of channels", 121)]  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("law", GAUGE_LAWS)
def test_laws_hold_where_a_program_gives_the_gauge(law, name):
    for seed, (length, channels) in enumerate(sizes_that_differ(name)):
        rep = action(name, length, channels)
        if not rep.has_gauge:
            LAWS[law][0](with_gauge(rep), np.random.default_rng(seed))


@pytest.mark.parametrize(("name", "length"), LONG)
@pytest.mark.parametrize("law", GAUGE_LAWS)
def test_laws_hold_at_lengths_people_use(law, name, length):
    LAWS[law][0](with_gauge(action(name, length, 1)), np.random.default_rng(0))


@pytest.mark.parametrize("n_blocks", [1, 2, 5, 60])
@pytest.mark.parametrize("law", GAUGE_LAWS)
def test_laws_hold_for_a_circle_under_another_transform(law, n_blocks):
    rep = with_gauge(Harmonics().on((2 * n_blocks,)))
    LAWS[law][0](rep, np.random.default_rng(n_blocks))


@pytest.mark.parametrize("name", SEARCHED)
@pytest.mark.parametrize("law", [law for law in GAUGE_LAWS if LAWS[law][1] is group_with_gauge])
def test_laws_hold_where_the_gauge_is_searched_for(law, name):
    assert not SEARCHED[name].has_gauge
    LAWS[law][0](with_gauge(SEARCHED[name]), np.random.default_rng(0))


@pytest.mark.parametrize("name", [*PROGRAMS, *SEARCHED])
def test_the_gauge_lies_in_a_narrow_bracket(name):
    rep = SEARCHED.get(name) or action(name)
    Z, weight = draw_codes(rep, np.random.default_rng(0))
    lower, upper = gauge_bracket(rep, Z)
    at_most(lower, weight)
    at_most(lower, upper)
    at_most(upper, (1.0 + 1e-8) * lower)


@pytest.mark.parametrize(
    ("name", "faults", "law"),
    [
        (
            "interpolated shift 3",
            {"gauge": lambda rep, Z: weight_of(least_squares_decompose(rep, Z), len(Z))},
            "gauge_is_certified_from_below",
        ),
        (
            "interpolated shift 3",
            {"gauge": lambda rep, Z: weight_of(least_squares_decompose(rep, Z), len(Z))},
            "gauge_is_at_most_the_weight_of_any_combination",
        ),
        (
            "continuous shift",
            {"decompose": lambda rep, Z: without_last(decompose(rep, Z))},
            "decompose_adds_up_with_the_weight_of_the_gauge",
        ),
    ],
)
def test_laws_notice_a_gauge_that_is_not_least_and_a_lost_atom(name, faults, law):
    sound = action(name, 8, 3)
    spoiled = spoil(sound, {"gauge": gauge, "decompose": decompose} | faults)
    with pytest.raises(AssertionError):
        LAWS[law][0](spoiled, np.random.default_rng(0))


def weight_of(atoms, n):
    return np.bincount(atoms.row, np.abs(atoms.coefficient), n)


@pytest.mark.parametrize("name", ["interpolated shift 3", "continuous shift", "shifts and turns"])
def test_a_group_without_a_closed_form_says_where_its_gauge_is_found(name):
    rep = action(name)
    Z, _ = draw_codes(rep, np.random.default_rng(0))
    for method in (rep.gauge, rep.decompose):
        with pytest.raises(ValueError, match=r"no closed form; compute it with reproduction\.g"):
            method(Z)


def test_gauges_have_the_leading_shape_of_their_argument():
    moves = Unknown(Orthogonal(), (2,))
    Z = np.random.default_rng(0).standard_normal((2, 3, 1, 2, 2))
    expected = np.linalg.norm(Z[:, :, 0], 2, axis=(2, 3))
    assert_allclose(gauge(moves, Z), expected, rtol=1e-7)
    for bound in gauge_bracket(moves, Z):
        assert_allclose(bound, expected, rtol=1e-7)


def test_a_wide_bracket_is_warned_of(monkeypatch):
    monkeypatch.setattr(bracket, "ROUNDS", 3)
    moves = Unknown(Orthogonal(), (3,))
    Z, _ = draw_codes(moves, np.random.default_rng(0), n=2)
    with pytest.warns(ConvergenceWarning, match="gauge of 2 of 2 matrices"):
        reached = gauge(moves, Z)
    lower, upper = gauge_bracket(moves, Z)
    assert_allclose(upper, reached)
    assert np.all(lower < 0.999 * upper)
    assert np.all(lower <= np.linalg.norm(Z[:, 0], 2, axis=(1, 2)))
    assert np.all(upper >= np.linalg.norm(Z[:, 0], 2, axis=(1, 2)))


def test_matrices_outside_of_the_span_are_refused():
    with pytest.raises(ValueError, match="not a combination of group elements"):
        lightest_atoms(Permutation().on((3,)), np.diag([1.0, 2.0, 3.0])[None, None])


def test_the_gauge_of_a_translation_is_one():
    moves = Translation().on((3, 3))
    assert_allclose(gauge(moves, moves.represent(np.array([[0.3, 1.7]]))), 1.0, rtol=1e-7)


def test_finer_shifts_have_smaller_gauges_down_to_the_continuous_one():
    rng = np.random.default_rng(0)
    groups = [IntegerShift(), InterpolatedShift(2), InterpolatedShift(4), InterpolatedShift(16)]
    Z, _ = draw_codes(IntegerShift().on((9,)), rng, n=4)
    gauges = np.array([gauge(group.on((9,)), Z) for group in groups])
    limit = gauge(ContinuousShift().on((9,)), Z)
    assert np.all(np.diff(gauges, axis=0) <= 1e-9)
    assert np.all(limit <= gauges[-1] + 1e-7)
    assert_allclose(limit, gauges[-1], rtol=1e-2)


@pytest.mark.parametrize(("length", "n"), [(15, 20), (23, 20), (31, 20), (101, 3), (200, 1)])
def test_gauge_of_continuous_shifts_is_no_more_than_that_of_a_known_combination(length, n):
    shifts, rng = ContinuousShift().on((length,)), np.random.default_rng(0)
    for k in (3, length // 2):
        Z, weight = draw_codes(shifts, rng, n=n, k=k)
        assert np.all(gauge(shifts, Z) <= (1 + 1e-8) * weight)


@pytest.mark.parametrize("length", [64, 101, 201])
def test_a_measure_of_atoms_far_apart_is_the_lightest_and_is_found(length):
    """Four samples apart and more, atoms of any signs are the only lightest measure."""
    rng, shifts = np.random.default_rng(0), ContinuousShift().on((length,))
    tau = np.arange(0, length - 5, 5) + rng.uniform(0, 1, len(range(0, length - 5, 5)))
    c = rng.uniform(0.1, 2.0, len(tau)) * rng.choice([-1, 1], len(tau))
    Z = np.tensordot(c, shifts.represent(tau[:, None]), 1)[None]
    atoms = decompose(shifts, Z)
    order = np.argsort(atoms.element[:, 0])
    assert_allclose(atoms.element[order, 0], tau, atol=1e-6)
    assert_allclose(atoms.coefficient[order], c, atol=1e-6)
    assert_allclose(gauge(shifts, Z), np.abs(c).sum(), rtol=1e-9)


@pytest.mark.parametrize("length", [9, 16])
def test_gauge_of_continuous_shifts_is_that_of_the_semidefinite_program(length):
    shifts, rng = ContinuousShift().on((length,)), np.random.default_rng(0)
    z = rng.standard_normal(shifts.block_shape[0]) + 0j
    z[1:] += 1j * rng.standard_normal(len(z) - 1)
    w = cp.Variable(len(z), complex=True)
    above, below = (
        cp.bmat([[part[k - l] if k >= l else cp.conj(part[l - k]) for l in range(len(z))]
                 for k in range(len(z))])
        for part in (w + z, w - z)
    )  # fmt: skip
    expected = minimum(cp.real(w[0]), [above >> 0, below >> 0, cp.imag(w[0]) == 0])
    assert_allclose(gauge(shifts, z[:, None, None]), expected, rtol=1e-6)


def test_a_gauge_of_a_circle_that_is_not_reached_is_warned_of(monkeypatch):
    monkeypatch.setattr(lightest_measure, "MAX_ITER", 4)
    shifts = ContinuousShift().on((31,))
    Z, weight = draw_codes(shifts, np.random.default_rng(0), n=2)
    with pytest.warns(ConvergenceWarning, match="gauge of 2 of 2 matrices"):
        gauge(shifts, Z)
    lower, upper = gauge_bracket(shifts, Z)
    assert np.all(lower <= weight)
    assert np.all(lower < (1 - 1e-6) * upper)


def test_decompose_finds_turns_that_are_far_apart():
    turns = Harmonics().on((60,))
    degrees, c = np.array([10.0, 95.0, 200.0, 310.0]), np.array([1.0, -2.0, 0.5, 1.5])
    Z = np.tensordot(c, turns.represent(degrees[:, None]), 1)[None]
    atoms = decompose(turns, Z)
    order = np.argsort(atoms.element[:, 0])
    assert_allclose(atoms.element[order, 0], degrees, atol=1e-5)
    assert_allclose(atoms.coefficient[order], c, atol=1e-7)


def test_the_gauge_does_not_depend_on_unit_or_transform():
    turns, shifts = Harmonics().on((10,)), ContinuousShift().on((9,))
    Z, _ = draw_codes(turns, np.random.default_rng(0))
    assert_allclose(gauge(turns, Z), gauge(shifts, Z), rtol=1e-9)
