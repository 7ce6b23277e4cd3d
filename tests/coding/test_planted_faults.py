"""The contract can fail: each law catches at least one fault planted in a representation."""

import copy
import functools

import numpy as np
import pytest
from laws import LAWS
from registry import PERMUTATIONS, action

from orbitdl.groups import Representation
from orbitdl.groups.base import Combination
from orbitdl.groups.presentation import Presentation, parameters_label, view_of_signals


def spoil(sound: Representation, faults: dict) -> Representation:
    """Return a copy of a representation with some methods or attributes replaced.

    A function replaces a method: it is called with the sound representation and the arguments.
    """
    spoiled = copy.copy(sound)
    for name, fault in faults.items():
        setattr(spoiled, name, functools.partial(fault, sound) if callable(fault) else fault)
    return spoiled


def transposed(matrices: np.ndarray) -> np.ndarray:
    return matrices.swapaxes(-1, -2)


def printed_prox(sound, Z, step):
    """The paper's text: lower the largest singular value by the step, clip the others at it."""
    u, s, vt = np.linalg.svd(Z)
    s = np.minimum(s, np.maximum(s[..., :1] - step, 0.0))
    return (u * s[..., None, :]) @ vt


def soft_threshold(sound, Z, threshold):
    """A soft threshold on the coefficients of a group whose matrices are orthogonal."""
    rho = sound.represent(sound.elements)
    c = sound.correlations(Z) / sound.block_shape[1]
    return np.tensordot(np.sign(c) * np.maximum(np.abs(c) - threshold, 0.0), rho, 1)


def grid_match(sound, C):
    """The best of the whole shifts only."""
    values = sound.on_grid(C, sound.length)
    best = np.abs(values).argmax(axis=-1)
    return np.take_along_axis(values, best[..., None], -1)[..., 0], best[..., None].astype(float)


def least_squares_decompose(sound, Z):
    """Coefficients of least Euclidean norm instead of least weight."""
    rho = sound.represent(sound.elements).reshape(sound.size, -1)
    table = np.concatenate([rho.real, rho.imag], axis=1).T
    flat = Z.reshape(len(Z), -1)
    c = np.linalg.lstsq(table, np.concatenate([flat.real, flat.imag], axis=1).T, rcond=None)[0].T
    row, number = np.indices(c.shape).reshape(2, -1)
    return Combination(row, c.ravel(), sound.elements[number])


def without_last(atoms: Combination) -> Combination:
    return Combination(*(column[:-1] for column in atoms))


