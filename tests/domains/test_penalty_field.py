"""Penalties that depend on position and component: against CVXPY, dense grids and invariances."""

import pickle
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_line import CUBIC, everything, noise, pulses, recording, spline
from test_line_learning import ALPHA, WIDTH, run, two_shapes
from test_line_learning import recording as long_recording

from orbitdl.coding.sliding.oracle import look
from orbitdl.coding.sliding.state import make_state
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.domains.time.atoms import no_atoms
from orbitdl.domains.time.chunks import code_recording, split_recording
from orbitdl.domains.time.coder import RecordingCoder, residual_for
from orbitdl.domains.time.coordinates import to_blocks
from orbitdl.domains.time.correlations import correlations
from orbitdl.domains.time.penalty import LevelField, largest_relative, taps_of
from orbitdl.domains.time.residuals import truncated_window
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.sweeps import make_blocks, make_workspace
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.kernels import fast


def smooth(rows: int = 1, n: int = 90) -> LevelField:
    """Return a field that varies over a recording, differently for every row."""
    knots = np.linspace(-10, n + 5, 7)
    phase = np.arange(rows)[:, None]
    return LevelField(knots, 1.3 + 0.9 * np.sin(knots / 14 + phase))


def rough(rows: int = 1, n: int = 90, seed: int = 0) -> LevelField:
    """Return a field with random taps between 0.6 and 3: a factor of 5 from one to the next."""
    rng = np.random.default_rng(seed)
    return LevelField(np.arange(-30, n + 30), rng.uniform(0.6, 3.0, (rows, n + 60)))


FIELDS = {"smooth": smooth, "rough": rough}


def values_of(field, j: int, tau: np.ndarray) -> np.ndarray:
    """Return ``p_j(tau)`` by SciPy's splines."""
    first, last = int(np.floor(np.min(tau))) - 3, int(np.ceil(np.max(tau))) + 4
    taps = field.taps(first, last)
    row = taps[j if len(taps) > 1 else 0]
    return np.nan_to_num(CUBIC(np.asarray(tau)[:, None] - np.arange(first, last))) @ row


def code(x, seen, field, waveforms, alpha=0.2, tol=1e-7, size=None, n_jobs=None, **options):
    signal = Signal(np.where(seen[:, None], x, np.nan), penalty=field)
    coder = RecordingCoder(waveforms, alpha, tol, **options)
    return code_recording(split_recording(signal, waveforms.length, size), coder, n_jobs).codes(
        coder
    )


def objective_of(x, seen, field, waveforms, alpha, codes) -> float:
    """Evaluate the weighted objective independently."""
    left, weight, t = x.copy(), 0.0, np.arange(len(x))
    for j, tau, c in zip(
        codes.atoms.component, codes.atoms.time, codes.atoms.coefficient, strict=True
    ):
        left -= c * spline(waveforms.u[j], t - tau)
        weight += abs(c) * values_of(field, j, np.array([tau]))[0]
    return 0.5 * np.sum(left[seen] ** 2) + alpha * weight


def weighted_lasso(x, seen, field, waveforms, alpha, times, positive) -> float:
    """Return the optimal value over atoms at some times, by CVXPY."""
    t, pairs = np.arange(len(x)), [(j, tau) for j in range(len(waveforms)) for tau in times]
    D = np.stack([spline(waveforms.u[j], t - tau)[seen].ravel() for j, tau in pairs], axis=1)
    p = np.concatenate([values_of(field, j, times) for j in range(len(waveforms))])
    c = cp.Variable(D.shape[1], nonneg=positive)
    penalty = alpha * (p @ (c if positive else cp.abs(c)))
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(x[seen].ravel() - D @ c) + penalty))
    return float(problem.solve(solver=cp.CLARABEL))


def with_gap(waveforms, n: int = 90, events: int = 8):
    x = recording(waveforms, n=n, events=events)
    seen = everything(x)
    seen[40:44] = False
    return x, seen


# Fields


def test_taps_are_interpolated_between_knots_and_constant_beyond():
    field = LevelField([2, 6], [[1.0, 3.0], [2.0, 4.0]])
    assert_allclose(field.taps(0, 8)[0], [1, 1, 1, 1.5, 2, 2.5, 3, 3])
    assert_allclose(field.taps(-100, -98), [[1, 1], [2, 2]])
    assert_allclose(field.taps(100, 101), [[3], [4]])
    copy = pickle.loads(pickle.dumps(field))
    assert_array_equal(copy.taps(0, 8), field.taps(0, 8))


