"""Components are tabulated once; what is coded with them does not depend on how it is divided."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import CODERS, KINDS, action, served

from orbitdl import complete
from orbitdl.coding import ActiveSet, Coder, Matching, Proximal, Sliding, active_set
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import certify
from orbitdl.coding.parallel import Once
from orbitdl.coding.problem import Masked, Problem
from orbitdl.coding.sliding import coder as sliding
from orbitdl.dictionaries.least_squares import unit_norm
from orbitdl.groups import ContinuousShift, IntegerShift

SERVED = [(c, a) for c in CODERS for a in KINDS if served(c, a)]


ONE_BY_ONE = ["integer shift", "interpolated shift 3", "continuous shift"]
"""Where a product with components is rounded for every sample alike, whatever is beside it."""
ROUNDED = {"semidefinite": 2e-6}
"""Where rounding decides which atoms, a millionth of the largest, are left out: with one of them
the objective changes by ``|c| (alpha + |eta|)``, two millionths of ``alpha sum |c|`` at most."""


def draw(name, n=15, seed=0):
    """Return an action, loud and quiet data with gaps in every third sample, components, alpha."""
    rep, rng = action(name, 8), np.random.default_rng(seed)
    X = rng.standard_normal((n, *rep.shape)) * 10 ** rng.uniform(-1, 1, (n, *[1] * len(rep.shape)))
    observed = np.ones(X.shape, dtype=bool)
    observed[::3] = rng.uniform(size=X[::3].shape) > 0.3
    A = unit_norm(rep.analyze(rng.standard_normal((2, *rep.shape))))
    alpha = 0.05 * float(rep.largest_product(rep.analyze(X), A).max())
    return rep, Masked(X * observed, observed), A, alpha


def code_in_parts(prepared, rep, masked, alpha, parts):
    """Return the codes of every part, coded with one prepared coder."""
    with_gaps = prepared.coder.codes_masked
    found = []
    for samples in np.array_split(np.arange(len(masked.signal)), parts):
        part = masked.take(samples)
        gaps = {"masked": part} if with_gaps else {}
        found.append(prepared.code(rep.analyze(part.signal), alpha, warn=False, **gaps))
    return found


@pytest.mark.parametrize(("coder", "name"), SERVED)
def test_codes_do_not_depend_on_how_data_are_divided(coder, name):
    rep, masked, A, alpha = draw(name)
    prepared = CODERS[coder](tol=1e-4).prepare(rep, A)
    (whole,) = code_in_parts(prepared, rep, masked, alpha, 1)
    for parts in (2, 7):
        cut = code_in_parts(prepared, rep, masked, alpha, parts)
        objective = np.concatenate([codes.objective for codes in cut])
        assert_allclose(objective, whole.objective, rtol=ROUNDED.get(coder, 1e-9))
        atoms = Atoms.concatenate([codes.atoms for codes in cut])
        if name in ONE_BY_ONE and coder not in ROUNDED:
            assert_array_equal(atoms.offsets, whole.atoms.offsets)
            assert_array_equal(atoms.component, whole.atoms.component)
            assert_allclose(atoms.coefficient, whole.atoms.coefficient, rtol=1e-5)


@pytest.mark.parametrize(("coder", "name"), SERVED)
def test_a_prepared_coder_codes_as_the_coder_itself(coder, name):
    rep, masked, A, alpha = draw(name)
    settings, Y = CODERS[coder](tol=1e-4), rep.analyze(masked.signal)
    prepared = settings.prepare(rep, A)
    for weight in (alpha, 3 * alpha):
        again = prepared.code(Y, weight, warn=False)
        once = settings.code(rep, Y, A, weight, warn=False)
        assert_array_equal(again.atoms.coefficient, once.atoms.coefficient)
        assert_array_equal(again.objective, once.objective)


def count_calls(monkeypatch, owner, name):
    """Return a list that gets an entry whenever the function is called."""
    calls, original = [], getattr(owner, name)

    def counted(*arguments):
        calls.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(owner, name, counted)
    return calls


def test_orbits_are_tabulated_once_for_all_that_is_coded(monkeypatch):
    tabulated = count_calls(monkeypatch, active_set, "inner_products")
    rep, masked, A, alpha = draw("integer shift")
    prepared = ActiveSet().prepare(rep, A)
    code_in_parts(prepared, rep, masked, alpha, 7)
    prepared.code(rep.analyze(masked.signal), 2 * alpha, n_jobs=2)
    assert len(tabulated) == 2  # for complete samples, and for those with missing entries


def test_nothing_is_tabulated_that_is_not_needed(monkeypatch):
    whole = count_calls(monkeypatch, sliding, "build_tables")
    gaps = count_calls(monkeypatch, sliding, "tabulate_with_entries")
    rep, masked, A, alpha = draw("continuous shift")
    prepared = Sliding().prepare(rep, A)
    assert not whole
    code_in_parts(prepared, rep, masked.take(slice(0, 1)), alpha, 1)
    assert (len(whole), len(gaps)) == (0, 1)
    code_in_parts(prepared, rep, masked, alpha, 7)
    code_in_parts(prepared, rep, masked, 2 * alpha, 2)
    for tables in (whole, gaps):
        assert len({density for *_, density in tables}) == len(tables)


def test_the_stricter_tries_use_the_same_tables(monkeypatch):
    whole = count_calls(monkeypatch, sliding, "build_tables")
    rep, masked, A, alpha = draw("continuous shift")
    hasty = Sliding(tol=1e-9, max_iter=1)
    prepared, Y = hasty.prepare(rep, A), rep.analyze(masked.signal)
    codes = prepared.code(Y, alpha, warn=False)
    assert len({density for *_, density in whole}) == len(whole)
    problem = Problem(rep, Y, A, alpha)
    _, first = certify(problem, hasty.solve(problem, None))
    assert codes.gap.max() < first.max()  # it did try again


@pytest.mark.parametrize("name", ["integer shift", "continuous shift"])
def test_several_threads_may_code_with_one_prepared_coder(name, monkeypatch):
    owner, maker = {
        "integer shift": (active_set, "inner_products"),
        "continuous shift": (sliding, "build_tables"),
    }[name]
    made = count_calls(monkeypatch, owner, maker)
    rep, masked, A, alpha = draw(name, n=40)
    coder = (ActiveSet if name == "integer shift" else Sliding)()
    prepared, Y = coder.prepare(rep, A), rep.analyze(masked.signal)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda k: prepared.code(Y[k::8], alpha), range(8)))
    assert len(made) == len({arguments[-1] for arguments in made if name != "integer shift"} or {1})
    for k, codes in enumerate(found):
        assert_array_equal(codes.objective, coder.code(rep, Y[k::8], A, alpha).objective)


def test_what_is_made_once_is_made_by_one_of_many_threads():
    made = []
    once = Once(lambda: made.append(1) or object())
    with ThreadPoolExecutor(16) as threads:
        values = set(threads.map(lambda _: once(), range(200)))
    assert len(values) == len(made) == 1


def test_exact_completion_tabulates_once(monkeypatch):
    tabulated = count_calls(monkeypatch, sliding, "tabulate_with_entries")
    rng = np.random.default_rng(0)
    A = rng.standard_normal((1, 9))
    X = ContinuousShift().on((9,)).act(np.array([[1.3]]), 2 * A)
    X[0, 4] = np.nan
    complete(X, A, group=ContinuousShift())
    assert tabulated
    assert len({density for *_, density in tabulated}) == len(tabulated)


@dataclass(frozen=True)
class Borrowed(Coder):
    """A coder that someone else wrote: nothing but `serves` and `solve`."""

    tol: float = 1e-4

    def serves(self, representation):
        return True

    def solve(self, problem, warm):
        assert problem.masked is None
        return Matching(n_atoms=8).solve(problem, warm)

    def stricter(self):
        return Proximal(tol=0.1 * self.tol)


def test_a_coder_that_tabulates_nothing_is_prepared_too_and_may_hand_over_to_another():
    rep, masked, A, alpha = draw("integer shift")
    Y = rep.analyze(masked.signal)
    prepared = Borrowed().prepare(rep, A)
    expected = ActiveSet(tol=1e-9).code(rep, Y, A, alpha).objective
    assert_allclose(prepared.code(Y, alpha).objective, expected, rtol=1e-4)
    assert prepared.code(Y, alpha).gap.max() <= 1e-4


def test_an_action_that_is_not_served_is_refused_before_anything_is_tabulated():
    rep = action("orthogonal")
    A = unit_norm(np.random.default_rng(0).standard_normal((2, *rep.block_shape)))
    with pytest.raises(ValueError, match="does not serve .*; leave coder=None"):
        Sliding().prepare(rep, A)


def test_missing_entries_are_refused_by_a_coder_that_knows_none():
    rep, X = IntegerShift().on((8,)), np.eye(8)
    prepared = Borrowed().prepare(rep, rep.analyze(X[:1]))
    with pytest.raises(ValueError, match="does not code data with missing entries"):
        prepared.code(rep.analyze(X), 0.1, masked=Masked(X, X > 0))
