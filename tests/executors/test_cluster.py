"""Data on a Dask cluster: what is learned there is what is learned in memory."""

import importlib.util
import json
import os
import platform
import signal
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("distributed", reason="needs orbitdl[distributed]")

import dask
import dask.array as da
from dask import delayed
from dask.highlevelgraph import HighLevelGraph
from distributed import Client, LocalCluster, get_worker
from distributed.comm.core import CommClosedError
from distributed.utils import key_split

import orbitdl
from orbitdl import OrbitDictionaryLearning, dictionary_distance
from orbitdl.data.dask_arrays import DaskSource
from orbitdl.datasets import make_shift_data
from orbitdl.executors import choice
from orbitdl.executors import cluster as cluster_module
from orbitdl.executors.choice import executor_for
from orbitdl.executors.cluster import Cluster
from orbitdl.executors.tasks import ClusterError
from orbitdl.groups import IntegerShift
from orbitdl.learning.executor import ThreadExecutor
from orbitdl.storage.container import ModelFileError

X = make_shift_data(
    n_samples=120, length=12, n_components=2, n_atoms=2, noise=0.02, random_state=0
).X
CHUNKED = da.from_array(X, chunks=(25, -1))
SETTINGS = {"n_components": 2, "alpha": 0.1, "n_restarts": 2, "random_state": 0}
PATIENCE = 60
"""Seconds until something that must happen is given up."""


@contextmanager
def new_client(workers=1, processes=False):
    start = {"threads_per_worker": 1, "dashboard_address": ":0", "processes": processes}
    with LocalCluster(n_workers=workers, **start) as cluster, Client(cluster) as made:
        yield made


@pytest.fixture(scope="module")
def shared():
    with new_client(2, processes=True) as made:
        yield made


@pytest.fixture
def client(shared):
    """Two workers, processes of their own; after every test nothing of it is left on them."""
    yield shared
    wait_until(lambda: not left_behind(shared))


@pytest.fixture
def alone(monkeypatch):
    """No client, as if none had been started by another test."""
    monkeypatch.setattr(choice, "active_client", lambda: None)
    with dask.config.set(scheduler="threads"):
        yield


@pytest.fixture(scope="module")
def in_memory():
    return model().fit(X)


def model(**changes):
    return OrbitDictionaryLearning(**(SETTINGS | changes))


def wait_until(happened):
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def left_behind(client):
    """Return tasks, topics and plugins on the scheduler and folders on workers that are ours."""

    def on_scheduler(dask_scheduler):
        names = [*dask_scheduler.tasks, *dask_scheduler.worker_plugins]
        return [str(name) for name in [*names, *set(dask_scheduler.get_events()) - {"orbitdl"}]]

    def on_worker(dask_worker):
        return os.listdir(dask_worker.local_directory)

    found = client.run_on_scheduler(on_scheduler)
    found += [name for names in client.run(on_worker).values() for name in names]
    return [name for name in found if "orbitdl" in name]


def assert_same(found, expected):
    assert_allclose(found.history_[-1].objective, expected.history_[-1].objective, rtol=1e-6)
    assert dictionary_distance(expected.components_, found.components_, IntegerShift()) < 1e-6
    assert found.codes_ is None


# One result, wherever data are.


def as_memmap(folder):
    np.save(folder / "x.npy", X)
    return np.load(folder / "x.npy", mmap_mode="r")


def as_zarr(folder):
    return pytest.importorskip("zarr").array(X, store=str(folder / "x.zarr"), chunks=(30, 12))


def as_iterator(folder):
    return iter(np.split(X, 6))


def as_dask(folder):
    return CHUNKED


KINDS = [as_memmap, as_zarr, as_iterator, as_dask]


@pytest.mark.parametrize("kind", KINDS)
def test_data_without_a_cluster_give_the_result_of_memory(kind, tmp_path, alone, in_memory):
    assert_same(model().fit(kind(tmp_path)), in_memory)


def test_two_workers_give_the_result_of_memory(client, in_memory):
    assert_same(model().fit(CHUNKED), in_memory)