@pytest.mark.parametrize(
    ("times", "values", "message"),
    [
        ([0, 1], [[1.0, 0.0]], "positive"),
        ([0, 1], [[1.0, np.nan]], "positive"),
        ([1, 1], [[1.0, 2.0]], "ascending"),
        ([0, 1, 2], [[1.0, 2.0]], "shape"),
        ([0, 1], [1.0, 2.0], "shape"),
    ],
)
def test_fields_that_are_none_are_refused(times, values, message):
    with pytest.raises(ValueError, match=message):
        LevelField(times, values)


def test_a_field_has_one_row_or_one_for_each_component():
    waveforms = pulses()
    x = recording(waveforms)
    with pytest.raises(ValueError, match="one for each of 2 components"):
        code(x, everything(x), smooth(3), waveforms)


# Optima


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize("positive", [False, True], ids=["any sign", "positive"])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("make", [pulses, noise], ids=["pulses", "noise"])
def test_codes_at_integer_positions_are_those_of_cvxpy(make, channels, positive, kind):
    waveforms, field = make(channels=channels), FIELDS[kind](rows=2)
    x, seen = with_gap(waveforms)
    codes = code(x, seen, field, waveforms, integer_shifts=True, positive=positive)
    times = np.arange(-waveforms.length - 2.0, len(x) + 2)
    best = weighted_lasso(x, seen, field, waveforms, 0.2, times, positive)
    assert codes.gap <= 1e-7
    assert_allclose(codes.objective, best, rtol=1e-6)
    assert_allclose(codes.objective, objective_of(x, seen, field, waveforms, 0.2, codes))


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize("positive", [False, True], ids=["any sign", "positive"])
@pytest.mark.parametrize("channels", [1, 2])
def test_codes_at_any_time_are_as_good_as_a_lasso_on_a_fine_grid(channels, positive, kind):
    waveforms, field = pulses(channels=channels), FIELDS[kind](rows=2)
    x, seen = with_gap(waveforms)
    codes = code(x, seen, field, waveforms, positive=positive)
    times = np.arange(-waveforms.length - 2.0, len(x) + 2, 1 / 8)
    fine = weighted_lasso(x, seen, field, waveforms, 0.2, times, positive)
    assert codes.gap <= 1e-7
    assert codes.objective <= fine * (1 + 1e-7)
    assert_allclose(codes.objective, fine, rtol=5e-3)
    assert_allclose(codes.objective, objective_of(x, seen, field, waveforms, 0.2, codes))


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize("factor", [0.1, 1.0, 3.0, 10.0])
def test_the_lower_bound_of_codes_that_are_not_optimal_is_below_the_optimum(factor, kind):
    """Codes of another alpha are far from optimal; their certificate still holds."""
    waveforms, field, alpha = pulses(), FIELDS[kind](rows=2), 0.2
    x, seen = with_gap(waveforms)
    signal = Signal(np.where(seen[:, None], x, np.nan), penalty=field)
    other = RecordingCoder(waveforms, factor * alpha, 1e-3)
    (chunk,) = code_recording(split_recording(signal, waveforms.length), other).chunks
    found = chunk.certificate(RecordingCoder(waveforms, alpha))
    bound = found.objective(alpha) * (1 - found.gap(alpha))
    best = code(x, seen, field, waveforms, alpha, 1e-8).objective
    assert bound <= best * (1 + 1e-7)
    assert found.objective(alpha) >= best * (1 - 1e-7)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("positive", [False, True], ids=["any sign", "positive"])
@pytest.mark.parametrize("integer_shifts", [False, True], ids=["any time", "integer"])
def test_the_polar_bounds_a_dense_evaluation(integer_shifts, positive, seed):
    rng = np.random.default_rng(seed)
    waveforms, n = noise(channels=1, seed=seed), 40
    x, field = rng.standard_normal((n, 1)), rough(2, n, seed)
    places = np.arange(-11.0, n + 1, 1 if integer_shifts else 1 / 64)
    ratios = []
    for j, u in enumerate(waveforms.u):
        late = (np.arange(n) - places[:, None]).ravel()
        eta = spline(u, late).reshape(len(places), n) @ x[:, 0]
        ratios.append((eta if positive else np.abs(eta)) / values_of(field, j, places))
    dense = np.max(ratios)
    e = correlations(x, waveforms)
    taps = taps_of(field, -waveforms.offset, e.shape[1] - waveforms.offset, 2)
    restricted = {"positive": positive, "integer_shifts": integer_shifts}
    for alpha in dense * np.array([0.5, 0.9, 0.999, 1.001, 2.0]):
        bound = largest_relative(e, taps, alpha, **restricted)
        assert bound >= dense * (1 - 1e-12)
    near = largest_relative(e, taps, dense * 0.9999, **restricted)
    assert near <= dense * 1.01  # tight where alpha is near the polar


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_of_one_cell_holds_up_to_its_ends(seed):
    rng = np.random.default_rng(seed)
    e, taps = rng.standard_normal((1, 60)), rng.uniform(0.2, 3.0, (1, 60))
    d = np.linspace(0, 1, 101)
    weights = np.nan_to_num(CUBIC(np.arange(-1, 3) - d[:, None]))
    for m in range(1, 58):
        ratio = np.max(np.abs(weights @ e[0, m - 1 : m + 3]) / (weights @ taps[0, m - 1 : m + 3]))
        for alpha in ratio * np.array([0.5, 1.0, 2.0]):
            assert largest_relative(e, taps, alpha, m, m + 1) >= ratio * (1 - 1e-12)


