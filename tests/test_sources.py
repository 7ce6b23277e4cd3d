"""Data that are read a part at a time: every kind gives what the same data in memory give."""

import gc
import os
import pickle
import resource
import signal
import tempfile
from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
import zarr
from numpy.testing import assert_array_equal
from scipy import sparse

from orbitdl.sources import opening
from orbitdl.sources.base import checked
from orbitdl.sources.digest import Digest, digest_of
from orbitdl.sources.opening import as_source
from orbitdl.storage.provenance import data_fingerprint
from orbitdl.validation import as_masked_data

RNG = np.random.default_rng(0)
N, D = 23, 5
X = RNG.standard_normal((N, D)).astype(np.float32)
X[3, 2] = X[3, 4] = X[20, 0] = np.nan
MASK = RNG.random(X.shape) < 0.9
ROWS = np.array([20, 3, 3, 0, 22, 11])


def memmap(folder, values):
    np.save(folder / "x.npy", values)
    return np.load(folder / "x.npy", mmap_mode="r")


def memmap_every_other_row_backwards(folder, values):
    spread = np.repeat(values[::-1], 2, axis=0)
    return memmap(folder, spread)[::-2]


def memmap_by_columns(folder, values):
    return memmap(folder, np.asfortranarray(values))


def hdf5(folder, values):
    with h5py.File(folder / "x.h5", "w") as file:
        file.create_dataset("inside/x", data=values, chunks=(4, *values.shape[1:]))
    return h5py.File(folder / "x.h5", "r")["inside/x"]


def zarr_array(folder, values):
    shape, chunks = values.shape, (4, *values.shape[1:])
    array = zarr.create_array(folder / "x.zarr", shape=shape, chunks=chunks, dtype=values.dtype)
    array[:] = values
    return array


def npy_name(folder, values):
    np.save(folder / "x.npy", values)
    return str(folder / "x.npy")


def dask_array(folder, values):
    return da.from_array(values, chunks=((4, 0, 12, 7), *values.shape[1:]))


def dask_array_on_disk(folder, values):
    return da.from_zarr(zarr_array(folder, values))


ARRAYS = [
    memmap, memmap_every_other_row_backwards, memmap_by_columns, hdf5, zarr_array, npy_name,
    dask_array, dask_array_on_disk,
]  # fmt: skip


def columns(values):
    entries = {f"c{k}": pa.array(values[:, k], from_pandas=True) for k in range(values.shape[1])}
    return pa.table(entries)


def parquet_file(folder, values):
    pq.write_table(columns(values), folder / "x.parquet", row_group_size=6)
    return folder / "x.parquet"


def parquet_folder(folder, values):
    (folder / "x").mkdir()
    for k, part in enumerate(np.split(values, [9, 9, 15])):
        pq.write_table(columns(part), folder / "x" / f"{k}.parquet")
    return str(folder / "x")


def parquet_dataset(folder, values):
    return ds.dataset(parquet_folder(folder, values))


def parquet_lists(folder, values):
    rows = pa.array([[None if np.isnan(x) else x for x in row] for row in values.tolist()])
    pq.write_table(pa.table({"signal": rows}), folder / "x.parquet", row_group_size=6)
    return folder / "x.parquet"


def parquet_lists_of_fixed_size(folder, values):
    rows = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    pq.write_table(pa.table({"signal": rows}), folder / "x.pq", row_group_size=6)
    return folder / "x.pq"


def parquet_of_pandas_with_an_index(folder, values):
    frame = pd.DataFrame(values, columns=list("abcde"), index=np.arange(len(values)) + 7)
    frame.to_parquet(folder / "x.parquet")
    return folder / "x.parquet"


def generator(folder, values):
    return (part for part in np.split(values, [2, 2, 15]))


