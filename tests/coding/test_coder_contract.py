"""Every coder on every group it serves: certified, exact as far as it says, and well behaved."""

import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import ACTIONS, ALIKE, CODERS, action, served
from sklearn.decomposition import sparse_encode
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from orbitdl.coding import ActiveSet, Coder, Matching, Proximal
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import certify, objectives, reconstruct
from orbitdl.coding.codes import Codes, Status
from orbitdl.coding.problem import Problem
from orbitdl.dictionaries.least_squares import unit_norm
from orbitdl.groups import Action, ContinuousShift, IntegerShift, Trivial
from orbitdl.groups.base import Blocks, correlate

TOL = 1e-6
NAMES = [name for name in ACTIONS if name not in ALIKE]
SERVED = [(c, a) for c in CODERS for a in NAMES if served(c, a)]
CONVEX = [(c, a) for c, a in SERVED if CODERS[c]().is_convex]
UNSERVED = [(c, a) for c in CODERS for a in NAMES if not CODERS[c]().serves(action(a).base)]


@dataclass(frozen=True)
class Case:
    """Data and components in block coordinates, and a weight that leaves a few atoms."""

    rep: Action
    Y: Blocks
    A: Blocks
    alpha: float

    def code(self, coder: Coder, **options) -> Codes:
        return coder.code(self.rep, self.Y, self.A, self.alpha, **options)


def draw(name: str, *, n: int = 6, q: int = 2, length: int = 8, level: float = 0.2, seed: int = 0):
    """Draw a problem; `level` is alpha as a fraction of the least one that codes to nothing."""
    rep, rng = action(name, length), np.random.default_rng(seed)
    Y = rep.analyze(rng.standard_normal((n, *rep.shape)))
    A = unit_norm(rep.analyze(rng.standard_normal((q, *rep.shape))))
    return Case(rep, Y, A, level * float(rep.largest_product(Y, A).max()))


@cache
def coded(coder: str, name: str) -> Codes:
    """Return the codes of the problem of that name, made once for all tests that look at them."""
    return draw(name).code(CODERS[coder](tol=TOL))


@cache
def optimum(name: str) -> np.ndarray:
    """Return the least objective of every sample of that problem, to high accuracy."""
    problem = draw(name)
    exact = [c for c, _ in CONVEX if c != "semidefinite" and CODERS[c]().serves(problem.rep.base)]
    return problem.code(CODERS[exact[0]](tol=1e-9), warn=False).objective


def empty(problem: Case) -> Atoms:
    return Atoms.none(len(problem.Y), len(problem.A), len(problem.rep.parameters))


def random_atoms(problem: Case, rng: np.random.Generator, k: int = 3) -> Atoms:
    """Draw codes of k atoms a sample that have nothing to do with the data."""
    n, q = len(problem.Y), len(problem.A)
    offsets = np.arange(n + 1) * k
    component = rng.integers(q, size=n * k)
    element = problem.rep.sample(rng, n * k)
    return Atoms(q, offsets, component, 0.3 * rng.standard_normal(n * k), element)


def assert_same(first: Atoms, second: Atoms) -> None:
    assert_array_equal(first.offsets, second.offsets)
    assert_array_equal(first.component, second.component)
    assert_array_equal(first.coefficient, second.coefficient)
    assert_array_equal(first.element, second.element)


# How good a code is, and what is said of it


@pytest.mark.parametrize(("coder", "name"), CONVEX)
@pytest.mark.parametrize("length", [7, 8])
def test_gap_is_within_tolerance(coder, name, length):
    codes = draw(name, length=length).code(CODERS[coder](tol=TOL))
    assert codes.gap.max() <= TOL
    assert set(codes.status) == {Status.CONVERGED}