@pytest.mark.parametrize("workers", [1, 3])
def test_any_number_of_workers_gives_the_result_of_memory(workers, in_memory):
    with new_client(workers):
        assert_same(model().fit(CHUNKED), in_memory)


def test_missing_entries_are_learned_from_as_in_memory(client):
    masked = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    masked[25:50] = np.nan  # a whole chunk
    settings = {"n_restarts": 1, "callback": lambda iteration: iteration.number == 3}
    chunked = da.from_array(masked, chunks=(25, -1))
    assert_same(model(**settings).fit(chunked), model(**settings).fit(masked))


def test_uneven_and_empty_chunks_do_not_matter(client, in_memory):
    sizes = (0, 1, 70, 0, 49, 0)
    parts = [delayed(part) for part in np.split(X, np.cumsum(sizes)[:-1])]
    tasks = {("uneven", k, 0): part.key for k, part in enumerate(parts)}
    graph = HighLevelGraph.from_collections("uneven", tasks, parts)
    uneven = da.Array(graph, "uneven", (sizes, (12,)), dtype=float)
    assert_same(model().fit(uneven), in_memory)
    assert_allclose(in_memory.reconstruct(uneven).compute(), in_memory.reconstruct(X), atol=1e-9)


def test_raw_data_stay_on_the_workers_as_they_are(client):
    small = da.from_array(X.astype(np.float32), chunks=(25, -1))
    with executor_for(DaskSource(small), None) as executor:
        assert isinstance(executor, Cluster)
        wait_until(lambda: all(one.status == "finished" for one in executor.chunks.values()))
        sizes = client.run_on_scheduler(
            lambda dask_scheduler: [task.nbytes for task in dask_scheduler.tasks.values()]
        )
        assert max(sizes) < 2 * 25 * 12 * 4


def test_the_users_own_array_outlives_a_fit(client, in_memory):
    held = CHUNKED.persist()
    assert_same(model().fit(held), in_memory)
    assert_allclose(held.sum().compute(), X.sum())


def test_keys_are_readable_on_the_dashboard(client):
    with executor_for(DaskSource(CHUNKED), None) as executor:
        job = cluster_module.Job(values_of, executor.check, executor.name, "ab12-0", False)
        keys = set(executor._summed(job, executor.filled, "code").__dask_graph__())
    assert {key_split(key) for key in keys} >= {"orbitdl-work", "orbitdl-code", "orbitdl-add"}


# Work on pieces.


def values_of(piece, store):
    return float(piece.data.values.sum())


@dataclass(frozen=True)
class SlowOn:
    """Adds up values, slowly on one worker."""

    slow: str

    def __call__(self, piece, store):
        time.sleep(0.3 if get_worker().address == self.slow else 0.0)
        return values_of(piece, store)


@dataclass(frozen=True)
class FailsOnce:
    """Fails the first time that it sees each piece."""

    folder: str

    def __call__(self, piece, store):
        place = Path(self.folder) / str(piece.number)
        if not place.exists():
            place.touch()
            raise OSError("not this time")
        return values_of(piece, store)


@dataclass(frozen=True)
class DiesOnce(FailsOnce):
    """Takes the whole worker down."""

    def __call__(self, piece, store):
        place = Path(self.folder) / "dead"
        if piece.number == 2 and not place.exists():
            place.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return values_of(piece, store)


@dataclass(frozen=True)
class Sleeps:
    """Says that it began, and takes its time."""

    folder: str

    def __call__(self, piece, store):
        (Path(self.folder) / str(piece.number)).touch()
        time.sleep(0.5)
        store.folder.mkdir(parents=True, exist_ok=True)
        return 0


def always_dies(piece, store):
    os.kill(os.getpid(), signal.SIGKILL)


def total_of(work, tell=None):
    with executor_for(DaskSource(CHUNKED), None) as executor:
        return executor.total(work, executor.filled, "sum", tell)


def test_a_slow_worker_changes_no_digit(client):
    expected = total_of(values_of)
    assert_allclose(expected, X.sum())
    for address in client.nthreads():
        assert total_of(SlowOn(address)) == expected


