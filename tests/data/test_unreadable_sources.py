"""Data that cannot be read a part at a time: one sentence says why, before anything is read."""

import pickle
from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kinds_of_data import (
    MASK,
    D,
    N,
    X,
    assert_gives,
    dask_array,
    generator,
    hdf5,
    memmap,
    parquet_dataset,
    parquet_file,
    together,
    zarr_array,
)
from numpy.testing import assert_array_equal
from scipy import sparse

from orbitdl.arrays.validation import as_masked_data
from orbitdl.data.base import checked
from orbitdl.data.opening import as_source
from orbitdl.data.parquet import _of_lists


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
    refused("mask must be a boolean array of X's shape", make(tmp_path, X), mask)


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


def third_chunk(path):
    """Return whether a file of a zarr array holds its third chunk, in format 2 or 3."""
    return path.name == "2.0" or path.parts[-3:] == ("c", "2", "0")


def test_a_damaged_chunk_is_told_with_its_data_points(tmp_path):
    source = as_source(zarr_array(tmp_path, X), size=4)
    third = next(path for path in (tmp_path / "x.zarr").rglob("*") if third_chunk(path))
    third.write_bytes(b"nothing of the kind")
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


def test_lists_in_several_pieces_are_put_together():
    pieces = pa.chunked_array([[[1.0, 2.0], None], [[3.0, None]]])
    assert_array_equal(_of_lists(pieces, 2, 0), [[1, 2], [np.nan, np.nan], [3, np.nan]])


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