@pytest.mark.parametrize(("coder", "name"), SERVED)
def test_objective_is_that_of_the_signals(coder, name):
    problem = draw(name)
    rep = problem.rep
    codes = problem.code(CODERS[coder](tol=1e-4))
    x, a = rep.synthesize(problem.Y).copy(), rep.synthesize(problem.A)
    atoms, table = codes.atoms, codes.to_frame()
    for k in range(len(table)):
        moved = rep.act(atoms.element[k], a[table["component"][k]])
        x[table["sample"][k]] -= table["coefficient"][k] * moved
    energy = 0.5 * (x**2).reshape(len(x), -1).sum(axis=1)
    weight = problem.alpha * codes.invariants().sum(axis=1)
    assert_allclose(codes.objective, energy + weight)
    again = rep.synthesize(reconstruct(rep, codes.atoms, problem.A))
    assert_allclose(rep.synthesize(problem.Y) - again, x, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_coders_agree_on_the_objective(name):
    found = [coded(coder, name).objective for coder, served in CONVEX if served == name]
    assert found
    for objective in found:
        assert_allclose(objective, optimum(name), rtol=2 * TOL)
    assert np.all(coded("matching", name).objective >= optimum(name) * (1 - 2 * TOL))


@pytest.mark.parametrize(("coder", "name"), SERVED)
def test_the_certificate_is_never_optimistic(coder, name):
    problem, least = draw(name), optimum(name)
    for tol, max_iter in [(0.3, 100), (1e-2, 100), (1e-12, 1), (1e-12, 3)]:
        codes = problem.code(CODERS[coder](tol=tol, max_iter=max_iter), warn=False)
        assert np.all(codes.gap * codes.objective >= codes.objective - least * (1 + 1e-8))


@pytest.mark.parametrize("name", NAMES)
def test_the_certificate_of_an_arbitrary_code_is_never_optimistic(name):
    problem, rng, least = draw(name), np.random.default_rng(1), optimum(name)
    good = coded("matching", name).atoms
    too_long = [good.scale(np.full(len(problem.A), factor)) for factor in (-2.0, 0.5, 3.0, 10.0)]
    for atoms in [*too_long, *(random_atoms(problem, rng) for _ in range(5))]:
        objective, gap = certify(Problem(problem.rep, problem.Y, problem.A, problem.alpha), atoms)
        assert np.all(gap * objective >= objective - least * (1 + 1e-8))
        assert np.all(gap >= 0)


@pytest.mark.parametrize(
    ("coder", "name"),
    # one step is exact for vectors: any of them turns into any other
    [case for case in CONVEX if case[1] != "orthogonal on vectors"],
)
def test_a_coder_that_stops_early_says_so_once(coder, name):
    problem = draw(name, level=0.002)
    hasty = CODERS[coder](tol=1e-15, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="raise the coder's max_iter") as caught:
        codes = problem.code(hasty)
    assert len(caught) == 1
    late = codes.gap > 1e-15
    assert late.any()
    assert set(codes.status[late]) == {Status.STOPPED_EARLY}


def test_a_status_is_a_member_that_reads_as_words():
    codes = draw("integer shift").code(ActiveSet(tol=TOL))
    assert all(isinstance(status, Status) for status in codes.status)
    assert "'converged: gap within the tolerance'" in str(codes.status)
    assert f"{codes.status[0]}" == "converged: gap within the tolerance"
    assert np.all(codes.status == Status.CONVERGED)
    unsettled = {status for status in Status if not status.is_settled}
    assert unsettled == {Status.STOPPED_EARLY, Status.LOCAL_SOLUTION}


def test_matching_calls_its_codes_local_and_does_not_warn():
    codes = draw("integer shift", level=0.02).code(Matching(tol=1e-9))
    assert set(codes.status) == {Status.LOCAL_SOLUTION}


# Limits


@pytest.mark.parametrize(("coder", "name"), SERVED)
def test_nothing_is_used_from_the_largest_correlation_on(coder, name):
    for level in (1.0 + 1e-9, 3.0):
        problem = draw(name, level=level)
        codes = problem.code(CODERS[coder](tol=TOL))
        assert len(codes.atoms.coefficient) == 0
        assert codes.gap.max() <= TOL
    assert len(draw(name, level=0.95).code(CODERS[coder](tol=TOL)).atoms.coefficient) > 0


@pytest.mark.parametrize(("coder", "name"), SERVED)
def test_zero_data_code_to_nothing_in_words(coder, name):
    problem = draw(name, n=3)
    problem.Y[1] = 0.0
    codes = problem.code(CODERS[coder](tol=TOL))
    assert np.all(np.isfinite(codes.gap))
    assert codes.objective[1] == 0.0
    assert codes.gap[1] == 0.0
    assert codes.status[1] is Status.ZERO_DATA
    assert np.all(codes.invariants()[1] == 0.0)
    assert np.all(codes.objective[[0, 2]] > 0.0)


@pytest.mark.parametrize(("coder", "name"), SERVED)
def test_a_zero_component_is_not_used(coder, name):
    problem = draw(name, q=3)
    problem.A[1] = 0.0
    codes = problem.code(CODERS[coder](tol=TOL))
    assert np.all(codes.invariants()[:, 1] == 0.0)
    assert codes.invariants()[:, [0, 2]].sum() > 0.0
    if CODERS[coder]().is_convex:
        assert codes.gap.max() <= TOL


@pytest.mark.parametrize(("coder", "name"), CONVEX)
def test_components_that_are_copies_of_each_other_are_no_trouble(coder, name):
    problem = draw(name, q=3, level=0.05)
    problem.A[1] = problem.A[0]
    element = problem.rep.sample(np.random.default_rng(1), 1)[0]
    problem.A[2] = -problem.rep.act_on_blocks(element, problem.A[0])
    codes = problem.code(CODERS[coder](tol=1e-5))
    assert codes.gap.max() <= 1e-5


@pytest.mark.parametrize("coder", ["active set", "proximal"])
@pytest.mark.parametrize(
    "component", [np.ones(8), np.tile([1.0, 0.0], 4), np.tile([1.0, -2.0, 1.0, 0.0], 2)]
)
def test_components_that_some_shifts_do_not_move_are_no_trouble(coder, component):
    shifts, rng = IntegerShift().on((8,)), np.random.default_rng(0)
    A = unit_norm(shifts.analyze(component[None]))
    Y = shifts.analyze(rng.standard_normal((20, 8)))
    codes = CODERS[coder](tol=1e-8).code(shifts, Y, A, 0.01)
    assert codes.gap.max() <= 1e-8


# Good behaviour


@pytest.mark.parametrize(("coder", "name"), SERVED)
def test_a_warm_start_is_never_made_worse(coder, name):
    problem, rng = draw(name), np.random.default_rng(1)
    settings = CODERS[coder](tol=TOL)
    nothing = empty(problem)
    for warm in (coded(coder, name).atoms, random_atoms(problem, rng), nothing):
        before = objectives(Problem(problem.rep, problem.Y, problem.A, problem.alpha), warm)
        for hasty in (settings, CODERS[coder](tol=1e-12, max_iter=1)):
            after = problem.code(hasty, warm=warm, warn=False).objective
            assert np.all(after <= before * (1 + 1e-14))
        if settings.is_convex:
            assert problem.code(settings, warm=warm).gap.max() <= TOL


@pytest.mark.parametrize(
    ("coder", "name"), [case for case in SERVED if case[0] not in ("semidefinite", "proximal")]
)
def test_a_start_at_the_solution_stays_there(coder, name):
    problem = draw(name, n=520, length=5)
    rep, found = problem.rep, problem.code(CODERS[coder](tol=1e-4), warn=False)
    once = CODERS[coder](tol=1e-4, max_iter=1)
    alone = Problem(rep.base, problem.Y, rep.copies(problem.A), problem.alpha)
    again = once.solve(alone, found.atoms.to_copies(rep))
    done = found.gap <= 0.5e-4 if once.is_convex else slice(None)
    objective = objectives(alone, again)
    assert np.all(objective[done] <= found.objective[done] * (1 + 1e-9))


def test_matching_improves_from_cycle_to_cycle():
    problem = draw("continuous shift", n=20, level=0.02)
    values = [problem.code(Matching(n_atoms=2, max_iter=k)).objective.sum() for k in (1, 2, 100)]
    assert values[0] > values[1] > values[2]


@pytest.mark.parametrize(("coder", "name"), SERVED)
def test_inputs_are_left_as_they_were(coder, name):
    problem = draw(name)
    warm = random_atoms(problem, np.random.default_rng(1))
    given = [problem.Y, problem.A, warm.component, warm.coefficient, warm.element, warm.offsets]
    kept = [array.copy() for array in given]
    for array in given:
        array.setflags(write=False)
    problem.code(CODERS[coder](tol=1e-3), warm=warm)
    for array, copy in zip(given, kept, strict=True):
        assert_array_equal(array, copy)


@pytest.mark.parametrize(
    ("coder", "name", "n"),
    [
        ("active set", "integer shift of channels", 1100),
        ("active set", "permutations", 1100),
        ("proximal", "orthogonal", 1100),
        ("proximal", "integer shift", 520),
        ("matching", "continuous shift", 520),
        ("matching", "orthogonal", 520),
        ("sliding", "continuous shift of channels", 1100),
        ("semidefinite", "continuous shift", 140),
    ],
)
def test_one_thread_and_two_give_the_same_codes(coder, name, n):
    problem = draw(name, n=n, length=5)
    settings = CODERS[coder](tol=1e-2)
    one = problem.code(settings, n_jobs=1, warn=False)
    two = problem.code(settings, n_jobs=2, warn=False)
    assert_same(one.atoms, two.atoms)
    warm_one = problem.code(settings, warm=one.atoms, n_jobs=1, warn=False)
    warm_two = problem.code(settings, warm=one.atoms, n_jobs=2, warn=False)
    assert_same(warm_one.atoms, warm_two.atoms)


@pytest.mark.parametrize(("coder", "name"), SERVED)
def test_samples_do_not_know_of_each_other(coder, name):
    problem = draw(name)
    together = coded(coder, name).objective
    for i in range(len(problem.Y)):
        alone = Case(problem.rep, problem.Y[i : i + 1], problem.A, problem.alpha)
        assert_allclose(alone.code(CODERS[coder](tol=TOL)).objective, together[i], rtol=2 * TOL)


@pytest.mark.parametrize(("coder", "name"), UNSERVED)
def test_a_group_that_the_coder_does_not_serve_is_refused(coder, name):
    with pytest.raises(ValueError, match="does not serve .*; leave coder=None"):
        draw(name).code(CODERS[coder]())


@pytest.mark.parametrize(("coder", "name"), SERVED)
@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_codes_scale_with_the_data(coder, name, scale):
    problem = draw(name)
    scaled = Case(problem.rep, problem.Y * scale, problem.A, problem.alpha * scale)
    settings = CODERS[coder](tol=TOL)
    codes, other = coded(coder, name), scaled.code(settings)
    assert_allclose(other.objective, codes.objective * scale**2, rtol=2 * TOL)
    if coder != "matching":
        assert other.gap.max() <= TOL
    assert_allclose(
        other.invariants(), codes.invariants() * scale, rtol=1e-2, atol=1e-2 * problem.alpha * scale
    )


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_coefficients_of_exact_codes_scale_with_the_data(scale):
    problem = draw("integer shift")
    scaled = Case(problem.rep, problem.Y * scale, problem.A, problem.alpha * scale)
    codes, other = (p.code(ActiveSet(tol=1e-10)).atoms for p in (problem, scaled))
    assert_array_equal(other.component, codes.component)
    assert_array_equal(other.element, codes.element)
    assert_allclose(other.coefficient, codes.coefficient * scale, rtol=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.1, 0.01])
