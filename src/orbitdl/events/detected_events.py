"""Event tables of a calibrated detector, with standard errors and p-values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from orbitdl.arrays.blocks import Floats
from orbitdl.discovery.coding import Detector
from orbitdl.discovery.level import level_uncertainty
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.refit import NormalEquations, Refit, refitted, retimed
from orbitdl.domains.time.splines import TAPS
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.code_events import overlapping, resolution_of, with_intervals
from orbitdl.events.columns import in_column_order
from orbitdl.events.detection import DetectedEvents, detect
from orbitdl.events.model import EventModel
from orbitdl.events.significance import (
    deviations,
    free_variance,
    misfit_variance,
    moments,
    noise_maxima,
    p_values,
    q_values,
    standard_errors,
)


def detected_events(
    recording: list[Chunk],
    waveforms: Waveforms,
    model: EventModel,
    *,
    sfreq: float | None,
    fdr: float,
    integer_shifts: bool,
    n_jobs: int | None,
) -> pd.DataFrame:
    """List the events of a whitened recording in chunks, with their error bars.

    Those whose `q_value`, by the noise model, is at most `fdr`. `WaveformLearning.events` describes
    the columns.
    """
    found, decoys = detect(recording, model.detector, n_jobs, signed=model.signed)
    if integer_shifts:
        atoms = replace(found.atoms, element=np.rint(found.atoms.element))
    else:
        free = np.ones(len(found.atoms.time), dtype=bool)
        atoms = retimed(recording, waveforms, found.atoms, free)
    found = replace(found, atoms=atoms)
    refit = refitted(recording, waveforms, found.atoms)
    tests = noise_maxima(model.detector.A, recording[-1].last - recording[0].first)
    table = table_of(found, refit, model, tests)
    if integer_shifts:
        table["sample"] = np.rint(table["sample"])
    errors = errors_of(recording, waveforms, found, refit, model.detector)
    gains = model.gains[found.atoms.component]
    table["sample_sd"], table["amplitude_sd"] = errors[1], errors[0] * gains
    is_listed = (table["q_value"] <= fdr).to_numpy()
    begin = np.floor(found.atoms.time) - 1
    table["overlapping"] = overlapping(begin, begin + waveforms.length + TAPS - 1, is_listed)
    listed = table.loc[is_listed].sort_values("sample", kind="stable", ignore_index=True)
    if sfreq is not None:
        listed = listed.assign(onset=listed["sample"] / sfreq, onset_sd=listed["sample_sd"] / sfreq)
    listed = with_intervals(listed, recording[0].signal, waveforms.length, sfreq)
    listed.attrs = {
        "threshold": threshold_of(model).tolist(),
        "resolution": resolution_of(waveforms).tolist(),
        "fdr": fdr,
        "decoys": decoys_of(decoys, model, fdr * len(listed) / max(tests, 1.0)),
    }
    return in_column_order(listed)


def table_of(found: DetectedEvents, refit: Refit, model: EventModel, tests: float) -> pd.DataFrame:
    """Return all events with their p-values, false discovery rates and runners-up."""
    atoms, A = found.atoms, model.detector.A
    s = deviations(model.detector, replace(atoms, coefficient=refit.amplitude), found.noise)
    height = np.abs(refit.height)
    p = p_values(height, atoms.component, s, A)
    evidence = 0.5 * (height**2 - found.rival**2) / np.maximum(s, 1e-300) ** 2
    return pd.DataFrame(
        {
            "sample": atoms.time + model.peaks[atoms.component],
            "component": atoms.component,
            "amplitude": refit.amplitude * model.gains[atoms.component],
            "coefficient": refit.amplitude,
            "p_value": p,
            "q_value": q_values(p, tests),
            "runner_up": found.runner_up,
            "evidence": np.where(found.runner_up >= 0, evidence, np.inf),
            "explained": refit.share,
            "similarity": refit.fit,
            "truncated": refit.is_truncated,
        }
    )


def errors_of(
    recording: list[Chunk],
    waveforms: Waveforms,
    found: DetectedEvents,
    refit: Refit,
    detector: Detector,
) -> Floats:
    """Return the standard errors of coefficients and of times, (2, K).

    ``s^2 (V^T V)^-1`` with the columns of V the atoms and their derivatives by time, and s what the
    waveform sees of the noise: ``g sigma``, which is measured around the event where noise is much
    louder there, or g times the root mean square of the residual where misfit dominates. A waveform
    and its derivative occupy the same frequencies, and see about the same. Noise is measured where
    events were subtracted, and with them some of it. The misfit of larger events nearby adds to s,
    and so does that of the event itself: ``c^2 v`` by `orbitdl.events.significance`.

    Where noise bends the peak of the correlation, its time varies more. Given a coefficient c the
    curvature there is ``c lambda_2 - m`` with m of variance ``s^2 (lambda_4 - lambda_2^2)``. To
    second order in s/c this multiplies the variance of a time by

        1 + 3 (lambda_4 / lambda_2^2 - 1) s^2 / c^2.
    """
    atoms, count = found.atoms, len(found.atoms.time)
    if count == 0:
        return np.zeros((2, 0))
    gram = NormalEquations.of(recording, waveforms, atoms).scaled(refit.amplitude)
    far = waveforms.length + TAPS
    ends = [np.searchsorted(atoms.time, atoms.time + by) for by in (-far, far)]
    s = np.maximum(found.noise, detector.g[atoms.component] * refit.left)
    s /= np.sqrt(free_variance(detector))[atoms.component]
    events = replace(atoms, coefficient=refit.amplitude)
    s = deviations(detector, events, s)
    misfit = misfit_variance(recording, waveforms, events, s)[:, atoms.component]
    s *= level_uncertainty(*detector.A.shape[1:])
    errors = standard_errors(gram, np.stack(ends, axis=1), count)
    errors *= np.sqrt(s**2 + refit.amplitude**2 * misfit)
    slope, curvature = moments(detector.A)
    bent = 3.0 * np.maximum(curvature / np.maximum(slope, 1e-300) ** 2 - 1.0, 0.0)
    share = (s / np.maximum(np.abs(refit.amplitude), s)) ** 2
    errors[1] *= np.sqrt(1.0 + bent[atoms.component] * share)
    return errors


def decoys_of(decoys: DetectedEvents, model: EventModel, largest: float) -> list[int]:
    """Return the number of decoys of each component with p-values up to the largest listed one."""
    component = decoys.atoms.component
    height = np.abs(decoys.atoms.coefficient)
    passing = p_values(height, component, decoys.noise, model.detector.A) <= largest
    return [int(np.sum(passing & (component == j))) for j in range(len(model.detector))]


def threshold_of(model: EventModel) -> Floats:
    """Return the threshold of amplitudes at the background noise level, (q,)."""
    detector = model.detector
    least = np.maximum(detector.thresholds(detector.samples) * detector.g, detector.least)
    return np.asarray(np.where(np.isfinite(least), least, 0.0) * model.gains)


def no_detected_events(sfreq: float | None) -> pd.DataFrame:
    """Return a table of no events, which has the columns of all others."""
    names = ["sample", "amplitude", "coefficient", "sample_sd", "amplitude_sd", "p_value"]
    names += ["q_value", "evidence", "explained", "similarity", "interval", "own_interval"]
    names += ["onset", "onset_sd", "interval_s"] if sfreq is not None else []
    kinds = dict.fromkeys(names, float) | {"component": np.intp, "runner_up": np.intp}
    kinds |= {"overlapping": bool, "truncated": bool}
    return in_column_order(
        pd.DataFrame({name: np.zeros(0, dtype=kind) for name, kind in kinds.items()})
    )
