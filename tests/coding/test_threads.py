"""Threads take chunks of samples: what they share, and that it changes nothing."""

import threading
from time import sleep

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from orbitdl import encode
from orbitdl.coding import ActiveSet, Sliding, base, parallel
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.parallel import chunks_of, in_threads
from orbitdl.encoding.samples import in_blocks
from orbitdl.groups import ContinuousShift, IntegerShift, Trivial

RNG = np.random.default_rng(0)
X, A = RNG.standard_normal((1100, 8)), RNG.standard_normal((2, 8))


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)


@pytest.mark.parametrize("n", [1, 2, 511, 512, 513, 1025, 5000])
def test_chunks_cover_all_samples_and_are_few_and_of_about_the_same_size(n):
    chunks = chunks_of(n)
    assert len(chunks) == np.ceil(n / 512)
    assert_array_equal(np.concatenate([np.arange(n)[chunk] for chunk in chunks]), np.arange(n))
    sizes = [chunk.stop - chunk.start for chunk in chunks]
    assert max(sizes) <= 512
    assert max(sizes) - min(sizes) <= 1


def test_the_thread_that_solves_a_chunk_certifies_it(two_cores, monkeypatch):
    seen, certify = set(), base.certify

    def watched(*args):
        seen.add(threading.current_thread())
        return certify(*args)

    monkeypatch.setattr(base, "certify", watched)
    encode(X, A, group=IntegerShift(), alpha=0.5, n_jobs=2)
    assert seen
    assert threading.main_thread() not in seen


@pytest.mark.parametrize(
    ("group", "coder"),
    [(IntegerShift(), ActiveSet()), (ContinuousShift(), Sliding(max_iter=1))],  # tries again
)
def test_all_that_codes_say_is_the_same_to_the_last_bit(two_cores, group, coder):
    one, two = (
        encode(X, A, group=group, alpha=0.5, coder=coder, n_jobs=n_jobs) for n_jobs in (1, 2)
    )
    for name in ("objective", "gap", "status"):
        assert_array_equal(getattr(one, name), getattr(two, name))
    assert_array_equal(one.atoms.coefficient, two.atoms.coefficient)
    assert_array_equal(one.atoms.element, two.atoms.element)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_data_are_transformed_as_a_whole_would_be(two_cores, n_jobs):
    shifts = ContinuousShift().on((8,))
    found = in_blocks(shifts, X, n_jobs)
    np.testing.assert_allclose(found, shifts.analyze(X), rtol=0, atol=1e-13)


def test_a_change_of_shape_copies_nothing():
    assert np.shares_memory(in_blocks(Trivial().on((8,)), X), X)


@pytest.mark.parametrize("stretch", [slice(1, 3), slice(None), slice(-2, None), slice(3, 3)])
def test_consecutive_samples_are_taken_as_listed_ones(stretch):
    offsets = np.array([0, 2, 2, 5, 6])
    atoms = Atoms(2, offsets, np.arange(6) % 2, np.arange(6.0), RNG.standard_normal((6, 1)))
    some, listed = atoms.take(stretch), atoms.take(np.arange(4)[stretch])
    for name in ("offsets", "component", "coefficient", "element"):
        assert_array_equal(getattr(some, name), getattr(listed, name))
    assert not np.shares_memory(some.coefficient, atoms.coefficient)


def test_an_error_in_one_thread_ends_the_others_soon(two_cores):
    done = []

    def work(k):
        if k == 1:
            raise ValueError("the second one fails")
        sleep(0.001)
        done.append(k)

    with pytest.raises(ValueError, match="second one"):
        in_threads(work, range(1000), 2)
    assert len(done) < 900
