"""Data with missing entries: coding, certificates, learning."""

import cvxpy as cp
import numpy as np
import pytest
from reference import has_reference, minimum, reference_objective
from registry import ACTIONS, ALONE, CODERS, KINDS, served

from orbitdl import OrbitDictionaryLearning, Status, dictionary_distance, encode
from orbitdl.coding import Matching, Sliding, active_set
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import certify, relative_gap
from orbitdl.coding.choice import default_coder
from orbitdl.coding.problem import Masked, Misfit, Problem
from orbitdl.coding.sliding import coder as sliding_coder
from orbitdl.datasets import make_shift_data
from orbitdl.dictionaries.tied import dictionary_of
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.encoding.samples import Samples
from orbitdl.groups import ContinuousShift, IntegerShift, InterpolatedShift, Orthogonal
from orbitdl.learning import masked_dictionary
from orbitdl.learning.masked_dictionary import ObservedNormal, entry_normal, on_observed
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.statistics import statistics_of
from reproduction.semidefinite import Semidefinite

ALPHA = 0.1
KNOWN = [name for name in KINDS if has_reference(*ACTIONS[name](7, 2))]
CASES = [
    pytest.param(name, coder, length, id=f"{name}, {coder}, {length}")
    for name in KNOWN
    for coder in ("active set", "sliding", "proximal", "growing")
    for length in ((6, 7) if "shift" in name else (7,))
    if served(coder, name)
]


def unit(A):
    return A / np.linalg.norm(A.reshape(len(A), -1), axis=1).reshape(-1, *[1] * (A.ndim - 1))


def holed(X, fraction=0.3, seed=1):
    """Return a copy of X with a fraction of its entries missing."""
    X = X.copy()
    X[np.random.default_rng(seed).uniform(size=X.shape) < fraction] = np.nan
    return X


def problem(name, length=7, n=4, seed=0):
    """Return a group, random data with gaps and two components."""
    rng = np.random.default_rng(seed)
    group, shape = ACTIONS[name](length, 2)
    A = unit(group.on(shape).project(rng.standard_normal((2, *shape))))
    return group, holed(rng.standard_normal((n, *shape))), A


@pytest.mark.parametrize(("name", "coder", "length"), CASES)
def test_objectives_on_observed_entries_agree_with_cvxpy(name, coder, length):
    group, X, A = problem(name, length)
    codes = encode(X, A, group=group, alpha=ALPHA, coder=CODERS[coder](tol=1e-8))
    expected = reference_objective(group, X, A, ALPHA)
    np.testing.assert_allclose(codes.objective, expected, rtol=1e-6, atol=1e-9)
    assert codes.gap.max() <= 1e-8


@pytest.mark.parametrize("name", KNOWN)
def test_matching_never_beats_the_optimum_and_its_gap_says_so(name):
    group, X, A = problem(name)
    codes = encode(X, A, group=group, alpha=ALPHA, coder=Matching(n_atoms=2))
    optimum = reference_objective(group, X, A, ALPHA)
    assert np.all(codes.objective >= optimum - 1e-7)
    assert np.all(codes.objective * (1 - codes.gap) <= optimum + 1e-7)
    assert np.all(codes.objective <= 0.5 * np.nansum(X**2, axis=tuple(range(1, X.ndim))) + 1e-12)


@pytest.mark.parametrize(
    ("name", "coder"),
    [
        (name, coder)
        for name in KINDS
        for coder in ("active set", "sliding", "proximal", "growing", "matching")
        if served(coder, name)
    ],
)
def test_a_mask_of_all_ones_changes_nothing(name, coder):
    group, X, A = problem(name)
    X, coder = np.nan_to_num(X), CODERS[coder]()
    settings = {"group": group, "alpha": ALPHA, "coder": coder}
    plain = encode(X, A, **settings)
    masked = encode(X, A, **settings, mask=np.full(X.shape, True))
    np.testing.assert_array_equal(masked.atoms.coefficient, plain.atoms.coefficient)
    np.testing.assert_array_equal(masked.atoms.element, plain.atoms.element)
    np.testing.assert_array_equal(masked.objective, plain.objective)
    np.testing.assert_array_equal(masked.gap, plain.gap)


def test_complete_samples_are_coded_as_if_alone():
    group, X, A = problem("continuous shift", length=15, n=6)
    X[[1, 4]] = np.random.default_rng(3).standard_normal((2, 15))
    together = encode(X, A, group=group, alpha=ALPHA)
    alone = encode(X[[1, 4]], A, group=group, alpha=ALPHA)
    chosen = together.atoms.take(np.array([1, 4]))
    np.testing.assert_allclose(chosen.coefficient, alone.atoms.coefficient, rtol=1e-9)
    np.testing.assert_allclose(together.objective[[1, 4]], alone.objective, rtol=1e-12)


