"""Components with copies under fixed linear maps: steps against CVXPY and enumeration, laws."""

from itertools import product

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from registry import DOUBLED, action
from test_line_learning import WIDTH, recording, shards_of, two_shapes

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import reconstruct
from orbitdl.coding.choice import default_coder
from orbitdl.dictionaries import Statistics, Supported, Tied, UnitBall, dictionary_of
from orbitdl.domains.time.coordinates import factor, to_blocks
from orbitdl.encoding.samples import Samples
from orbitdl.groups import (
    ContinuousShift,
    ImageRotation,
    IntegerShift,
    IntegerTranslation,
    Reversal,
    SemidirectProduct,
    SquareSymmetry,
)
from orbitdl.groups.base import Maps, inner
from orbitdl.learning import masked_dictionary
from orbitdl.learning.alternation import learn
from orbitdl.learning.masked_dictionary import on_observed
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.state import State
from orbitdl.learning.statistics import statistics_of

Q = 2
ACTIONS = {
    "continuous shift, reversed": (SemidirectProduct(ContinuousShift(), Reversal()), (7, 2)),
    "even length, reversed": (SemidirectProduct(ContinuousShift(), Reversal()), (8,)),
    "integer shift, reversed": (SemidirectProduct(IntegerShift(), Reversal()), (6, 2)),
    "doubling": (SemidirectProduct(IntegerShift(), DOUBLED), (7,)),
    "square": (SemidirectProduct(IntegerTranslation(), SquareSymmetry()), (3, 3)),
    "mirrored rotations": (ImageRotation(reflections=True), (5, 5)),
}


def drawn(name, n=8, size=1.5, seed=0):
    """Return an action, data in blocks, atoms of the whole group, and components."""
    group, shape = ACTIONS[name]
    rep, rng = group.on(shape), np.random.default_rng(seed)
    Y = rep.analyze(size * rng.standard_normal((n, *shape)))
    component, coefficient = rng.integers(Q, size=3 * n), rng.standard_normal(3 * n)
    atoms = Atoms(Q, 3 * np.arange(n + 1), component, coefficient, rep.sample(rng, 3 * n))
    A = rep.analyze(rng.standard_normal((Q, *shape)))
    return rep, Y, atoms, A / np.sqrt(inner(A, A))[:, None, None, None]


def design(rep, atoms):
    """Return the matrix from components, as signals, to codings, by `act` on unit signals."""
    size = int(np.prod(rep.shape))
    unit = np.eye(size).reshape(size, *rep.shape)
    matrix = np.zeros((len(atoms), size, Q, size))
    for i, j, c, g in zip(
        atoms.sample, atoms.component, atoms.coefficient, atoms.element, strict=True
    ):
        moved = rep.act(np.broadcast_to(g, (size, len(g))), unit).reshape(size, size)
        matrix[i, :, j] += c * moved.T
    return matrix.reshape(len(atoms) * size, Q * size)


def least(rep, y, matrix, zero=()):
    size = matrix.shape[1] // Q
    a = cp.Variable(Q * size)
    limits = [cp.norm(a[j * size : (j + 1) * size]) <= 1 for j in range(Q)]
    limits += [a[zero] == 0] if len(zero) else []
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(y - matrix @ a)), limits)
    return problem.solve(solver=cp.CLARABEL)


def loss(rep, Y, atoms, dictionary):
    R = Y - reconstruct(rep, atoms, dictionary.components)
    return 0.5 * float(inner(R, R).sum())


@pytest.mark.parametrize("name", ACTIONS)
def test_copies_are_those_of_the_group(name):
    rep, _, _, A = drawn(name)
    tied = dictionary_of(rep, A)
    assert isinstance(tied, Tied)
    assert len(tied) == Q
    assert tied.copies == rep.n_copies
    assert_allclose(tied.components, A, atol=1e-12)
    assert_allclose(tied.expand(), rep.copies(A), atol=1e-12)
    signals = rep.synthesize(A)
    every = rep.finite.elements
    moved = [rep.finite.act(np.tile(f, (Q, 1)), signals) for f in every]
    copies = rep.synthesize(tied.expand()).reshape(Q, len(every), *rep.shape)
    assert_allclose(copies, rep.project(np.stack(moved, axis=1)), atol=1e-10)


@pytest.mark.parametrize("name", ACTIONS)
def test_sums_pulled_back_are_those_of_the_copies(name):
    rep, Y, atoms, A = drawn(name)
    sums, tied = statistics_of(rep.base, Y, atoms.to_copies(rep)), dictionary_of(rep, A)
    pulled, rng = tied.pull(sums), np.random.default_rng(1)
    for _ in range(3):
        one = dictionary_of(rep, rep.analyze(rng.standard_normal((Q, *rep.shape))))
        assert pulled.misfit(one.parameters) == pytest.approx(sums.misfit(one.expand()))
    assert_allclose(pulled.usage, atoms.usage())


