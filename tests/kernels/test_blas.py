"""One BLAS thread while the library works, and as many as before it afterwards."""

from threading import Event, Thread

import numpy as np
import pytest

from orbitdl import OrbitDictionaryLearning, WaveformLearning, encode, select
from orbitdl.coding import base
from orbitdl.groups import IntegerShift
from orbitdl.kernels.blas import let_any_thread_limit, libraries, single_threaded_blas

X = np.random.default_rng(0).standard_normal((12, 9))
LONG = np.random.default_rng(0).standard_normal(600)


TWO = 2
"""Threads that a user has; one more than the library takes."""


def blas_threads() -> set[int]:
    """Return the numbers of threads that NumPy and SciPy use."""
    pools = libraries().select(user_api="blas").info()
    return {pool["num_threads"] for pool in pools if pool["threading_layer"] != "disabled"}


@pytest.fixture(autouse=True)
def two_threads():
    let_any_thread_limit()
    before = libraries().limit(limits=TWO, user_api="blas")
    let_any_thread_limit()
    if blas_threads() != {TWO}:
        pytest.skip("the number of BLAS threads cannot be set here")
    yield
    assert blas_threads() == {TWO}
    before.restore_original_limits()
    let_any_thread_limit()


def watch(iterations: list[set[int]]):
    def callback(iteration):
        iterations.append(blas_threads())

    return callback


@pytest.mark.filterwarnings("ignore")
def test_learning_uses_one_blas_thread_and_restores_the_number():
    seen = []
    settings = {"alpha": 0.5, "max_iter": 2, "n_restarts": 1, "callback": watch(seen)}
    OrbitDictionaryLearning(2, IntegerShift(), **settings).fit(X)
    assert blas_threads() == {TWO}
    WaveformLearning(1, 20, **settings, noise="white").fit(LONG)
    assert seen
    assert all(threads == {1} for threads in seen)


@pytest.fixture
def seen_by_coders(monkeypatch):
    seen, attempt = [], base.attempt

    def watched(*arguments):
        seen.append(blas_threads())
        return attempt(*arguments)

    monkeypatch.setattr(base, "attempt", watched)
    return seen


def test_coders_use_one_blas_thread_in_threads_of_their_own_too(seen_by_coders):
    components = X[:2] / np.linalg.norm(X[:2], axis=1, keepdims=True)
    many = np.tile(X, (100, 1))
    for n_jobs in (None, 2):
        encode(many, components, group=IntegerShift(), alpha=0.5, n_jobs=n_jobs)
    assert seen_by_coders
    assert all(threads == {1} for threads in seen_by_coders)


@pytest.mark.filterwarnings("ignore")
def test_selection_and_lazy_dask_arrays_use_one_blas_thread(seen_by_coders):
    dask_array = pytest.importorskip("dask.array", reason="needs orbitdl[distributed]")
    model = OrbitDictionaryLearning(1, IntegerShift(), alpha=0.5, max_iter=2, random_state=0)
    select(model, X, n_components=(1,), alphas=(0.5,), rounds=2)
    chunked = dask_array.from_array(X, chunks=(6, -1))
    model.fit(X).transform(chunked).compute(scheduler="threads")
    assert len(seen_by_coders) > 4
    assert all(threads == {1} for threads in seen_by_coders)


def test_work_on_a_dask_worker_uses_one_blas_thread():
    tasks = pytest.importorskip("orbitdl.executors.tasks", reason="needs orbitdl[distributed]")
    assert tasks.Job.do.__wrapped__  # decorated: workers of their own process cannot be watched


def test_an_error_restores_the_number():
    with pytest.raises(ValueError, match="alpha"):
        encode(X, X[:2], group=IntegerShift(), alpha=-1.0)
    assert blas_threads() == {TWO}


@pytest.mark.parametrize("first_to_leave", ["first", "second"])
def test_calls_side_by_side_restore_the_number_in_any_order(first_to_leave):
    names = ("first", "second")
    inside, leave = ({name: Event() for name in names} for _ in range(2))

    def work(name):
        with single_threaded_blas():
            inside[name].set()
            leave[name].wait(60)

    threads = {name: Thread(target=work, args=[name]) for name in names}
    for name in names:
        threads[name].start()
        assert inside[name].wait(60)
    assert blas_threads() == {1}
    first, last = sorted(names, key=first_to_leave.__ne__)
    leave[first].set()
    threads[first].join(60)
    assert blas_threads() == {1}
    leave[last].set()
    threads[last].join(60)
    assert blas_threads() == {TWO}
