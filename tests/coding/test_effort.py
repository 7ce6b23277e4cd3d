"""Small problems take few steps: effort is counted, not timed."""

import numpy as np
import pytest
from reference import reference_objective

from orbitdl import encode
from orbitdl.coding import working_set
from orbitdl.coding.choice import default_coder
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.encoding.samples import Samples
from orbitdl.groups import ContinuousShift, IntegerShift, Orthogonal
from orbitdl.learning import masked_dictionary
from orbitdl.learning.sample_shard import SampleShards


def unit(A):
    return A / np.linalg.norm(A.reshape(len(A), -1), axis=1).reshape(-1, *[1] * (A.ndim - 1))


def count_calls(monkeypatch, owner, name):
    """Return a list that gets an entry whenever the function or method is called."""
    calls, original = [], getattr(owner, name)

    def counted(*arguments, **settings):
        calls.append(name)
        return original(*arguments, **settings)

    monkeypatch.setattr(owner, name, counted)
    return calls


def rotated(seed, shape, q, n, missing):
    """Return planted data under rotations with gaps, components, and the alpha that codes to 0."""
    rng = np.random.default_rng(seed)
    rotations = Orthogonal().on(shape)
    A = unit(rng.standard_normal((q, *shape)))
    X = np.zeros((n, *shape))
    for _ in range(3):
        chosen = A[rng.integers(q, size=n)]
        size = rng.standard_normal(n)[:, None, None]
        X += size * rotations.act(rotations.sample(rng, n), chosen)
    mask = rng.uniform(size=X.shape) >= missing
    correlation = np.einsum("nik,qjk->nqij", X * mask, A)
    return X, mask, A, np.linalg.norm(correlation, ord="nuc", axis=(2, 3)).max()


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("shape", [(4, 3), (3, 3), (5, 6), (2, 6)])
def test_a_small_alpha_does_not_make_rotations_slow(monkeypatch, shape, missing):
    X, mask, A, largest = rotated(0, shape, q=5, n=20, missing=missing)
    decompositions = count_calls(monkeypatch, np.linalg, "svd")
    codes = encode(X, A, group=Orthogonal(), alpha=0.003 * largest, mask=mask)
    assert codes.gap.max() <= 1e-4
    assert len(decompositions) <= 700


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_rotations_at_a_small_alpha_agree_with_cvxpy(missing):
    X, mask, A, largest = rotated(1, (3, 4), q=4, n=4, missing=missing)
    codes = encode(X, A, group=Orthogonal(), alpha=0.003 * largest, mask=mask)
    holed = np.where(mask, X, np.nan)
    expected = reference_objective(Orthogonal(), holed, A, 0.003 * largest)
    assert np.all(codes.objective >= expected * (1 - 1e-6))
    assert np.all(codes.objective * (1 - codes.gap) <= expected * (1 + 1e-6))
    assert codes.gap.max() <= 1e-4


def holed_codes(group, n, length, q, seed=0):
    """Return an action, components, and noise with gaps that is coded with them."""
    rng = np.random.default_rng(seed)
    action = group.on((length,))
    A = unit(action.project(rng.standard_normal((q, length))))
    X, mask = rng.standard_normal((n, length)), rng.uniform(size=(n, length)) >= 0.3
    codes = encode(X, A, group=group, alpha=0.5, mask=mask)
    samples = Samples.of(X, group, mask)
    shards = SampleShards.cut(samples, default_coder(action), 0.5, largest=200)
    shards = shards.starting_from(codes.atoms)
    return action, action.analyze(A), shards


@pytest.mark.parametrize("group", [IntegerShift(), ContinuousShift()])
@pytest.mark.parametrize(("n", "passes"), [(3, 10), (30, 10), (300, 20)])
def test_a_dictionary_step_with_missing_entries_passes_over_the_data_few_times(
    monkeypatch, group, n, passes
):
    action, A, shards = holed_codes(group, n, length=24, q=3)
    monkeypatch.setattr(masked_dictionary, "MAX_MULTIPLICATIONS", 1e7, raising=False)
    signals = count_calls(monkeypatch, type(action), "synthesize")
    shards.step(UnitBall(A), shards.statistics())
    assert len(signals) <= passes * len(shards.parts)


def test_filling_in_missing_entries_reaches_what_the_whole_matrix_gives(monkeypatch):
    action, A, shards = holed_codes(ContinuousShift(), 300, length=24, q=3)

    def loss(components):
        fitted = action.synthesize(shards.atoms.superpose(action, components))
        data = [part.samples for part in shards.parts]
        signal, observed = (
            np.concatenate([getattr(part, name) for part in data])
            for name in ("signal", "observed")
        )
        return 0.5 * np.sum((signal - observed * fitted) ** 2)

    losses = []
    for few in (0.0, np.inf):
        monkeypatch.setattr(masked_dictionary, "MAX_MULTIPLICATIONS", few)
        for dictionary in (UnitBall(A, normalize_after=True), UnitBall(A)):
            losses.append(loss(shards.step(dictionary, shards.statistics())[1].expand()))
    np.testing.assert_allclose(losses[:2], losses[2:], rtol=1e-7)


@pytest.mark.parametrize("seed", range(12))
def test_masked_continuous_shifts_are_coded_in_few_rounds(seed, monkeypatch):
    """Wide pulses that nearly coincide, of which much is missing: no going in circles."""
    rounds = count_calls(monkeypatch, working_set, "look_for_atoms")
    rng, t = np.random.default_rng(seed), np.arange(30)
    moves = ContinuousShift().on((30,))
    A = np.array([np.exp(-0.5 * ((t - 15) / w) ** 2) for w in rng.uniform(0.5, 8, 4)])
    A = moves.project(A) / np.linalg.norm(moves.project(A), axis=1, keepdims=True)
    X = 1e-3 * rng.standard_normal((10, 30))
    for _ in range(4):
        X += rng.standard_normal((10, 1)) * moves.act(
            moves.sample(rng, 10), A[rng.integers(0, 4, 10)]
        )
    X[rng.uniform(size=X.shape) < rng.uniform(0.1, 0.6)] = np.nan
    codes = encode(X, A, group=ContinuousShift(), alpha=10.0 ** rng.uniform(-3, -1))
    assert codes.gap.max() <= 1e-4
    assert len(rounds) <= 60
