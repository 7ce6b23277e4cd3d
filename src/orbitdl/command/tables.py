"""Reading tables of numbers: .csv and .parquet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from orbitdl.command.content import Content


def read_csv(path: Path) -> Content:
    """Read rows of numbers; a first row that is not numbers names the columns.

    Columns are separated by what the second row has most of: commas, semicolons, tabs or blanks;
    none of them, and there is one column. Between semicolons numbers may have decimal commas. An
    empty cell is a missing value; lines that begin with # at the top of a file are left out.
    """
    first, second, comments = _first_lines(path)
    separator = max(";,\t", key=second.count)  # in doubt commas are decimal
    if separator not in second:
        separator = r"\s+" if len(second.split()) > 1 else ","
    header = 0 if any(_is_text(cell) for cell in _cells(first, separator)) else None
    try:
        frame = pd.read_csv(
            path,
            sep=separator,
            header=header,
            skiprows=comments,
            decimal="," if separator == ";" and "," in second else ".",
            skipinitialspace=True,
            skip_blank_lines=False,
            encoding="utf-8-sig",
        )
    except UnicodeDecodeError as error:
        raise ValueError(
            f"cannot read {path} as a table of numbers: its letters are not in UTF-8; save it so."
        ) from error
    except pd.errors.EmptyDataError as error:
        raise ValueError(f"{path} holds no numbers.") from error
    except pd.errors.ParserError as error:
        reason = str(error).strip().rstrip(".").replace("\n", " ")
        raise ValueError(f"cannot read {path} as a table of numbers: {reason}.") from error
    return _of_frame(frame, path, first_row=1 if header is None else 2, named=header is not None)


def _first_lines(path: Path) -> tuple[str, str, int]:
    """Return the first line that is no comment, the next one, and how many comments precede."""
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        comments, first = 0, lines.readline().strip()
        while first.startswith("#"):
            comments, first = comments + 1, lines.readline().strip()
        return first, lines.readline().strip() or first, comments


def _cells(line: str, separator: str) -> list[str]:
    return line.split() if separator == r"\s+" else line.split(separator)


def _is_text(cell: str) -> bool:
    try:
        float(cell.strip().strip('"') or "nan")
    except ValueError:
        return cell.strip() not in ("NA", "N/A", "null", "NULL")
    return False


def read_parquet(path: Path) -> Content:
    """Read a table of numbers from a Parquet file."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            'Parquet files need pyarrow: install it with pip install "orbitdl[parquet]".'
        ) from error
    try:
        frame = pd.read_parquet(path)
    except pyarrow.ArrowException as error:
        reason = str(error).strip().rstrip(".").replace("\n", " ")
        raise ValueError(f"cannot read {path} as a Parquet file: {reason}.") from error
    return _of_frame(frame, path, first_row=1, named=True)


def _of_frame(frame: pd.DataFrame, path: Path, *, first_row: int, named: bool) -> Content:
    """Return the numbers of a table, or point at the first cell that is none."""
    columns = []
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        numbers = pd.to_numeric(column, errors="coerce")
        bad = np.flatnonzero(numbers.isna() & column.notna())
        if len(bad):
            raise ValueError(
                f"{path} holds {column.iloc[bad[0]]!r} in row {bad[0] + first_row}, column "
                f"{name if named else place + 1}, where a number is needed; leave the cell empty "
                "if the value is missing."
            )
        columns.append(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
    values = np.column_stack(columns) if columns else np.zeros((0, 0))
    return Content(
        values,
        names=tuple(str(name).strip() for name in frame.columns) if named else (),
        kind="table",
    )
