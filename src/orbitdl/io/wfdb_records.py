"""Reader of records in PhysioNet's format WFDB."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path
from typing import Any

from orbitdl.arrays.optional import install_hint
from orbitdl.io.array_files import as_numbers
from orbitdl.io.enumerations import printable
from orbitdl.io.recording import Recording
from orbitdl.io.unreadable import UnreadableError, parsing


def import_wfdb() -> Any:
    """Return the package wfdb; raise ImportError with a hint if it is missing."""
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
            f"cannot read {path}: its header {header} does not exist; copy it to the same folder."
        )
    with parsing(path, "a WFDB record"):
        _require_rate(header)
        _require_all_leads(wfdb.rdheader(str(stem)), path)
        record = wfdb.rdrecord(str(stem))
        values = as_numbers(record.p_signal, path)
        names, units = tuple(map(printable, record.sig_name)), tuple(map(str, record.units))
        return Recording(values, float(record.fs), names, units=units)


def _require_rate(header: Path) -> None:
    """Raise UnreadableError for an invalid sampling rate, which wfdb replaces by 250 Hz."""
    lines = header.read_text(encoding="utf-8", errors="replace").splitlines()
    record = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    found = re.match(r"[+-]?[\w.]+", " ".join(record.split()[2:3]))
    try:
        sfreq = float(found[0]) if found else 1.0
    except ValueError:
        return  # wfdb raises an error
    if not 0 < sfreq < math.inf:
        raise UnreadableError(
            f"cannot read {header} as a WFDB record: it states a sampling rate of "
            f"{record.split()[2]}, which must be a positive number of Hz."
        )


def _require_all_leads(header: Any, path: Path) -> None:
    """Raise UnreadableError if a header describes another number of leads than it states."""
    described = getattr(header, "file_name", None)  # a record of several parts describes none
    if described is not None and len(described) != header.n_sig:
        raise UnreadableError(
            f"cannot read {path} as a WFDB record: its header states {header.n_sig} leads and "
            f"describes {len(described)}."
        )
