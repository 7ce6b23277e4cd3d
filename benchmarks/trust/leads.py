"""The same beats in two leads: differences of their times beside the standard errors of both."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from benchmarks.data import Floats
from benchmarks.trust.rows import Row, Section, Settings, Table
from benchmarks.trust.sources import MissingDataError, fit, folder

SECONDS, NEAR, FEWEST = 0.6, 0.15, 20
"""Seconds of a waveform, seconds within which events of two leads are one beat, and beats of one
pair of components at least."""
GAUSSIAN = 1.4826
LOW, HIGH = 0.85, 1.15
NOTE = (
    "PTB record s0010_re, 38 s at 1 kHz, leads next to each other; waveforms of 0.6 s are learned "
    "from each lead separately. The measure is the robust standard deviation (1.4826 median |z|) "
    "of z = (t1 - t2 - median) / sqrt(s1^2 + s2^2) over the beats that both leads have, with the "
    "standard errors s1 and s2 of the times. It is 1 where these count all that moves times: "
    "noise, and that halves of a beat vary on their own. It is larger where a change of shape "
    "moves all of a beat in one lead and not in the other, and smaller where neighbouring leads "
    "share noise."
)


def run(settings: Settings) -> Section:
    """Compare neighbouring leads."""
    try:
        from wfdb import rdrecord
    except ImportError as error:
        raise MissingDataError("wfdb is not installed") from error
    record = rdrecord(str(folder("ptb") / "s0010_re"))
    names = record.sig_name[:2] if settings.quick else record.sig_name
    length = round(SECONDS * record.fs)
    fits = [fit(record.p_signal[:, k], length, record.fs) for k in range(len(names))]
    cells, spreads = list[tuple[str, ...]](), list[float]()
    for (first, a), (second, b) in pairwise(zip(names, fits, strict=True)):
        z, ms = differences(a.events, b.events)
        spreads.append(GAUSSIAN * float(np.median(np.abs(z))) if len(z) else float("nan"))
        cells.append((f"{first}, {second}", str(len(z)), f"{ms:.2f}", f"{spreads[-1]:.2f}"))
    seconds = float(np.mean([each.seconds for each in fits]))
    what = "spread of time differences of two leads over their standard errors"
    middle, worst = float(np.median(spreads)), float(np.max(spreads))
    rows = [
        Row("PTB, 15 leads", f"{what}, median", middle, low=LOW, high=HIGH, seconds=seconds),
        Row("PTB, 15 leads", f"{what}, largest", worst),
    ]
    columns = ("leads", "beats", "standard deviation, ms", "over standard errors")
    return Section("Two leads", rows, [Table("Pairs of leads", columns, cells)], NOTE)


def differences(one: pd.DataFrame, other: pd.DataFrame) -> tuple[Floats, float]:
    """Return differences of matched times in standard errors, and their deviation in ms.

    The median of every pair of components is subtracted: their times have different origins.
    """
    k, m = matched(one["onset"].to_numpy(), other["onset"].to_numpy())
    one, other = one.iloc[k], other.iloc[m]
    late = one["onset"].to_numpy() - other["onset"].to_numpy()
    s = np.hypot(one["onset_sd"].to_numpy(), other["onset_sd"].to_numpy())
    kind = list(zip(one["component"], other["component"], strict=True))
    z, ms = [np.zeros(0)], [np.zeros(0)]
    for pair in sorted(set(kind)):
        own = np.array([each == pair for each in kind])
        if own.sum() >= FEWEST:
            ms.append(1e3 * (late[own] - np.median(late[own])))
            z.append(1e-3 * ms[-1] / s[own])
    every = np.concatenate(ms)
    return np.concatenate(z), GAUSSIAN * float(np.median(np.abs(every))) if len(every) else np.nan


def matched(one: Floats, other: Floats) -> tuple[np.ndarray, np.ndarray]:
    """Return the events of two lists that are nearest to each other, and near."""
    if not len(one) or not len(other):
        return np.zeros((2, 0), dtype=np.intp)
    apart = np.abs(one[:, None] - other)
    nearest = apart.argmin(axis=1)
    mutual = apart.argmin(axis=0)[nearest] == np.arange(len(one))
    own = np.flatnonzero(mutual & (apart[np.arange(len(one)), nearest] < NEAR))
    return own, nearest[own]
