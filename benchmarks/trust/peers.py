"""Detectors of heart beats that a user would otherwise take, with their defaults."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from benchmarks.data import Floats

Detector = Callable[[Floats, float], Floats]


def xqrs(x: Floats, sfreq: float) -> Floats:
    """Return beat times in seconds by XQRS of wfdb."""
    from wfdb.processing import xqrs_detect

    return np.asarray(xqrs_detect(x, sfreq, verbose=False), dtype=float) / sfreq


def neurokit(x: Floats, sfreq: float) -> Floats:
    """Return beat times in seconds by neurokit2: `ecg_clean`, then `ecg_peaks`."""
    import neurokit2

    clean = neurokit2.ecg_clean(x, sampling_rate=int(sfreq))
    _, found = neurokit2.ecg_peaks(clean, sampling_rate=int(sfreq))
    return np.asarray(found["ECG_R_Peaks"], dtype=float) / sfreq


def installed() -> dict[str, Detector]:
    """Return the detectors whose packages are installed."""
    known = {"XQRS": ("wfdb", xqrs), "neurokit2": ("neurokit2", neurokit)}
    return {name: detect for name, (package, detect) in known.items() if find_spec(package)}


def absent() -> str:
    """Name the peers that are not installed, in a sentence; empty if all are."""
    missing = [name for name in ("wfdb", "neurokit2") if not find_spec(name)]
    return f"Not installed, hence not compared: {', '.join(missing)}." if missing else ""


def detected(detect: Detector, x: Floats, sfreq: float) -> tuple[Floats, float]:
    """Return times of beats and CPU seconds; a failure counts as no beats."""
    began = time.process_time()
    try:
        found = detect(x, sfreq)
    except Exception:  # a peer that fails on a record scores 0 there
        found = np.zeros(0)
    return found, time.process_time() - began
