"""Data that are read a part at a time: every kind gives what the same data in memory give."""

import gc
import os
import pickle
import resource
import signal
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import zarr
from kinds_of_data import (
    ARRAYS,
    KINDS,
    MASK,
    RNG,
    ROWS,
    STREAMS,
    D,
    N,
    X,
    assert_gives,
    dask_array,
    generator,
    hdf5,
    memmap,
    parquet_file,
    together,
    zarr_array,
)
from numpy.testing import assert_array_equal
from scipy import sparse

from orbitdl.arrays.validation import as_masked_data
from orbitdl.data import fingerprint, opening
from orbitdl.data.fingerprint import Digest, digest_of
from orbitdl.data.opening import as_source
from orbitdl.storage.provenance import data_fingerprint


@pytest.mark.parametrize("make", KINDS)
def test_parts_are_the_data_in_memory(make, tmp_path):
    source = as_source(make(tmp_path, X))
    assert len(source) == N
    assert source.shape == (D,)
    assert source.ends[0] == 0
    assert source.ends[-1] == N
    assert_gives(source, *as_masked_data(X))


@pytest.mark.parametrize("make", KINDS)
def test_a_pickled_source_reads_the_same(make, tmp_path):
    source = as_source(make(tmp_path, X))
    again = pickle.loads(pickle.dumps(source))
    assert_gives(again, *as_masked_data(X))
    assert_gives(pickle.loads(pickle.dumps(again)), *as_masked_data(X))


@pytest.mark.parametrize("make", ARRAYS)
@pytest.mark.parametrize("mask_of", [lambda folder, mask: mask.tolist(), memmap, dask_array])
def test_a_mask_is_cut_as_the_data_are(make, mask_of, tmp_path):
    (tmp_path / "mask").mkdir()
    source = as_source(make(tmp_path, X), mask_of(tmp_path / "mask", MASK))
    assert_gives(source, *as_masked_data(X, MASK))
    assert_gives(pickle.loads(pickle.dumps(source)), *as_masked_data(X, MASK))


@pytest.mark.parametrize("make", [*ARRAYS, *STREAMS])
def test_data_points_may_have_channels(make, tmp_path):
    values = RNG.standard_normal((N, 3, 2)).astype(np.float32)
    source = as_source(make(tmp_path, values))
    assert source.shape == (3, 2)
    assert_array_equal(together(source)[0], values)
    assert source.read(0).observed is None
    assert source.take(ROWS).observed is None


@pytest.mark.parametrize("make", [memmap, hdf5, zarr_array, generator])
def test_a_part_has_as_many_data_points_as_asked(make, tmp_path):
    source = as_source(make(tmp_path, X), size=10)
    assert_array_equal(source.ends, [0, 10, 20, 23])


@pytest.mark.parametrize("dtype", [np.int16, np.uint8, np.bool_, np.float16, ">f8"])
def test_any_real_numbers_become_float64(dtype, tmp_path):
    values = (10 * np.nan_to_num(np.abs(X))).astype(dtype)
    for make in (memmap, hdf5, generator, dask_array):
        assert_array_equal(together(as_source(make(tmp_path, values)))[0], values)


def test_parts_end_where_chunks_do():
    def ends(n, chunk, entries):
        return as_source(zarr.zeros((n, entries), chunks=(chunk, entries), dtype="f4")).ends

    assert_array_equal(ends(100_000, 3000, 1)[:3], [0, 15000, 30000])  # at most 16384
    assert_array_equal(ends(50_000, 40_000, 1), [0, 13333, 26666, 40000, 50000])
    assert_array_equal(ends(1000, 10, 2**20)[:3], [0, 250, 500])  # at least about 256


def test_lists_tables_and_small_arrays_stay_in_memory():
    several = [X, X]
    things = [X, X.tolist(), several, tuple(several), pd.DataFrame(X), sparse.eye(3), "abc", {}]
    more = [{1, 2}, np.float64(3.0), None, X[0], pd.DataFrame(X[:, :2], columns=["shape", "dtype"])]
    assert all(as_source(thing) is None for thing in things + more)


def test_large_arrays_are_read_in_parts(monkeypatch):
    monkeypatch.setattr(opening, "LARGE", X.nbytes)
    assert_gives(as_source(X), *as_masked_data(X))
    assert as_source(X[1:]) is None


def test_an_array_of_another_library_is_only_sliced():
    class Slices:
        shape, dtype = X.shape, X.dtype

        def __getitem__(self, rows):
            assert isinstance(rows, slice)
            return X[rows]

        def __array__(self, *arguments, **more):
            raise AssertionError("all of it is asked for")

    assert_gives(as_source(Slices(), size=4), *as_masked_data(X))


def test_a_mapped_file_travels_by_its_name(tmp_path):
    values = memmap(tmp_path, np.zeros((5000, 10)))
    assert len(pickle.dumps(as_source(values[10:]))) < 1000
    mine = np.load(tmp_path / "x.npy", mmap_mode="c")
    mine[7] = 1.0  # in this process only
    assert_array_equal(pickle.loads(pickle.dumps(as_source(mine))).take(np.array([7])).values, 1.0)


