"""The sliding coder against the semidefinite program, fine grids, brute force and planted truth."""

import numpy as np
import pytest
from reference import reference_objective

from orbitdl import encode
from orbitdl.coding import ActiveSet, Sliding
from orbitdl.coding.certificate import certify
from orbitdl.coding.problem import Problem
from orbitdl.datasets import load_ecg, segment
from orbitdl.groups import ContinuousShift, ImageRotation, InterpolatedShift


def unit(x):
    return x / np.linalg.norm(x, axis=tuple(range(1, x.ndim)), keepdims=True)


def smooth_components(rng, q, length, bandwidth=0.5):
    """Draw band-limited components, as sampled waveforms are."""
    spectrum = np.fft.rfft(rng.standard_normal((q, length)))
    spectrum[:, int(bandwidth * length / 2) :] = 0
    return unit(np.fft.irfft(spectrum, n=length))


def move(a, shift):
    return ContinuousShift().on(a.shape).act(np.array([shift]), a)


@pytest.mark.parametrize("shape", [(9,), (10,), (7, 2), (8, 3)])
@pytest.mark.parametrize("q", [1, 2])
def test_objectives_agree_with_the_semidefinite_program(shape, q):
    rng = np.random.default_rng(3)
    X, A = rng.standard_normal((4, *shape)), unit(rng.standard_normal((q, *shape)))
    codes = encode(X, A, group=ContinuousShift(), alpha=0.3, coder=Sliding(tol=1e-8))
    reference = reference_objective(ContinuousShift(), X, A, 0.3)
    np.testing.assert_allclose(codes.objective, reference, rtol=1e-6)


@pytest.mark.parametrize("length", [40, 61])
def test_objectives_lie_just_below_those_of_a_very_fine_grid(length):
    rng = np.random.default_rng(5)
    X, A = unit(rng.standard_normal((20, length))), smooth_components(rng, 2, length)
    fine = encode(X, A, group=InterpolatedShift(64), alpha=0.1, coder=ActiveSet(tol=1e-9))
    codes = encode(X, A, group=ContinuousShift(), alpha=0.1, coder=Sliding(tol=1e-9))
    assert np.all(codes.objective <= fine.objective * (1 + 1e-9))
    np.testing.assert_allclose(codes.objective, fine.objective, rtol=2e-5)


def test_objectives_fall_towards_the_continuous_one_as_the_grid_is_refined():
    rng = np.random.default_rng(6)
    X, A = unit(rng.standard_normal((30, 51))), unit(rng.standard_normal((2, 51)))
    totals = [
        encode(X, A, group=InterpolatedShift(k), alpha=0.1, coder=ActiveSet(tol=1e-7)).objective
        for k in (1, 2, 4, 8, 16)
    ]
    limit = encode(X, A, group=ContinuousShift(), alpha=0.1, coder=Sliding(tol=1e-7)).objective
    distances = [float(np.sum(total - limit)) for total in totals]
    assert all(coarse > fine > 0 for coarse, fine in zip(distances, distances[1:], strict=False))
    assert distances[-1] < 0.02 * distances[0]


@pytest.mark.parametrize("length", [32, 45])
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8])
def test_the_gap_is_never_optimistic(length, tol):
    """Recompute the dual bound from the certificate on a grid of 400 points a sample."""
    rng = np.random.default_rng(length)
    X, A = rng.standard_normal((20, length)), unit(rng.standard_normal((2, length)))
    moves, alpha = ContinuousShift().on((length,)), 0.2
    codes = encode(X, A, group=ContinuousShift(), alpha=alpha, coder=Sliding(tol=tol))
    Y, blocks = moves.analyze(X), moves.analyze(A)
    residual = Y - codes.atoms.superpose(moves, blocks)
    angle = 2 * np.pi * np.arange(400 * length) / (400 * length)
    waves = np.exp(1j * np.outer(np.arange(Y.shape[1]), angle))
    dense = np.abs(np.real((residual[:, None] * blocks.conj())[..., 0, 0] @ waves)).max(axis=(1, 2))
    assert dense.shape == (20,)
    energy = np.sum(np.abs(residual) ** 2, axis=(1, 2, 3))
    product = np.sum((Y.conj() * residual).real, axis=(1, 2, 3))
    scale = np.minimum(product / energy, alpha / dense)
    bound = scale * product - 0.5 * scale**2 * energy
    unmoved = 0.5 * (np.sum(X**2, axis=1) - np.sum(np.abs(Y) ** 2, axis=(1, 2, 3)))
    true_gap = (codes.objective - unmoved - bound) / codes.objective
    assert np.all(codes.gap >= true_gap - 1e-13)
    assert np.all(codes.gap <= tol)


