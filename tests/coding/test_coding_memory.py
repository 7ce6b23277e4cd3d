"""Coders work in a stated number of bytes: it grows neither with the data nor with the orbits."""

import tracemalloc

import numpy as np
import pytest

from orbitdl import encode
from orbitdl.coding import ActiveSet, Growing, Matching, Proximal, Sliding, active_set, memory
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.memory import with_growing_capacity
from orbitdl.coding.problem import Masked
from orbitdl.coding.sliding import coder as sliding
from orbitdl.groups import (
    ContinuousShift,
    ImageRotation,
    IntegerShift,
    IntegerTranslation,
    Orthogonal,
    Translation,
    Trivial,
)

PLAIN = 2**16
"""Bytes that Python itself takes for objects: none of them holds data."""
SQUARES = 11 * 8 * 60**2
"""Bytes of the square matrices of 60 atoms of one sample, as `Sliding` has them."""


def problem(group, shape, n, q, missing):
    """Return an action, data of three atoms each, what was observed of them, and components."""
    rep, rng = group.on(shape), np.random.default_rng(0)
    A = rep.project(rng.standard_normal((q, *shape)))
    A = rep.analyze(A / np.linalg.norm(A.reshape(q, -1), axis=1).reshape(q, *[1] * len(shape)))
    X = np.zeros((n, *shape))
    for _ in range(3):
        component, element = rng.integers(q, size=n), rep.sample(rng, n)
        X += rng.uniform(1, 2) * rep.synthesize(rep.act_on_blocks(element, A[component]))
    observed = rng.random(X.shape) >= missing
    masked = Masked(X * observed, observed) if missing else None
    return rep, rep.analyze(X * observed), masked, A


def peak(prepared, Y, masked, n):
    """Return the most bytes that coding the first n samples takes beside its result."""
    own = None if masked is None else masked.take(slice(0, n))
    tracemalloc.start()
    codes = prepared.code(Y[:n], 0.3, masked=own, warn=False)
    left, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(codes) == n
    return most - left


CASES = {
    "active set": (ActiveSet(), IntegerShift(), (500,), 0.0),
    "active set, components alone": (ActiveSet(), Trivial(), (200,), 0.0),
    "active set, few missing": (ActiveSet(), IntegerShift(), (500,), 0.1),
    "active set, many missing": (ActiveSet(), IntegerTranslation(), (40, 40), 0.8),
    "sliding": (Sliding(), ContinuousShift(), (500,), 0.0),
    "sliding, rotations": (Sliding(), ImageRotation(), (21, 21), 0.0),
    "sliding, few missing": (Sliding(), ContinuousShift(), (500,), 0.1),
    "sliding, many missing": (Sliding(), ContinuousShift(), (500,), 0.6),
    "growing": (Growing(), ContinuousShift(), (500,), 0.0),
    "growing, missing": (Growing(), ContinuousShift(), (500,), 0.3),
    "growing, images": (Growing(), Translation(), (16, 16), 0.0),
    "matching": (Matching(3), ContinuousShift(), (500,), 0.0),
    "matching, few in all": (Matching(3, max_atoms=4), ContinuousShift(), (500,), 0.0),
    "matching, missing": (Matching(3), ContinuousShift(), (500,), 0.3),
    "proximal": (Proximal(), Orthogonal(), (3, 40), 0.0),
    "proximal, missing": (Proximal(), Orthogonal(), (3, 40), 0.3),
    "proximal, shifts": (Proximal(), IntegerShift(), (200,), 0.0),
}


@pytest.mark.parametrize(("coder", "group", "shape", "missing"), CASES.values(), ids=CASES)
def test_coding_takes_no_more_than_the_workspace_however_many_data_there_are(
    coder, group, shape, missing, monkeypatch
):
    q = 3
    monkeypatch.setattr(memory, "WORKSPACE", 10 * coder.workspace(group.on(shape), q))
    rep, Y, masked, A = problem(group, shape, 60, q, missing)
    prepared = coder.prepare(rep, A)
    peak(prepared, Y, masked, 2)  # tables are made once, and kernels compiled
    first, twice = (peak(prepared, Y, masked, n) for n in (30, 60))
    assert first <= memory.WORKSPACE + SQUARES
    assert twice <= first + 0.1 * memory.WORKSPACE + PLAIN


def test_large_orbits_take_no_more_than_the_workspace():
    """Correlations of 64 images with 10 components at 16 384 shifts are 84 MB, three times over."""
    rep, Y, _, A = problem(IntegerTranslation(), (128, 128), 64, 10, 0.0)
    prepared = ActiveSet().prepare(rep, A)
    peak(prepared, Y, None, 1)
    assert peak(prepared, Y, None, 64) <= memory.WORKSPACE


# Capacities for the atoms of a sample


def codes_of(counts):
    """Return codes with so many atoms per sample."""
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
    K = offsets[-1]
    return Atoms(1, offsets, np.zeros(K, np.intp), np.ones(K), np.zeros((K, 1)))


@pytest.mark.parametrize("first", [1, 4, 1000])
@pytest.mark.parametrize("most", [30, 32, 500])
def test_every_sample_has_capacity_for_the_atoms_it_needs_and_goes_on_from_those_it_has(
    first, most
):
    needed, known = np.array([0, 1, 3, 4, 5, 30, 30]), np.array([0, 0, 2, 9, 0, 0, 30])
    begun, capacities = known.copy(), []

    def solve(chosen, atoms, capacity):
        np.testing.assert_array_equal(np.diff(atoms.offsets), begun[chosen])
        assert np.all(begun[chosen] <= capacity)
        capacities.append(capacity)
        begun[chosen] = np.minimum(needed[chosen], capacity)
        return codes_of(begun[chosen]), needed[chosen] >= capacity

    found = with_growing_capacity(solve, codes_of(known), first, most)
    np.testing.assert_array_equal(np.diff(found.offsets), needed)
    assert max(capacities) <= max(2 * needed.max(), min(first, most))


@pytest.mark.parametrize(
    ("module", "coder", "group"),
    [(active_set, ActiveSet(), IntegerShift()), (sliding, Sliding(), ContinuousShift())],
    ids=["active set", "sliding"],
)
def test_a_window_has_no_more_capacity_than_a_few_times_its_atoms(
    module, coder, group, monkeypatch
):
    capacities = []

    def noting(solve, *settings):
        def note(chosen, atoms, capacity):
            capacities.append(capacity)
            return solve(chosen, atoms, capacity)

        return with_growing_capacity(note, *settings)

    monkeypatch.setattr(module, "with_growing_capacity", noting)
    rng = np.random.default_rng(0)
    pulse = np.zeros(3000)
    pulse[:40] = np.hanning(40) / np.linalg.norm(np.hanning(40))
    events = np.zeros(3000)
    events[rng.choice(3000, 100, replace=False)] = rng.uniform(1, 2, 100)
    x = np.fft.irfft(np.fft.rfft(events) * np.fft.rfft(pulse), n=3000)
    codes = encode(x[None], pulse[None], group=group, alpha=0.05, coder=coder)
    assert codes.gap[0] <= 1e-4
    assert 64 < max(capacities) <= 4 * len(codes.atoms.coefficient)
