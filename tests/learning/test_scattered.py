"""Data that are somewhere else: what is learned from them is what is learned in memory."""

import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import KINDS, action
from sklearn.exceptions import ConvergenceWarning

from orbitdl import OrbitDictionaryLearning, StoredCodes
from orbitdl.coding import Sliding
from orbitdl.coding.choice import default_coder
from orbitdl.data.arrays import ArraySource
from orbitdl.data.opening import as_source
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.encoding.samples import Samples
from orbitdl.groups import ContinuousShift, FiniteRepresentation, IntegerShift
from orbitdl.learning import masked_dictionary
from orbitdl.learning.alternation import learn
from orbitdl.learning.executor import DataChunk, ThreadExecutor
from orbitdl.learning.out_of_core import WarmStart
from orbitdl.learning.out_of_core_samples import OutOfCoreSamples
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.spill import AtomStore
from orbitdl.learning.starts import start_from_data
from orbitdl.learning.state import State
from orbitdl.storage.container import ModelFileError

ALPHA, N = 0.3, 35


class Sliced:
    """An array that is not NumPy's; it counts how much of it is read at a time."""

    def __init__(self, X):
        self.X, self.shape, self.dtype, self.most = X, X.shape, X.dtype, 0
        self.chunks = (100, *X.shape[1:])

    def __getitem__(self, key):
        part = self.X[key]
        self.most = max(self.most, len(part))
        return part


def points(name, missing=0.0):
    rep, rng = action(name, 8), np.random.default_rng(0)
    X = rng.standard_normal((N, *rep.shape))
    X[rng.random(X.shape) < missing] = np.nan
    return rep, X


def scattered(rep, X, n_jobs=None, size=8):
    executor = ThreadExecutor(ArraySource(Sliced(X), None, size), n_jobs)
    coder = default_coder(rep)
    return OutOfCoreSamples.of(executor, rep, coder, ALPHA, bool(np.isnan(X).any()))


def run(shards, start=None, **settings):
    A = start_from_data(shards, 2, np.random.default_rng(0)) if start is None else start
    state = State(shards, A, loosest=0.0)
    return list(learn(state, **({"gap": 1e-9, "max_iter": 3, "tol": 1e-12} | settings)))


def has_unique_codes(representation):
    """Return whether elements are independent: else rounding picks one of many optimal codes."""
    return not isinstance(representation, FiniteRepresentation) or representation.is_free


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("name", KINDS)
def test_data_elsewhere_are_learned_from_as_in_memory(name, missing):
    rep, X = points(name, missing)
    samples = Samples.of(X, rep.group)
    here = run(SampleShards.cut(samples, default_coder(rep), ALPHA, largest=8), max_iter=2)
    there = run(scattered(rep, X), max_iter=2)
    alike = 2 if has_unique_codes(rep) else 1
    for one, two in zip(here[:alike], there[:alike], strict=True):
        assert_allclose(two.objective, one.objective, rtol=1e-7)


@pytest.mark.parametrize("name", ["integer shift", "continuous shift", "orthogonal"])
def test_missing_entries_are_learned_from_in_one_reading_an_iteration(name, monkeypatch):
    monkeypatch.setattr(masked_dictionary, "MAX_MULTIPLICATIONS", 0.0)  # as for many data
    rep, X = points(name, missing=0.2)
    shards = scattered(rep, X)
    names, total = [], shards.executor.total

    def noted(work, numbers, name, tell=None):
        names.append(name)
        return total(work, numbers, name, tell)

    monkeypatch.setattr(shards.executor, "total", noted)
    start = start_from_data(shards, 2, np.random.default_rng(0))
    names.clear()
    settings = {"gap": 1e-6, "max_iter": 30, "tol": 1e-4}
    there = run(shards, start, **settings)
    assert set(names) == {"code"}
    assert len(names) <= 2 * len(there)  # twice where momentum restarts
    local = SampleShards.cut(Samples.of(X, rep.group), default_coder(rep), ALPHA)
    here = run(local, start, **settings)
    falls = np.diff([it.objective for it in there])
    assert np.all(falls <= 1e-6 * there[0].objective)
    assert_allclose(there[-1].objective, here[-1].objective, rtol=0.02)


def test_threads_change_nothing():
    rep, X = points("integer shift")
    one, two = (run(scattered(rep, X, n_jobs)) for n_jobs in (1, 2))
    assert [it.objective for it in one] == [it.objective for it in two]
    assert_array_equal(one[-1].components, two[-1].components)