def test_a_task_that_fails_once_is_done_again(client, tmp_path):
    assert total_of(FailsOnce(str(tmp_path))) == total_of(values_of)
    assert len(list(tmp_path.iterdir())) == 5


def test_every_piece_is_told_of_once(client, tmp_path):
    told = []
    total_of(FailsOnce(str(tmp_path)), lambda number, value: told.append((number, value)))
    assert [number for number, _ in sorted(told)] == list(range(5))
    assert_allclose(sum(value for _, value in told), X.sum())


def test_a_piece_that_is_heard_of_twice_is_told_of_once():
    listener, told = cluster_module.Listener(), []
    message = ["a", 3, cluster_module.pickle.dumps("done")]
    listener.listen("a", lambda *what: told.append(what), afresh=True)
    for event in (message, message, ["b", 4, message[2]]):
        listener(*event)
    assert told == [(3, "done")]


def test_an_interrupt_ends_what_runs_and_leaves_nothing(client, tmp_path):
    def interrupt():
        wait_until(lambda: any(tmp_path.iterdir()))
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    try:
        Timer(0.0, interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            total_of(Sleeps(str(tmp_path)))
    finally:
        signal.signal(signal.SIGINT, before)
    time.sleep(0.6)  # what ran has come to its end, and has made its folder
    assert len(list(tmp_path.iterdir())) < 5
    wait_until(lambda: not left_behind(client))


def test_a_fit_that_fails_leaves_nothing(client):
    def fails(iteration):
        raise KeyError("callback")

    with pytest.raises(KeyError, match="callback"):
        model(callback=fails).fit(CHUNKED)
    wait_until(lambda: not left_behind(client))


# Workers that die.


def load_kills():
    place = Path(__file__).parents[2] / "benchmarks" / "kills.py"
    spec = importlib.util.spec_from_file_location("kills", place)
    module = importlib.util.module_from_spec(spec)
    sys.modules["kills"] = module
    spec.loader.exec_module(module)
    return module


def test_workers_killed_at_any_moment_lose_nothing():
    expected, found, log = load_kills().fit_while_workers_die(kills=5, seed=1)
    print("\n".join(log))
    assert log[-1].endswith("5 workers died")
    assert_allclose(found, expected, rtol=1e-6)


def test_a_task_that_kills_its_worker_is_done_elsewhere_or_given_up_in_words(tmp_path):
    strict = dask.config.set({"distributed.scheduler.allowed-failures": 0})
    with strict, new_client(2, True), executor_for(DaskSource(CHUNKED), None) as executor:
        assert_allclose(executor.total(DiesOnce(str(tmp_path)), executor.filled, "sum"), X.sum())
        with pytest.raises(ClusterError, match="died again and again.*memory.*checkpoint"):
            executor.total(always_dies, executor.filled, "sum")


def test_lost_parts_that_cannot_be_made_again_are_named():
    with new_client(1) as client:
        sent = client.scatter(X)
        lost = da.from_delayed(sent, X.shape, dtype=float)

        def lose(iteration):
            client.cancel([sent], force=True)

        with pytest.raises(ClusterError, match="cancelled, or were lost.*client.scatter"):
            model(callback=lose).fit(lost)


def test_a_client_that_is_closed_ends_a_fit_in_words_and_the_checkpoint_goes_on(tmp_path):
    kept = {"n_restarts": 1, "checkpoint": tmp_path / "fit.checkpoint"}
    with new_client(2) as client:

        def close(iteration):
            if iteration.number == 2:
                client.close()

        with pytest.raises(ClusterError, match=r"closed or lost; if a checkpoint was given.*\.$"):
            model(callback=close, **kept).fit(CHUNKED)
    with new_client(1):
        seen = []
        stop = model(callback=lambda it: seen.append(it.number) or len(seen) > 1, **kept)
        stop.fit(CHUNKED)
        assert seen[0] > 0
    found, expected = model(**kept).fit(X), model(n_restarts=1).fit(X)
    assert_allclose(found.history_[-1].objective, expected.history_[-1].objective, rtol=1e-6)


@dataclass(frozen=True)
class WhoWorks:
    """Takes a while, and tells who did it."""

    def __call__(self, piece, store):
        time.sleep(0.2)
        return [get_worker().name]


def test_a_worker_that_joins_is_used():
    with new_client(1) as client, executor_for(DaskSource(CHUNKED), None) as executor:
        assert len(set(executor.total(WhoWorks(), executor.filled, "look"))) == 1
        client.cluster.scale(2)
        client.wait_for_workers(2, timeout=PATIENCE)
        wait_until(lambda: len(set(executor.total(WhoWorks(), executor.filled, "look"))) == 2)


def test_a_checkpoint_of_memory_goes_on_on_a_cluster(client, tmp_path, in_memory):
    place, seen = tmp_path / "fit.checkpoint", []
    model(checkpoint=place, n_restarts=1, callback=lambda it: it.number == 2).fit(X)
    goes_on = model(checkpoint=place, n_restarts=1, callback=lambda it: seen.append(it.number))
    found, expected = goes_on.fit(CHUNKED), model(n_restarts=1).fit(X)
    assert seen[0] >= 2
    assert_allclose(found.history_[-1].objective, expected.history_[-1].objective, rtol=1e-6)


# Results that are not made yet.


@pytest.fixture(params=["cluster", "threads"])
def anywhere(request):
    return request.getfixturevalue("client" if request.param == "cluster" else "alone")


def test_codes_are_a_lazy_table_with_the_rows_of_memory(anywhere, in_memory):
    lazy = in_memory.encode(CHUNKED)
    expected = in_memory.encode(X).to_frame()
    assert lazy.npartitions == 5
    assert dict(lazy.dtypes) == dict(expected.dtypes)
    found = lazy.compute().reset_index(drop=True)
    assert_allclose(found.to_numpy(float), expected.to_numpy(float), atol=1e-9)


def test_invariants_are_a_lazy_array(anywhere, in_memory):
    lazy = in_memory.transform(CHUNKED)
    assert lazy.shape == (120, 2)
    assert lazy.chunks[0] == CHUNKED.chunks[0]
    assert_allclose(lazy.compute(), in_memory.transform(X), atol=1e-9)


def test_approximations_are_a_lazy_array(anywhere, in_memory):
    holed = da.concatenate([CHUNKED[:24], CHUNKED[24:24], CHUNKED[24:]])  # a chunk of no rows
    for chunked in (CHUNKED, holed):
        lazy = in_memory.reconstruct(chunked)
        assert lazy.shape == X.shape
        assert_allclose(lazy.compute(), in_memory.reconstruct(X), atol=1e-9)


def test_nothing_is_computed_before_it_is_asked_for(client, in_memory):
    def fails(values):
        raise AssertionError("computed")

    never = CHUNKED.map_blocks(fails, dtype=float, meta=np.zeros((0, 0)))
    in_memory.encode(never)
    in_memory.transform(never)


def test_score_is_that_of_memory(client, in_memory):
    assert_allclose(in_memory.score(CHUNKED), in_memory.score(X), rtol=1e-9)


def test_workers_write_codes_to_a_folder(client, tmp_path, in_memory):
    pytest.importorskip("pyarrow")
    stored = in_memory.encode(CHUNKED, to=tmp_path / "codes")
    expected = in_memory.encode(X)
    assert len(stored) == 120
    assert json.loads((stored.path / "summary.json").read_text())["samples"] == 120
    found = stored.to_frame().to_numpy(float)
    assert_allclose(found, expected.to_frame().to_numpy(float), atol=1e-9)


def test_a_folder_that_workers_do_not_have_is_named(tmp_path, in_memory):
    folder = orbitdl.storage.stored_codes.CodesFolder(tmp_path / "codes", tmp_path / "elsewhere")
    with pytest.raises(ModelFileError, match="pass one that all workers share"):
        folder.write(0, 0, in_memory.encode(X))


# Bad input, before any work.

BAD = {
    "X has chunks along axis 1": CHUNKED.rechunk((25, 6)),
    "X has chunks of unknown size": CHUNKED[CHUNKED[:, 0] > 0],
    "not object": CHUNKED.astype(object),
    "real": CHUNKED.astype(complex),
}


@pytest.mark.parametrize("words", BAD)
def test_data_that_cannot_be_used_are_refused_in_words(words, client, in_memory):
    for use in (model().fit, in_memory.encode, in_memory.transform, in_memory.score):
        with pytest.raises(ValueError, match=words):
            use(BAD[words])


def test_an_infinite_value_is_named_by_its_row(client):
    wrong = X.copy()
    wrong[77, 3] = np.inf
    with pytest.raises(ValueError, match="infinite values, first in row 77"):
        model().fit(da.from_array(wrong, chunks=(25, -1)))


def test_a_chunk_that_cannot_be_computed_is_named(client):
    def fails(values, block_id):
        if block_id == (2, 0):
            raise OSError("the disk is gone")
        return values

    wrong = CHUNKED.map_blocks(fails, dtype=float, meta=np.zeros((0, 0)))
    with pytest.raises(ValueError, match="chunk 2 of X.*50 to 74: the disk is gone"):
        model().fit(wrong)


def test_a_chunk_of_another_size_than_said_is_named(client):
    wrong = CHUNKED.map_blocks(lambda x: x[:-1], dtype=float, meta=np.zeros((0, 0)))
    with pytest.raises(ValueError, match="as an array of shape"):
        model().fit(wrong)


def test_data_that_are_all_missing_are_refused(client):
    with pytest.raises(ValueError, match="no observed entry"):
        model().fit(da.full((40, 12), np.nan, chunks=(10, 12)))


def test_workers_of_another_version_are_refused(client, monkeypatch):
    monkeypatch.setattr(orbitdl, "__version__", "0.0.1")
    with pytest.raises(ClusterError, match=r"has orbitdl .*, but this process has 0\.0\.1"):
        model().fit(CHUNKED)


@dataclass
class Strange:
    """A client of a worker that says this of its Python, and of its orbitdl."""

    python: str
    orbitdl: str | None
    asynchronous: bool = False
    status: str = "running"

    def run_on_scheduler(self, ask, *args):
        return ask(*args)

    def run(self, ask, *args, on_error):
        return {"tcp://far": self.orbitdl if args else self.python}


OWN_PYTHON, OWN = platform.python_version(), orbitdl.__version__
STRANGE = {
    "the worker tcp://far has Python 2.7, but this process has": Strange("2.7.18", OWN),
    "the worker tcp://far has no orbitdl; install orbitdl": Strange(OWN_PYTHON, None),
    "the worker tcp://far has orbitdl 9.9, but": Strange(OWN_PYTHON, "9.9"),
    "is asynchronous": Strange(OWN_PYTHON, OWN, asynchronous=True),
}


@pytest.mark.parametrize("words", STRANGE)
def test_strange_clusters_are_refused_in_words(words):
    with pytest.raises(ClusterError, match=words):
        cluster_module.require_alike(STRANGE[words])


@pytest.mark.parametrize("lost", ["python", "orbitdl"])
def test_a_worker_that_dies_while_it_is_asked_is_no_other_version(lost):
    gone = {"python": OWN_PYTHON, "orbitdl": OWN} | {lost: CommClosedError("worker died")}
    cluster_module.require_alike(Strange(**gone))


def test_a_worker_that_cannot_import_orbitdl_says_why():
    with pytest.raises(ClusterError, match=r"tcp://far cannot .* orbitdl \(no module llvmlite\)"):
        cluster_module.require_alike(Strange(OWN_PYTHON, ImportError("no module llvmlite")))


def test_a_cluster_like_this_process_is_taken():
    cluster_module.require_alike(Strange(OWN_PYTHON, OWN))


def test_without_a_client_threads_of_this_process_work(alone):
    assert isinstance(executor_for(DaskSource(CHUNKED), None), ThreadExecutor)