@pytest.mark.parametrize("length", [20, 21])
def test_the_gap_of_masked_codes_is_never_optimistic(length):
    rng = np.random.default_rng(0)
    A = unit(ContinuousShift().on((length,)).project(rng.standard_normal((2, length))))
    X = holed(rng.standard_normal((20, length)))
    codes = encode(X, A, group=ContinuousShift(), alpha=0.3, coder=Sliding(tol=1e-2))
    observed = ~np.isnan(X)
    dense = InterpolatedShift(64).on((length,))
    masked = Masked(np.nan_to_num(X), observed)
    on_grid = Problem(dense, dense.analyze(masked.signal), dense.analyze(A), 0.3, masked)
    objective, gap = certify(on_grid, codes.atoms)
    np.testing.assert_allclose(objective, codes.objective, rtol=1e-10)
    assert np.all(codes.gap >= gap - 1e-9)


def test_observed_entries_alone_decide():
    group, X, A = problem("continuous shift of channels", length=9)
    mask = ~np.isnan(X)
    noise = np.where(mask, X, np.random.default_rng(5).choice([np.nan, np.inf, 1e9], X.shape))
    by_nan = encode(X, A, group=group, alpha=ALPHA)
    by_mask = encode(noise, A, group=group, alpha=ALPHA, mask=mask)
    np.testing.assert_array_equal(by_nan.atoms.coefficient, by_mask.atoms.coefficient)


@pytest.mark.parametrize("group", [IntegerShift(), ContinuousShift()])
def test_many_missing_entries_are_coded_as_well_as_few(monkeypatch, group):
    rng = np.random.default_rng(3)
    X, A = rng.standard_normal((6, 20, 2)), unit(rng.standard_normal((2, 20, 2)))
    codes = [encode(holed(X), A, group=group, alpha=0.3)]
    for module in (active_set, sliding_coder):
        monkeypatch.setattr(module, "FEW_MISSING", 0)
    codes.append(encode(holed(X), A, group=group, alpha=0.3))
    for one, other in (codes, codes[::-1]):
        assert np.all(one.gap <= 1e-4)
        assert np.all((1 - one.gap) * one.objective <= other.objective)


def test_a_sample_of_which_nothing_was_observed_is_coded_to_nothing():
    group, X, A = problem("continuous shift", length=9)
    X[2] = np.nan
    codes = encode(X, A, group=group, alpha=ALPHA)
    assert codes.status[2] is Status.NOTHING_OBSERVED
    assert codes.objective[2] == codes.gap[2] == 0.0
    assert len(codes.atoms.take(np.array([2])).coefficient) == 0
    assert np.all(np.isfinite(codes.objective))


def test_a_channel_that_was_never_observed_comes_from_the_others():
    rng = np.random.default_rng(0)
    group = ContinuousShift()
    A = unit(rng.standard_normal((1, 31, 2)))
    moved = group.on((31, 2)).act(np.array([[4.3], [17.8]]), A[[0, 0]])
    X = 2.0 * moved
    X[:, :, 1] = np.nan
    codes = encode(X, A, group=group, alpha=1e-4, coder=Sliding(tol=1e-8))
    np.testing.assert_allclose(np.sort(codes.to_frame()["shift"]), [4.3, 17.8], atol=1e-3)


def test_threads_do_not_change_masked_codes():
    rng = np.random.default_rng(0)
    A = unit(rng.standard_normal((2, 15)))
    X = holed(rng.standard_normal((1100, 15)))
    for group in (IntegerShift(), ContinuousShift()):
        one = encode(X, A, group=group, alpha=0.5)
        two = encode(X, A, group=group, alpha=0.5, n_jobs=2)
        np.testing.assert_array_equal(one.atoms.coefficient, two.atoms.coefficient)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_masked_codes_scale_with_the_data(scale):
    group, X, A = problem("continuous shift", length=9)
    plain = encode(X, A, group=group, alpha=ALPHA)
    scaled = encode(scale * X, A, group=group, alpha=scale * ALPHA)
    # a power of two would be exact; 1e30 is not one
    np.testing.assert_allclose(scaled.objective / scale**2, plain.objective, rtol=1e-6)


def test_the_semidefinite_coder_refuses_missing_entries():
    group, X, A = problem("continuous shift", length=9)
    with pytest.raises(ValueError, match=r"Semidefinite does not code data with missing entries;"):
        encode(X, A, group=group, alpha=ALPHA, coder=Semidefinite())