def test_one_atom_exactly_is_found_exactly():
    rng = np.random.default_rng(7)
    a = unit(rng.standard_normal((1, 31)))
    for shift in rng.uniform(0, 31, 20):
        x, coder = 2 * move(a[0], shift), Sliding(tol=1e-10)
        frame = encode(x[None], a, group=ContinuousShift(), alpha=0.1, coder=coder).to_frame()
        assert len(frame) == 1
        # the objective is quadratic around its minimum: a gap of 1e-10 leaves errors of 1e-5
        np.testing.assert_allclose(frame["shift"], shift, atol=1e-5)
        np.testing.assert_allclose(frame["coefficient"], 1.9, atol=1e-5)


def planted(rng, length=101, n=30):
    """Return samples of three well separated atoms each, with their shifts (n, 3)."""
    a = smooth_components(rng, 1, length, bandwidth=0.8)
    shifts = np.sort(rng.uniform(0, 10, (n, 3)) + np.array([5, 35, 70]), axis=1)
    sizes = rng.choice([-1, 1], (n, 3)) * rng.uniform(1, 2, (n, 3))
    moves = ContinuousShift().on((length,))
    moved = moves.act(shifts[..., None], np.broadcast_to(a[0], (n, 3, length)))
    X = np.einsum("nk,nkt->nt", sizes, moved)
    return X, a, shifts


def shift_errors(X, a, shifts, alpha):
    """Return the distance from every planted shift to the nearest atom found."""
    codes = encode(X, a, group=ContinuousShift(), alpha=alpha, coder=Sliding(tol=1e-7))
    errors = []
    for i, truth in enumerate(shifts):
        first, last = codes.atoms.offsets[i], codes.atoms.offsets[i + 1]
        found = codes.atoms.element[first:last, 0]
        apart = np.abs(found[None] - truth[:, None])
        errors.append(np.minimum(apart, a.shape[1] - apart).min(axis=1))
    return np.array(errors)


def test_planted_shifts_are_found_to_a_thousandth_of_a_sample():
    X, a, shifts = planted(np.random.default_rng(8))
    assert shift_errors(X, a, shifts, 1e-3).max() < 1e-3


def test_shifts_get_better_as_noise_falls():
    rng = np.random.default_rng(9)
    X, a, shifts = planted(rng)
    noise = rng.standard_normal(X.shape)
    medians = [np.median(shift_errors(X + s * noise, a, shifts, 3 * s)) for s in (0.1, 0.01, 0.001)]
    assert medians[0] > 3 * medians[1] > 9 * medians[2]
    assert medians[1] < 0.02


HARD = {
    "broadband": lambda rng: unit(rng.standard_normal((2, 64))),
    "nearly identical": lambda rng: unit(
        np.tile(smooth_components(rng, 1, 64), (2, 1)) + 1e-3 * rng.standard_normal((2, 64))
    ),
    "narrow spectrum": lambda rng: unit(np.cos(2 * np.pi * np.outer([3, 7], np.arange(64)) / 64)),
    "constant": lambda rng: unit(np.stack([np.ones(64), smooth_components(rng, 1, 64)[0]])),
    "a zero component": lambda rng: np.stack([np.zeros(64), smooth_components(rng, 1, 64)[0]]),
}


@pytest.mark.parametrize("alpha", [0.3, 0.1, 0.01])
@pytest.mark.parametrize("kind", HARD)
def test_hard_components_are_coded_to_tolerance(kind, alpha):
    rng = np.random.default_rng(10)
    A, X = HARD[kind](rng), unit(rng.standard_normal((40, 64)))
    codes = encode(X, A, group=ContinuousShift(), alpha=alpha)
    assert codes.gap.max() <= 1e-4


