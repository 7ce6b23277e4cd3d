"""Joint detection of column separator and decimal mark."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cached_property

from orbitdl.io.dialect import Decimal, Dialect, Separator
from orbitdl.io.enumerations import printable

GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+", re.ASCII)
LINE_OF_GROUPS = re.compile(
    r"[+-]?[1-9]\d{0,2}((,\d{3})+(\.\d*)?|(\.\d{3})+,\d+|( \d{3})+,\d+)", re.ASCII
)

LONGEST_UNIT = 16
"""Maximum length of a unit, such as PhysioNet's 'hh:mm:ss.mmm'."""
NO_UNIT = re.compile(r".*[;,\t].*|\W*\d[\W\d]*|")
"""Text with a separator, digits without a letter, or empty text."""


@dataclass(frozen=True)
class Reading:
    """The first lines of a table, parsed with one dialect.

    Attributes
    ----------
    dialect : Dialect
    header : list of str
        Names of the columns; empty without a header.
    units : list of str
        Physical units of the columns, from a second header row.
    body : list of list of str
        The cells of the other lines.
    heads : int
        Number of header rows.
    """

    dialect: Dialect
    header: list[str]
    units: list[str]
    body: list[list[str]]
    heads: int = 0

    @classmethod
    def of(cls, dialect: Dialect, lines: list[str]) -> Reading:
        """Parse lines."""
        try:
            rows = list(dialect.rows(lines))
        except csv.Error:
            rows = []
        headed = bool(rows) and dialect.names_columns(rows[0])
        two = headed and len(rows) > 2 and _are_words_above(rows[1], rows[2], dialect)
        names, below = (rows[k] if wanted else [] for k, wanted in ((0, headed), (1, two)))
        names = [printable(name.strip("'")) for name in names]
        below = [printable(unit.strip("'[]()")) for unit in below]
        if two and len(set(names)) < len(names):  # a header in two rows
            names, below = [" ".join(pair) for pair in zip(names, below, strict=False)], []
        return cls(dialect, names, below, rows[headed + two :], headed + two)

    @property
    def width(self) -> int:
        """Cells in a row."""
        return len(self.body[0]) if self.body else len(self.header)

    @cached_property
    def columns(self) -> int:
        """Number of columns, without trailing empty ones."""
        filled = (k + 1 for row in (self.header, *self.body) for k, cell in enumerate(row) if cell)
        return max(filled, default=1)

    @cached_property
    def fits_header(self) -> bool:
        """Whether a header, if any, has a name for every column."""
        return not self.header or self.columns <= min(len(self.header), self.width)

    @cached_property
    def is_even(self) -> bool:
        """Whether all rows have one width, and the header fits."""
        return self.fits_header and all(len(row) == self.width for row in self.body)

    @cached_property
    def share_of_numbers(self) -> float:
        """Fraction of cells of the body that are numbers or empty."""
        cells = [number for row in self.body for number in self.dialect.numbers(row)]
        return sum(number is not None for number in cells) / len(cells) if cells else 1.0

    @cached_property
    def with_commas(self) -> list[str]:
        """Cells that hold a comma."""
        return [cell for row in self.body for cell in row if "," in cell]

    def explains(self, requested: Dialect) -> bool:
        """Return whether the lines are a numeric table in this dialect, and need it."""
        separator, decimal = self.dialect.separator, self.dialect.decimal
        separates = separator is Separator.none or self.columns > 1
        decimal_asked = requested.decimal is not None and separator is not Separator.comma
        marks = decimal is Decimal.point or decimal_asked or bool(self.with_commas)
        return (
            bool(self.header or self.body)
            and (separates or requested.separator is not None)
            and marks
            and self.is_even
            and self.share_of_numbers == 1.0
        )

    def differs(self, other: Reading) -> bool:
        """Return whether two readings give different numbers; tabs are preferred to blanks."""
        if {self.dialect.separator, other.dialect.separator} == {Separator.tab, Separator.blank}:
            return False
        return self._plain != other._plain

    @property
    def _plain(self) -> list[list[str]]:
        return [[cell.replace(",", ".") for cell in row[: self.columns]] for row in self.body]

    def may_hold_groups(self, lines: list[str], requested: Dialect) -> bool:
        """Return whether commas or blanks may be thousands separators."""
        outside = self.dialect.separator is not Separator.semicolon and requested.decimal is None
        if self.with_commas and outside and all(map(GROUPS.fullmatch, self.with_commas)):
            return True
        is_pair = self.columns == 2 and not self.header and requested.separator is None
        return is_pair and all(LINE_OF_GROUPS.fullmatch(line.strip()) for line in lines)


def _are_words_above(row: list[str], next_row: list[str], dialect: Dialect) -> bool:
    """Return whether a second header row holds units: a word above every number."""
    if len(row) != len(next_row):
        return False
    below = dialect.numbers(next_row)
    words = [cell for cell, x in zip(row, below, strict=True) if x is not None and x == x]
    no_words = (len(word) > LONGEST_UNIT or NO_UNIT.fullmatch(word) for word in words)
    numbers = (cell for cell, x in zip(row, dialect.numbers(row), strict=True) if x is not None)
    return bool(words) and not any(no_words) and not any(numbers)


def detect(lines: list[str], requested: Dialect) -> Reading:
    """Detect the dialect of a table from its first lines.

    A dialect explains the lines if all of them, and the header, have the same number of cells, and
    all cells are numbers or empty. If two dialects explain the lines by different numbers, raise
    ValueError. If none does, return the one with the most numbers; reading will report the error.

    Notes
    -----
    ``1,2`` may be two columns or a decimal; ``1,234.5`` two columns or a thousands separator; a
    header may resolve this. Between semicolons a comma is a decimal mark.

    Examples
    --------
    >>> print(detect(["a;b", "0,1;0,2"], Dialect()).dialect)
    columns separated by semicolon, decimals after a comma
    """
    filled = [line for line in lines if line.strip()]
    readings = [Reading.of(dialect, filled) for dialect in requested.possible()]
    sound = [reading for reading in readings if reading.explains(requested)]
    if any(reading.header and reading.columns > 1 for reading in sound):
        sound = [reading for reading in sound if reading.columns > 1]
    if not sound:
        return max(readings, key=lambda reading: (bool(reading.body), reading.share_of_numbers))
    first, *others = sound
    taken = f"it may have {first.dialect} ({first.dialect.arguments}), or"
    for other in others:
        if other.differs(first):
            raise ValueError(f"{taken} {other.dialect} ({other.dialect.arguments}); pass one")
    if first.may_hold_groups(filled, requested):
        raise ValueError(f"{taken} thousands separators; pass these, or remove the separators")
    return first
