"""Tables as text: separator and decimal mark are found out together or asked for."""

import gzip
import json
import re
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from typer.testing import CliRunner

from orbitdl.command import app
from orbitdl.io import read, table_files
from orbitdl.io.dialect import CHARACTER, UNKNOWN, Decimal, Dialect, Separator

SEMICOLON, TAB, COMMA, BLANK, NONE = (
    Separator[name] for name in ("semicolon", "tab", "comma", "blank", "none")
)


def read_text(folder, text, asked=UNKNOWN):
    path = folder / "table.csv"
    path.write_text(text)
    return read(path, separator=asked.separator, decimal=asked.decimal)


# text, separator, decimal mark, numbers
UNDERSTOOD = {
    "decimal commas under a header": (
        "a;b;c\n0,1;0,2;0,3\n",
        SEMICOLON,
        "comma",
        [[0.1, 0.2, 0.3]],
    ),
    "decimal commas without a header": (
        "0,1;0,2\n1;2,5\n",
        SEMICOLON,
        "comma",
        [[0.1, 0.2], [1, 2.5]],
    ),
    "semicolons and points": ("a;b\n1.5;2\n", SEMICOLON, "point", [[1.5, 2]]),
    "commas and points": ("1.5,2\n3,4\n", COMMA, "point", [[1.5, 2], [3, 4]]),
    "integers under a header": ("a,b\n1,2\n3,4\n", COMMA, "point", [[1, 2], [3, 4]]),
    "three columns of integers": ("1,2,3\n4,5,6\n", COMMA, "point", [[1, 2, 3], [4, 5, 6]]),
    "one column of decimal commas under a header": (
        "mV\n0,1\n0,25\n",
        NONE,
        "comma",
        [[0.1], [0.25]],
    ),
    "one column of decimal commas, some whole": (
        "0,5\n1\n1,5\n",
        NONE,
        "comma",
        [[0.5], [1], [1.5]],
    ),
    "one column of integers": ("1\n2\n", NONE, "point", [[1], [2]]),
    "tabs and decimal commas": ("a\tb\n0,1\t2,5\n", TAB, "comma", [[0.1, 2.5]]),
    "blanks and decimal commas": (
        "0,1 2,5\n 3,5   4,5\n",
        BLANK,
        "comma",
        [[0.1, 2.5], [3.5, 4.5]],
    ),
    "blanks and tabs": ("1 2\t3\n4 5 6\n", BLANK, "point", [[1, 2, 3], [4, 5, 6]]),
    "a missing value between tabs": (
        "1\t\t3\n4\t5\t6\n",
        TAB,
        "point",
        [[1, np.nan, 3], [4, 5, 6]],
    ),
    "quoted cells": ('"a","b"\n"1.5","2.5"\n', COMMA, "point", [[1.5, 2.5]]),
    "quoted decimal commas": ('"0,1","0,2"\n"1,5","3"\n', COMMA, "comma", [[0.1, 0.2], [1.5, 3]]),
    "a separator in a quoted name": ('"t; s";"x"\n0;0,5\n', SEMICOLON, "comma", [[0, 0.5]]),
    "an export of Excel": (
        "\ufeffsep=;\nt;x\n0;0,5\n1;0,75\n",
        SEMICOLON,
        "comma",
        [[0, 0.5], [1, 0.75]],
    ),
    "separators at the end": ("a;b;\n0,5;1;\n0,5;2;\n", SEMICOLON, "comma", [[0.5, 1], [0.5, 2]]),
    "separators at the end of rows only": (
        "a;b\n0,5;1;;\n0,5;2;;\n",
        SEMICOLON,
        "comma",
        [[0.5, 1], [0.5, 2]],
    ),
    "separators at the end without a header": (
        "1,5;1;\n2,5;2;\n",
        SEMICOLON,
        "comma",
        [[1.5, 1], [2.5, 2]],
    ),
    "a named column without values": ("a,b\n1,\n2,\n", COMMA, "point", [[1, np.nan], [2, np.nan]]),
    "exponents": ("1e3;-2,5E-3\n", SEMICOLON, "comma", [[1000, -0.0025]]),
    "decimals in the last of many lines": (
        "a;b\n" + "1;2\n" * 30 + "1;2,5\n",
        SEMICOLON,
        "comma",
        [[1, 2]] * 30 + [[1, 2.5]],
    ),
    "windows' ends of lines": ("a;b\r\n0,5;1\r\n", SEMICOLON, "comma", [[0.5, 1]]),
}