@pytest.mark.parametrize("name", ACTIONS)
def test_the_step_agrees_with_cvxpy(name):
    rep, Y, atoms, A = drawn(name)
    sums = statistics_of(rep.base, Y, atoms.to_copies(rep))
    found = dictionary_of(rep, A).solve(sums)
    matrix = design(rep, atoms)
    assert loss(rep, Y, atoms, found) == pytest.approx(
        least(rep, rep.synthesize(Y).ravel(), matrix), rel=1e-6
    )
    assert inner(found.components, found.components).max() <= 1 + 1e-9


@pytest.mark.parametrize(
    "few", [0.0, masked_dictionary.MAX_MULTIPLICATIONS], ids=["many data", "few data"]
)
@pytest.mark.parametrize("name", ["continuous shift, reversed", "doubling"])
def test_the_step_on_observed_entries_agrees_with_cvxpy(monkeypatch, name, few):
    monkeypatch.setattr(masked_dictionary, "MAX_MULTIPLICATIONS", few)
    rep, Y, atoms, A = drawn(name, n=10)
    observed = np.random.default_rng(1).random((10, *rep.shape)) < 0.8
    samples = Samples.on(rep, np.where(observed, rep.synthesize(Y), 0.0), observed)
    shards = SampleShards.cut(samples, default_coder(rep), 1.0, largest=7)
    shards = shards.starting_from(atoms.to_copies(rep))
    found = on_observed(dictionary_of(rep, A), shards, rep.base, shards.statistics())
    seen, matrix = observed.ravel(), design(rep, atoms)
    left = samples.signal - rep.synthesize(reconstruct(rep, atoms, found.components))
    expected = least(rep, samples.signal.ravel()[seen], matrix[seen])
    assert 0.5 * np.sum(left[observed] ** 2) == pytest.approx(expected, rel=1e-6)


def test_tied_components_may_be_zero_but_for_some_entries():
    """One kind within the other: reversed copies of components of five samples."""
    rep, Y, atoms, A = drawn("continuous shift, reversed")
    allowed = np.zeros((Q, *rep.shape), dtype=bool)
    allowed[:, :5] = True
    tied = Tied.of(A, rep.maps)
    entries = rep.analyze(np.eye(14).reshape(14, *rep.shape))
    units = np.concatenate([Tied.of(pair, rep.maps).parameters for pair in entries[:, None]])
    begin = Tied(Supported.of(tied.parameters, units, allowed), rep.maps, tied.shape)
    sums = statistics_of(rep.base, Y, atoms.to_copies(rep))
    found = begin.solve(sums)
    assert np.abs(rep.synthesize(found.components)[~allowed]).max() < 1e-12
    y, zero = rep.synthesize(Y).ravel(), np.flatnonzero(~allowed)
    expected = least(rep, y, design(rep, atoms), zero)
    assert loss(rep, Y, atoms, found) == pytest.approx(expected, rel=1e-6)


def test_a_step_is_the_best_of_all_on_a_fine_grid():
    """One component of two entries: the whole disc is tried."""
    rep = SemidirectProduct(IntegerShift(), Reversal()).on((3,))
    rng = np.random.default_rng(0)
    for size in (0.3, 3.0):
        Y = rep.analyze(size * rng.standard_normal((5, 3)))
        atoms = Atoms(1, 2 * np.arange(6), np.zeros(10, int), rng.standard_normal(10),
                      rep.sample(rng, 10))  # fmt: skip
        sums = statistics_of(rep.base, Y, atoms.to_copies(rep))
        found = dictionary_of(rep, rep.analyze(np.ones((1, 3)) / 2)).solve(sums)
        axis = np.linspace(-1, 1, 41)
        tried = [np.array(a) for a in product(axis, repeat=3) if np.linalg.norm(a) <= 1]
        losses = [loss(rep, Y, atoms, dictionary_of(rep, rep.analyze(a[None]))) for a in tried]
        ours = loss(rep, Y, atoms, found)
        assert ours <= min(losses) + 1e-12
        assert ours >= min(losses) - 0.05 * size**2


def test_all_copies_of_a_component_are_used_or_none():
    rep, _, atoms, A = drawn("square", n=4)
    one = Atoms(Q, atoms.offsets, 0 * atoms.component, atoms.coefficient, atoms.element)
    sums = statistics_of(rep.base, rep.analyze(np.zeros((4, *rep.shape))), one.to_copies(rep))
    assert_allclose(dictionary_of(rep, A).usage(sums), one.usage())


# Monotone, all kinds