def test_only_parts_that_are_needed_are_read(tmp_path):
    source, read = as_source(parquet_file(tmp_path, X)), []
    original = source.read
    source.read = lambda k: read.append(k) or original(k)
    source.take(np.array([22, 1, 20, 0]))
    assert read == [0, 3]


# Scratch files


def scratch():
    return set(Path(tempfile.gettempdir()).glob("orbitdl-*"))


@pytest.fixture
def own_scratch(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.usefixtures("own_scratch")
def test_a_scratch_file_vanishes_with_its_source():
    source = as_source(generator(None, X))
    assert len(scratch()) == 1
    copy = pickle.loads(pickle.dumps(source))
    copied = copy.read(0)
    del copy
    gc.collect()
    assert_array_equal(source.read(0).values, copied.values)
    left_over = pickle.loads(pickle.dumps(source))
    del source
    gc.collect()
    assert not scratch()
    with pytest.raises(ValueError, match="is not there; pass X anew"):
        left_over.read(0)


@pytest.mark.usefixtures("own_scratch")
def test_a_scratch_file_outlives_a_copy_of_the_process():
    source = as_source(generator(None, X))
    child = os.fork()
    if child == 0:
        del source
        gc.collect()
        os._exit(0)
    os.waitpid(child, 0)
    assert_gives(source, *as_masked_data(X))


@pytest.mark.usefixtures("own_scratch")
def test_a_scratch_file_keeps_the_type_and_widens_it_when_it_must():
    def size(*arrays):
        source = as_source(iter(arrays))
        whole = np.concatenate([array.astype(np.float64) for array in arrays])
        assert_array_equal(together(source)[0], whole)
        return sum(path.stat().st_size for path in next(iter(scratch())).iterdir()) / whole.size

    single, whole = np.full((2, 3), 0.1, np.float32), np.arange(6, dtype=np.int16).reshape(2, 3)
    assert size(single, single) == 4
    assert size(whole) == 2
    assert size(np.empty((0, 3)), single) == 4
    assert size(single, np.full((1, 3), 0.1), single) == 8
    assert size(whole, single) == 8
    assert size(np.full((1, 3), 0.1), whole) == 8


@pytest.mark.usefixtures("own_scratch")
def test_a_full_disk_is_told_and_leaves_nothing():
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, limits[1]))
    try:
        with pytest.raises(OSError, match="could not be kept in a scratch file .* TMPDIR"):
            as_source(np.ones((100, 50)) for _ in range(10))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, previous)
    assert not scratch()


@pytest.mark.usefixtures("own_scratch")
def test_a_failing_iterator_leaves_nothing():
    def arrays():
        yield X
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        as_source(arrays())
    assert not scratch()


# Fingerprints


@pytest.mark.parametrize("make", KINDS)
def test_one_fingerprint_wherever_data_are(make, tmp_path):
    assert data_fingerprint(make(tmp_path, X)) == data_fingerprint(X)


@pytest.mark.parametrize("size", [1, 4, 10, 100])
def test_one_fingerprint_however_data_are_cut(size, tmp_path):
    source = as_source(memmap(tmp_path, X), MASK, size)
    assert digest_of(source).hexdigest((D,)) == data_fingerprint(X, MASK)
    parts = [Digest.of(*source.read(k), first) for k, first in enumerate(source.ends[:-1])]
    assert sum(reversed(parts), start=Digest()) == digest_of(source)


def test_one_fingerprint_however_many_rows_are_hashed_at_once(monkeypatch):
    whole = data_fingerprint(X, MASK)
    monkeypatch.setattr(fingerprint, "AT_ONCE", 3 * D)
    assert data_fingerprint(X, MASK) == whole


def test_missing_by_nan_or_by_a_mask_is_one_fingerprint(tmp_path):
    holed = np.where(MASK, X, np.nan)
    assert data_fingerprint(holed) == data_fingerprint(X, MASK)
    assert data_fingerprint(memmap(tmp_path, X), MASK) == data_fingerprint(X, MASK)
    assert data_fingerprint(dask_array(None, X), MASK) == data_fingerprint(X, MASK)


def test_a_fingerprint_knows_values_order_mask_and_shape():
    values = np.nan_to_num(X).astype(np.float64)
    values[1, 1] = 0.0
    one = np.ones(values.shape, bool)
    one[1, 1] = False
    changed = values.copy()
    changed[2, 3] = np.nextafter(changed[2, 3], 1.0)
    swapped = values.copy()
    swapped[[4, 5]] = swapped[[5, 4]]
    different = [
        data_fingerprint(values),
        data_fingerprint(changed),
        data_fingerprint(swapped),
        data_fingerprint(values, one),  # a zero that was not observed
        data_fingerprint(values[:-1]),
        data_fingerprint(values[..., None]),
        data_fingerprint(np.vstack([values, 0 * values[:1]])),
    ]
    assert len(set(different)) == len(different)
    assert data_fingerprint(values) == data_fingerprint(np.where(values == 0, -0.0, values))