@pytest.mark.parametrize("kind", UNDERSTOOD)
def test_separator_and_decimal_mark_are_found_out_together(tmp_path, kind):
    text, separator, decimal, numbers = UNDERSTOOD[kind]
    content = read_text(tmp_path, text)
    assert_array_equal(content.signal, numbers)
    assert content.dialect == Dialect(separator, Decimal(decimal))


# text, and what is asked for each of the two readings
AMBIGUOUS = {
    "two integers or one decimal": (
        "1,2\n3,4\n",
        {Dialect(COMMA): [[1, 2], [3, 4]], Dialect(None, Decimal.comma): [[1.2], [3.4]]},
    ),
    "the last line cut short": ("1,2\n3,4\n5", {Dialect(None, Decimal.comma): [[1.2], [3.4], [5]]}),
    "two columns or thousands": ("1,234.5\n2,345.5\n", {Dialect(COMMA): [[1, 234.5], [2, 345.5]]}),
    "two columns or thousands in another country": (
        "1.234,5\n2.345,6\n",
        {Dialect(COMMA): [[1.234, 5], [2.345, 6]]},
    ),
    "quoted decimals or thousands": (
        '"1,234","5"\n"6,789","1"\n',
        {Dialect(None, Decimal.comma): [[1.234, 5], [6.789, 1]]},
    ),
    "blanks between columns or thousands": (
        "1 234,5\n2 345,6\n",
        {Dialect(BLANK): [[1, 234.5], [2, 345.6]]},
    ),
}


@pytest.mark.parametrize("kind", AMBIGUOUS)
def test_what_can_be_read_in_two_ways_is_refused_until_one_is_asked_for(tmp_path, kind):
    text, answers = AMBIGUOUS[kind]
    with pytest.raises(ValueError, match=r"the format of .*table\.csv is ambiguous") as caught:
        read_text(tmp_path, text)
    assert "separator=" in str(caught.value)
    assert "\n" not in str(caught.value)
    for asked, numbers in answers.items():
        assert_array_equal(read_text(tmp_path, text, asked).signal, numbers)