# What is wrong, on which action, how, and the law that must notice.
FAULTS = [
    (
        "tangents against the move",
        "continuous shift",
        {"tangents": lambda sound, B: -sound.tangents(B)},
        "tangents_are_how_moves_begin",
    ),
    (
        "moves from the other side",
        "shifts and turns",
        {"retract": lambda sound, g, by: sound.retract(g, -by)},
        "tangents_are_how_moves_begin",
    ),
    (
        "a generator that stretches",
        "orthogonal",
        {"tangents": lambda sound, B: np.abs(sound.tangents(B))},
        "generators_are_antisymmetric",
    ),
    (
        "copies moved back instead of on",
        "translations of images",
        {"act_on_blocks": lambda sound, g, B: sound.act_on_blocks(sound.inverse(g), B)},
        "moved_is_the_product_with_the_representation",
    ),
    (
        "a bound that is too low",
        "shifts and turns",
        {"largest_polar": lambda sound, C, eps: 0.9 * sound.largest_polar(C, eps)},
        "the_bound_of_polars_is_above_them_and_close",
    ),
    (
        "a bound that is too wide",
        "continuous shift",
        {"largest_polar": lambda sound, C, eps: 1.1 * sound.largest_polar(C, eps)},
        "the_bound_of_polars_is_above_them_and_close",
    ),
    (
        "a row too many",
        "continuous shift",
        {"polar": lambda sound, C: np.append(sound.polar(C), 0.0)},
        "no_rows_have_no_matches_and_no_peaks",
    ),
    (
        "wrong sign of the phase",
        "continuous shift",
        {"represent": lambda sound, g: sound.represent(-g)},
        "match_attains_polar",
    ),
    (
        "wrong sign of the phase",
        "integer shift",
        {"represent": lambda sound, g: sound.represent(-g)},
        "the_list_of_elements_is_numbered_identity_first",
    ),
    (
        "wrong sign in the group law",
        "continuous shift",
        {"compose": lambda sound, g, h: sound.compose(g, -h)},
        "the_product_of_elements_is_represented_by_the_product_of_matrices",
    ),
    (
        "wrong sign of the inverse",
        "interpolated shift 3",
        {"inverse": lambda sound, g: g},
        "an_inverse_undoes_its_element",
    ),
    (
        "missing transpose in the inverse",
        "orthogonal",
        {"inverse": lambda sound, g: g},
        "an_inverse_is_represented_by_the_adjoint",
    ),
    (
        "missing conjugate in analyze",
        "continuous shift",
        {"analyze": lambda sound, x: sound.analyze(x).conj()},
        "synthesize_is_the_adjoint_of_analyze",
    ),
    (
        "missing conjugate in analyze and synthesize",
        "integer shift",
        {
            "analyze": lambda sound, x: sound.analyze(x).conj(),
            "synthesize": lambda sound, B: sound.synthesize(B.conj()),
            "act": lambda sound, g, x: sound.act(g, x),
        },
        "analyze_turns_the_action_into_matrix_products",
    ),
    (
        "missing conjugate in the correlations",
        "integer shift of channels",
        {"correlations": lambda sound, C: sound.correlations(C.conj())},
        "match_attains_polar",
    ),
    (
        "a transform without its scale",
        "integer shift",
        {"analyze": lambda sound, x: sound.analyze(x) * np.sqrt(2.0)},
        "analyze_keeps_inner_products",
    ),
    (
        "a Nyquist term that is said to move",
        "continuous shift",
        {"is_invertible": True},
        "synthesize_inverts_analyze_on_what_moves",
    ),
    (
        "swapped channels",
        "integer shift of channels",
        {"analyze": lambda sound, x: sound.analyze(x)[..., ::-1]},
        "synthesize_is_the_adjoint_of_analyze",
    ),
    (
        "swapped rows and columns",
        "orthogonal",
        {"represent": lambda sound, g: transposed(sound.represent(g))},
        "the_product_of_elements_is_represented_by_the_product_of_matrices",
    ),
    (
        "swapped factors",
        "permutations",
        {"compose": lambda sound, g, h: sound.compose(h, g)},
        "the_product_of_elements_is_represented_by_the_product_of_matrices",
    ),
    (
        "swapped quotients",
        "permutations",
        {"quotient": PERMUTATIONS.product.T},
        "the_table_of_quotients_divides_from_the_left",
    ),
    (
        "entries of the next channel",
        "integer shift of channels",
        {"entries": lambda sound: sound.entries()._replace(first=sound.entries().first[::-1])},
        "every_entry_is_one_of_a_few_that_is_moved",
    ),
    (
        "swapped components",
        "continuous shift",
        {"superpose": lambda sound, atoms, n, j, A: sound.superpose(atoms, n, 1 - j, A)},
        "superpose_adds_moved_blocks",
    ),
    (
        "a dropped axis",
        "continuous shift",
        {"sample": lambda sound, rng, n: sound.sample(rng, n)[:, 0]},
        "elements_and_blocks_have_the_shapes_they_announce",
    ),
    (
        "an action that bends",
        "trivial",
        {"act": lambda sound, g, x: np.abs(x)},
        "the_action_is_linear",
    ),
    (
        "an action that stretches",
        "integer shift",
        {"act": lambda sound, g, x: 1.001 * sound.act(g, x)},
        "the_action_keeps_norms",
    ),
    (
        "an action from the wrong side",
        "permutations",
        {"act": lambda sound, g, x: sound.act(sound.inverse(g), x)},
        "acting_twice_is_acting_with_the_product",
    ),
    (
        "an optimistic polar, from whole shifts only",
        "continuous shift",
        {
            "match": grid_match,
            "polar": lambda sound, C: np.abs(grid_match(sound, C)[0]),
        },
        "no_element_exceeds_polar",
    ),
    (
        "a slightly optimistic polar, from a fine grid",
        "continuous shift",
        {"polar": lambda sound, C: np.abs(sound.on_grid(C, 200 * sound.length)).max(axis=-1)},
        "polar_is_the_largest_value_of_a_dense_search",
    ),
    (
        "other transformations that are forgotten",
        "continuous shift with reversal",
        {"largest_product": lambda sound, Y, A: sound.base.largest_product(Y, A)},
        "the_moved_signal_with_the_largest_inner_product_is_found",
    ),
    (
        "copies in another order",
        "continuous shift with reversal",
        {"copies": lambda sound, A: sound.copies(A)[::-1]},
        "components_and_their_copies_name_the_same_atoms",
    ),
    (
        "a pessimistic polar",
        "pentagon",
        {"polar": lambda sound, C: 1.01 * sound.polar(C)},
        "polar_is_the_largest_inner_product_with_a_moved_signal",
    ),
    (
        "an optimistic nuclear norm",
        "orthogonal",
        {"polar": lambda sound, C: 0.999 * sound.polar(C)},
        "gauge_and_polar_are_dual",
    ),
    (
        "a small gauge",
        "orthogonal",
        {"gauge": lambda sound, Z: 0.999 * sound.gauge(Z)},
        "group_elements_have_gauge_one",
    ),
    (
        "the Frobenius norm as gauge",
        "orthogonal",
        {"gauge": lambda sound, Z: np.linalg.norm(Z[..., 0, :, :], axis=(-2, -1))},
        "group_elements_have_gauge_one",
    ),
    (
        "a gauge that is not least",
        "integer shift",
        {"gauge": lambda sound, Z: 1.001 * sound.gauge(Z)},
        "gauge_is_certified_from_below",
    ),
    (
        "a gauge that is not least",
        "cycle",
        {"gauge": lambda sound, Z: 1.001 * sound.gauge(Z)},
        "gauge_is_at_most_the_weight_of_any_combination",
    ),
    (
        "a squared gauge",
        "integer shift",
        {"gauge": lambda sound, Z: sound.gauge(Z) ** 2},
        "gauge_is_homogeneous",
    ),
    (
        "a squared gauge",
        "trivial",
        {"gauge": lambda sound, Z: sound.gauge(Z) ** 2},
        "gauge_satisfies_the_triangle_inequality",
    ),
    (
        "a lost atom",
        "integer shift",
        {"decompose": lambda sound, Z: without_last(sound.decompose(Z))},
        "decompose_adds_up_with_the_weight_of_the_gauge",
    ),
    (
        "the printed prox of the spectral norm",
        "orthogonal",
        {"prox": printed_prox},
        "prox_leaves_a_residual_in_the_polar_ball",
    ),
    (
        "the printed prox of the spectral norm",
        "orthogonal",
        {"prox": printed_prox},
        "nothing_near_prox_is_better",
    ),
    (
        "a threshold that is not scaled by the norm of an element",
        "cycle",
        {"prox": lambda sound, Z, step: soft_threshold(sound, Z, step)},
        "prox_leaves_a_residual_in_the_polar_ball",
    ),
    (
        "half the threshold",
        "integer shift",
        {"prox": lambda sound, Z, step: sound.prox(Z, 0.5 * step)},
        "prox_of_a_long_step_is_zero",
    ),
    (
        "the derivative of half a step",
        "orthogonal",
        {"prox_derivative": lambda sound, Z, step: sound.prox_derivative(Z, 0.5 * step)},
        "prox_derivative_is_how_prox_changes",
    ),
    (
        "a cover of half the circle's cells",
        "continuous shift",
        {"spanning_elements": lambda sound: sound.spanning_elements()[::2]},
        "every_element_is_a_combination_of_the_cover",
    ),
    (
        "a turn that is one sample short",
        "integer shift",
        {"principal": lambda sound, g: g - (sound.length - 1) * np.round(g / sound.length)},
        "shortest_parameters_name_the_same_elements",
    ),
    (
        "examples without end",
        "orthogonal",
        {"examples": lambda sound, most: sound.examples(2 * most)},
        "examples_are_elements_and_no_more_than_asked_for",
    ),
    (
        "nothing to say",
        "integer shift of channels",
        {"presentation": Presentation("", parameters_label, view_of_signals((8, 3)), ())},
        "every_element_is_said_and_every_data_point_drawn",
    ),
]


@pytest.mark.parametrize(
    ("name", "faults", "law"),
    [pytest.param(*fault[1:], id=f"{fault[0]}: {fault[1]}") for fault in FAULTS],
)
def test_law_notices(name, faults, law):
    check, _ = LAWS[law]
    sound = action(name, 8, 3)
    check(sound, np.random.default_rng(0))
    with pytest.raises(AssertionError):
        check(spoil(sound, faults), np.random.default_rng(0))


def test_every_law_has_a_fault_it_notices():
    assert {law for *_, law in FAULTS} == set(LAWS)
