"""Components that are zero but for allowed entries: steps against CVXPY, learning, laws."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from registry import action
from test_dictionary import Q, draw, loss, norms, signals, start
from test_line_learning import WIDTH, recording, shards_of, two_shapes

from orbitdl.coding import ActiveSet
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import reconstruct
from orbitdl.coding.choice import default_coder
from orbitdl.dictionaries import Statistics, Supported, UnitBall
from orbitdl.domains.time.coordinates import from_blocks, to_blocks
from orbitdl.encoding.samples import Samples
from orbitdl.groups import ContinuousShift, ImageRotation, IntegerShift
from orbitdl.learning import masked_dictionary
from orbitdl.learning.alternation import learn
from orbitdl.learning.masked_dictionary import on_observed
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.state import State
from orbitdl.learning.statistics import statistics_of

NAMES = [
    "trivial on matrices", "integer shift", "integer shift of channels", "interpolated shift 3",
    "continuous shift of channels", "orthogonal", "square on images", "shifts and turns",
    "translations of images",
]  # fmt: skip


def unit_entries(rep):
    count = int(np.prod(rep.shape))
    return rep.analyze(np.eye(count).reshape(count, *rep.shape))


def some_entries(shape, q=Q, seed=5):
    """Return masks that differ between components and channels, none of them empty."""
    allowed = np.random.default_rng(seed).random((q, *shape)) < 0.55
    allowed[:, 0] = True
    return allowed


def supported(rep, A, allowed):
    return Supported.of(A, unit_entries(rep), allowed, lossy=not rep.is_invertible)


def least(rep, y, matrix, allowed, seen=None):
    """Return the least misfit over components in balls that are zero where they must be."""
    size = matrix.shape[1] // Q
    a = cp.Variable(Q * size)
    project = np.stack([rep.project(e.reshape(rep.shape)).ravel() for e in np.eye(size)])
    limits = [cp.norm(a[j * size : (j + 1) * size]) <= 1 for j in range(Q)]
    limits += [a[np.flatnonzero(~allowed.ravel())] == 0] if not allowed.all() else []
    if not rep.is_invertible:
        limits += [(np.eye(size) - project) @ a[j * size : (j + 1) * size] == 0 for j in range(Q)]
    own = slice(None) if seen is None else seen
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(y[own] - matrix[own] @ a)), limits)
    problem.solve(solver=cp.CLARABEL)
    return problem.value


@pytest.mark.parametrize("length", [7, 8])
@pytest.mark.parametrize("name", NAMES)
def test_the_step_agrees_with_cvxpy(name, length):
    rep, rng = action(name, length), np.random.default_rng(0)
    Y = rep.analyze(1.5 * rng.standard_normal((8, *rep.shape)))
    component, coefficient = rng.integers(Q, size=24), rng.standard_normal(24)
    atoms = Atoms(Q, 3 * np.arange(9), component, coefficient, rep.sample(rng, 24))
    allowed = some_entries(rep.shape)
    found = supported(rep, start(rep), allowed).solve(statistics_of(rep, Y, atoms))
    y, matrix = signals(rep, Y, atoms)
    assert loss(rep, Y, atoms, found.expand()) == pytest.approx(
        least(rep, y, matrix, allowed), rel=1e-6
    )
    assert norms(found.expand()).max() <= 1 + 1e-9
    assert np.abs(rep.synthesize(found.expand())[~allowed]).max() < 1e-12


@pytest.mark.parametrize(
    "few", [0.0, masked_dictionary.MAX_MULTIPLICATIONS], ids=["many data", "few data"]
)
@pytest.mark.parametrize("name", ["integer shift of channels", "continuous shift", "orthogonal"])
def test_the_step_on_observed_entries_agrees_with_cvxpy(monkeypatch, name, few):
    monkeypatch.setattr(masked_dictionary, "MAX_MULTIPLICATIONS", few)
    rep, Y, atoms = draw(name, n=10, size=1.5)
    rng, allowed = np.random.default_rng(1), some_entries(rep.shape)
    observed = rng.random((10, *rep.shape)) < 0.8
    samples = Samples.on(rep, np.where(observed, rep.synthesize(Y), 0.0), observed)
    shards = SampleShards.cut(samples, default_coder(rep), 1.0, largest=7).starting_from(atoms)
    begin = supported(rep, start(rep), allowed)
    found = on_observed(begin, shards, rep, shards.statistics())
    y, matrix = signals(rep, samples.Y, atoms)
    seen = observed.ravel()
    left = samples.signal - rep.synthesize(reconstruct(rep, atoms, found.expand()))
    assert 0.5 * np.sum(left[observed] ** 2) == pytest.approx(
        least(rep, samples.signal.ravel(), matrix, allowed, seen), rel=1e-6
    )
    assert np.abs(rep.synthesize(found.expand())[~allowed]).max() < 1e-10


def test_all_entries_allowed_is_the_unit_ball():
    for name in NAMES:
        rep, Y, atoms = draw(name, size=2.0)
        sums, A = statistics_of(rep, Y, atoms), start(rep)
        everything = np.ones((Q, *rep.shape), dtype=bool)
        found = supported(rep, A, everything)
        assert_allclose(found.expand(), A, atol=1e-12)
        assert_allclose(found.solve(sums).expand(), UnitBall(A).solve(sums).expand(), atol=1e-7)


def test_the_step_in_spline_coefficients_agrees_with_cvxpy():
    coded, _ = shards_of(recording(600, 20)).code(to_blocks(two_shapes().u), 1e-4)
    sums = coded.statistics().here
    allowed = np.random.default_rng(0).random((2, WIDTH, 1)) < 0.6
    units = to_blocks(np.eye(WIDTH)[:, :, None])
    found = Supported.of(to_blocks(two_shapes().u), units, allowed).solve(sums)
    u, root = cp.Variable((2, WIDTH)), to_blocks(np.eye(WIDTH)[:, :, None])[:, 0, :, 0].T
    a = cp.hstack([root @ u[0], root @ u[1]])
    limits = [cp.norm(root @ u[j]) <= 1 for j in range(2)]
    limits += [u[j][np.flatnonzero(~allowed[j])] == 0 for j in range(2)]
    H = cp.psd_wrap(sums.normal[0])
    program = cp.Problem(cp.Minimize(0.5 * cp.quad_form(a, H) - sums.cross[0, :, 0] @ a), limits)
    assert sums.misfit(found.expand()) == pytest.approx(program.solve(solver=cp.CLARABEL), rel=1e-6)
    assert np.abs(from_blocks(found.expand())[~allowed]).max() < 1e-12


def test_what_fits_into_no_allowed_entry_is_refused():
    rep = ImageRotation().on((7, 7))
    allowed = np.zeros((1, 7, 7), dtype=bool)
    allowed[0, :2, :2] = True
    A = rep.analyze(np.random.default_rng(0).standard_normal((1, 7, 7)))
    with pytest.raises(ValueError, match=r"^no signal in the range .* allow more"):
        supported(rep, A, allowed)


def test_a_residual_is_taken_as_far_as_it_is_allowed():
    rep = action("integer shift of channels")
    allowed = some_entries(rep.shape)
    before = supported(rep, start(rep), allowed)
    r = np.random.default_rng(2).standard_normal(rep.shape)
    after = rep.synthesize(before.replace(1, rep.analyze(r)).expand())
    expected = np.where(allowed[1], r, 0.0) / np.linalg.norm(r[allowed[1]])
    assert_allclose(after[1], expected, atol=1e-12)
    assert_allclose(after[[0, 2]], rep.synthesize(before.expand())[[0, 2]], atol=1e-12)
    nothing = rep.analyze(np.where(allowed[1], 0.0, r))
    assert_allclose(before.replace(1, nothing).expand(), before.expand(), atol=1e-12)


# Learning


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("group", [IntegerShift(), ContinuousShift()])
def test_short_atoms_in_long_windows_are_learned(group, missing):
    rng, length, t = np.random.default_rng(0), 40, np.arange(9)
    truth = np.zeros((2, length))
    truth[0, :9], truth[1, :9] = np.exp(-t / 2.0) - 0.3, np.sin(t) * np.exp(-t / 6.0)
    rep = group.on((length,))
    truth = rep.project(truth / np.linalg.norm(truth, axis=1, keepdims=True))
    X = np.zeros((60, length))
    for a in truth:
        size = rng.uniform(1, 2, (60, 1))
        X += size * rep.act(rep.sample(rng, 60), np.tile(a, (60, 1)))
    X += 0.05 * rng.standard_normal(X.shape)
    X[rng.random(X.shape) < missing] = np.nan
    shards = SampleShards.cut(Samples.of(X, group), default_coder(rep), 0.2)
    allowed = np.zeros((2, length), dtype=bool)
    allowed[:, :9] = True
    away = truth + 0.2 * np.random.default_rng(3).standard_normal((2, length))
    begin = supported(rep, rep.analyze(away), allowed).normalise()[0]
    runs = list(learn(State(shards, begin), gap=1e-4, max_iter=25, tol=1e-4))
    objective = np.array([one.objective for one in runs])
    assert np.all(np.diff(objective) <= 1e-9 * objective[0])
    found = rep.synthesize(runs[-1].components)
    assert np.abs(found[:, 9:]).max() < 1e-10
    assert_allclose(np.linalg.norm(found, axis=1), 1.0)
    assert objective[-1] < 0.97 * objective[0]
    assert objective[-1] < 1.01 * shards.code(rep.analyze(truth), 1e-4)[1].objective


def test_short_waveforms_are_learned_from_a_recording():
    allowed = np.zeros((2, WIDTH, 1), dtype=bool)
    allowed[0, 6:25], allowed[1] = True, True
    units = to_blocks(np.eye(WIDTH)[:, :, None])
    away = two_shapes().u + 0.1 * np.random.default_rng(0).standard_normal((2, WIDTH, 1))
    begin, x = Supported.of(to_blocks(away), units, allowed).normalise()[0], recording()
    runs = list(learn(State(shards_of(x), begin), gap=1e-4, max_iter=12, tol=1e-4))
    objective = np.array([one.objective for one in runs])
    assert np.all(np.diff(objective) <= 1e-9 * objective[0])
    u = from_blocks(runs[-1].components)
    assert np.abs(u[~allowed]).max() < 1e-10
    truth = shards_of(x).code(to_blocks(two_shapes().u), 1e-4)[1].objective
    assert objective[-1] < min(0.9 * objective[0], 1.01 * truth)


def test_sums_of_supported_components_are_those_of_the_expanded_ones():
    rng = np.random.default_rng(0)
    for name in NAMES:
        rep, Y, atoms = draw(name)
        sums = statistics_of(rep, Y, atoms)
        one = supported(rep, start(rep), some_entries(rep.shape))
        pulled = one.pull(sums)
        assert isinstance(pulled, Statistics)
        theta = rng.standard_normal(one.parameters.shape)
        assert pulled.misfit(theta) == pytest.approx(sums.misfit(one.at(theta).expand()))


def test_a_component_that_nothing_uses_is_replaced_within_its_entries():
    data = np.random.default_rng(0).standard_normal((20, 10))
    rep = IntegerShift().on((10,))
    shards = SampleShards.cut(Samples.of(data, IntegerShift()), ActiveSet(), 0.5)
    allowed = np.zeros((2, 10), dtype=bool)
    allowed[:, :4] = True
    A = rep.analyze(np.stack([data[0], 1e-3 * data[1]]))  # the second is too short to be used
    begin = supported(rep, A, allowed)
    runs = list(learn(State(shards, begin), gap=1e-4, max_iter=3, tol=1e-6))
    assert runs[1].unused == 1
    assert np.abs(rep.synthesize(runs[-1].components)[:, 4:]).max() < 1e-12