def test_codes_that_are_lost_are_made_anew():
    rep, X = points("integer shift")
    whole, shards = run(scattered(rep, X)), scattered(rep, X)
    start = start_from_data(shards, 2, np.random.default_rng(0))
    seen = []
    for iteration in learn(State(shards, start, loosest=0.0), gap=1e-9, max_iter=3, tol=1e-12):
        seen.append(iteration.objective)
        shards.executor.store.remove()
    assert_allclose(seen, [it.objective for it in whole], rtol=1e-7)


def test_sums_completed_by_other_components_are_made_anew():
    rep, X = points("integer shift", missing=0.1)
    local = SampleShards.cut(Samples.of(X, rep.group), default_coder(rep), ALPHA)
    A, other = (start_from_data(local, 2, np.random.default_rng(k)).expand() for k in (0, 1))
    here, there = (shards.code(A, 1e-9)[0] for shards in (local, scattered(rep, X)))
    for components in (A, other):
        expected = here.majorised_statistics(components)
        found = there.majorised_statistics(components)
        assert_allclose(found.normal, expected.normal, atol=1e-6)
        assert_allclose(found.cross, expected.cross, atol=1e-6)


@pytest.mark.parametrize("lost", [False, True])
def test_residuals_are_those_of_the_last_codes_even_if_these_are_lost(lost):
    rep, X = points("integer shift", missing=0.1)
    local = SampleShards.cut(Samples.of(X, rep.group), default_coder(rep), ALPHA)
    A = start_from_data(local, 2, np.random.default_rng(0)).expand()
    coded, factors = scattered(rep, X).code(A, 1e-9)[0], np.array([2.0, 0.5])
    if lost:
        coded.executor.store.remove()
    expected = local.code(A, 1e-9)[0].scale(factors).worst_residuals(A, 3)
    assert_allclose(coded.scale(factors).worst_residuals(A, 3).energy, expected.energy, rtol=1e-5)


def test_only_atoms_that_may_be_needed_stay_on_disk():
    rep, X = points("integer shift")
    shards = scattered(rep, X)
    kept = []
    A = start_from_data(shards, 2, np.random.default_rng(0)).expand()
    for _ in learn(State(shards, UnitBall(A)), gap=1e-9, max_iter=6, tol=1e-12):
        kept.append(len(os.listdir(shards.executor.store.folder)))
    assert max(kept) <= 4
    shards.executor.close()
    assert not shards.executor.store.folder.exists()


def test_a_full_disk_costs_time_only(monkeypatch, caplog):
    rep, X = points("integer shift")
    expected = run(scattered(rep, X))[-1].objective

    def full(*args, **settings):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    shards = scattered(rep, X)
    assert run(shards)[-1].objective == pytest.approx(expected, rel=1e-7)
    assert "No space left on device" in caplog.text
    assert not list(shards.executor.store.folder.rglob("*.part"))


def test_what_is_kept_comes_back_and_what_is_broken_does_not(tmp_path):
    rep, X = points("integer shift")
    samples = Samples.of(X, rep.group)
    local = SampleShards.cut(samples, default_coder(rep), ALPHA)
    coded = local.code(start_from_data(local, 2, np.random.default_rng(0)).expand(), 1e-4)[0]
    store = AtomStore(tmp_path / "new")
    store.save(3, 7, coded.atoms)
    found = store.find(3, 7)
    for name in ("offsets", "component", "coefficient", "element"):
        assert_array_equal(getattr(found, name), getattr(coded.atoms, name))
    assert store.find(3, 8) is None
    place = next((tmp_path / "new").rglob("*.npz"))
    place.write_bytes(place.read_bytes()[:40])
    assert store.find(3, 7) is None


def test_what_is_sent_to_workers_can_be_pickled():
    rep, X = points("continuous shift")
    shards = scattered(rep, X)
    A = start_from_data(shards, 2, np.random.default_rng(0)).expand()
    coded, _ = shards.code(A, 1e-4)
    start = pickle.loads(pickle.dumps(coded.scale(np.ones(2)).start))
    assert isinstance(start, WarmStart)
    chunk = DataChunk(0, 0, lambda: ArraySource(X, None, 8).read(0))
    opened = pickle.loads(pickle.dumps(shards.loader)).open(chunk)
    assert start.of(opened, chunk, shards.executor.store).atoms is not None


# The estimator


def in_small_parts(monkeypatch):
    """Let data on disk be read a few at a time."""
    monkeypatch.setattr("orbitdl.data.arrays.MOST", 200)
    monkeypatch.setattr("orbitdl.data.arrays.FEWEST", 100)


