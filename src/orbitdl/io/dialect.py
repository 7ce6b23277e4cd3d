"""Dialects of text tables: column separator and decimal mark."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import nan

from orbitdl.io.enumerations import member


class Separator(StrEnum):
    """Column separators."""

    semicolon = "semicolon"
    tab = "tab"
    comma = "comma"
    blank = "blank"
    none = "none"


class Decimal(StrEnum):
    """Decimal marks."""

    point = "point"
    comma = "comma"


CHARACTER = {
    Separator.semicolon: ";",
    Separator.tab: "\t",
    Separator.comma: ",",
    Separator.blank: " ",
    Separator.none: "\x1f",  # in no table
}
NUMBER = {
    Decimal.point: re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?[iI]nf", re.ASCII),
    Decimal.comma: re.compile(r"[+-]?(\d+(,\d+)?|,\d+)([eE][+-]?\d+)?|[+-]?[iI]nf", re.ASCII),
}
LIKE_NUMBERS = re.compile(r"([\d.,;'\"\s+-]|\d[eE][+-]?\d)*", re.ASCII)
MISSING = re.compile(r"|[+-]?nan|#?n/?a|<na>|null|none|-?1\.#(ind|qnan)", re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """Column separator and decimal mark; None: to be detected.

    Examples
    --------
    >>> print(Dialect(Separator.semicolon, Decimal.comma))
    columns separated by semicolon, decimals after a comma
    """

    separator: Separator | None = None
    decimal: Decimal | None = None

    def __str__(self) -> str:
        one = self.separator is Separator.none
        columns = "one column" if one else f"columns separated by {self.separator}"
        return f"{columns}, decimals after a {self.decimal}"

    @classmethod
    def of(cls, separator: str | None, decimal: str | None) -> Dialect:
        """Return a dialect from names of its members."""
        return cls(
            None if separator is None else member(Separator, separator),
            None if decimal is None else member(Decimal, decimal),
        )

    @property
    def arguments(self) -> str:
        """Arguments of `read` that request this dialect."""
        return f"separator='{self.separator}' and decimal='{self.decimal}'"

    def possible(self) -> Iterator[Dialect]:
        """Yield all dialects compatible with the known members."""
        for separator in [self.separator] if self.separator else Separator:
            for decimal in [self.decimal] if self.decimal else Decimal:
                yield Dialect(separator, decimal)

    def rows(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """Yield the cells of every line; quoted cells may hold the separator."""
        assert self.separator is not None
        if self.separator is Separator.blank:
            lines = (line.replace("\t", " ").strip() for line in lines)
        mark = CHARACTER[self.separator]
        for row in csv.reader(lines, delimiter=mark, skipinitialspace=True):
            yield list(map(str.strip, row))

    def numbers(self, row: list[str]) -> list[float | None]:
        """Return the number in every cell, NaN for missing values, None for other text."""
        assert self.decimal is not None
        is_number = NUMBER[self.decimal].fullmatch
        plain = row if self.decimal is Decimal.point else [x.replace(",", ".") for x in row]
        if all(map(is_number, row)):
            return list(map(float, plain))
        return [
            float(x) if is_number(cell) else nan if MISSING.fullmatch(cell) else None
            for cell, x in zip(row, plain, strict=True)
        ]

    def names_columns(self, row: list[str]) -> bool:
        """Return whether a row is a header: some cell is not a number in any notation."""
        return any(
            number is None and not LIKE_NUMBERS.fullmatch(cell)
            for cell, number in zip(row, self.numbers(row), strict=True)
        )


UNKNOWN = Dialect()
"""Nothing is known: both are detected."""