@pytest.mark.parametrize("mask", [np.ones((4, 6), dtype=bool), np.ones((4, 7)), [True]])
def test_a_mask_of_another_shape_or_type_is_refused(mask):
    group, X, A = problem("integer shift")
    with pytest.raises(ValueError, match=r"^mask must be a boolean array of X's shape \(4, 7\)"):
        encode(X, A, group=group, alpha=ALPHA, mask=mask)


# The dictionary step


def planted(name, seed=0, n=12):
    """Return a representation, masked data, codes and components of a small problem."""
    group, X, A = problem(name, n=n, seed=seed)
    codes = encode(X, A, group=group, alpha=ALPHA)
    masked = Masked(np.nan_to_num(X), ~np.isnan(X))
    representation = codes.representation
    return representation, masked, codes.atoms, representation.analyze(A)


def design(representation, atoms: Atoms, q):
    """Return the matrix from components, as signals, to all data, built column by column."""
    size = int(np.prod(representation.shape))
    columns = []
    for j in range(q):
        for k in range(size):
            e = np.zeros((q, size))
            e[j, k] = 1.0
            blocks = representation.analyze(e.reshape(q, *representation.shape))
            columns.append(representation.synthesize(atoms.superpose(representation, blocks)))
    return np.array(columns).reshape(q * size, -1).T


def masks(shape):
    """Return which entries were observed (n, ...), in ways that sums over them may get wrong."""
    chance, corner = np.random.default_rng(4).random(shape), (0,) * (len(shape) - 1)
    some = {name: np.ones(shape, dtype=bool) for name in ["sample", "entry", "everywhere", "last"]}
    some["sample"][0] = some["entry"][1, *corner] = False
    some["everywhere"][:, *corner] = some["last"][..., 0] = False
    nearly_nothing = ~some["entry"]
    return [chance < 0.7, chance < 0.3, *some.values(), nearly_nothing]


@pytest.mark.parametrize("unit", [1e-90, 1.0, 1e90])
@pytest.mark.parametrize("name", ALONE)
def test_sums_over_observed_entries_agree_with_those_of_the_whole_matrix(name, unit):
    action, masked, atoms, A = planted(name, n=4)
    representation, A = action.base, dictionary_of(action, A).expand()
    atoms, q = atoms.to_copies(action).scale(np.full(len(A), unit)), len(A)
    matrix = design(representation, atoms, q)
    signals = representation.synthesize(A)
    largest = np.abs(matrix.T @ matrix).max()
    for observed in masks(masked.signal.shape):
        samples = Samples.on(representation, np.where(observed, masked.signal, 0.0), observed)
        seen = matrix[observed.ravel()]
        normal = entry_normal(samples, atoms)
        np.testing.assert_allclose(normal, seen.T @ seen, rtol=0, atol=1e-13 * largest)
        expected = (seen.T @ (seen @ signals.ravel())).reshape(signals.shape)
        for keep in (False, True):
            image = representation.synthesize(ObservedNormal(samples, atoms, keep).apply(A))
            np.testing.assert_allclose(image, expected, rtol=0, atol=1e-12 * largest)


@pytest.mark.parametrize(
    "name", ["trivial", "integer shift", "continuous shift of channels", "orthogonal", "pentagon"]
)
@pytest.mark.parametrize(
    "few", [0.0, masked_dictionary.MAX_MULTIPLICATIONS], ids=["many data", "few data"]
)
def test_the_masked_dictionary_step_agrees_with_cvxpy(monkeypatch, name, few):
    monkeypatch.setattr(masked_dictionary, "MAX_MULTIPLICATIONS", few)
    representation, masked, atoms, A = planted(name)
    Y = representation.analyze(masked.signal)
    statistics = statistics_of(representation, Y, atoms)
    samples = Samples.on(representation, masked.signal, masked.observed)
    shards = SampleShards.cut(samples, default_coder(representation), 1.0, largest=7)
    coded = shards.starting_from(atoms), representation
    matrix, seen = design(representation, atoms, len(A)), masked.observed.ravel()
    a = cp.Variable(matrix.shape[1])
    size = matrix.shape[1] // len(A)
    misfit = 0.5 * cp.sum_squares(masked.signal.ravel()[seen] - matrix[seen] @ a)
    ball = [cp.norm(a[j * size : (j + 1) * size]) <= 1 for j in range(len(A))]

    def loss(components):
        left = masked.signal.ravel() - matrix @ representation.synthesize(components).ravel()
        return 0.5 * np.sum(left[seen] ** 2)

    bounded = on_observed(UnitBall(A), *coded, statistics).expand()
    assert loss(bounded) == pytest.approx(minimum(misfit, ball), rel=1e-6)
    assert np.all(np.linalg.norm(bounded.reshape(len(A), -1), axis=1) <= 1 + 1e-6)
    free = on_observed(UnitBall(A, normalize_after=True), *coded, statistics).expand()
    best = np.linalg.lstsq(matrix[seen], masked.signal.ravel()[seen], rcond=1e-12)[0]
    expected = 0.5 * np.sum((masked.signal.ravel()[seen] - matrix[seen] @ best) ** 2)
    assert loss(free) == pytest.approx(expected, rel=1e-6, abs=1e-10)


