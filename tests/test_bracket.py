"""Gauges without a closed form: searched for, between two bounds."""

import numpy as np
import pytest
from laws import LAWS, draw_codes, group_with_gauge
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from orbitdl.groups import (
    ContinuousShift,
    IntegerShift,
    InterpolatedShift,
    Orthogonal,
    Permutation,
    Product,
    Representation,
    SpecialOrthogonal,
)
from orbitdl.groups.gauges import bracket
from orbitdl.groups.gauges.bracket import lightest_atoms
from orbitdl.groups.vectors.orthogonal import OrthogonalRepresentation

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
def test_the_search_brackets_a_known_gauge(name):
    known, rng = KNOWN[name], np.random.default_rng(0)
    Z = np.concatenate([draw_codes(known, rng, n=1, k=k)[0] for k in (1, 4)])
    found, exact = lightest_atoms(known, Z), known.gauge(Z)
    assert np.all(found.lower <= (1 + 1e-9) * exact)
    assert np.all(found.upper >= (1 - 1e-9) * exact)
    assert_allclose(found.lower, found.upper, rtol=1.1e-8)


class Unknown(OrthogonalRepresentation):
    """All orthogonal matrices, as if nothing were known of their gauge."""

    gauge = Representation.gauge
    gauge_bracket = Representation.gauge_bracket
    decompose = Representation.decompose
    has_prox = False


SEARCHED = {
    "as if orthogonal matrices were unknown": Unknown(Orthogonal(), (2, 3)),
    "whole shifts and turns": Product(IntegerShift(), Orthogonal()).on((3, 2)),
    "whole shifts and orders": Product(IntegerShift(), Permutation()).on((3, 3)),
}
GAUGE_LAWS = [law for law, (_, kind) in LAWS.items() if kind is group_with_gauge]


@pytest.mark.parametrize("name", SEARCHED)
@pytest.mark.parametrize("law", GAUGE_LAWS)
def test_laws_hold_where_the_gauge_is_searched_for(law, name):
    assert not SEARCHED[name].knows_gauge
    LAWS[law][0](SEARCHED[name], np.random.default_rng(0))


def test_gauges_keep_the_shape_of_what_is_asked():
    moves = Unknown(Orthogonal(), (2,))
    Z = np.random.default_rng(0).standard_normal((2, 3, 1, 2, 2))
    expected = np.linalg.norm(Z[:, :, 0], 2, axis=(2, 3))
    assert_allclose(moves.gauge(Z), expected, rtol=1e-7)
    for bound in moves.gauge_bracket(Z):
        assert_allclose(bound, expected, rtol=1e-7)


def test_a_wide_bracket_is_warned_of(monkeypatch):
    monkeypatch.setattr(bracket, "ROUNDS", 3)
    moves = Unknown(Orthogonal(), (3,))
    Z, _ = draw_codes(moves, np.random.default_rng(0), n=2)
    with pytest.warns(ConvergenceWarning, match="gauge of 2 of 2 matrices"):
        reached = moves.gauge(Z)
    lower, upper = moves.gauge_bracket(Z)
    assert_allclose(upper, reached)
    assert np.all(lower < 0.999 * upper)
    assert np.all(lower <= np.linalg.norm(Z[:, 0], 2, axis=(1, 2)))
    assert np.all(upper >= np.linalg.norm(Z[:, 0], 2, axis=(1, 2)))


def test_matrices_outside_of_the_span_are_refused():
    with pytest.raises(ValueError, match="not a combination of group elements"):
        lightest_atoms(Permutation().on((3,)), np.diag([1.0, 2.0, 3.0])[None, None])
