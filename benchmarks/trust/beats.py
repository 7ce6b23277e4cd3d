"""Heart beats of the MIT-BIH Arrhythmia Database beside XQRS and neurokit2."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.data import Floats
from benchmarks.trust.ecg import FAR, NEAR, Record, load, names, onsets, ours, peers_on
from benchmarks.trust.peers import absent
from benchmarks.trust.rows import Row, Section, Settings, Table
from benchmarks.trust.scores import JITTER_SCALE, jf, pooled
from benchmarks.trust.sources import Fit

LENGTH, OTHERS = 0.6, (0.4, 0.9)
"""Lengths of waveforms in seconds."""
DATA = "MIT-BIH, lead 0"
NOTE = (
    "Whole records, lead 0. True beats are all annotations with a symbol of "
    "`N L R B A a J S V r F e j n E / f Q ?`. Ventricular flutter, from `[` to `]`, is left out "
    "for all tools. Event times are used as listed. From the times of each peer one lag is "
    "subtracted, the one with the largest gross F1 at 50 ms, which favours the peers. JF = "
    "F1 / (1 + jitter / 10 ms) with F1 at 50 ms; jitter is the mean absolute deviation of the "
    "matched time differences from their median."
)

Times = dict[str, list[Floats]]


def run(settings: Settings) -> Section:
    """Compare the beats that all tools find."""
    records = [load(name) for name in names(settings)]
    fits = [ours(record.name, LENGTH) for record in records]
    peers = peers_on(records)
    times = {"ours": [onsets(one) for one in fits]} | {k: v[0] for k, v in peers.items()}
    cpu = {"ours": [one.seconds for one in fits]} | {k: v[1] for k, v in peers.items()}
    rows = gross_rows(records, times, cpu) + half_rows(records, times)
    rows += [jf_row(records, times), speed_row(cpu), *length_rows(records)]
    tables = [table(records, times, fits), cpu_table(cpu)]
    title = f"MIT-BIH Arrhythmia Database, {len(records)} records"
    note = " ".join([NOTE, f"Records: {', '.join(r.name for r in records)}.", absent()])
    return Section(title, rows, tables, note.strip())


def f1s(records: list[Record], found: list[Floats], tolerance: float) -> list[float]:
    """Return the F1 of every record."""
    return [r.count(t, tolerance).f1 for r, t in zip(records, found, strict=True)]


def gross(records: list[Record], found: list[Floats], tolerance: float) -> float:
    """Return the F1 of the pooled counts."""
    return pooled(r.count(t, tolerance) for r, t in zip(records, found, strict=True)).f1


def compared(measure: str, values: dict[str, float], **target: float | None) -> Row:
    """Return a row from the values of all tools."""
    peers = {name: value for name, value in values.items() if name != "ours"}
    return Row(DATA, measure, values["ours"], peers, **target)


def gross_rows(records: list[Record], times: Times, cpu: dict[str, list[float]]) -> list[Row]:
    """Judge gross F1 and the worst record at both tolerances."""
    rows, seconds = [], float(np.mean(cpu["ours"]))
    for tolerance, least in ((NEAR, 0.995), (FAR, 0.997)):
        where = f"{1000 * tolerance:.0f} ms, waveforms of {LENGTH} s"
        values = {name: gross(records, found, tolerance) for name, found in times.items()}
        rows.append(compared(f"gross F1 at {where}", values, low=least, seconds=seconds))
        worst = {name: min(f1s(records, found, tolerance)) for name, found in times.items()}
        rows.append(compared(f"F1 of the worst record at {where}", worst, low=0.97))
    return rows


def half_rows(records: list[Record], times: Times) -> list[Row]:
    """Report gross F1 on the two halves of the list of records."""
    rows = []
    for name, half in (("even", slice(0, None, 2)), ("odd", slice(1, None, 2))):
        values = {key: gross(records[half], found[half], NEAR) for key, found in times.items()}
        rows.append(compared(f"gross F1 at 50 ms, records at {name} positions", values))
    return rows


def jf_row(records: list[Record], times: Times) -> Row:
    """Count the records with F1 above .99 on which a peer has the larger JF."""
    values = {
        name: [jf(t[r.outside(t)], r.beats, NEAR) for r, t in zip(records, found, strict=True)]
        for name, found in times.items()
    }
    good = np.array(f1s(records, times["ours"], NEAR)) > 0.99
    best = np.max([values[name] for name in values if name != "ours"] or [good * 0.0], axis=0)
    judged = len(values) > 1 and good.any()  # without peers or records nothing is held
    behind = float(np.sum(good & (np.array(values["ours"]) <= best))) if judged else math.nan
    means = ", ".join(f"{name} {np.mean(value):.3f}" for name, value in values.items())
    note = f"{good.sum()} records have F1 above .99. Mean JF of all records: {means}. "
    note += grid_note(records, good, best)
    measure = "records with F1 > .99 on which a peer has a JF at least as large"
    return Row(DATA, measure, behind, high=0, note=note)


def grid_note(records: list[Record], good: np.ndarray, best: Floats) -> str:
    """Report what rounding of annotations to samples alone costs: a quarter of a sample."""
    limits = np.array([1.0 / (1.0 + 0.25 / r.sfreq / JITTER_SCALE) for r in records])
    beyond = int(np.sum(good & (best > limits)))
    return (
        "Annotations are whole samples, and so are the times of peers, which point at the same "
        "sample of the peak. A time to a fraction of a sample differs from its rounded value by "
        f"a quarter of a sample on average, which limits JF to {limits.min():.3f}. On {beyond} of "
        "these records a peer has a larger JF."
    )


def speed_row(cpu: dict[str, list[float]]) -> Row:
    """Judge the CPU time of the slowest record."""
    slowest = {name: max(seconds) for name, seconds in cpu.items()}
    return compared("CPU seconds of the slowest record", slowest, high=8.0)


def length_rows(records: list[Record]) -> list[Row]:
    """Judge gross F1 with other lengths of waveforms."""
    rows = []
    for length in OTHERS:
        fits = [ours(record.name, length) for record in records]
        times, seconds = [onsets(one) for one in fits], float(np.mean([f.seconds for f in fits]))
        for tolerance, least in ((NEAR, None), (FAR, 0.99)):
            measure = f"gross F1 at {1000 * tolerance:.0f} ms, waveforms of {length} s"
            value, low = gross(records, times, tolerance), min(f1s(records, times, tolerance))
            note = f"worst record {low:.3f}."
            rows.append(Row(DATA, measure, value, low=least, seconds=seconds, note=note))
    return rows


def table(records: list[Record], times: Times, fits: list[Fit]) -> Table:
    """List every record."""
    cells = []
    near = {name: f1s(records, found, NEAR) for name, found in times.items()}
    far = {name: f1s(records, found, FAR) for name, found in times.items()}
    for k, (record, one) in enumerate(zip(records, fits, strict=True)):
        scores = [f"{near[name][k]:.4f} / {far[name][k]:.4f}" for name in times]
        counts = f"{len(record.beats)}", f"{len(one.events)}", f"{len(one.components)}"
        cells.append((record.name, *counts, f"{one.seconds:.1f}", *scores, one.reason))
    heads = "record", "beats", "events", "components", "CPU s"
    scores = [f"F1 50 / 150 ms, {name}" for name in times]
    return Table(f"Records, waveforms of {LENGTH} s", (*heads, *scores, "growth stopped"), cells)


def cpu_table(cpu: dict[str, list[float]]) -> Table:
    """List CPU seconds of all tools."""
    cells = [(name, f"{np.mean(s):.2f}", f"{max(s):.2f}") for name, s in cpu.items()]
    return Table("CPU seconds per record", ("tool", "mean", "slowest"), cells)