def learner(**settings):
    given = {"n_components": 2, "group": IntegerShift(), "random_state": 0, "max_iter": 4}
    return OrbitDictionaryLearning(**(given | settings))


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Return data and a memory map of them, of more than one part."""
    rng = np.random.default_rng(0)
    wave, X = rng.standard_normal(12), 0.1 * rng.standard_normal((600, 12))
    for i in range(len(X)):
        X[i] += 3 * np.roll(wave, rng.integers(12))
    path = tmp_path_factory.mktemp("data") / "x.npy"
    np.save(path, X.astype(np.float32))
    return X.astype(np.float32), np.load(path, mmap_mode="r")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", ["map", "parts"])
def test_data_on_disk_give_the_model_of_the_array(stored, kind, monkeypatch):
    X, mapped = stored
    in_small_parts(monkeypatch)
    if kind == "parts":
        mapped = Sliced(X)
    assert len(as_source(mapped).ends) > 2
    here, there = learner().fit(X), learner().fit(mapped)
    assert there.alpha_ == here.alpha_
    assert there.provenance_["fingerprint"] == here.provenance_["fingerprint"]
    assert_allclose(there.history_[-1].objective, here.history_[-1].objective, rtol=1e-9)
    assert_allclose(there.components_, here.components_, atol=1e-6)
    assert there.codes_ is None
    assert there.score(mapped) == pytest.approx(here.score(X), rel=1e-9)
    assert_allclose(there.transform(mapped), here.transform(X), atol=1e-6)
    assert_allclose(there.encode(mapped).objective, here.encode(X).objective, rtol=1e-6)


def test_memory_is_that_of_a_part():
    rng = np.random.default_rng(0)
    X = Sliced(rng.standard_normal((40_000, 6)).astype(np.float32))
    model = learner(n_components=1, max_iter=1, n_restarts=1, init=np.ones((1, 6)), alpha=1.0)
    with warnings.catch_warnings(action="ignore"):
        model.fit(X)
        model.score(X)
    assert X.most < 40_000


def test_zeros_and_empty_rows_are_data_too(stored):
    X, _ = stored
    few = X.copy()
    few[:300] = 0.0
    few[300:310] = np.nan
    with warnings.catch_warnings(action="ignore"):
        here = learner().fit(few)
        there = learner().fit(Sliced(few))
    assert_allclose(there.history_[-1].objective, here.history_[-1].objective, rtol=1e-6)


def test_nothing_observed_is_refused():
    with pytest.raises(ValueError, match="no observed entry"):
        learner().fit(Sliced(np.full((20, 6), np.nan)))


def test_scratch_goes_when_a_fit_fails(stored, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def stop(iteration):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        learner(callback=stop).fit(stored[1])
    assert not list(tmp_path.iterdir())


# Codes on disk


@pytest.fixture(scope="module")
def model(stored):
    with warnings.catch_warnings(action="ignore"):
        return learner(n_components=1).fit(stored[0])


def test_codes_go_to_a_parquet_dataset(stored, model, tmp_path, monkeypatch):
    in_small_parts(monkeypatch)
    codes = model.encode(Sliced(stored[0]), to=tmp_path / "codes")
    assert codes == StoredCodes.open(tmp_path / "codes")
    expected = model.encode(stored[0])
    frame = codes.to_frame()
    assert_array_equal(frame["sample"], expected.to_frame()["sample"])
    assert_allclose(frame["coefficient"], expected.to_frame()["coefficient"], atol=1e-6)
    assert len(list(codes.frames())) > 1
    samples = next(codes.frames("samples"))
    assert list(samples) == ["sample", "objective", "gap", "status"]
    assert codes.objective == pytest.approx(expected.objective.sum(), rel=1e-9)
    assert (len(codes), codes.not_converged) == (len(stored[0]), 0)


def test_a_folder_that_is_there_is_refused_before_any_work(stored, model, tmp_path):
    with pytest.raises(ModelFileError, match="exists; pass another folder"):
        model.encode(stored[0], to=tmp_path)


def test_a_full_disk_leaves_nothing_half_written(stored, model, tmp_path, monkeypatch):
    def full(*args, **settings):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pandas.DataFrame.to_parquet", full)
    with pytest.raises(ModelFileError, match="No space left on device; free disk space"):
        model.encode(stored[0], to=tmp_path / "codes")
    assert not list(tmp_path.iterdir())


def test_what_is_no_folder_of_codes_is_refused(tmp_path):
    with pytest.raises(ModelFileError, match="is not a folder of codes"):
        StoredCodes.open(Path(tmp_path))


def test_codes_above_the_tolerance_are_told_once(stored, model):
    strict = learner(
        n_components=1,
        group=ContinuousShift(),
        max_iter=0,
        n_restarts=1,
        init=model.components_,
        coder=Sliding(tol=1e-300),
    )
    with warnings.catch_warnings(action="ignore"):
        strict.fit(stored[0][:50])
    with pytest.warns(ConvergenceWarning, match="of 600 samples stopped above the gap") as told:
        strict.encode(Sliced(stored[0]))
    assert len(told) == 1