def kind_of(name, A, rng):
    rep = action("integer shift of channels")
    units = rep.analyze(np.eye(14).reshape(14, 7, 2))
    if name == "supported":
        allowed = rng.random((len(A), 7, 2)) < 0.5
        allowed[:, 0] = True
        return Supported.of(A, units, allowed)
    if name == "tied":
        return Tied.of(A, SemidirectProduct(IntegerShift(), Reversal()).on((7, 2)).maps)
    return UnitBall(A)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    size=st.sampled_from([1e-3, 0.3, 3.0, 1e3]),
    rank=st.integers(1, 12),
    name=st.sampled_from(["ball", "supported", "tied"]),
)
def test_no_step_raises_the_surrogate(seed, size, rank, name):
    """Whatever the sums, even of too few data to determine components."""
    rng, rep = np.random.default_rng(seed), action("integer shift of channels")
    A = rep.analyze(rng.standard_normal((3, 7, 2)))
    begin = kind_of(name, A, rng).normalise()[0]
    count = 3 * begin.copies
    W = rng.standard_normal((4, rank, count)) + 1j * rng.standard_normal((4, rank, count))
    W[0].imag = 0.0
    Y = size * (rng.standard_normal((4, rank, 2)) + 1j * rng.standard_normal((4, rank, 2)))
    Y[0].imag = 0.0
    adjoint = W.conj().swapaxes(1, 2)
    sums = Statistics(adjoint @ W, adjoint @ Y, np.ones(count))
    for soon in (False, True):
        after = begin.solve(sums, soon)
        before, now = sums.misfit(begin.expand()), sums.misfit(after.expand())
        assert now <= before + 1e-9 * max(abs(before), abs(now))
        energy = inner(after.expand(), after.expand())
        assert energy.max() <= 1 + 1e-8
        again = sums.misfit(after.solve(sums).expand())
        assert again == pytest.approx(now, rel=1e-6, abs=1e-9 * abs(before))


@pytest.mark.parametrize("name", ["ball", "supported", "tied"])
def test_norms_move_into_codes_and_extrapolation_keeps_the_kind(name):
    rng, rep = np.random.default_rng(0), action("integer shift of channels")
    draw = [rep.analyze(rng.standard_normal((3, 7, 2))) for _ in range(2)]
    one = kind_of(name, 0.1 * draw[0], np.random.default_rng(5))
    unit, norms = one.normalise()
    assert norms.shape == (3 * one.copies,)
    assert_allclose(unit.expand() * norms[:, None, None, None], one.expand(), atol=1e-12)
    assert_allclose(inner(unit.expand(), unit.expand()), 1.0)
    assert unit.distance(unit) == 0.0
    other = kind_of(name, draw[1], np.random.default_rng(5)).normalise()[0]
    beyond = unit.extrapolate(other, 0.5)
    assert_allclose(inner(beyond.expand(), beyond.expand()), 1.0)
    step = unit.components + 0.5 * (unit.components - other.components)
    expected = step / np.sqrt(inner(step, step))[:, None, None, None]
    assert_allclose(beyond.components, expected, atol=1e-12)
    assert unit.distance(beyond) == pytest.approx(
        np.sqrt(np.max(inner(unit.components - beyond.components, unit.components
                             - beyond.components)))
    )  # fmt: skip
    kept = beyond.keep(np.array([1]), unit)
    assert_allclose(kept.components[[0, 2]], beyond.components[[0, 2]])
    assert_allclose(kept.components[1], unit.components[1])


# Recordings: maps of real blocks


def reversal_of_waveforms():
    """Return a waveform as it is and backwards, in the coordinates of learning."""
    L = factor(WIDTH)
    backwards = L.T @ np.eye(WIDTH)[::-1] @ np.linalg.inv(L.T)
    return Maps(np.zeros((1, 1), int), np.stack([np.eye(WIDTH), backwards])[:, None, None])


def test_waveforms_that_run_both_ways_are_learned_from_a_recording():
    """By maps of real blocks, which no group made: the interface asks for no group."""
    rng, n = np.random.default_rng(0), 2000
    u = two_shapes().u[1:] * np.linspace(0, 2, WIDTH)[:, None]  # not symmetric
    truth = Tied.of(to_blocks(u), reversal_of_waveforms()).normalise()[0]
    x = 0.02 * rng.standard_normal((n, 1))
    shards = shards_of(recording(n, 5))
    coder = shards.prepare(truth.expand(), 1e-4)
    time = np.sort(rng.uniform(0, n - WIDTH, 50))
    x += coder.waveforms.add_up(n, rng.integers(2, size=50), time, rng.uniform(1, 2, 50))
    away = truth.parameters + 0.15 * rng.standard_normal(truth.parameters.shape)
    start = truth.at(away).normalise()[0]
    limits = {"gap": 1e-4, "max_iter": 12, "tol": 1e-5}
    runs = list(learn(State(shards_of(x), start), **limits))
    objective = np.array([one.objective for one in runs])
    assert np.all(np.diff(objective) <= 1e-9 * objective[0])
    assert objective[-1] < 1.01 * shards_of(x).code(truth.expand(), 1e-4)[1].objective
    one_way = list(learn(State(shards_of(x), UnitBall(start.components)), **limits))
    assert objective[-1] < 0.97 * one_way[-1].objective
