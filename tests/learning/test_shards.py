"""Data in parts: what is learned does not depend on how they were cut."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import KINDS, action

from orbitdl.coding import ActiveSet
from orbitdl.coding.certificate import certify
from orbitdl.coding.choice import default_coder
from orbitdl.coding.codes import Codes
from orbitdl.coding.problem import Problem
from orbitdl.encoding.samples import Samples
from orbitdl.groups import FiniteRepresentation, Representation
from orbitdl.learning.alternation import learn
from orbitdl.learning.sample_shard import SampleShard, SampleShards
from orbitdl.learning.starts import start_from_data
from orbitdl.learning.state import Iteration, State
from orbitdl.learning.statistics import statistics_of

ALPHA, N = 0.3, 35


def samples_of(name: str, missing: float = 0.0) -> Samples:
    rep, rng = action(name, 8), np.random.default_rng(0)
    X = rng.standard_normal((N, *rep.shape))
    X[rng.random(X.shape) < missing] = np.nan
    return Samples.of(X, rep.group)


def parted(samples: Samples, count: int, n_jobs: int | None = None) -> SampleShards:
    """Cut data at places that are not even."""
    ends = np.unique(np.linspace(0, len(samples), count + 1).astype(int) ** 2 // len(samples))
    pairs = zip(ends[:-1], ends[1:], strict=True)
    parts = tuple(SampleShard(samples.take(slice(a, b))) for a, b in pairs)
    return SampleShards(parts, n_jobs, default_coder(samples.representation), ALPHA)


def learned(samples: Samples, shards: SampleShards, n_iterations: int = 4) -> list[Iteration]:
    """Run a few iterations."""
    start = start_from_data(shards, 2, np.random.default_rng(0))
    return follow(State(shards, start, loosest=0.0), n_iterations)


def follow(state: State, n_iterations: int) -> list[Iteration]:
    """Go on from a state, each time to a gap at which nothing depends on where coders stop."""
    return list(islice(learn(state, gap=1e-11, max_iter=4, tol=1e-12), n_iterations + 1))


def has_unique_codes(representation: Representation) -> bool:
    """Tell whether elements are independent; else an optimum has many codes, and rounding picks."""
    return not isinstance(representation, FiniteRepresentation) or representation.is_free


UNIQUE = [name for name in KINDS if has_unique_codes(action(name, 8))]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", UNIQUE)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_one_two_and_seven_shards_learn_the_same(name, missing):
    samples = samples_of(name, missing)
    runs = [learned(samples, parted(samples, count)) for count in (1, 2, 7)]
    assert [len(run[0].shards.parts) for run in runs] == [1, 2, 6]
    expected = [iteration.objective for iteration in runs[0]]
    for run in runs[1:]:
        assert_allclose([iteration.objective for iteration in run], expected, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("count", [7])
def test_an_iteration_from_one_state_is_the_same_however_data_are_cut(name, missing, count):
    samples = samples_of(name, missing)
    for whole in learned(samples, parted(samples, 1), n_iterations=2):
        if whole.following is None:
            break
        ours = whole.following.shards.atoms
        cut_now = replace(whole.following, shards=parted(samples, count).starting_from(ours))
        one, parts = (follow(state, 0)[0] for state in (whole.following, cut_now))
        assert_allclose(parts.objective, one.objective, rtol=1e-9)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_step_from_the_same_codes_is_the_same_however_data_are_cut(name, missing):
    samples = samples_of(name, missing)
    first = learned(samples, parted(samples, 1), n_iterations=0)[0]
    found = []
    for count in (1, 2, 7):
        shards = parted(samples, count).starting_from(first.shards.atoms)
        found.append(shards.step(first.dictionary, shards.statistics())[1].expand())
    for new in found[1:]:
        assert_allclose(new, found[0], atol=1e-6)


@pytest.mark.parametrize("name", ["continuous shift", "integer shift", "orthogonal"])
def test_threads_change_nothing(name):
    samples = samples_of(name)
    one, two = (learned(samples, parted(samples, 7, n_jobs)) for n_jobs in (1, 2))
    for first, second in zip(one, two, strict=True):
        assert first.objective == second.objective
        assert_array_equal(first.components, second.components)


def test_a_summary_is_that_of_all_data():
    samples = samples_of("continuous shift")
    rep, shards = samples.representation, parted(samples, 7)
    A = start_from_data(shards, 2, np.random.default_rng(0)).expand()
    coded, summary = shards.code(A, 1e-4)
    assert isinstance(coded.codes, Codes)
    atoms = coded.atoms
    objective, gap = certify(Problem(rep, samples.Y, A, ALPHA), atoms)
    assert_allclose(summary.objective, objective.sum() + samples.unseen.sum(), rtol=1e-12)
    assert_allclose(summary.gap, gap.max(), rtol=1e-6, atol=1e-12)
    assert (summary.samples, summary.atoms) == (N, len(atoms.coefficient))
    whole = statistics_of(rep, samples.Y, atoms)
    for name in ("normal", "cross"):
        ours, theirs = getattr(coded.statistics(), name), getattr(whole, name)
        assert_allclose(ours, theirs, atol=1e-12 * np.abs(theirs).max())


def test_samples_are_taken_from_any_shard_in_the_order_asked_for():
    samples = samples_of("integer shift")
    chosen = np.random.default_rng(0).permutation(N)[:20]
    assert_array_equal(parted(samples, 7).take(chosen).Y, samples.Y[chosen])


def test_the_worst_residuals_are_those_of_all_data():
    samples = samples_of("integer shift")
    rep, shards = samples.representation, parted(samples, 7)
    A = start_from_data(shards, 2, np.random.default_rng(0)).expand()
    coded, _ = shards.code(A, 1e-4)
    left = samples.signal - rep.synthesize(coded.atoms.superpose(rep, A))
    order = np.argsort(-np.sum(left**2, axis=1))[:5]
    assert_allclose(rep.synthesize(coded.worst_residuals(A, 5).blocks), left[order], atol=1e-12)


def test_atoms_go_to_their_shards_and_come_back():
    samples = samples_of("integer shift")
    shards = parted(samples, 7)
    A = start_from_data(shards, 2, np.random.default_rng(0)).expand()
    coded, _ = shards.code(A, 1e-4)
    again = parted(samples, 3).starting_from(coded.atoms)
    assert_array_equal(again.atoms.coefficient, coded.atoms.coefficient)
    assert_array_equal(again.atoms.offsets, coded.atoms.offsets)
    assert again.codes is None


@pytest.mark.parametrize(
    ("n", "largest", "count"), [(1, 64, 1), (64, 64, 1), (65, 64, 2), (1000, 64, 16)]
)
def test_shards_are_no_larger_than_asked_for_and_much_alike(n, largest, count):
    samples = Samples.of(np.ones((n, 3)), action("integer shift", 3).group)
    shards = SampleShards.cut(samples, ActiveSet(), ALPHA, largest=largest)
    sizes = [len(part) for part in shards.parts]
    assert len(sizes) == count
    assert sum(sizes) == n
    assert max(sizes) - min(sizes) <= 1
