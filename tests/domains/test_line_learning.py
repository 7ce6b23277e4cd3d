"""Learning waveforms from recordings, by the loop that learns from data points."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import toeplitz
from sklearn.exceptions import ConvergenceWarning
from test_line import code_line

from orbitdl import WaveformLearning
from orbitdl.coding.atoms import Atoms
from orbitdl.dictionaries.least_squares import constrained_least_squares
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.domains.time.alpha import above_noise, correlation_noise
from orbitdl.domains.time.atoms import at_times, joined
from orbitdl.domains.time.coordinates import from_blocks, statistics_in_blocks, to_blocks
from orbitdl.domains.time.correlations import correlations, largest_correlation
from orbitdl.domains.time.pool import Pool
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.splines import GRAM, norms_of
from orbitdl.domains.time.starts import max_correlation, padded_spectra, start_from_pool
from orbitdl.domains.time.sums import event_sums
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.learning.alternation import learn
from orbitdl.learning.state import Iteration, State

ALPHA, WIDTH = 0.2, 31


def two_shapes() -> Waveforms:
    t = np.arange(WIDTH) - WIDTH // 2
    shapes = np.stack([np.exp(-0.5 * (t / 3) ** 2), np.exp(-0.5 * (t / 5) ** 2) * np.sin(t / 2)])
    return Waveforms.through(shapes[:, :, None])


def recording(n: int = 3000, events: int = 80, seed: int = 0) -> np.ndarray:
    """Return a noisy recording of two shapes, cut at its ends, with missing samples."""
    rng = np.random.default_rng(seed)
    time, component = np.sort(rng.uniform(-10, n - 5, events)), rng.integers(2, size=events)
    x = two_shapes().add_up(n, component, time, rng.uniform(1, 2, events))
    x += 0.02 * rng.standard_normal(x.shape)
    x[n // 2 : n // 2 + 10] = np.nan
    return x


def shards_of(*recordings: np.ndarray, size: int | None = None) -> RecordingShards:
    return RecordingShards.cut([Signal(x) for x in recordings], WIDTH, ALPHA, size=size)


def start_from_recordings(shards: RecordingShards, q: int, rng: np.random.Generator) -> np.ndarray:
    return start_from_pool(Pool.of(shards), q, rng)


def run(shards: RecordingShards, start: Waveforms, max_iter: int = 20) -> list[Iteration]:
    settings = {"gap": 1e-4, "max_iter": max_iter, "tol": 1e-4}
    return list(learn(State(shards, UnitBall(to_blocks(start.u))), **settings))


def random_events(n: int = 40, q: int = 2, count: int = 12, seed: int = 0):
    rng = np.random.default_rng(seed)
    time, component = np.sort(rng.uniform(-8, n + 1, count)), rng.integers(q, size=count)
    observed = rng.random(n) > 0.2
    x = rng.standard_normal((n, 2)) * observed[:, None]
    return x, observed, at_times(component, time, rng.standard_normal(count), 2)


def design(n: int, observed: np.ndarray, width: int, q: int, events: Atoms) -> np.ndarray:
    """Return the matrix that takes all coefficients to what they explain of a recording."""
    columns = []
    for unit in np.eye(q * width).reshape(-1, q, width, 1):
        atoms = events.component, events.time, events.coefficient
        columns.append(Waveforms(unit).add_up(n, *atoms)[:, 0] * observed)
    return np.stack(columns, axis=1)


# Sums and coordinates


@pytest.mark.parametrize("seed", range(5))
def test_sums_over_events_are_those_of_the_matrix_of_all_moves(seed):
    x, observed, events = random_events(seed=seed)
    D = design(len(x), observed, 7, 2, events)
    sums = event_sums(x, observed, 7, 2, events)
    assert_allclose(sums.normal, D.T @ D, atol=1e-12)
    assert_allclose(sums.cross, D.T @ x, atol=1e-12)


@pytest.mark.parametrize("size", [200, 333])
def test_sums_over_chunks_are_those_of_the_whole(size):
    x, start = recording(), to_blocks(two_shapes().u)
    coded, _ = shards_of(x, size=size).code(start, 1e-4)
    assert len(coded.parts) > 5
    whole = shards_of(x).starting_from(joined(p.own for p in coded.parts))
    one, two = coded.statistics(), whole.parts[0].statistics()
    assert_allclose(one.longer.normal, two.longer.normal, atol=1e-10)
    assert_allclose(one.longer.cross, two.longer.cross, atol=1e-10)
    assert_allclose(one.normal, two.normal, atol=1e-10)
    assert_allclose(one.cross, two.cross, atol=1e-10)
    assert_allclose(one.usage, two.usage)


def test_the_norm_in_blocks_is_that_on_the_line():
    u = np.random.default_rng(0).standard_normal((3, 12, 2))
    blocks = to_blocks(u)
    assert blocks.shape == (3, 1, 12, 2)
    assert_allclose(np.sqrt(np.sum(blocks**2, axis=(1, 2, 3))), norms_of(u))
    assert_allclose(from_blocks(blocks), u, atol=1e-12)


def test_the_dictionary_step_is_that_of_cvxpy():
    x, observed, events = random_events()
    D, q, width = design(len(x), observed, 7, 2, events), 2, 7
    sums = statistics_in_blocks(event_sums(x, observed, width, q, events), np.ones(q))
    start = to_blocks(Waveforms(np.random.default_rng(1).standard_normal((q, width, 2))).unit().u)
    u = from_blocks(constrained_least_squares(sums, start))
    U = cp.Variable((q * width, 2))
    gram = toeplitz(np.concatenate([GRAM, np.zeros(width - len(GRAM))]))
    root = np.linalg.cholesky(gram).T
    balls = [cp.norm(root @ U[j * width : (j + 1) * width], "fro") <= 1 for j in range(q)]
    program = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(x - D @ U)), balls)
    expected = program.solve(solver=cp.CLARABEL)
    found = 0.5 * np.sum((x - D @ u.reshape(q * width, 2)) ** 2)
    assert norms_of(u).max() <= 1 + 1e-6
    assert_allclose(found, expected, rtol=1e-6)


# Learning


@pytest.mark.parametrize("seed", range(3))
def test_learning_never_rises_and_comes_to_what_the_planted_waveforms_explain(seed):
    x = recording()
    noise = Waveforms.through(np.random.default_rng(seed).standard_normal((2, WIDTH, 1)))
    steps = run(shards_of(x), noise)
    objective = np.array([step.objective for step in steps])
    assert np.all(np.diff(objective) <= 1e-9 * objective[0])
    seen = ~np.isnan(x[:, 0])
    truth = code_line(np.nan_to_num(x), seen, two_shapes(), ALPHA).objective
    assert objective[-1] <= 1.02 * truth
    assert steps[-1].gap <= 1e-4


@pytest.mark.parametrize("size", [300, 700])
def test_learning_in_chunks_is_learning_from_the_whole(size):
    """While codes are strict; the objective falls, and spans are moved across borders."""
    x, away = recording(), np.roll(two_shapes().samples(), 6, axis=1)
    strict = {"gap": 1e-7, "max_iter": 4, "tol": 1e-9}
    start = to_blocks(Waveforms.through(away).u)
    whole, parts = (
        list(learn(State(shards_of(x, size=size), UnitBall(start), loosest=0.0), **strict))
        for size in (None, size)
    )
    for one, two in zip(whole, parts, strict=True):
        assert_allclose(one.objective, two.objective, rtol=1e-6)
        assert two.codes[0].gap <= 1e-7


def test_recordings_are_learned_from_together_as_if_a_long_gap_lay_between_them():
    x, y = recording(2000, 50, 1), recording(1500, 40, 2)
    joined = np.concatenate([x, np.full((WIDTH + 10, 1), np.nan), y])
    start = Waveforms.through(np.random.default_rng(0).standard_normal((2, WIDTH, 1)))
    one, two = run(shards_of(joined), start, 3), run(shards_of(x, y), start, 3)
    for whole, apart in zip(one, two, strict=True):  # early codes are within 3e-2
        assert_allclose(whole.objective, apart.objective, rtol=0.02)
    strict = {"gap": 1e-9, "max_iter": 2, "tol": 1e-9}
    runs = [
        list(learn(State(shards, UnitBall(to_blocks(start.u)), loosest=0.0), **strict))
        for shards in (shards_of(joined), shards_of(x, y))
    ]
    for whole, apart in zip(*runs, strict=True):
        assert_allclose(whole.objective, apart.objective, rtol=1e-6)


@pytest.mark.parametrize("off", [-9, 9])
def test_a_waveform_that_starts_off_centre_is_centred(off, monkeypatch):
    """Its span moves: so it comes to what it could not explain from where it was."""
    x, centred = recording(), two_shapes().samples()
    away = np.roll(centred, off, axis=1)
    away[:, WIDTH + off :] = 0.0
    away[:, : max(off, 0)] = 0.0
    steps = run(shards_of(x), Waveforms.through(away))
    objective = np.array([step.objective for step in steps])
    assert np.all(np.diff(objective) <= 1e-9 * objective[0])
    best = run(shards_of(x), two_shapes())[-1].objective
    assert objective[-1] <= 1.01 * best
    module = "orbitdl.domains.time.statistics.best_positions"
    monkeypatch.setattr(module, lambda longer, u: np.zeros(len(u), dtype=np.intp))
    assert run(shards_of(x), Waveforms.through(away))[-1].objective > 1.005 * objective[-1]


def test_a_waveform_that_nothing_uses_becomes_the_worst_stretch():
    x = recording()
    useless = two_shapes().u.copy()
    useless[1] = 0.0
    useless[1, 0] = 1e-3  # a click, which nothing in the recording is like
    steps = run(shards_of(x), Waveforms(useless).unit(), 8)
    assert steps[-1].objective < 0.9 * steps[0].objective


# Where to start, and how sparse


def test_starts_are_stretches_that_are_unlike_each_other():
    start = start_from_recordings(shards_of(recording()), 2, np.random.default_rng(0))
    assert_allclose(np.sum(start**2, axis=(1, 2, 3)), 1.0)
    u, truth = Waveforms(from_blocks(start)).samples(), two_shapes().samples()
    u, truth = (x / np.linalg.norm(x, axis=(1, 2), keepdims=True) for x in (u, truth))
    alike = np.array([max_correlation(padded_spectra(u), t) for t in truth])
    assert alike.max(axis=1).min() > 0.8  # each planted shape has a start


def test_likeness_is_the_largest_product_over_whole_shifts():
    rng = np.random.default_rng(0)
    y, a = rng.standard_normal((4, 9, 2)), rng.standard_normal((9, 2))
    padded = np.pad(a, [(9, 9), (0, 0)])
    expected = [max(abs(np.sum(one * padded[s : s + 9])) for s in range(19)) for one in y]
    assert_allclose(max_correlation(padded_spectra(y), a), expected)


@pytest.mark.parametrize("x", [np.zeros((50, 1)), np.full((60, 1), np.nan), np.ones((5, 1))])
def test_recordings_without_a_stretch_start_from_noise(x):
    start = start_from_recordings(shards_of(x), 2, np.random.default_rng(0))
    assert_allclose(np.sum(start**2, axis=(1, 2, 3)), 1.0)


def test_a_start_from_data_comes_to_what_the_planted_waveforms_explain():
    x = recording()
    shards = shards_of(x)
    start = Waveforms(from_blocks(start_from_recordings(shards, 2, np.random.default_rng(0))))
    truth = code_line(np.nan_to_num(x), ~np.isnan(x[:, 0]), two_shapes(), ALPHA).objective
    assert run(shards, start)[-1].objective <= 1.01 * truth


def test_alpha_is_just_above_what_noise_alone_reaches():
    """The largest correlation with Gaussian noise is close to, and mostly below, the bound."""
    waveforms, rng = two_shapes(), np.random.default_rng(0)
    for _ in range(5):
        x = 0.3 * rng.standard_normal((20_000, 1))
        top = largest_correlation(correlations(x, waveforms))
        assert 0.75 * top < above_noise(shards_of(x), waveforms, len(x)).value < 1.35 * top


@pytest.mark.parametrize("width", [1, 3, 12])
def test_the_noise_level_is_that_of_correlations_with_the_waveform(width):
    """Not with its spline coefficients, which are larger the sharper it is."""
    shape = np.zeros((1, 16, 1))
    shape[0, 2 : 2 + width, 0] = np.hanning(width + 2)[1:-1] * (-1.0) ** np.arange(width)
    waveforms, rng = Waveforms.through(shape), np.random.default_rng(0)
    x = rng.standard_normal((50_000, 1))
    sampled = waveforms.add_up(16, np.zeros(1, dtype=np.intp), np.zeros(1), np.ones(1))
    expected = np.std(np.correlate(x[:, 0], sampled[:, 0]))
    assert_allclose(correlation_noise(shards_of(x), waveforms), expected, rtol=0.03)


def test_alpha_exceeds_what_noise_reaches_with_any_of_many_waveforms():
    rng = np.random.default_rng(0)
    slow = np.convolve(rng.standard_normal(20_050), np.ones(51) / 51, "valid")[:, None]
    shapes = Waveforms.through(np.stack([np.hanning(20), (-1.0) ** np.arange(20)])[:, :, None])
    one, both = Waveforms(shapes.u[:1]), shapes
    assert above_noise(shards_of(slow), both, len(slow)).value > largest_correlation(
        correlations(slow, one)
    )
    white = shards_of(rng.standard_normal((5000, 1)))
    twice = Waveforms(np.concatenate([one.u, one.u]))
    alphas = [above_noise(white, waveforms, 5000).value for waveforms in (one, twice)]
    assert_allclose(alphas[1] / alphas[0], np.sqrt(np.log(10_000) / np.log(5000)), rtol=2e-3)


def test_an_automatic_alpha_does_not_ask_for_dense_codes():
    """Breathing without noise: waves that follow each other at once, no two of them the same."""
    rng = np.random.default_rng(0)
    phase = np.cumsum(2 * np.pi / (60 + 10 * np.sin(np.arange(6000) / 200)))
    size = np.convolve(rng.standard_normal(6099), np.ones(100) / 10, "valid")
    x = np.sin(phase) * (1 + 0.2 * size)
    model = WaveformLearning(1, 60, n_restarts=1, max_iter=3, random_state=0, noise="white")
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model.fit(x)
    assert "atoms per waveform length" in model.provenance_["alpha"]
    assert len(model.codes_.atoms.time) < 20 * 100


def test_events_do_not_raise_the_level_of_noise():
    waveforms, rng = two_shapes(), np.random.default_rng(0)
    x = 0.1 * rng.standard_normal((20_000, 1))
    time = np.sort(rng.uniform(0, 19_000, 60))
    busy = x + waveforms.add_up(20_000, rng.integers(2, size=60), time, 5 * np.ones(60))
    quiet, loud = (above_noise(shards_of(y), waveforms, len(y)).value for y in (x, busy))
    assert quiet <= loud <= 1.3 * quiet


def test_where_few_stretches_are_events_the_typical_ones_are_those_that_stand_out():
    rng, shape = np.random.default_rng(0), two_shapes().samples()[:1]
    strong = 8.0 * shape / np.linalg.norm(shape) + rng.standard_normal((20, *shape.shape[1:]))
    noise = Pool(strong, rng.standard_normal((200, *shape.shape[1:])))
    assert 0 < len(noise.typical(1)) <= 20
    events = Pool(strong[:10], strong[10:])
    assert_allclose(events.typical(1), strong[10:])