REFUSED = {
    "thousands between semicolons": ("a;b\n1.234,5;2\n", r"'1\.234,5' in row 2, column a"),
    "thousands with points": ('"1,234.5","2"\n', r"'1,234\.5' in row 1, column 1"),
    "commas for everything": ("a,b,c\n0,1,0,2,0,3\n", "row 1 names 3 columns, and row 2 has 6"),
    "both decimal marks": ("a;b\n0.5;0,5\n", "instead of a number"),
    "a short row": ("a;b\n1;2\n3\n", "row 3 has 1 cells, and the first has 2"),
    "a decimal mark far below": (
        "a;b\n" + "1.5;2\n" * 1500 + "1;2,5\n",
        "'2,5' in row 1502, column b",
    ),
    "digits of another script": ("x\n\u0661\n", "instead of a number"),
    "underscores": ("x\n1_000\n", "instead of a number"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_no_reading_explains_is_refused_with_its_place(tmp_path, kind):
    text, sentence = REFUSED[kind]
    with pytest.raises(ValueError, match=sentence) as caught:
        read_text(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_marks_are_for_tables_as_text_only(tmp_path):
    np.save(tmp_path / "a.npy", np.ones(3))
    with pytest.raises(ValueError, match="separator= and decimal= are for .csv files"):
        read(tmp_path / "a.npy", separator=COMMA)


def written(table, separator, decimal, header, quoted, places):
    """Write a table as a program of any country would; places None: as many as it takes."""
    mark = CHARACTER[separator]
    lines = [mark.join(header)] if header else []
    for row in table:
        cells = [repr(x) if places is None else f"{x:.{places}f}" for x in row]
        cells = [cell.replace(".", "," if decimal == "comma" else ".") for cell in cells]
        lines.append(mark.join(f'"{cell}"' if quoted else cell for cell in cells))
    return "\n".join(lines) + "\n"


@st.composite
def tables(draw):
    """Return a table, and the same as text."""
    width = draw(st.integers(1, 4))
    cell = st.one_of(
        st.integers(-2000, 2000).map(float),
        st.floats(-1e4, 1e4, allow_nan=False).map(lambda x: round(x, 3)),
        st.floats(allow_nan=False, allow_infinity=False),
    )
    places = draw(st.sampled_from([None, 0, 2, 3]))
    rows = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=6))
    rows = [[round(x, places) for x in row] for row in rows] if places is not None else rows
    separator = draw(st.sampled_from([SEMICOLON, TAB, COMMA, BLANK])) if width > 1 else NONE
    decimal = draw(st.sampled_from(["point", "comma"]))
    needs_quotes = separator is COMMA and decimal == "comma"
    quoted = needs_quotes or draw(st.booleans())
    header = [f"x{k}" for k in range(width)] if draw(st.booleans()) else []
    return np.array(rows), written(rows, separator, decimal, header, quoted, places)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(tables())
def test_a_table_gives_its_own_numbers_or_is_refused(tmp_path_factory, case):
    numbers, text = case
    folder = tmp_path_factory.getbasetemp()
    try:
        content = read_text(folder, text)
    except ValueError as error:
        refusal = str(error)
    else:
        assert_allclose(content.signal, numbers, rtol=1e-12)
        return
    assert re.match("the format of .* is ambiguous", refusal)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(tables())
def test_semicolons_need_no_questions(tmp_path_factory, case):
    """Whatever the numbers are, between semicolons they are understood at once."""
    numbers, _ = case
    if numbers.shape[1] == 1:
        return
    for decimal in ("point", "comma"):
        text = written(numbers.tolist(), SEMICOLON, decimal, [], False, None)
        assert_allclose(read_text(tmp_path_factory.getbasetemp(), text).signal, numbers, rtol=1e-12)


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def european(tmp_path):
    X = np.round(np.random.default_rng(0).standard_normal((30, 12)), 3)
    text = "\n".join(";".join(str(x).replace(".", ",") for x in row) for row in X)
    (tmp_path / "x.csv").write_text(text + "\n")
    return tmp_path


def test_every_command_says_how_it_read_a_table(european):
    data, model = european / "x.csv", european / "m"
    settings = ("--group", "integer-shift", "--alpha", 0.5, "--max-iter", 1)
    told = "columns separated by semicolon, decimals after a comma"
    commands = {
        "fit": (data, "-o", model, *settings),
        "encode": (model, data, "-o", european / "e.csv"),
        "denoise": (model, data, "-o", european / "d.npy"),
        "complete": (model, data, "-o", european / "c.npy"),
        "report": (model, data, "-o", european / "r.html"),
    }
    for name, arguments in commands.items():
        result = run(name, *arguments)
        assert result.exit_code == 0, result.stderr
        assert result.stdout.count(told) == 1
        facts = json.loads(run(name, *arguments, "--json", "--overwrite").stdout)
        assert facts["table"] == {"separator": "semicolon", "decimal": "comma"}
        asked = run(name, *arguments, "--separator", "comma")
        assert asked.exit_code == 1
        assert "Error: " in asked.stderr


def test_a_table_of_two_meanings_stops_fit_until_it_is_settled(tmp_path):
    (tmp_path / "x.csv").write_text("".join(f"{k % 7},{k % 5}\n" for k in range(60)))
    settings = ("--window", 10, "--max-iter", 1, "--group", "integer-shift")
    arguments = ("fit", tmp_path / "x.csv", "-o", tmp_path / "m", *settings)
    refused = run(*arguments)
    assert refused.exit_code == 1
    assert refused.stderr.startswith("Error: the format of")
    assert refused.stderr.count("\n") == 1
    assert "(--separator comma and --decimal point), or" in refused.stderr
    shapes = {"--separator": [10, 2], "--decimal": [10]}
    for option, shape in shapes.items():
        result = run(*arguments, option, "comma", "--json")
        assert json.loads(result.stdout)["shape"] == shape


# units, encodings, compression, memory

PHYSIONET = "'Elapsed time','MLII','V5'\n'{unit}','mV','mV'\n{rows}"
TIMES = {
    "hh:mm:ss.mmm": ("'0:00.000'", "'0:00.004'", "'0:00.008'"),
    "seconds": ("0.000", "0.004", "0.008"),
    "ms": ("0", "4", "8"),
}


@pytest.mark.parametrize("unit", TIMES)
def test_a_row_of_units_is_understood(tmp_path, unit):
    rows = "".join(f"{time},-0.145,{k}\n" for k, time in enumerate(TIMES[unit]))
    (tmp_path / "100.csv").write_text(PHYSIONET.format(unit=unit, rows=rows))
    recording = read(tmp_path / "100.csv", time_column="Elapsed time")
    assert_array_equal(recording.signal, [[-0.145, 0], [-0.145, 1], [-0.145, 2]])
    assert recording.ch_names == ("MLII", "V5")
    assert recording.units == ("mV", "mV")
    assert recording.sfreq == pytest.approx(250)


def test_a_header_in_two_rows_names_columns_by_both(tmp_path):
    (tmp_path / "a.csv").write_text("sensor,left,left\naxis,x,y\n0,1.5,2\n1,2.5,3\n")
    recording = read(tmp_path / "a.csv")
    assert recording.ch_names == ("sensor axis", "left x", "left y")
    assert recording.units == ()
    assert_array_equal(recording.signal, [[0, 1.5, 2], [1, 2.5, 3]])


NO_UNITS = {
    "a missing value above a number": ("x,label\n,N\n1.5,V\n2,N\n", 3),
    "numbers": ("x,label\n1,N\n1.5,V\n", 2),
    "missing values": ("x,y\nnan,nan\n1.5,2\n", 2),
}


@pytest.mark.parametrize("case", NO_UNITS)
def test_data_below_a_header_are_not_taken_for_units(tmp_path, case):
    text, rows = NO_UNITS[case]
    (tmp_path / "a.csv").write_text(text)
    recording = read(tmp_path / "a.csv", channel="x")
    assert len(recording.signal) == rows
    assert recording.units == ()


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig", "utf-8"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".tsv.gz"])
def test_encodings_and_suffixes_of_tables(tmp_path, encoding, suffix):
    mark = "\t" if "tsv" in suffix else ";"
    text = f"t (\u00b5s){mark}gr\u00f6\u00dfe\r\n0{mark}1,5\r\n500{mark}-2\r\n"
    open_ = gzip.open if suffix.endswith("gz") else open
    with open_(tmp_path / f"a{suffix}", "wb") as file:
        file.write(text.encode(encoding))
    recording = read(tmp_path / f"a{suffix}", time_column="0")
    assert_array_equal(recording.signal, [[1.5], [-2]])
    assert recording.ch_names == ("gr\u00f6\u00dfe",)
    assert recording.sfreq == 2000


@pytest.mark.parametrize("write", ["csv", "parquet"])
def test_names_of_columns_are_escaped_in_messages(tmp_path, write):
    path = tmp_path / f"a.{write}"
    frame = pd.DataFrame({"a\x1b[31m": ["1", "x"], "b\x07c": ["2", "3"]})
    frame.to_csv(path, index=False) if write == "csv" else frame.to_parquet(path)
    with pytest.raises(ValueError, match=r"column .*31m") as caught:
        read(path)
    assert str(caught.value).isprintable()


def test_a_remedy_that_names_no_column_is_not_given(tmp_path):
    (tmp_path / "a.csv").write_text("x\nlow\nhigh\n1\n")
    with pytest.raises(ValueError, match="'low' in row 2, column x.*") as caught:
        read(tmp_path / "a.csv")
    assert "channel=" not in str(caught.value)


def test_what_expands_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("orbitdl.io.text_files.SMALL", 2**16)
    np.savez_compressed(tmp_path / "a.npz", x=np.zeros(2**20))
    with gzip.open(tmp_path / "a.csv.gz", "wb") as file:
        file.write(b"0\n" * 2**21)
    for name in ("a.npz", "a.csv.gz"):
        with pytest.raises(ValueError, match=f"{name} would expand more than 100 times"):
            read(tmp_path / name)
    np.savez_compressed(tmp_path / "b.npz", x=np.arange(2.0**10), y=np.zeros(2**20))
    assert len(read(tmp_path / "b.npz", key="x").signal) == 2**10  # the other is not looked at


def test_a_damaged_compressed_table_is_refused(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"1\n2\n" * 100)[:-20])
    with pytest.raises(ValueError, match=r"a\.csv\.gz as a compressed file: it is damaged"):
        read(tmp_path / "a.csv.gz")


PLAIN = ("a;b\n1;2\n;-2,5e-3\n", "1\n2.5\n\n3\n", "x,when\n1,2024-05-01\n2.5,2024-05-02\n")


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_table_is_read_at_once_as_it_is_cell_by_cell(tmp_path, monkeypatch, text):
    (tmp_path / "a.csv").write_text(text)
    channel = "x" if "when" in text else None
    at_once = read(tmp_path / "a.csv", channel=channel)
    monkeypatch.setattr(table_files, "read_at_once", lambda *_: None)
    assert_array_equal(at_once.signal, read(tmp_path / "a.csv", channel=channel).signal)


def test_a_long_table_takes_a_few_times_its_size(tmp_path):
    path = tmp_path / "long.csv"
    path.write_bytes(b"x\n" + b"0.125\n-1.50\n" * 400_000)
    tracemalloc.start()
    signal = read(path).signal
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert signal.shape == (800_000, 1)
    assert peak < 8 * path.stat().st_size
