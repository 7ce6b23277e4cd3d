"""Heart beats in the second lead of MIT-BIH records, and their times in both leads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.data import Floats
from benchmarks.trust.beats import LENGTH, compared, f1s, gross
from benchmarks.trust.ecg import FAR, NEAR, Record, load, names, onsets, ours, peers_on
from benchmarks.trust.leads import GAUSSIAN, differences
from benchmarks.trust.rows import Row, Section, Settings, Table
from benchmarks.trust.sources import Fit, MissingDataError, fit, folder

DATA = "MIT-BIH, lead 1"
NOTE = (
    "The second lead of the same records, mostly V1, with the annotations of the first: their "
    "times are those of another lead. No target: no rule was chosen on these signals, except that "
    "the peak of a waveform is where its whitened energy is high. Spreads of the differences of "
    "times in both leads are those of the section on two leads; analogue tapes, from which "
    "these records were digitised, shift channels against each other as well."
)


def run(settings: Settings) -> Section:
    """Compare beats in the second lead with annotations, peers, and beats in the first."""
    records = [second(load(name)) for name in names(settings)]
    fits = [fit(r.signal, round(LENGTH * r.sfreq), r.sfreq) for r in records]
    times = {"ours": [onsets(one) for one in fits]}
    times |= {name: found for name, (found, _) in peers_on(records).items()}
    rows = [
        replace(compared(f"gross F1 at {1000 * tolerance:.0f} ms", values), data=DATA)
        for tolerance in (NEAR, FAR)
        for values in [{name: gross(records, found, tolerance) for name, found in times.items()}]
    ]
    spreads = [spread(ours(r.name, LENGTH), one) for r, one in zip(records, fits, strict=True)]
    measure = "spread of time differences of both leads over their standard errors"
    rows.append(Row("MIT-BIH, 2 leads", f"{measure}, median", float(np.nanmedian(spreads))))
    rows.append(Row("MIT-BIH, 2 leads", f"{measure}, largest", float(np.nanmax(spreads))))
    tables = [table(records, times, fits, spreads)]
    return Section(f"MIT-BIH, lead 1, {len(records)} records", rows, tables, NOTE)


def second(record: Record) -> Record:
    """Return a record with the samples of its second lead."""
    try:
        from wfdb import rdrecord
    except ImportError as error:
        raise MissingDataError("wfdb is not installed") from error
    signals = rdrecord(str(folder("mitdb") / record.name)).p_signal
    return replace(record, signal=np.ascontiguousarray(signals[:, 1]))


def spread(one: Fit, other: Fit) -> float:
    """Return the robust standard deviation of time differences over their standard errors."""
    if not len(one.events) or not len(other.events):
        return float("nan")
    z, _ = differences(one.events, other.events)
    return GAUSSIAN * float(np.median(np.abs(z))) if len(z) else float("nan")


def table(
    records: list[Record], times: dict[str, list[Floats]], fits: list[Fit], spreads: list[float]
) -> Table:
    """List every record."""
    near, far = ({k: f1s(records, t, tol) for k, t in times.items()} for tol in (NEAR, FAR))
    cells = [
        (
            record.name,
            str(len(fits[k].components)),
            *(f"{near[name][k]:.4f} / {far[name][k]:.4f}" for name in times),
            f"{spreads[k]:.2f}",
        )
        for k, record in enumerate(records)
    ]
    heads = [f"F1 50 / 150 ms, {name}" for name in times]
    columns = ("record", "components", *heads, "times over standard errors")
    return Table(f"Records, waveforms of {LENGTH} s", columns, cells)