def test_opposite_atoms_half_a_sample_apart_are_kept_when_optimal():
    rng = np.random.default_rng(11)
    a = unit(rng.standard_normal((1, 64)))
    x = move(a[0], 20.0) - move(a[0], 20.5)
    codes = encode(x[None], a, group=ContinuousShift(), alpha=0.003, coder=Sliding(tol=1e-8))
    frame = codes.to_frame()
    assert codes.gap[0] <= 1e-8
    near = frame[(frame["shift"] > 19.5) & (frame["shift"] < 21)]
    assert near["coefficient"].min() < -0.5
    assert near["coefficient"].max() > 0.5


def ecg_windows():
    try:
        recording = load_ecg("100")
    except (OSError, ImportError) as missing:
        pytest.skip(f"record 100 is not at hand: {missing}")
    return segment(recording.signal, 201, 10)[:1000]


@pytest.mark.parametrize("q", [1, 2, 3, 4])
def test_every_ecg_window_reaches_its_tolerance(q):
    X = ecg_windows()
    A = X[:: 1000 // q][:q]
    for alpha in (0.05, 0.1, 0.2):
        codes = encode(X, A, group=ContinuousShift(), alpha=alpha)
        assert codes.gap.max() <= 1e-4
        tight = Sliding(tol=1e-8)
        moves = ContinuousShift().on((201,))
        blocks = moves.analyze(A)
        gap = tight.code(moves, moves.analyze(X), blocks, alpha, codes.atoms, warn=False).gap
        assert np.mean(gap <= 1e-8) >= 0.99


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_one_event_is_one_atom(missing):
    """A pulse, fitted closely: no second atom of the same sign a thousandth of a sample away."""
    rng = np.random.default_rng(0)
    t = np.arange(64) - 30.0
    shape = np.exp(-0.5 * (t / 2.5) ** 2) - 0.3 * np.exp(-0.5 * ((t - 9) / 3) ** 2)
    shape /= np.linalg.norm(shape)
    shifts = ContinuousShift().on((64,))
    places = rng.uniform(0, 64, (300, 1))
    X = rng.uniform(1, 6, (300, 1)) * shifts.act(places, np.tile(shape, (300, 1)))
    X += 1e-3 * rng.standard_normal(X.shape)
    X[rng.uniform(size=X.shape) < missing] = np.nan
    events = encode(X, [shape], group=ContinuousShift(), alpha=0.02).to_frame()
    for _, own in events.groupby("sample"):
        place, sign = own["shift"].to_numpy(), np.sign(own["coefficient"].to_numpy())
        apart = np.abs((place[:, None] - place + 32) % 64 - 32)
        same = (sign[:, None] == sign) & ~np.eye(len(own), dtype=bool)
        assert not np.any(same & (apart < 0.01))


@pytest.mark.parametrize("length", [1, 2, 7, 9, 15, 24, 39])
def test_constant_data_are_coded_by_atoms_that_depend_on_each_other(length):
    rng = np.random.default_rng(length)
    A = rng.standard_normal((1, length))
    codes = encode(np.ones((1, length)), A, group=ContinuousShift(), alpha=0.1)
    assert np.isfinite(codes.objective).all()
    assert codes.gap[0] <= 1e-4


# Where it was too small or singular


@pytest.mark.parametrize("channels", [1, 3])
def test_a_constant_component_beside_another_is_no_trouble(channels):
    rng = np.random.default_rng(2)
    A = np.ones((2, 4, channels))
    A[1] += rng.standard_normal((4, channels))
    A /= np.linalg.norm(A, axis=(1, 2), keepdims=True)
    X = rng.standard_normal((200, 4, channels))
    codes = encode(X, A, group=ContinuousShift(), alpha=0.2, coder=Sliding(tol=1e-8))
    assert codes.gap.max() <= 1e-8


def test_samples_of_many_channels_may_hold_more_atoms_than_two_a_sample():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((6, 21, 4))
    A /= np.linalg.norm(A, axis=(1, 2), keepdims=True)
    X = rng.standard_normal((6, 21, 4))
    X /= np.linalg.norm(X, axis=(1, 2), keepdims=True)
    codes = encode(X, A, group=ContinuousShift(), alpha=0.01)
    assert np.diff(codes.atoms.offsets).max() > 2 * 21 + 8
    assert codes.gap.max() <= 1e-4


def recording_of_events(rng, shape, events, q):
    """Return one long window of pulses at random places, and their components."""
    each, t = (q, 1, *shape[1:]), (np.arange(60) - 30.0).reshape(60, *[1] * len(shape[1:]))
    width, lag = rng.uniform(3, 6, each), rng.uniform(-6, 6, each)
    pulses = np.exp(-0.5 * (t / width) ** 2) - 0.5 * np.exp(-0.1 * (t - lag) ** 2)
    A = np.zeros((q, *shape))
    A[:, :60] = pulses
    A = unit(A)
    places, kinds = rng.uniform(0, shape[0], (events, 1)), rng.integers(q, size=events)
    sizes = rng.uniform(1, 2, events)
    moved = ContinuousShift().on(shape).act(places, A[kinds])
    return np.einsum("k,k...->...", sizes, moved), A, sizes


@pytest.mark.parametrize(("shape", "q"), [((20_000,), 2), ((8_000, 3), 2)])
def test_a_long_window_of_many_events_is_coded_in_room_that_follows_its_atoms(shape, q):
    x, A, sizes = recording_of_events(np.random.default_rng(12), shape, 200, q)
    codes = encode(x[None], A, group=ContinuousShift(), alpha=0.2)
    assert codes.gap[0] <= 1e-4
    assert codes.objective[0] <= 0.2 * sizes.sum()  # that of the planted events
    assert len(codes.atoms.coefficient) >= 150


def test_a_code_does_not_depend_on_the_samples_beside_it():
    """Loud neighbours make the tables finer, crowded ones need more room: not so for others."""
    rng = np.random.default_rng(0)
    A, X = unit(rng.standard_normal((2, 64))), unit(rng.standard_normal((24, 64)))
    X *= 10 ** rng.uniform(-1, 2, (24, 1))
    together = encode(X, A, group=ContinuousShift(), alpha=0.1)
    for i in range(0, 24, 3):
        alone = encode(X[i : i + 1], A, group=ContinuousShift(), alpha=0.1)
        np.testing.assert_allclose(alone.objective[0], together.objective[i], rtol=1e-9)
        same = together.atoms.take(slice(i, i + 1)).coefficient
        np.testing.assert_allclose(alone.atoms.coefficient, same, rtol=1e-6)


@pytest.mark.parametrize("tol", [1e-4, 1e-8])
def test_nearly_every_sample_is_done_at_the_first_try(tol):
    """Peaks near alpha must be refined: parabolas through grid values are off by some per cent."""
    rng = np.random.default_rng(15)
    moves = ContinuousShift().on((64,))
    X, A = unit(rng.standard_normal((300, 64))), unit(rng.standard_normal((2, 64)))
    problem = Problem(moves, moves.analyze(X), moves.analyze(A), 0.1)
    _, gap = certify(problem, Sliding(tol=tol).solve(problem, None))
    assert np.mean(gap <= tol) >= 0.97


def test_joining_atoms_does_not_undo_what_rounds_gain():
    """On a circle of five cells, with components that are there twice, many atoms nearly meet."""
    rng, turn = np.random.default_rng(1), ImageRotation(reflections=True)
    A, action = unit(rng.standard_normal((2, 5, 5))), turn.on((5, 5))
    X = np.zeros((200, 5, 5))
    for x in X:
        weights, chosen, moves = (
            rng.uniform(0.5, 2, 2),
            rng.integers(2, size=2),
            action.sample(rng, 2),
        )
        x += sum(w * action.act(g, A[j]) for w, j, g in zip(weights, chosen, moves, strict=True))
    X += 0.01 * rng.standard_normal(X.shape)
    codes = encode(X, np.concatenate([A, A]), group=turn, alpha=0.04)
    assert codes.gap.max() <= 1e-4
