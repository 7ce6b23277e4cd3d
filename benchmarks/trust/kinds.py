"""Ventricular and normal beats: whether components separate them."""

from __future__ import annotations

import numpy as np

from benchmarks.trust.beats import LENGTH
from benchmarks.trust.ecg import FAR, Record, load, names, onsets, ours
from benchmarks.trust.rows import Row, Section, Settings, Table
from benchmarks.trust.scores import own_kind, pairs
from benchmarks.trust.sources import Fit

NORMAL, VENTRICULAR = "NLRej", "VE"
"""Annotation symbols of the AAMI classes N and V."""
LEAST = 50
NOTE = (
    "Records with at least 50 beats `V`. Beats of the AAMI classes N (`N L R e j`) and V (`V E`) "
    "are matched with events within 150 ms. A component is of the kind that has the majority of "
    "its matched beats. The share of matched beats ignores those without an event; the share of "
    "all beats counts them as wrong. The peers do not separate kinds of beats."
)


def run(settings: Settings) -> Section:
    """Measure the share of beats in components of their own kind."""
    records = [load(name) for name in names(settings)]
    chosen = [record for record in records if np.sum(record.symbols == "V") >= LEAST]
    title = "MIT-BIH, ventricular against normal beats"
    if not chosen:
        return Section(title, not_run=f"no record with {LEAST} ventricular beats was requested")
    fits = [ours(record.name, LENGTH) for record in chosen]
    kinds = [matched_kinds(record, one) for record, one in zip(chosen, fits, strict=True)]
    cells = [
        (record.name, f"{len(one.components)}", *shares(*pair))
        for record, one, pair in zip(chosen, fits, kinds, strict=True)
    ]
    own = np.concatenate([own_kind(*pair) for pair in kinds])
    value = float(np.mean(own)) if len(own) else float("nan")
    note = f"{len(chosen)} records, {len(own)} matched beats."
    everything = sum(int(np.isin(r.symbols, list(NORMAL + VENTRICULAR)).sum()) for r in chosen)
    all_beats = float(np.sum(own)) / everything
    what = "beats in components of their kind"
    rows = [
        Row("MIT-BIH", f"share of matched V and N {what}", value, low=0.97),
        Row("MIT-BIH", f"share of all V and N {what}, missed beats counted", all_beats, low=0.97),
        worst_row(kinds),
    ]
    columns = "record", "components", "N matched", "of own kind", "V matched", "of own kind"
    table = Table("Records", columns, cells, note)
    return Section(title, rows, [table], NOTE)


def worst_row(kinds: list[tuple[np.ndarray, np.ndarray]]) -> Row:
    """Report the smallest share of V beats over the records."""
    values = [own_kind(c, k)[k == "V"] for c, k in kinds]
    worst = min((float(np.mean(v)) for v in values if len(v)), default=float("nan"))
    return Row("MIT-BIH", "share of V beats in components of their kind, worst record", worst)


def matched_kinds(record: Record, found: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Return component and kind of every matched beat of both classes."""
    chosen = pairs(onsets(found), record.beats, FAR)
    component = np.asarray(found.events["component"])[chosen[:, 0]]
    symbols = record.symbols[chosen[:, 1]]
    kind = np.where(np.isin(symbols, list(VENTRICULAR)), "V", "N")
    either = np.isin(symbols, list(NORMAL + VENTRICULAR))
    return component[either], kind[either]


def shares(component: np.ndarray, kind: np.ndarray) -> tuple[str, ...]:
    """Write number and share of N, then of V."""
    own, cells = own_kind(component, kind), list[str]()
    for name in "NV":
        of_kind = own[kind == name]
        cells += [f"{len(of_kind)}", f"{np.mean(of_kind):.3f}" if len(of_kind) else "none"]
    return tuple(cells)
