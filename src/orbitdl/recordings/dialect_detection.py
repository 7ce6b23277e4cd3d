"""Finding out how a table is written: separator and decimal mark together."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cached_property

from orbitdl.recordings.dialect import Decimal, Dialect, Separator
from orbitdl.recordings.words import printable

GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+", re.ASCII)
LINE_OF_GROUPS = re.compile(
    r"[+-]?[1-9]\d{0,2}((,\d{3})+(\.\d*)?|(\.\d{3})+,\d+|( \d{3})+,\d+)", re.ASCII
)

LONGEST_UNIT = 16
"""Characters of what can be a unit: 'hh:mm:ss.mmm' is one that PhysioNet writes."""
NO_UNIT = re.compile(r".*[;,\t].*|\W*\d[\W\d]*|")
"""What holds a separator, or digits without a letter, or nothing."""


@dataclass(frozen=True)
class Reading:
    """The first lines of a table as one dialect takes them.

    Attributes
    ----------
    dialect : Dialect
    header : list of str
        Names of the columns; empty: there is no header.
    units : list of str
        Physical units of the columns, where a row below the header has them.
    body : list of list of str
        The cells of the other lines.
    heads : int
        Lines above the body: names, in two rows if one does not tell columns apart, and units.
    """

    dialect: Dialect
    header: list[str]
    units: list[str]
    body: list[list[str]]
    heads: int = 0

    @classmethod
    def of(cls, dialect: Dialect, lines: list[str]) -> Reading:
        """Take lines apart."""
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
        """Cells in a row up to the last that is ever filled: separators at the end are none."""
        filled = (k + 1 for row in (self.header, *self.body) for k, cell in enumerate(row) if cell)
        return max(filled, default=1)

    @cached_property
    def fits_header(self) -> bool:
        """Whether there is no header, or one with a name for every column."""
        return not self.header or self.columns <= min(len(self.header), self.width)

    @cached_property
    def is_even(self) -> bool:
        """Whether all rows have one width, and the header fits."""
        return self.fits_header and all(len(row) == self.width for row in self.body)

    @cached_property
    def share_of_numbers(self) -> float:
        """Which part of all cells, the header's apart, are numbers or empty."""
        cells = [number for row in self.body for number in self.dialect.numbers(row)]
        return sum(number is not None for number in cells) / len(cells) if cells else 1.0

    @cached_property
    def with_commas(self) -> list[str]:
        """Cells that hold a comma."""
        return [cell for row in self.body for cell in row if "," in cell]

    def explains(self, asked: Dialect) -> bool:
        """Tell whether all rows are numbers, equally many, and take this dialect to be so."""
        separator, decimal = self.dialect.separator, self.dialect.decimal
        separates = separator is Separator.none or self.columns > 1
        decimal_asked = asked.decimal is not None and separator is not Separator.comma
        marks = decimal is Decimal.point or decimal_asked or bool(self.with_commas)
        return (
            bool(self.header or self.body)
            and (separates or asked.separator is not None)
            and marks
            and self.is_even
            and self.share_of_numbers == 1.0
        )

    def differs(self, other: Reading) -> bool:
        """Tell whether two readings give different numbers; tabs go before blanks."""
        if {self.dialect.separator, other.dialect.separator} == {Separator.tab, Separator.blank}:
            return False
        return self._plain != other._plain

    @property
    def _plain(self) -> list[list[str]]:
        return [[cell.replace(",", ".") for cell in row[: self.columns]] for row in self.body]

    def may_hold_groups(self, lines: list[str], asked: Dialect) -> bool:
        """Tell whether commas or blanks may stand between groups of three digits."""
        outside = self.dialect.separator is not Separator.semicolon and asked.decimal is None
        if self.with_commas and outside and all(map(GROUPS.fullmatch, self.with_commas)):
            return True
        whole = self.columns == 2 and not self.header and asked.separator is None
        return whole and all(LINE_OF_GROUPS.fullmatch(line.strip()) for line in lines)


def _are_words_above(row: list[str], next_row: list[str], dialect: Dialect) -> bool:
    """Tell whether a row below the header holds units: a word above every number of the next."""
    if len(row) != len(next_row):
        return False
    below = dialect.numbers(next_row)
    words = [cell for cell, x in zip(row, below, strict=True) if x is not None and x == x]
    no_words = (len(word) > LONGEST_UNIT or NO_UNIT.fullmatch(word) for word in words)
    numbers = (cell for cell, x in zip(row, dialect.numbers(row), strict=True) if x is not None)
    return bool(words) and not any(no_words) and not any(numbers)


def detect(lines: list[str], asked: Dialect) -> Reading:
    """Find out from the first lines of a table how it is written.

    A dialect explains the lines if all of them fall into the same number of cells, the header too
    if there is one, and all cells are numbers or empty. Where two dialects explain the lines by
    different numbers a ValueError says so; where none does, the one that makes the most numbers is
    returned, and reading on will find what is wrong.

    Notes
    -----
    ``1,2`` may be two columns or a decimal; ``1,234.5`` two columns or thousands in groups; a
    header over it tells. Between semicolons a comma marks decimals: they are used for its sake.

    Examples
    --------
    >>> print(detect(["a;b", "0,1;0,2"], Dialect()).dialect)
    columns separated by semicolon, decimals after a comma
    """
    filled = [line for line in lines if line.strip()]
    readings = [Reading.of(dialect, filled) for dialect in asked.possible()]
    sound = [reading for reading in readings if reading.explains(asked)]
    if any(reading.header and reading.columns > 1 for reading in sound):
        sound = [reading for reading in sound if reading.columns > 1]
    if not sound:
        return max(readings, key=lambda reading: (bool(reading.body), reading.share_of_numbers))
    first, *others = sound
    taken = f"it may have {first.dialect} ({first.dialect.arguments}), or"
    for other in others:
        if other.differs(first):
            raise ValueError(f"{taken} {other.dialect} ({other.dialect.arguments}); say which")
    if first.may_hold_groups(filled, asked):
        raise ValueError(f"{taken} thousands in groups; say so, or write numbers without groups")
    return first
