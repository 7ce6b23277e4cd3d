"""Reading records of PhysioNet's format WFDB."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path
from typing import Any

from orbitdl.arrays.optional import install_hint
from orbitdl.recordings.array_files import as_numbers
from orbitdl.recordings.recording import Recording
from orbitdl.recordings.unreadable import UnreadableError, parsing
from orbitdl.recordings.words import printable


def import_wfdb() -> Any:
    """Return the package wfdb, or say how it is installed."""
    try:
        with warnings.catch_warnings():  # wfdb 4.3 warns at import of what pandas 4 will drop
            warnings.simplefilter("ignore", DeprecationWarning)
            import wfdb
    except ImportError as error:
        raise ImportError(install_hint("reading WFDB records", "wfdb", "ecg")) from error
    return wfdb


def read_wfdb(path: Path) -> Recording:
    """Read a WFDB record in physical units."""
    wfdb = import_wfdb()
    stem = path.with_suffix("") if path.suffix.lower() in (".hea", ".dat") else path
    header = stem.with_name(stem.name + ".hea")
    if path == header and not header.is_file():
        raise FileNotFoundError(f"cannot read {path}: there is no such file or WFDB record.")
    if not header.is_file():
        raise FileNotFoundError(
            f"cannot read {path}: its header {header} is not there, which says what the samples "
            "are; put it beside them."
        )
    with parsing(path, "a WFDB record"):
        _require_rate(header)
        _require_all_leads(wfdb.rdheader(str(stem)), path)
        record = wfdb.rdrecord(str(stem))
        values = as_numbers(record.p_signal, path)
        names, units = tuple(map(printable, record.sig_name)), tuple(map(str, record.units))
        return Recording(values, float(record.fs), names, units=units)


def _require_rate(header: Path) -> None:
    """Refuse a sampling rate that is none; wfdb takes 250 Hz in its place."""
    lines = header.read_text(encoding="utf-8", errors="replace").splitlines()
    record = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    found = re.match(r"[+-]?[\w.]+", " ".join(record.split()[2:3]))
    try:
        sfreq = float(found[0]) if found else 1.0
    except ValueError:
        return  # wfdb says what is wrong with it
    if not 0 < sfreq < math.inf:
        raise UnreadableError(
            f"cannot read {header} as a WFDB record: it announces a sampling rate of "
            f"{record.split()[2]}, and a rate is a positive number of Hz."
        )


def _require_all_leads(header: Any, path: Path) -> None:
    """Refuse a header that announces other leads than it describes, before any is read."""
    described = getattr(header, "file_name", None)  # a record of several parts describes none
    if described is not None and len(described) != header.n_sig:
        raise UnreadableError(
            f"cannot read {path} as a WFDB record: its header announces {header.n_sig} leads and "
            f"describes {len(described)}."
        )
