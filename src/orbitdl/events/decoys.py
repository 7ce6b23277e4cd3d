"""Decoys: detections of absent waveforms with the thresholds and rules of a detector.

Noise and artefacts match the negative of a waveform as often as the waveform; events of known
polarity do not. The number of local maxima of ``-eta`` on the residual that pass all criteria of
events therefore estimates the number of false events, without the distributional assumptions of
p-values, if noise is symmetric. If events have both signs, decoys are time-reversed waveforms; a
waveform that equals its reversal has hardly any, because its matches were subtracted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from orbitdl.discovery.coding import (
    DetectorCoding,
    Whitened,
    is_certain,
    is_typical,
    noise_at,
)
from orbitdl.discovery.occurrences import is_event
from orbitdl.discovery.pursuit import (
    Atoms,
    Spectrum,
    add_tables,
    peaks_apart,
    subtract,
    upside_down,
)


def decoys_in(w: Whitened, coded: DetectorCoding, *, signed: bool) -> DetectorCoding:
    """Return the decoys of a coding by a calibrated detector, as a coding of their own."""
    detector, residual, eta = coded.detector, -coded.residual, -coded.eta
    if signed:
        detector = replace(detector, A=np.ascontiguousarray(detector.A[:, ::-1]))
        eta = Spectrum(coded.residual, w.length).correlate(detector.A)
        residual = coded.residual.copy()
    local, M = w.centres(coded.sigma), np.zeros_like(eta)
    weight = 2.0 * np.log(max(detector.samples or w.samples, 2))
    found = coded.atoms
    add_tables(M, detector.V, found.component, found.sample, weight * found.c**2)
    theta, least = (coded.u * detector.g) ** 2, np.zeros(len(detector))
    heights = upside_down(-np.abs(eta) if signed else -eta, M, theta, local, least)
    at = [peaks_apart(row, w.length // 2) for row in heights]
    component = np.repeat(np.arange(len(detector)), [len(own) for own in at])
    sample = np.concatenate([np.zeros(0, np.int64), *at])
    atoms = Atoms.at_samples(component, sample, eta[component, sample])
    subtract(residual, atoms, detector.A)
    noise = noise_at(eta, residual, atoms, detector, local[sample], w.length)
    passes = np.abs(atoms.c) > coded.u[component] * noise
    passes &= is_certain(detector, atoms, local, w.samples) | is_typical(atoms, coded.median)
    passes &= np.abs(atoms.c) / local[sample] > detector.least[component]
    back = atoms.take(~passes)
    subtract(residual, replace(back, c=-back.c), detector.A)
    atoms, noise = atoms.take(passes), noise[passes]
    decoys = replace(coded, detector=detector, atoms=atoms, noise=noise, eta=eta, residual=residual)
    good = is_event(decoys, w.samples)
    return replace(decoys, atoms=atoms.take(good), noise=noise[good])
