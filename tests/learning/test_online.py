"""Learning from mini-batches and streams comes to what steps of all data come to."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from registry import KINDS, action
from test_line_learning import recording, shards_of, two_shapes

from orbitdl import OrbitDictionaryLearning, WaveformLearning, load
from orbitdl.coding.certificate import certify, reconstruct
from orbitdl.coding.choice import default_coder
from orbitdl.coding.problem import Problem
from orbitdl.datasets import make_shift_data
from orbitdl.dictionaries.least_squares import (
    TOGETHER,
    constrained_least_squares,
    coordinate_step,
    unit_norm,
)
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.domains.time.coordinates import to_blocks
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import inner
from orbitdl.learning.alternation import learn
from orbitdl.learning.online import learn_in_batches, still_to_come
from orbitdl.learning.running_sums import ENOUGH, FORGETTING, Memory
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.starts import start_from_data
from orbitdl.learning.state import State

ALPHA, N = 0.1, 160
LIMITS = {"gap": 1e-4, "max_iter": 50, "tol": 1e-4}


def planted(name: str, missing: float = 0.0, n: int = N) -> SampleShards:
    """Return n sums of two transformed components, with noise."""
    rep, rng = action(name, 8), np.random.default_rng(0)
    truth = unit_norm(rep.analyze(rng.standard_normal((2, *rep.shape))))
    X = 0.05 * rng.standard_normal((n, *rep.shape))
    for _ in range(2):
        moved = rep.act_on_blocks(rep.sample(rng, n), truth[rng.integers(2, size=n)])
        X += rep.synthesize(rng.uniform(0.5, 1.5, n)[:, None, None, None] * moved)
    X[rng.random(X.shape) < missing] = np.nan
    return SampleShards.cut(Samples.of(X, rep.group), default_coder(rep), ALPHA)


def shift_data(n: int = 300) -> np.ndarray:
    return make_shift_data(n, length=20, n_components=2, n_atoms=2, random_state=0).X


def sums(seed: int, q: int = 3) -> Statistics:
    rng = np.random.default_rng(seed)
    W, Y = rng.standard_normal((4, 20, q)), rng.standard_normal((4, 20, 2))
    W_t = W.swapaxes(1, 2)
    return Statistics(W_t @ W, W_t @ Y, np.abs(W).sum(axis=(0, 1)))


# Passes over batches


WITH_GAPS = ["trivial", "integer shift of channels", "continuous shift", "pentagon"]
CASES = [(name, 0.0) for name in KINDS] + [(name, 0.1) for name in WITH_GAPS]
SLOW = ["shifts and turns", "translations of images"]


@pytest.mark.parametrize(("name", "missing"), CASES)
def test_batches_in_any_order_come_to_what_all_data_come_to(name, missing):
    shards = planted(name, missing, n=64 if name in SLOW else N)
    start = start_from_data(shards, 2, np.random.default_rng(1))
    exact = list(learn(State(shards, start), **LIMITS))
    for seed in range(2):
        *_, last = learn_in_batches(State(shards, start), size=16, seed=seed, **LIMITS)
        assert last.objective <= 1.01 * exact[-1].objective
        assert last.number <= max(1.5 * exact[-1].number, 8)
        assert last.gap <= 1e-4


@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.9])
def test_what_is_still_to_come_is_told_by_a_geometric_sequence(ratio):
    reached = [10.0 + ratio**k for k in range(8)]
    for count in (3, 4, 5, 8):
        left = ratio ** (count - 1) / reached[count - 1]
        assert_allclose(still_to_come(reached[:count]), left, rtol=1e-6)
    assert still_to_come([3.0, 2.0]) == still_to_come([3.0, 2.0, 2.0]) == 0.0
    assert still_to_come([3.0, 2.0, 1.0]) == np.inf


@pytest.mark.parametrize("size", [1, 4])
def test_recordings_in_batches_come_to_what_all_come_to(size):
    """From waveforms off their centre: spans are moved on the way."""
    shards = shards_of(*(recording(1000, 25, seed) for seed in range(8)))
    away = np.roll(two_shapes().samples(), 6, axis=1)
    start = UnitBall(to_blocks(Waveforms.through(away).unit().u))
    exact = list(learn(State(shards, start), **LIMITS))[-1]
    last = list(learn_in_batches(State(shards, start), size=size, seed=0, **LIMITS))[-1]
    assert last.objective <= 1.01 * exact.objective
    assert last.gap <= 1e-4


def test_a_run_that_alternates_already_makes_no_more_passes():
    shards = planted("integer shift")
    state = State(shards, start_from_data(shards, 2, np.random.default_rng(1)))
    begun = next(learn(replace(state, loosest=0.0), **LIMITS)).following
    here, there = (
        list(steps)
        for steps in (
            learn_in_batches(begun, size=16, seed=0, **LIMITS),
            learn(begun, **LIMITS),
        )
    )
    assert [step.objective for step in here] == [step.objective for step in there]


def test_the_last_record_is_that_of_the_last_codes_of_all_data():
    shards = planted("continuous shift")
    start = start_from_data(shards, 2, np.random.default_rng(1))
    last = list(learn_in_batches(State(shards, start), size=40, seed=0, **LIMITS))[-1]
    samples = Samples.concatenate([part.samples for part in shards.parts])
    problem = Problem(shards.space, samples.Y, last.components, ALPHA)
    objective, gap = certify(problem, last.codes.atoms)
    assert_allclose(last.objective, objective.sum() + samples.unseen.sum(), rtol=1e-9)
    assert gap.max() <= 1.01e-4
    assert_allclose(inner(last.components, last.components), 1.0)


def test_batches_hold_every_data_point_once():
    shards = planted("integer shift", missing=0.1)
    batches = shards.batches(30, np.random.default_rng(0))
    assert [len(batch) for batch in batches] == [32] * 5
    rows = np.concatenate([batch.parts[0].samples.signal for batch in batches])
    whole = shards.parts[0].samples.signal
    assert not np.array_equal(rows, whole)
    assert_allclose(np.sort(rows, axis=0), np.sort(whole, axis=0))
    recordings = shards_of(*(recording(200 + k, 5, k) for k in range(5)), size=100)
    groups = recordings.batches(2, np.random.default_rng(0))
    assert sorted(len(one.signal) for g in groups for (one, *_) in g.recordings) == [
        *range(200, 205)
    ]


# Sums


def test_forgetting_leaves_what_the_formula_says():
    memory = Memory()
    for k in range(5):
        memory = memory.take_in(sums(k), uses=ENOUGH)
    expected = sum(((k + 1) / 5) ** FORGETTING * sums(k).normal for k in range(5))
    assert_allclose(memory.total.normal, expected)


def test_a_batch_that_is_seen_again_counts_once():
    memory = Memory()
    for step, batch in enumerate([0, 1, 2, 1, 0]):
        memory = memory.renew(batch, sums(10 * step + batch), uses=ENOUGH)
    latest = {3: sums(22), 4: sums(31), 5: sums(40)}
    expected = sum((s / 5) ** FORGETTING * one.cross for s, one in latest.items())
    assert_allclose(memory.total.cross, expected)


def test_batches_that_say_little_of_components_are_remembered_for_longer():
    memory = Memory()
    for k in range(5):
        memory = memory.renew(k % 2, sums(k), uses=0.1 * ENOUGH)
    assert_allclose(memory.total.normal, 0.9 * sums(3).normal + sums(4).normal)


def test_sums_of_completed_data_bound_the_loss_and_touch_it():
    shards = planted("continuous shift", missing=0.3)
    rng = np.random.default_rng(1)
    A = start_from_data(shards, 2, rng).expand()
    coded, _ = shards.code(A, 1e-4)
    (part,), bound = coded.parts, coded.majorised_statistics(A)
    samples, rep = part.samples, shards.space

    def loss(V):
        left = samples.signal - rep.synthesize(reconstruct(rep, part.atoms, V))
        return 0.5 * np.sum(left[samples.observed] ** 2)

    def told(V):
        stacked = V.transpose(1, 0, 2, 3).reshape(bound.cross.shape)
        return float(inner(stacked, 0.5 * bound.normal @ stacked - bound.cross, axes=3))

    for _ in range(5):
        V = A + 0.1 * rep.analyze(rng.standard_normal((2, *rep.shape)))
        assert loss(V) - loss(A) <= told(V) - told(A) + 1e-9
    V = A + 1e-6 * (V - A)
    assert_allclose(loss(V) - loss(A), told(V) - told(A), rtol=1e-3)


def test_coordinate_steps_come_to_the_constrained_minimum():
    statistics, A = sums(0), unit_norm(np.random.default_rng(1).standard_normal((3, 4, 1, 2)))

    def value(V):
        stacked = V.transpose(1, 0, 2, 3).reshape(statistics.cross.shape)
        return float(inner(stacked, 0.5 * statistics.normal @ stacked - statistics.cross, axes=3))

    expected, heights = value(constrained_least_squares(statistics, A)), [value(A)]
    for _ in range(200):
        A = coordinate_step(statistics, A)
        heights.append(value(A))
    assert np.all(np.diff(heights) <= 1e-9)
    assert inner(A, A).max() <= 1 + 1e-9
    assert_allclose(heights[-1], expected, rtol=1e-6)


@pytest.mark.parametrize(("turn", "d"), [(0.0, 1), (1.0j, 1), (1.0j, 2)])
def test_a_sweep_in_blocks_is_the_sweep_a_component_at_a_time(turn, d):
    rng, q = np.random.default_rng(0), TOGETHER + 3
    W, Y, A = (
        rng.standard_normal(shape) + turn * rng.standard_normal(shape)
        for shape in ((3, 300, q * d), (3, 300, 2), (q, 3, d, 2))
    )
    A = unit_norm(A)
    W[..., d : 2 * d] = 0  # a component that is not used stays
    adjoint = W.conj().swapaxes(1, 2)
    H, R = adjoint @ W, 40 * adjoint @ Y
    expected = A.copy()
    for j in range(q):
        rows = slice(j * d, (j + 1) * d)
        steep = np.linalg.norm(H[:, rows, rows], axis=(1, 2)).max() or np.inf
        stacked = expected.transpose(1, 0, 2, 3).reshape(3, q * d, 2)
        u = expected[j] + (R[:, rows] - H[:, rows] @ stacked) / steep
        expected[j] = u / max(np.linalg.norm(u), 1.0)
    found = coordinate_step(Statistics(H, R, np.ones(q)), A)
    assert_allclose(found, expected, atol=1e-10)
    assert_allclose(found[1], A[1])


# Estimators


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_fit_in_batches_is_within_a_hundredth_and_certified(missing):
    X = shift_data()
    X[np.random.default_rng(0).random(X.shape) < missing] = np.nan
    settings = {"n_components": 2, "alpha": 0.1, "random_state": 0}
    exact = OrbitDictionaryLearning(**settings, batch_size=None).fit(X)
    model = OrbitDictionaryLearning(**settings, batch_size=50).fit(X)
    assert model.history_[-1].objective <= 1.01 * exact.history_[-1].objective
    assert_allclose(model.codes_.objective.sum(), model.history_[-1].objective)
    assert model.codes_.gap.max() <= 1e-4
    assert model.converged_
    assert "6 mini-batches" in model.provenance_["batches"]
    assert "batches" not in exact.provenance_


def test_few_data_are_not_learned_from_in_batches_unless_asked():
    X = shift_data(60)
    settings = {"n_components": 1, "alpha": 0.1, "random_state": 0, "n_restarts": 1}
    auto, exact = (
        OrbitDictionaryLearning(**settings, batch_size=size).fit(X) for size in ("auto", None)
    )
    assert auto.components_.tobytes() == exact.components_.tobytes()


def test_many_data_are_learned_from_in_batches(monkeypatch):
    monkeypatch.setattr("orbitdl.estimators.orbit.LARGE", 100)
    model = OrbitDictionaryLearning(1, alpha=0.1, n_restarts=1, random_state=0).fit(shift_data(100))
    assert "mini-batches" in model.provenance_["batches"]


@pytest.mark.parametrize("size", [0, -1, 1.5, "some", True])
def test_a_batch_size_that_makes_no_sense_is_refused(size):
    for model in (
        OrbitDictionaryLearning(batch_size=size),
        WaveformLearning(batch_size=size, n_components=1, noise="white"),
    ):
        with pytest.raises(ValueError, match="batch_size must be"):
            model.fit(shift_data(20))
    with pytest.raises(ValueError, match="set batch_size=None"):
        OrbitDictionaryLearning(batch_size=5, normalize_after=True).fit(shift_data(20))


def test_a_checkpoint_of_another_batch_size_is_refused(tmp_path):
    X, place = shift_data(), tmp_path / "checkpoint"
    settings = {"n_components": 2, "alpha": 0.1, "random_state": 0, "batch_size": 50}
    OrbitDictionaryLearning(**settings, checkpoint=place).fit(X)
    with pytest.raises(ValueError, match=r"batch_size \(50 there, None here\)"):
        OrbitDictionaryLearning(
            **{**settings, "batch_size": None}, checkpoint=place
        ).fit(X)  # fmt: skip


# Streams


def test_a_stream_comes_to_what_a_fit_comes_to_and_can_be_used_at_any_time(tmp_path):
    X = shift_data(600)
    settings = {"n_components": 2, "alpha": 0.1, "random_state": 0}
    model = OrbitDictionaryLearning(**settings)
    for k, batch in enumerate(np.array_split(X, 12)):
        model.partial_fit(batch)
        assert model.n_steps_ == k + 1
        assert model.transform(batch).shape == (50, 2)
        assert_allclose(
            model.codes_.objective.sum(), model.encode(batch).objective.sum(), rtol=1e-3
        )
    model.save(tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    expected = OrbitDictionaryLearning(**settings).fit(X).history_[-1].objective
    assert loaded.encode(X).objective.sum() <= 1.01 * expected
    assert loaded.batch_size == "auto"


def test_a_fitted_model_goes_on_with_a_few_data_without_forgetting_the_others():
    X = shift_data()
    model = OrbitDictionaryLearning(2, alpha=0.1, random_state=0).fit(X)
    before = model.history_[-1].objective
    model.partial_fit(X[:5])
    assert np.abs(model.components_).max() > 0
    assert model.encode(X).objective.sum() <= 1.01 * before
    assert model.fit(X).n_steps_ == 0


def test_a_stream_of_recordings_comes_to_what_a_fit_comes_to():
    parts = [recording(1000, 25, seed)[:, 0] for seed in range(8)]
    settings = {"n_components": 2, "length": 31, "alpha": 0.2, "random_state": 0}
    model = WaveformLearning(**settings, detrend=False, noise="white")
    for part in parts:
        model.partial_fit(part)
    assert model.n_steps_ == 8
    expected = WaveformLearning(**settings, detrend=False, noise="white").fit(parts)
    ours, theirs = (sum(code.objective for code in one.encode(parts)) for one in (model, expected))
    assert ours <= 1.01 * theirs


def test_a_batch_of_another_shape_is_refused():
    model = OrbitDictionaryLearning(1, alpha=0.1).partial_fit(shift_data(30))
    with pytest.raises(ValueError, match="expecting 20 features"):
        model.partial_fit(np.ones((5, 10)))
    waves = WaveformLearning(1, 31, alpha=0.2, noise="white").partial_fit(recording(500, 10)[:, 0])
    with pytest.raises(ValueError, match="3 channels"):
        waves.partial_fit(np.random.default_rng(0).standard_normal((500, 3)))