def test_active_set_is_exact(level):
    for name in ("trivial", "integer shift", "permutations", "hexagon", "interpolated shift 3"):
        codes = draw(name, n=20, level=level).code(ActiveSet(tol=1e-11))
        assert codes.gap.max() <= 1e-11


# Others solve the same problem


@pytest.mark.parametrize("level", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("coder", ["active set", "proximal"])
def test_the_trivial_group_is_the_lasso_of_scikit_learn(coder, level):
    rng = np.random.default_rng(0)
    X, D = rng.standard_normal((20, 12)), rng.standard_normal((6, 12))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    alpha = level * np.abs(X @ D.T).max()
    trivial = Trivial().on((12,))
    codes = CODERS[coder](tol=1e-9).code(trivial, trivial.analyze(X), trivial.analyze(D), alpha)

    def objective(C: np.ndarray) -> np.ndarray:
        return 0.5 * ((X - C @ D) ** 2).sum(axis=1) + alpha * np.abs(C).sum(axis=1)

    lasso = Lasso(alpha=alpha / 12, fit_intercept=False, tol=1e-12, max_iter=100_000)
    assert_allclose(codes.objective, objective(lasso.fit(D.T, X.T).coef_), rtol=1e-6)
    lars = sparse_encode(X, D, algorithm="lasso_lars", alpha=alpha)
    assert_allclose(codes.objective, objective(lars), rtol=1e-6)


@pytest.mark.parametrize("level", [0.5, 0.1, 0.01])
def test_integer_shifts_are_the_lasso_on_all_rolled_components(level):
    problem = draw("integer shift", n=10, level=level)
    shifts = problem.rep
    X, a = shifts.synthesize(problem.Y), shifts.synthesize(problem.A)
    D = np.concatenate([np.roll(a, k, axis=1) for k in range(8)])
    lasso = Lasso(alpha=problem.alpha / 8, fit_intercept=False, tol=1e-12, max_iter=100_000)
    C = lasso.fit(D.T, X.T).coef_
    expected = 0.5 * ((X - C @ D) ** 2).sum(axis=1) + problem.alpha * np.abs(C).sum(axis=1)
    assert_allclose(problem.code(ActiveSet(tol=1e-9)).objective, expected, rtol=1e-6)


def test_finer_shifts_never_code_worse_and_approach_the_continuous_optimum():
    rng = np.random.default_rng(0)
    shifts = ContinuousShift().on((9,))
    Y = shifts.analyze(rng.standard_normal((5, 9)))
    A = unit_norm(shifts.analyze(rng.standard_normal((2, 9))))
    values = [
        ActiveSet(tol=1e-8).code(action(name, 9), Y, A, 0.3).objective
        for name in ("integer shift", "interpolated shift 3")
    ]
    limit = CODERS["sliding"](tol=1e-8).code(shifts, Y, A, 0.3).objective
    assert np.all(values[1] <= values[0] * (1 + 1e-7))
    assert np.all(limit <= values[1] * (1 + 1e-7))


def test_matching_with_one_atom_finds_the_best_single_move():
    problem = draw("orthogonal", q=1, n=10)
    codes = problem.code(Matching(n_atoms=1))
    value = problem.rep.polar(correlate(problem.Y, problem.A))[:, 0]
    assert_allclose(codes.invariants()[:, 0], np.maximum(value - problem.alpha, 0.0))


def test_proximal_ends_with_few_atoms_of_the_gauge_s_weight():
    problem = draw("orthogonal", n=10)
    codes = problem.code(Proximal(tol=1e-8))
    Z = codes.embed()
    assert_allclose(problem.rep.gauge(Z), codes.invariants(), atol=1e-10)
    per_pair = np.bincount(codes.atoms.sample * 2 + codes.atoms.component, minlength=20)
    assert per_pair.max() <= problem.rep.shape[0]


def test_no_warning_where_all_converge():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw("integer shift").code(ActiveSet(tol=1e-8))
