"""The same data points as every kind of data that is read a part at a time."""

import dask.array as da
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import zarr
from numpy.testing import assert_array_equal

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
    around = np.concatenate([spread[:3] + 1, spread, spread[:2] + 1])
    return memmap(folder, around)[3:-2][::-2]


def memmap_by_columns(folder, values):
    return memmap(folder, np.asfortranarray(values))


def hdf5(folder, values):
    with h5py.File(folder / "x.h5", "w") as file:
        file.create_dataset("inside/x", data=values, chunks=(4, *values.shape[1:]))
    return h5py.File(folder / "x.h5", "r")["inside/x"]


def zarr_array(folder, values):
    shape, chunks = values.shape, (4, *values.shape[1:])
    array = zarr.open_array(
        str(folder / "x.zarr"), mode="w", shape=shape, chunks=chunks, dtype=values.dtype
    )
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