class Loader:
    """Can be gone through again, but is no sequence."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        yield from np.split(self.values, 1)


def loader(folder, values):
    return Loader(values)


TABLES = [
    parquet_file, parquet_folder, parquet_dataset, parquet_lists, parquet_lists_of_fixed_size,
    parquet_of_pandas_with_an_index,
]  # fmt: skip
STREAMS = [generator, loader]
KINDS = ARRAYS + TABLES + STREAMS


def together(source):
    """Return all parts as one array, and what was observed."""
    parts = [source.read(k) for k in range(len(source.ends) - 1)]
    seen = [np.ones(p.values.shape, bool) if p.observed is None else p.observed for p in parts]
    return np.concatenate([part.values for part in parts]), np.concatenate(seen)


def assert_gives(source, values, observed):
    found, seen = together(source)
    assert found.dtype == np.float64
    assert_array_equal(found, values)
    assert_array_equal(seen, observed)
    taken = source.take(ROWS)
    assert_array_equal(taken.values, values[ROWS])
    assert_array_equal(taken.observed, observed[ROWS])
    assert source.take(np.array([5, 1])).observed is None or not observed[[5, 1]].all()


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


# What cannot be read


class Announced:
    """An array that has a shape and a type and must not be read."""

    def __init__(self, shape, dtype=np.float64):
        self.shape, self.dtype = shape, np.dtype(dtype)

    def __getitem__(self, rows):
        raise AssertionError("it is read")


def lazily(shape, dtype, chunks="auto"):
    """Return a Dask array that must not be computed."""

    def fail(block):
        raise AssertionError("it is computed")

    return da.map_blocks(fail, da.zeros(shape, chunks=chunks), dtype=dtype, meta=np.zeros(1, dtype))


def unknown_chunks():
    values = da.from_array(X, chunks=(5, D))
    return values[values[:, 0] > 0]


BAD = {
    "one axis": (Announced((5,)), "one data point a row"),
    "no rows": (Announced((0, 5)), r"0 sample\(s\)"),
    "no columns": (Announced((5, 0)), r"0 feature\(s\)"),
    "complex": (Announced((5, 2), complex), "Complex data"),
    "text": (Announced((5, 2), "U3"), "not text"),
    "objects": (Announced((5, 2), object), "array of numbers, not object"),
    "Dask, one axis": (lazily((5,), float), "one data point a row"),
    "Dask, no rows": (lazily((0, 5), float), r"0 sample\(s\)"),
    "Dask, complex": (lazily((5, 2), complex), "Complex data"),
    "Dask, text": (lazily((5, 2), "U3"), "not text"),
    "Dask, objects": (lazily((5, 2), object), "array of numbers, not object"),
    "Dask, chunks": (lazily((5, 4), float, (5, 2)), r"X.rechunk\(\{1: -1\}\)"),
    "Dask, unknown": (unknown_chunks(), r"X.compute_chunk_sizes\(\)"),
    "Dask, table": (dd.from_pandas(pd.DataFrame(X)), r"X.to_dask_array\(lengths=True\)"),
    "Dask, delayed": (da.from_array(X).to_delayed().item(), "Delayed of Dask"),
    "nothing": (iter(()), "iterator that gave nothing"),
    "no data points": (iter([X[:0], X[:0]]), r"0 sample\(s\)"),
    "rows one by one": (iter(X), r"array 0 of X has shape \(5,\)"),
    "widths": (iter([X, X[:, :3]]), r"array 1 of X has data points of shape \(3,\)"),
    "sparse parts": (iter([X, sparse.eye(5)]), "array 1 of X is sparse"),
    "text parts": (iter([X.astype(str)]), "array 0 of X must be an array of numbers, not text"),
    "complex parts": (iter([X * 1j]), "pass real array 0 of X"),
    "no .npy": ("nowhere.npy", "there is no file nowhere.npy"),
    "no Parquet": (Path("nowhere.parquet"), "there is no file nowhere.parquet"),
    "another file": (__file__, "neither an .npy file nor a Parquet"),
}


def refused(words, thing, mask=None):
    with pytest.raises(ValueError, match=words) as caught:
        as_source(thing, mask)
    return said(caught)


def said(caught):
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    assert len(text) < 400
    return text


@pytest.mark.parametrize("case", BAD)
def test_bad_data_are_refused_in_one_sentence_before_anything_is_read(case):
    thing, words = BAD[case]
    refused(words, thing)


@pytest.mark.parametrize("mask", [MASK[1:], MASK.astype(float), MASK[:, 0]])
@pytest.mark.parametrize("make", [memmap, zarr_array, dask_array])
def test_a_mask_of_another_shape_or_type_is_refused(make, mask, tmp_path):
    refused("mask must be an array of booleans of X's shape", make(tmp_path, X), mask)


@pytest.mark.parametrize("make", [parquet_file, parquet_dataset, generator])
def test_a_mask_is_refused_where_it_cannot_be_cut(make, tmp_path):
    refused("a mask cannot go with .* put NaN", make(tmp_path, X), MASK)


@pytest.mark.parametrize("name", ["x.npy", "x.parquet", "folder"])
def test_a_damaged_file_is_told_in_one_sentence(name, tmp_path):
    (tmp_path / "folder").mkdir()
    path = tmp_path / name
    (path / "part.parquet" if path.is_dir() else path).write_bytes(b"PAR1 nothing of the kind")
    refused("cannot read .* as a", path)


def test_an_empty_folder_an_archive_and_objects_by_name_are_refused(tmp_path):
    refused("has no Parquet file", tmp_path)
    np.save(tmp_path / "objects.npy", np.array([[{}]]), allow_pickle=True)
    refused("as an .npy file of numbers", tmp_path / "objects.npy")
    np.savez(tmp_path / "a.npz", X)
    (tmp_path / "a.npz").rename(tmp_path / "a.npy")
    refused("as an .npy file of numbers", tmp_path / "a.npy")


def test_a_damaged_chunk_is_told_with_its_data_points(tmp_path):
    source = as_source(zarr_array(tmp_path, X), size=4)
    (tmp_path / "x.zarr" / "c" / "2" / "0").write_bytes(b"nothing of the kind")
    assert_array_equal(source.read(0).values, as_masked_data(X[:4])[0])
    with pytest.raises(ValueError, match="cannot read data points 8 to 11 of X") as caught:
        source.read(2)
    said(caught)


def test_a_closed_or_removed_file_is_told(tmp_path):
    values = hdf5(tmp_path, X)
    source = pickle.loads(pickle.dumps(as_source(values)))
    values.file.close()
    refused("HDF5 file of X is closed", values)
    (tmp_path / "x.h5").unlink()
    with pytest.raises(ValueError, match="x.h5 of X is not there"):
        source.read(0)


@pytest.mark.parametrize(("bad", "words"), [(np.inf, "infinite"), (-1e120, "size 1e[+]120")])
@pytest.mark.parametrize("make", [memmap, zarr_array, dask_array, parquet_file, generator])
def test_a_value_that_cannot_be_worked_with_is_told_with_its_row(make, bad, words, tmp_path):
    values = X.astype(np.float64)
    values[17, 1] = bad
    thing = (
        make(tmp_path, values)
        if make is not zarr_array or np.isinf(bad)
        else memmap(tmp_path, values)
    )
    source = as_source(thing)
    with pytest.raises(ValueError, match=f"{words}.* in row 17") as caught:
        together(source)
    said(caught)
    with pytest.raises(ValueError, match=f"{words}.* in row 17"):
        source.take(np.array([17]))


def test_what_a_mask_leaves_out_may_be_anything(tmp_path):
    values = np.where(MASK, np.nan_to_num(X), np.inf)
    for make in (memmap, dask_array):
        assert_gives(as_source(make(tmp_path, values), MASK), *as_masked_data(values, MASK))


@pytest.mark.parametrize("rows", [[N], [-1]])
def test_data_points_that_are_not_there_cannot_be_taken(rows, tmp_path):
    for make in (memmap, parquet_file):
        with pytest.raises(IndexError, match="data points 0 to 22"):
            as_source(make(tmp_path, X)).take(np.array(rows))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"a": [1.0], "name": ["x"]}, "column 'name' of X holds string"),
        ({"a": [[1.0, 2.0]], "b": [1.0]}, "column 'a' of X holds list"),
        ({"a": [["x"]]}, "column 'a' of X holds string"),
        ({"a": pa.array([], pa.float64())}, r"0 sample\(s\)"),
        ({}, r"0 sample\(s\)|0 feature\(s\)"),
        ({"a": pa.array([None, None], pa.list_(pa.float64()))}, "begins with a list"),
    ],
)
def test_a_table_that_is_not_of_numbers_is_refused(table, words, tmp_path):
    pq.write_table(pa.table(table), tmp_path / "x.parquet")
    refused(words, tmp_path / "x.parquet")


def test_lists_of_different_lengths_are_told_with_their_row(tmp_path):
    lists = pa.array([[1.0, 2.0], None, [3.0, 4.0], [5.0]])
    pq.write_table(pa.table({"a": lists}), tmp_path / "x.parquet", row_group_size=3)
    source = as_source(tmp_path / "x.parquet")
    assert_array_equal(source.read(0).values, [[1, 2], [0, 0], [3, 4]])
    assert_array_equal(source.read(0).observed[:, 0], [True, False, True])
    with pytest.raises(ValueError, match="list of 1 numbers in row 3, and of 2 before"):
        source.read(1)


def test_a_file_that_lacks_a_column_is_refused(tmp_path):
    pq.write_table(pa.table({"a": [1.0], "b": [2.0]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": [1.0]}), tmp_path / "2.parquet")
    refused("2.parquet has no column 'b'", tmp_path)


def test_a_worker_checks_a_chunk_as_the_source_does():
    source = as_source(dask_array(None, X), MASK)
    for k, first in enumerate(source.ends[:-1]):
        mine, theirs = source.read(k), checked(source.chunk(k).compute(), int(first))
        assert_array_equal(mine.values, theirs.values)
        assert_array_equal(mine.observed, theirs.observed)


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
