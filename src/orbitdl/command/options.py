"""Options shared by several commands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command.lengths import Length, parse_length, parse_span, parse_time
from orbitdl.command.numbers import integer_from, samples_per_second, threads
from orbitdl.io.dialect import Decimal, Separator
from orbitdl.io.layout import Layout
from orbitdl.io.time_units import TimeUnit

CUTTING = "How the data are read"
PRINTING = "What is printed"
CLUSTER = r"Workers (needs orbitdl\[distributed])"


Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="A recording or windows: .csv, .tsv, .txt (or .gz), .npy, .npz, .mat, .h5, .zarr, "
        ".parquet, .wav, .flac, .edf, .bdf and what else MNE reads, or a WFDB record (its .hea "
        "file or its name). NaN or an empty cell is a missing value.",
    ),
]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file that fit wrote.")]
Channel = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Number (from 0) or name of a column or lead; several with commas between; or mean. "
        "Other columns may hold text.",
        rich_help_panel=CUTTING,
    ),
]
Rate = Annotated[
    float | None,
    typer.Option(
        metavar="HZ",
        parser=samples_per_second,
        help="Sampling rate in Hz; overrides the rate stored in the file.",
        rich_help_panel=CUTTING,
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        "--time-column",
        metavar="NAME",
        help="Name or number (from 0) of a column of times, numbers or dates: it is left out of "
        "the signal, and the sampling rate is taken from it.",
        rich_help_panel=CUTTING,
    ),
]
UnitOfTime = Annotated[
    TimeUnit | None,
    typer.Option(
        "--time-unit",
        help="Unit of the numbers in --time-column; by default the one that its name ends in "
        "(time_ms), or else seconds.",
        rich_help_panel=CUTTING,
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Which array of an .npz, .mat, .h5 or .zarr file to read.",
        rich_help_panel=CUTTING,
    ),
]
ColumnSeparator = Annotated[
    Separator | None,
    typer.Option(
        "--separator",
        help="What separates the columns of a .csv file; found out if left out.",
        rich_help_panel=CUTTING,
    ),
]
DecimalMark = Annotated[
    Decimal | None,
    typer.Option(
        "--decimal",
        help="What marks decimals in a .csv file; found out if left out.",
        rich_help_panel=CUTTING,
    ),
]
LayoutOption = Annotated[
    Layout,
    typer.Option(
        "--layout",
        help="Whether rows are samples in time (recording) or windows. auto: sound, WFDB records "
        "and single columns are recordings; rows and columns are a recording if a window length "
        "or the sampling rate is known or if a table (.csv, .parquet) has up to 8 columns, and "
        "windows otherwise.",
        rich_help_panel=CUTTING,
    ),
]
Span = Annotated[
    Length | None,
    typer.Option(
        "--length",
        metavar="LENGTH",
        parser=parse_span,
        help="Learn waveforms from the recording as a whole, and how long one is at most: in "
        "seconds if the rate is known, 0.7s or 0.7 (a number with a decimal point), or in samples, "
        "252 (an integer).",
    ),
]
Window = Annotated[
    Length | None,
    typer.Option(
        metavar="LENGTH",
        parser=parse_length,
        help="Instead of --length: split the recording into windows of this length, in samples, "
        "such as 201, or in seconds, such as 0.6s, if the rate is known.",
        rich_help_panel=CUTTING,
    ),
]
Step = Annotated[
    Length | None,
    typer.Option(
        metavar="LENGTH",
        parser=parse_length,
        help="Windows: from the start of one to the next, in samples or in seconds, such as 0.1s; "
        "by default as the model was learned, and fit takes the length of a window; events and "
        "report then take a quarter of it.",
        rich_help_panel=CUTTING,
    ),
]

Begin = Annotated[
    Length | None,
    typer.Option(
        "--from",
        metavar="TIME",
        parser=parse_time,
        help="Take the recording from here on only: a sample, counted from 0, or seconds, such as "
        "90s (or ms, min, h), if the rate is known. Events keep the times of the whole recording.",
        rich_help_panel=CUTTING,
    ),
]
End = Annotated[
    Length | None,
    typer.Option(
        "--to",
        metavar="TIME",
        parser=parse_time,
        help="Take the recording up to here only, likewise.",
        rich_help_panel=CUTTING,
    ),
]


@dataclass(frozen=True)
class ReadingOptions:
    """Options for reading data and splitting them into windows."""

    step: Step = None
    channel: Channel = None
    sfreq: Rate = None
    layout: LayoutOption = Layout.auto
    key: Key = None
    separator: ColumnSeparator = None
    decimal: DecimalMark = None
    begin: Begin = None
    end: End = None
    time_column: TimeColumn = None
    time_unit: UnitOfTime = None


AS_FOUND = ReadingOptions()


@dataclass(frozen=True)
class ClusterOptions:
    """Options of the Dask cluster that encodes data."""

    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=integer_from(1),
            help="Start so many processes of Dask on this machine that code parts of the data, and "
            "stop them at the end. A recording as a whole is one part.",
            rich_help_panel=CLUSTER,
        ),
    ] = None
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Give the data to the Dask cluster at this address, such as tcp://10.0.0.1:8786, "
            "or tls:// with the certificates of Dask's configuration; it reads .npy and .parquet "
            "files of windows itself. Name one that you trust: it runs code here, and you there.",
            rich_help_panel=CLUSTER,
        ),
    ] = None


LOCAL = ClusterOptions()
Array = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="ARRAY", help="The array to write: .npy or .csv."),
]
Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Replace an existing file. Without it only a model, a report or a table that orbitdl "
        "wrote is replaced.",
    ),
]
Debias = Annotated[
    bool, typer.Option("--debias", help="Refit the coefficients, which sparsity shrinks.")
]
Jobs = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=threads,
        help="Threads; -1 is all cores. The result does not depend on it.",
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print one JSON object and nothing else.", rich_help_panel=PRINTING
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Print nothing unless something fails.", rich_help_panel=PRINTING
    ),
]