@fast
def look_at_window(st, count, line, room):
    look(st, count, truncated_window(line, room, 2, line.e.shape[1] - 3))


def test_correlations_of_atoms_are_less_what_their_penalty_exceeds_alpha_by():
    """With two derivatives, by SciPy's splines."""
    waveforms, field, n, alpha = pulses(), rough(2), 90, 0.7
    coder = RecordingCoder(waveforms, alpha)
    x, seen = with_gap(waveforms)
    first = -waveforms.offset
    time, sign = np.array([-3.3, 20.4, 41.7, 60.0, 85.5]), np.array([1.0, -1, 1, -1, 1])
    looked_up = []
    for taps in (taps_of(field, first, first + n + 26, 2), None):
        line = residual_for(x * seen[:, None], seen, coder, no_atoms(len(coder.waveforms)), taps)
        state, room = make_state(5, 0), make_workspace(line, make_blocks(line.e.shape[1], n, 5))
        state.shift[:], state.component[:] = time + line.offset, [0, 1, 0, 1, 0]
        state.sign[:], state.c[:] = sign, sign
        look_at_window(state, 5, line, room)
        looked_up.append((state.b, state.eta))
    positions = np.arange(-30, 130)
    for order in range(3):
        B = CUBIC.derivative(order) if order else CUBIC
        p = np.nan_to_num(B(time[:, None] - positions)) @ field.taps(-30, 130).T
        excess = alpha * (p[np.arange(5), [0, 1, 0, 1, 0]] - (order == 0))
        for with_field, without in zip(*looked_up, strict=True):
            assert_allclose(with_field[order], without[order] - sign * excess, atol=1e-12)


