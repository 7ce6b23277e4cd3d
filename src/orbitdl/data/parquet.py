"""Parquet files: one data point a row, one row group a part."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from orbitdl.arrays.optional import install_hint
from orbitdl.arrays.validation import require_rows
from orbitdl.data.base import Floats, Source, UnreadableSourceError, reading

LOOKED_AT = 1024
"""Rows of a part in which the length of lists is looked for."""


class ParquetSource(Source):
    """The rows of a Parquet dataset, of numbers in columns or of one column of lists; null is NaN.

    Parameters
    ----------
    place : path-like or pyarrow.dataset.Dataset
        A file, or a folder of files of the same columns.
    """

    def __init__(self, place: Any) -> None:
        dataset = place if is_dataset(place) else _opened(place)
        with reading("the Parquet dataset X"):
            self._schema = dataset.schema
            self._columns = _columns(self._schema)
            self._fragments = [part for one in dataset.get_fragments() for part in _parts(one)]
            counts = [_count(fragment) for fragment in self._fragments]
        _require_columns(self._fragments, self._columns)
        self.ends = np.cumsum([0, *counts]).astype(np.intp)
        self._holds_lists = _holds_lists(self._schema, self._columns)
        width = len(self._columns)
        if self._holds_lists and len(self):
            width = self._length_of_lists()
        self.shape = (width,)
        require_rows((len(self), width))

    def _raw(self, k: int) -> tuple[Floats, None]:
        table = self._fragments[k].to_table(schema=self._schema, columns=self._columns)
        first = int(self.ends[k])
        if self._holds_lists:
            return _of_lists(table.column(0), self.shape[0], first), None
        values = np.empty((len(table), len(self._columns)))
        for place, column in enumerate(table.columns):
            values[:, place] = _as_floats(column)
        return values, None

    def _length_of_lists(self) -> int:
        """Return the length of the first list that is there."""
        kind = self._schema.field(self._columns[0]).type
        if hasattr(kind, "list_size"):
            return int(kind.list_size)
        with reading("the Parquet dataset X"):
            for fragment in self._fragments:
                head = fragment.head(LOOKED_AT, columns=self._columns)
                for one in head.column(0).drop_null()[:1]:
                    return len(one)
        raise ValueError(f"no part of X begins with a list in {LOOKED_AT} rows; drop such rows.")


def is_dataset(thing: Any) -> bool:
    """Return whether a thing is a dataset of pyarrow, without importing pyarrow."""
    arrow = sys.modules.get("pyarrow.dataset")
    return arrow is not None and isinstance(thing, arrow.Dataset)


def _opened(path: Any) -> Any:
    try:
        import pyarrow.dataset
    except ImportError as error:
        raise ImportError(install_hint("reading Parquet files", "pyarrow", "parquet")) from error
    with reading(f"{path} as a Parquet dataset"):
        dataset = pyarrow.dataset.dataset(path, format="parquet")
    if not dataset.files:
        raise UnreadableSourceError(f"the folder {path} has no Parquet file; pass another.")
    return dataset


def _columns(schema: Any) -> list[str]:
    """Return the names of columns; the index of a pandas table is none."""
    metadata = schema.pandas_metadata or {}
    index = {name for name in metadata.get("index_columns", []) if isinstance(name, str)}
    return [name for name in schema.names if name not in index]


def _parts(fragment: Any) -> list[Any]:
    """Return the row groups of a Parquet file, or what is in another kind of file as a whole."""
    return fragment.split_by_row_group() if hasattr(fragment, "row_groups") else [fragment]


def _count(fragment: Any) -> int:
    if hasattr(fragment, "row_groups"):
        return sum(group.num_rows for group in fragment.row_groups)
    return int(fragment.count_rows())


def _require_columns(fragments: list[Any], columns: list[str]) -> None:
    """Refuse files that lack a column, whose values would all be missing without a word."""
    for fragment in fragments:
        lacking = set(columns) - set(fragment.physical_schema.names)
        if lacking:
            where = getattr(fragment, "path", "a part of X")
            raise ValueError(
                f"{where} has no column {min(lacking)!r}, which other files of X have; let all "
                "files have the same columns."
            )


def _holds_lists(schema: Any, columns: list[str]) -> bool:
    """Return whether there is one column of lists, not columns of numbers; refuse anything else."""
    from pyarrow import types

    kinds = [schema.field(name).type for name in columns]
    lists = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    is_list = len(kinds) == 1 and any(is_one(kinds[0]) for is_one in lists)
    if is_list:
        kinds = [kinds[0].value_type]
    for name, kind in zip(columns, kinds, strict=True):
        is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        if not (is_number or types.is_boolean(kind)):
            raise ValueError(
                f"column {name!r} of X holds {kind}, where numbers are needed; leave it out, or "
                "pass one column of lists of numbers."
            )
    return is_list


def _as_floats(column: Any) -> Floats:
    """Return the numbers of a column, NaN where there is none."""
    found: Floats = column.cast("float64", safe=False).to_numpy(zero_copy_only=False)
    return found


def _of_lists(column: Any, length: int, first_row: int) -> Floats:
    """Return lists of one length as rows; a list that is not there is missing as a whole."""
    values = np.full((len(column), length), np.nan)
    row = 0
    for chunk in column.chunks:
        there = chunk.is_valid().to_numpy(zero_copy_only=False)
        lengths = chunk.drop_null().value_lengths().to_numpy()
        if np.any(lengths != length):
            place = int(np.argmax(lengths != length))
            raise UnreadableSourceError(
                f"X has a list of {lengths[place]} numbers in row "
                f"{first_row + row + np.flatnonzero(there)[place]}, and of {length} before; cut or "
                "pad them to one length first."
            )
        rows = row + np.flatnonzero(there)
        values[rows] = _as_floats(chunk.drop_null().flatten()).reshape(-1, length)
        row += len(chunk)
    return values