# Learning


@pytest.mark.parametrize("group", [IntegerShift(), ContinuousShift(), Orthogonal()])
def test_the_objective_never_rises_with_missing_entries(group):
    rng = np.random.default_rng(0)
    shape = (3, 8) if isinstance(group, Orthogonal) else (12,)
    X = holed(rng.standard_normal((60, *shape)))
    model = OrbitDictionaryLearning(n_components=2, group=group, alpha=0.5, random_state=0)
    objective = model.fit(X).history_.to_frame()["objective"].to_numpy()
    assert np.all(np.diff(objective) <= 1e-7 * objective[0])
    np.testing.assert_allclose(np.linalg.norm(model.components_.reshape(2, -1), axis=1), 1.0)


def test_learning_with_30_percent_missing_recovers_a_planted_dictionary():
    data = make_shift_data(n_samples=1000, length=30, n_components=3, n_atoms=5, random_state=0)
    X = holed(data.X)
    model = OrbitDictionaryLearning(n_components=3, alpha=0.4, random_state=0).fit(X)
    there = dictionary_distance(data.components, model.components_, IntegerShift())
    back = dictionary_distance(model.components_, data.components, IntegerShift())
    assert max(there, back) <= 0.01


def test_the_estimator_takes_gaps_everywhere():
    data = make_shift_data(n_samples=60, length=16, n_components=2, n_atoms=2, random_state=0)
    X = holed(data.X)
    by_nan = OrbitDictionaryLearning(n_components=2, alpha=0.3, random_state=0).fit(X)
    mask = ~np.isnan(X)
    by_mask = OrbitDictionaryLearning(n_components=2, alpha=0.3, random_state=0)
    by_mask.fit(data.X, mask=mask)
    np.testing.assert_array_equal(by_nan.components_, by_mask.components_)
    for method in ("transform", "reconstruct", "score", "complete", "denoise"):
        result = getattr(by_nan, method)(X)
        assert np.all(np.isfinite(result))
        np.testing.assert_array_equal(result, getattr(by_nan, method)(data.X, mask=mask))
    codes = by_nan.encode(X)
    assert by_nan.score(X) == pytest.approx(
        1 - codes.objective.sum() / (0.5 * np.sum(data.X[mask] ** 2))
    )


def test_a_frequency_that_is_never_observed_does_no_harm():
    # every other sample only: fine structure cannot be seen
    data = make_shift_data(n_samples=50, length=16, n_components=2, n_atoms=2, random_state=0)
    X = data.X.copy()
    X[:, 1::2] = np.nan
    for group in (IntegerShift(), ContinuousShift()):
        model = OrbitDictionaryLearning(n_components=2, group=group, alpha=0.3, random_state=0)
        assert np.all(np.isfinite(model.fit(X).components_))


def test_data_without_any_observed_entry_cannot_be_learned_from():
    with pytest.raises(ValueError, match=r"^X has no observed entry; pass data that are not all"):
        OrbitDictionaryLearning().fit(np.full((3, 8), np.nan))


@pytest.mark.parametrize("group", [IntegerShift(), InterpolatedShift(2), ContinuousShift()])
def test_a_component_that_fits_everywhere_alike_is_used(group):
    X = np.array([[1.0, np.nan, 1.0, 1.0, 1.0]])
    codes = encode(X, np.ones((1, 5)), group=group, alpha=0.1)
    assert codes.gap[0] <= 1e-4
    np.testing.assert_allclose(codes.invariants(), [[1 - 0.1 / 4]], rtol=1e-3)


def test_a_code_that_is_not_a_number_never_counts_as_certified():
    misfit = Misfit(np.zeros((1, 1, 1, 1)), *np.full((3, 1), np.nan))
    assert relative_gap(misfit, np.ones(1), 0.1, np.zeros(1))[1] == np.inf