@pytest.mark.parametrize("tol", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("kind", FIELDS)
def test_a_long_recording_is_coded_to_any_gap(kind, tol):
    waveforms = pulses()
    x = recording(waveforms, n=2000, events=200)
    codes = code(x, everything(x), FIELDS[kind](2, 2000), waveforms, tol=tol)
    assert codes.gap <= tol
    assert codes.atoms.time.min() < 0


def test_small_penalties_are_met_to_the_gap_too():
    waveforms = pulses()
    x, seen = with_gap(waveforms, 600, 40)
    field = LevelField([0, 300, 600], [[0.05, 1.0, 20.0]])
    assert code(x, seen, field, waveforms, 0.5, 1e-6).gap <= 1e-6


def test_waveforms_with_a_flat_correlation_are_coded_to_the_tolerance():
    """A plateau of the certificate has no strict maximum, also below a constant field."""
    x = np.zeros((120, 1))
    x[30:70] = 1.0
    waveforms = Waveforms(np.ones((1, 12, 1))).unit()
    for values in ([[2.0, 2.0]], [[1.0, 2.0]]):
        codes = code(x, everything(x), LevelField([0, 120], values), waveforms, 0.3, 1e-6)
        assert codes.gap <= 1e-6
        assert len(codes.atoms.time) > 0


# Invariances


def test_a_field_of_ones_changes_nothing():
    waveforms = pulses()
    x, seen = with_gap(waveforms, 300, 25)
    plain = code(x, seen, None, waveforms)
    ones = code(x, seen, LevelField([0], [[1.0]]), waveforms)
    assert_allclose(ones.objective, plain.objective, rtol=1e-12)
    assert_array_equal(ones.atoms.component, plain.atoms.component)
    assert_allclose(ones.atoms.time, plain.atoms.time, atol=1e-6)
    assert_allclose(ones.atoms.coefficient, plain.atoms.coefficient, atol=1e-6)


@pytest.mark.parametrize("factor", [0.5, 2.0])
@pytest.mark.parametrize("integer_shifts", [False, True], ids=["any time", "integer"])
def test_a_constant_field_is_another_alpha(factor, integer_shifts):
    waveforms = pulses()
    x, seen = with_gap(waveforms, 300, 25)
    other = code(x, seen, None, waveforms, 0.2 * factor, integer_shifts=integer_shifts)
    field = code(
        x,
        seen,
        LevelField([0], [[factor], [factor]]),
        waveforms,
        0.2,
        integer_shifts=integer_shifts,
    )
    assert_allclose(field.objective, other.objective, rtol=1e-7)


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize(("size", "n_jobs"), [(300, None), (300, 2), (411, 2)])
def test_chunks_come_to_the_answer_of_the_whole(size, n_jobs, kind):
    waveforms = pulses()
    x, seen = with_gap(waveforms, 2000, 180)
    field = FIELDS[kind](2, 2000)
    one = code(x, seen, field, waveforms, tol=1e-6)
    many = code(x, seen, field, waveforms, tol=1e-6, size=size, n_jobs=n_jobs)
    assert many.gap <= 1e-6
    assert_allclose(many.objective, one.objective, rtol=1e-6)
    assert_allclose(many.objective, objective_of(x, seen, field, waveforms, 0.2, many))


@pytest.mark.parametrize("scale", [1e-5, 1e4])
def test_the_unit_of_the_data_does_not_matter(scale):
    waveforms, field = pulses(), rough(2, 160)
    x = recording(waveforms)
    one = code(x, everything(x), field, waveforms, 0.2)
    other = code(scale * x, everything(x), field, waveforms, 0.2 * scale)
    assert_allclose(other.objective, scale**2 * one.objective, rtol=1e-6)


def test_a_gap_longer_than_a_waveform_separates_recordings():
    waveforms, field = pulses(), smooth(2, 200)
    parts = [recording(waveforms, n, 5, seed) for seed, n in enumerate((70, 110))]
    x = np.concatenate([parts[0], np.zeros((20, 1)), parts[1]])
    seen = np.repeat([True, False, True], [70, 20, 110])
    integer_shifts = code(x, seen, field, waveforms, tol=1e-9)
    later = LevelField(field.times - 90, field.values)
    one, two = (
        code(part, everything(part), own, waveforms, tol=1e-9)
        for part, own in zip(parts, (field, later), strict=True)
    )
    assert_allclose(integer_shifts.objective, one.objective + two.objective, rtol=1e-8)


# Learning


def off_centre() -> Waveforms:
    """Return waveforms that begin too late in their spans and are truncated there."""
    u = two_shapes().u
    return Waveforms(np.pad(u, [(0, 0), (12, 0), (0, 0)])[:, :WIDTH]).unit()


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize("size", [None, 700])
def test_no_iteration_of_learning_raises_the_objective(size, kind):
    x = long_recording()
    signal = Signal(x, penalty=FIELDS[kind](1, len(x)))
    shards = RecordingShards.cut([signal], WIDTH, ALPHA, size=size)
    objectives = [one.record.objective for one in run(shards, off_centre(), 12)]
    assert np.all(np.diff(objectives) <= 1e-9 * objectives[0])
    assert objectives[-1] < 0.97 * objectives[0]


@pytest.mark.parametrize("steep", [False, True], ids=["constant", "steep"])
def test_spans_move_only_where_the_penalty_allows_it(steep):
    """Atoms move with the spans of their waveforms: here out of narrow valleys of the field."""
    start = to_blocks(off_centre().u)
    shards = RecordingShards.cut([Signal(long_recording())], WIDTH, ALPHA)
    coded, _ = shards.code(start, 1e-4)
    positions, (codes,) = np.arange(-50, 3050), coded.codes
    values = np.full((2, len(positions)), 50.0 if steep else 1.0)
    for j, tau in zip(codes.atoms.component, codes.atoms.time, strict=True):
        values[j, np.abs(positions - tau) < 3] = 1.0
    field = LevelField(positions, values)
    parts = [replace(part, signal=replace(part.signal, penalty=field)) for part in coded.parts]
    known, statistics = replace(coded, parts=tuple(parts)), coded.statistics()
    _, moves = statistics.best(UnitBall(start))
    moved, _ = known.step(UnitBall(start), statistics)
    assert moves is not None
    assert_allclose(known.weight(2), np.abs(codes.atoms.coefficient).sum())
    expected = 0 * moves if steep else moves
    assert_allclose(
        moved.parts[0].own.time - codes.atoms.time, expected[codes.atoms.component], atol=1e-9
    )
