"""Small problems take few steps: effort is counted, not timed."""

import numpy as np
import pytest
from reference import reference_objective

from orbitdl import encode
from orbitdl.groups import Orthogonal


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
