"""Algorithm 1: it only goes down, says the truth on its way, and finds what was planted."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import KINDS, action
from sklearn.exceptions import ConvergenceWarning

from orbitdl import OrbitDictionaryLearning, dictionary_distance
from orbitdl.coding import ActiveSet, Matching, Proximal
from orbitdl.coding.choice import default_coder
from orbitdl.datasets import make_shift_data, make_synchronization_data
from orbitdl.dictionaries.least_squares import unit_norm
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.encoding.metrics import orbit_distances
from orbitdl.encoding.samples import Samples
from orbitdl.groups import ContinuousShift, IntegerShift, Orthogonal, Trivial
from orbitdl.groups.base import inner
from orbitdl.learning import alternation as learning
from orbitdl.learning.alternation import learn
from orbitdl.learning.history import History
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.starts import start_from_data, start_from_noise
from orbitdl.learning.state import Iteration, State

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")


def planted(name: str, *, n: int = 30, q: int = 2, noise: float = 0.05, seed: int = 0):
    """Return a group and noisy data of two atoms a sample."""
    rep, rng = action(name, 8), np.random.default_rng(seed)
    A = rng.standard_normal((q, *rep.shape))
    A /= np.sqrt((A**2).reshape(q, -1).sum(axis=1)).reshape(q, *[1] * len(rep.shape))
    X = noise * rng.standard_normal((n, *rep.shape))
    for _ in range(2):
        c = rng.standard_normal((n, *[1] * len(rep.shape)))
        X += c * rep.act(rep.sample(rng, n), A[rng.integers(q, size=n)])
    return rep.group, X


# The run


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("init", ["data", "random"])
def test_the_objective_never_rises_and_the_last_gap_is_within_tolerance(name, init):
    group, X = planted(name)
    model = OrbitDictionaryLearning(
        2, group, alpha=0.1, max_iter=12, init=init, n_restarts=1, random_state=0
    ).fit(X)
    objective = np.array([record.objective for record in model.history_])
    assert np.all(np.diff(objective) <= 1e-12 * objective[0])
    if name != "orthogonal on vectors":  # any two vectors lie on one orbit: every start is optimal
        assert objective[-1] < 0.99 * objective[0]
    assert model.history_[-1].gap <= 1e-4
    assert_allclose(np.linalg.norm(model.components_.reshape(2, -1), axis=1), 1.0)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("normalize_after", [False, True])
def test_the_last_record_is_the_objective_of_the_learned_components(name, normalize_after):
    group, X = planted(name)
    model = OrbitDictionaryLearning(
        2, group, alpha=0.1, max_iter=5, random_state=0, normalize_after=normalize_after
    ).fit(X)
    assert np.isfinite(model.components_).all()
    assert_allclose(model.encode(X).objective.sum(), model.history_[-1].objective, rtol=2e-4)


def test_records_of_the_paper_s_step_are_true_after_every_iteration():
    group, X = planted("integer shift")
    stops = [
        OrbitDictionaryLearning(
            2, group, alpha=0.1, max_iter=k, tol=1e-6, random_state=0, normalize_after=True
        ).fit(X)
        for k in range(4)
    ]
    for model in stops:
        assert_allclose(model.encode(X).objective.sum(), model.history_[-1].objective, rtol=1e-5)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_the_objective_never_rises_with_more_components_than_samples(seed, missing):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((4, 6))
    X[rng.random(X.shape) < missing] = np.nan
    group = (Trivial(), IntegerShift(), ContinuousShift())[seed % 3]
    model = OrbitDictionaryLearning(
        9, group, alpha=10.0 ** -(1 + seed % 4), max_iter=6, tol=1e-9, init="random",
        n_restarts=1, random_state=0,
    )  # fmt: skip
    with warnings.catch_warnings():  # the smallest alpha may stop above a gap of 1e-9
        warnings.simplefilter("ignore", ConvergenceWarning)
        objective = np.array([record.objective for record in model.fit(X).history_])
    assert np.all(np.diff(objective) <= 1e-9 * objective[0])


# Pushes


def astray(new, old, momentum_count):
    """Extrapolate to components that explain nothing."""
    A = new.parameters
    away = np.random.default_rng(momentum_count).standard_normal(A.shape).astype(A.dtype)
    return new if momentum_count <= 1 else new.at(unit_norm(away))


def without_momentum(new, old, momentum_count):
    """Leave components where the step put them."""
    return new


@pytest.mark.parametrize("name", ["integer shift", "trivial", "orthogonal"])
def test_momentum_restarts_where_extrapolation_raises_the_objective(name, monkeypatch):
    """What is left is the alternation of the paper, to the bit."""
    group, X = planted(name)
    seen: list[Iteration] = []
    settings = {
        "group": group, "alpha": 0.1, "max_iter": 8, "tol": 1e-9, "n_restarts": 1, "random_state": 0
    }  # fmt: skip
    monkeypatch.setattr(learning, "extrapolate", astray)
    model = OrbitDictionaryLearning(2, **settings, callback=seen.append).fit(X)
    monkeypatch.setattr(learning, "extrapolate", without_momentum)
    plain = OrbitDictionaryLearning(2, **settings).fit(X)
    assert [iteration.restarted for iteration in seen] == [False, False] + [True, False] * 3 + [
        True
    ]
    assert_array_equal(model.components_, plain.components_)
    assert [r.objective for r in model.history_] == [r.objective for r in plain.history_]


def test_momentum_leads_further_in_as_many_iterations(monkeypatch):
    data = make_shift_data(n_samples=300, length=20, n_components=3, n_atoms=3, random_state=0)

    def last_objectives():
        return [
            OrbitDictionaryLearning(
                3, alpha=0.1, max_iter=10, tol=1e-9, n_restarts=1, random_state=seed
            )
            .fit(data.X)
            .history_[-1]
            .objective
            for seed in range(8)
        ]

    extrapolated = last_objectives()
    monkeypatch.setattr(learning, "extrapolate", without_momentum)
    assert np.median(np.array(extrapolated) / last_objectives()) < 0.98


def test_components_of_the_paper_s_step_are_never_extrapolated():
    group, X = planted("integer shift")
    seen: list[Iteration] = []
    OrbitDictionaryLearning(
        2, group, alpha=0.1, max_iter=5, n_restarts=1, random_state=0, normalize_after=True,
        callback=seen.append,
    ).fit(X)  # fmt: skip
    for before, after in pairwise(seen):
        assert_array_equal(before.following.stepped.expand(), after.components)
        assert not after.restarted


@pytest.mark.parametrize("momentum_count", [1, 2, 5, 1000])
def test_extrapolation_is_in_the_direction_of_the_step(momentum_count):
    old, new = (start_from_noise(action("trivial"), 3, np.random.default_rng(k)) for k in range(2))
    extrapolated = learning.extrapolate(UnitBall(new), UnitBall(old), momentum_count).expand()
    beyond = new + min((momentum_count - 1) / (momentum_count + 1), 0.95) * (new - old)
    assert_allclose(extrapolated, beyond / np.sqrt((beyond**2).sum(axis=(1, 2, 3), keepdims=True)))


# Tolerances


def test_early_gaps_are_loose_and_fall():
    group, X = planted("integer shift", n=200)
    model = OrbitDictionaryLearning(
        2, group, alpha=0.1, max_iter=30, tol=1e-7, init="random", random_state=0
    ).fit(X)
    gaps = [record.gap for record in model.history_]
    assert gaps[0] > 1e-4
    assert gaps[-1] <= 1e-7
    assert all(gap <= 3e-2 for gap in gaps)


def test_a_fit_whose_last_codes_are_not_optimal_warns_unless_it_was_stopped():
    group, X = planted("orthogonal")
    coder = Proximal(tol=1e-9, max_iter=10)
    settings = {"group": group, "alpha": 0.1, "coder": coder, "max_iter": 2, "tol": 1.0}
    with pytest.warns(ConvergenceWarning, match="raise the coder's max_iter") as caught:
        model = OrbitDictionaryLearning(2, **settings, random_state=0).fit(X)
    assert len(caught) == 1
    assert model.history_[-1].gap > 1e-9
    OrbitDictionaryLearning(2, **settings, random_state=0, callback=lambda iteration: True).fit(X)


@pytest.mark.filterwarnings("error")
def test_a_fit_that_max_iter_ends_warns_once_and_says_what_to_do():
    group, X = planted("integer shift")
    settings = {"group": group, "alpha": 0.1, "tol": 1e-9, "random_state": 0}
    message = r"^max_iter=2 .*raise max_iter or tol\.$"
    with pytest.warns(ConvergenceWarning, match=message) as caught:
        model = OrbitDictionaryLearning(2, **settings, max_iter=2).fit(X)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert not model.converged_


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "settings",
    [
        {"max_iter": 500, "tol": 1e-3},  # converges
        {"max_iter": 0},  # only the start was requested
        {"max_iter": 5, "tol": 1e-9, "callback": lambda iteration: iteration.number == 2},
        {"max_iter": 5, "tol": 1e-9, "callback": lambda iteration: iteration.number == 5},
    ],
)
def test_no_other_end_of_a_fit_warns(settings):
    group, X = planted("integer shift")
    OrbitDictionaryLearning(2, group, alpha=0.1, random_state=0, **settings).fit(X)


def test_history_counts_from_the_start():
    group, X = planted("integer shift")
    model = OrbitDictionaryLearning(2, group, max_iter=4, tol=1e-12, random_state=0).fit(X)
    table = model.history_.to_frame()
    assert list(table["number"]) == [0, 1, 2, 3, 4]
    assert model.n_iter_ == 4
    assert list(table.columns) == ["number", "objective", "gap", "atoms", "unused", "seconds"]
    assert (table["seconds"] > 0).all()
    codes = model.encode(X)
    assert table["atoms"].iloc[-1] == len(codes.to_frame()) / len(X)
    assert repr(model.history_).startswith("History(5 records, objective ")
    assert repr(History()) == "History(empty)"


def test_a_loose_tolerance_stops_early_and_a_tight_one_does_not():
    group, X = planted("integer shift", n=100)
    steps = [
        OrbitDictionaryLearning(2, group, tol=tol, max_iter=60, random_state=0).fit(X).n_iter_
        for tol in (1e-1, 1e-3, 1e-7)
    ]
    assert steps[0] < steps[1] < steps[2]


def test_no_step_leaves_the_start_as_it_is():
    group, X = planted("integer shift of channels")
    start = np.random.default_rng(1).standard_normal((2, 8, 2))
    model = OrbitDictionaryLearning(2, group, max_iter=0, init=start).fit(X)
    unit = start / np.linalg.norm(start.reshape(2, -1), axis=1)[:, None, None]
    assert model.n_iter_ == 0
    assert_allclose(model.components_, unit)


def test_learning_from_the_truth_stays_there():
    data = make_shift_data(n_samples=200, length=15, n_components=2, n_atoms=1, random_state=0)
    model = OrbitDictionaryLearning(2, alpha=0.01, init=data.components).fit(data.X)
    assert dictionary_distance(data.components, model.components_, IntegerShift()) < 1e-4


# Repeatable, whatever the number of threads


@pytest.mark.parametrize("name", ["integer shift", "continuous shift", "orthogonal", "hexagon"])
def test_the_same_seed_gives_the_same_result_with_any_number_of_threads(name):
    group, X = planted(name, n=530)
    first, second, threads = (
        OrbitDictionaryLearning(
            2, group, max_iter=2, n_restarts=2, random_state=3, n_jobs=n_jobs
        ).fit(X)
        for n_jobs in (None, 1, 2)
    )
    assert_array_equal(second.components_, first.components_)
    assert_array_equal(threads.components_, first.components_)
    assert [r.objective for r in threads.history_] == [r.objective for r in first.history_]


def test_another_seed_gives_another_start():
    group, X = planted("integer shift")
    first, second = (
        OrbitDictionaryLearning(2, group, max_iter=0, random_state=seed).fit(X).components_
        for seed in (0, 1)
    )
    assert not np.allclose(first, second)


def test_a_random_state_object_works_and_moves_on():
    group, X = planted("integer shift")
    state = np.random.RandomState(0)
    model = OrbitDictionaryLearning(2, group, max_iter=0, random_state=state)
    first, second = model.fit(X).components_, model.fit(X).components_
    again = OrbitDictionaryLearning(
        2, group, max_iter=0, random_state=np.random.RandomState(0)
    ).fit(X)
    assert not np.allclose(first, second)
    assert_array_equal(again.components_, first)


# Callback and restarts


def test_the_callback_sees_every_iteration_and_can_stop():
    group, X = planted("integer shift")
    seen: list[Iteration] = []

    def stop(iteration: Iteration) -> bool:
        seen.append(iteration)
        return iteration.number == 2

    model = OrbitDictionaryLearning(
        2, group, max_iter=20, tol=1e-9, n_restarts=1, callback=stop
    ).fit(X)
    assert [iteration.number for iteration in seen] == [0, 1, 2]
    assert model.n_iter_ == 2
    assert len(model.history_) == 3
    rep = group.on((8,))
    assert_allclose(model.components_, rep.synthesize(seen[-1].components))
    assert_allclose(seen[-1].objective, seen[-1].codes.objective.sum())
    assert seen[-1].atoms == len(seen[-1].codes.atoms.coefficient) / len(X)


def test_the_start_that_is_best_after_a_few_iterations_is_continued():
    """And is then the whole run of that start, to the bit."""
    group, X = planted("integer shift", n=60, q=4)
    settings = {"n_components": 4, "group": group, "alpha": 0.1, "max_iter": 10, "tol": 1e-9}
    seen: list[Iteration] = []
    model = OrbitDictionaryLearning(
        **settings, n_restarts=5, init="random", random_state=0, callback=seen.append
    ).fit(X)
    numbers = [iteration.number for iteration in seen]
    assert numbers == [0, 1, 2, 3] * 5 + [4, 5, 6, 7, 8, 9, 10]
    assert_array_equal(model.starts_, [iteration.objective for iteration in seen[3:20:4]])
    assert model.starts_.max() > model.starts_.min() * 1.001
    begin = group.on((8,)).synthesize(seen[4 * model.starts_.argmin()].components)
    whole = OrbitDictionaryLearning(**settings, init=begin).fit(X)
    assert len(whole.starts_) == 1
    for record, other in zip(model.history_, whole.history_, strict=True):
        assert_allclose(record.objective, other.objective, rtol=1e-9)


def test_the_first_of_several_starts_is_the_only_one_of_one():
    group, X = planted("integer shift", n=60, q=4)
    settings = {"n_components": 4, "group": group, "max_iter": 10, "random_state": 0}
    seen: list[Iteration] = []
    OrbitDictionaryLearning(**settings, callback=seen.append).fit(X)
    single = OrbitDictionaryLearning(**settings, n_restarts=1).fit(X)
    assert [r.objective for r in single.history_[:4]] == [it.objective for it in seen[:4]]


def two_shapes(length: int = 90, n: int = 40, events: int = 35) -> tuple[np.ndarray, np.ndarray]:
    """Return windows of a recording with events of two shapes at random places, and the shapes."""
    rng, t = np.random.default_rng(4), np.arange(length) - 30
    shapes = np.exp(-0.5 * (t / 4) ** 2), np.exp(-0.5 * (t / 8) ** 2) * np.sin(t / 3)
    recording = 0.03 * rng.standard_normal(n * length)
    for k in range(events):
        place = rng.integers(0, n * length - length)
        shape = shapes[int(k % 3 == 0)] / np.linalg.norm(shapes[int(k % 3 == 0)])
        recording[place : place + length] += shape * rng.uniform(0.7, 1.3)
    return recording.reshape(n, length), np.array(shapes)


def test_more_starts_find_a_shape_that_the_first_one_misses():
    X, hidden = two_shapes()
    hidden = hidden / np.linalg.norm(hidden, axis=1, keepdims=True)
    settings = {"n_components": 2, "group": ContinuousShift(), "random_state": 0}
    single = OrbitDictionaryLearning(**settings, n_restarts=1).fit(X)
    several = OrbitDictionaryLearning(**settings).fit(X)
    far = orbit_distances(hidden, single.components_, ContinuousShift()).min(axis=1)
    near = orbit_distances(hidden, several.components_, ContinuousShift()).min(axis=1)
    assert far.max() > 0.3
    assert near.max() < 0.1


def test_a_run_that_the_callback_stopped_is_not_continued():
    group, X = planted("integer shift")
    seen: list[int] = []

    def stop(iteration: Iteration) -> bool:
        seen.append(iteration.number)
        return iteration.number == 2

    model = OrbitDictionaryLearning(2, group, n_restarts=3, callback=stop).fit(X)
    assert seen == [0, 1, 2] * 3
    assert model.n_iter_ == 2
    assert_allclose(model.history_[-1].objective, model.starts_.min())


def test_verbose_prints_a_line_an_iteration(capsys):
    group, X = planted("integer shift")
    settings = {"n_components": 2, "group": group, "max_iter": 5, "tol": 1e-9, "verbose": 1}
    model = OrbitDictionaryLearning(**settings, n_restarts=1).fit(X)
    alpha, *lines = capsys.readouterr().out.splitlines()
    assert alpha == "choosing alpha"
    assert len(lines) == len(model.history_)
    assert lines[0].startswith("iteration   0   objective")
    OrbitDictionaryLearning(**settings, n_restarts=2).fit(X)
    _, *lines = capsys.readouterr().out.splitlines()
    assert [lines[0], lines[5]] == ["start 1 of 2", "start 2 of 2"]
    assert lines[10] in ("start 1 goes on", "start 2 goes on")
    assert lines[11].startswith("iteration   4   objective")


# Components that nobody uses


def test_unused_components_are_replaced_and_counted():
    rng = np.random.default_rng(0)
    X = np.zeros((50, 6))
    X[:, :4] = rng.standard_normal((50, 4))
    start = np.eye(6)[[0, 4, 5]]  # the last two see nothing of the data
    model = OrbitDictionaryLearning(3, Trivial(), alpha=0.1, init=start, max_iter=20).fit(X)
    table = model.history_.to_frame()
    assert list(table["unused"].iloc[:2]) == [0, 2]
    assert np.all(model.transform(X).sum(axis=0) > 0)
    assert np.all(np.diff(table["objective"]) <= 0)


def test_a_run_does_not_end_before_new_components_were_updated():
    X = np.zeros((50, 6))
    X[:, :4] = np.random.default_rng(0).standard_normal((50, 4))
    start = np.eye(6)[[0, 4, 5]]
    model = OrbitDictionaryLearning(3, Trivial(), alpha=0.1, init=start, tol=1.0).fit(X)
    table = model.history_.to_frame()
    # within tolerance after one step, which brought two new components: so one step more
    assert table["objective"].iloc[0] < 2 * table["objective"].iloc[1]
    assert list(table["unused"]) == [0, 2, 0]


def test_more_components_than_samples_leave_no_nan():
    group, X = planted("integer shift", n=2)
    model = OrbitDictionaryLearning(5, group, alpha=0.1, random_state=0, max_iter=5).fit(X)
    assert np.isfinite(model.components_).all()
    assert_allclose(np.linalg.norm(model.components_, axis=1), 1.0)


def test_a_weight_that_codes_everything_to_nothing_leaves_no_nan():
    group, X = planted("continuous shift")
    model = OrbitDictionaryLearning(2, group, alpha=1e3, random_state=0, max_iter=5).fit(X)
    assert np.isfinite(model.components_).all()
    assert model.history_[-1].atoms == 0
    assert_allclose(model.history_[-1].objective, 0.5 * (X**2).sum())


# Starts


def test_data_starts_lie_on_different_orbits():
    rng = np.random.default_rng(0)
    shapes = rng.standard_normal((3, 12))
    X = np.stack([np.roll(shapes[i % 3], rng.integers(12)) * (1 + i) for i in range(30)])
    shifts = IntegerShift().on((12,))
    for seed in range(5):
        shards = SampleShards.cut(Samples.of(X, IntegerShift()), ActiveSet(), 0.1)
        start = start_from_data(shards, 3, np.random.default_rng(seed))
        distance = dictionary_distance(
            shapes / np.linalg.norm(shapes, axis=1, keepdims=True),
            shifts.synthesize(start.expand()),
            IntegerShift(),
        )
        assert distance < 1e-12


@pytest.mark.parametrize("name", KINDS)
def test_starts_have_unit_norm(name):
    rep, rng = action(name, 8), np.random.default_rng(0)
    shards = SampleShards.cut(
        Samples.of(rng.standard_normal((4, *rep.shape)), rep.group), Matching(), 0.1
    )
    for start in (start_from_data(shards, 6, rng).components, start_from_noise(rep, 6, rng)):
        energy = (rep.synthesize(start) ** 2).reshape(6, -1).sum(axis=1)
        assert_allclose(energy, 1.0)


# Planted dictionaries are recovered


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_integer_shifts_recover_planted_components_from_noise(seed):
    data = make_shift_data(400, 30, 3, 5, random_state=0)
    model = OrbitDictionaryLearning(
        3, IntegerShift(), alpha=0.4, init="random", random_state=seed, max_iter=50
    ).fit(data.X)
    assert dictionary_distance(data.components, model.components_, IntegerShift()) <= 0.002
    assert dictionary_distance(model.components_, data.components, IntegerShift()) <= 0.002


@pytest.mark.parametrize("seed", [0, 1])
def test_one_generator_is_synchronised(seed):
    data = make_synchronization_data(n_samples=300, random_state=0)
    truth = data.components / np.sqrt(20)
    model = OrbitDictionaryLearning(
        1, Orthogonal(), alpha=0.1, init="random", random_state=seed
    ).fit(data.X)
    assert 20 * dictionary_distance(truth, model.components_, Orthogonal()) <= 0.005


@pytest.mark.parametrize("seed", [0, 1])
def test_two_generators_are_synchronised_by_matching(seed):
    data = make_synchronization_data(n_samples=300, n_components=2, random_state=0)
    truth = data.components / np.sqrt(20)
    model = OrbitDictionaryLearning(
        2, Orthogonal(), alpha=0.02, init="random", coder=Matching(), tol=1e-5, max_iter=100,
        random_state=seed,
    ).fit(data.X)  # fmt: skip
    assert 20 * dictionary_distance(truth, model.components_, Orthogonal()) <= 0.007


def test_continuous_shifts_recover_components_between_samples():
    data = make_shift_data(300, 15, 2, 2, subdivisions=None, random_state=0)
    model = OrbitDictionaryLearning(2, ContinuousShift(), alpha=0.05, random_state=0).fit(data.X)
    assert dictionary_distance(data.components, model.components_, ContinuousShift()) <= 0.002


@pytest.mark.parametrize("normalize_after", [False, True])
def test_atoms_of_normalised_components_fit_as_before(normalize_after):
    group, X = planted("integer shift")
    samples = Samples.of(X, group)
    shards = SampleShards.cut(samples, default_coder(group.on((8,))), 0.3)
    A = start_from_data(shards, 2, np.random.default_rng(0)).expand()
    first = next(learn(State(shards, UnitBall(A, normalize_after)), gap=1e-6, max_iter=5, tol=1e-9))
    best = UnitBall(A, normalize_after).solve(first.shards.statistics())
    norms = np.sqrt(inner(best.A, best.A))
    assert np.abs(norms - 1.0).max() > (0.01 if normalize_after else -1.0)
    before = first.shards.atoms.superpose(samples.representation, best.A)
    after = first.following.shards.atoms.superpose(
        samples.representation, first.following.stepped.expand()
    )
    assert_allclose(after, before, atol=1e-10)
