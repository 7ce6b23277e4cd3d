"""Decoys: what a detector finds of waveforms that cannot be there, by its own thresholds and rules.

Noise and artefacts look like a waveform upside down as often as like the waveform itself, events of
known polarity do not. So the number of local maxima of ``-eta`` on the residual that pass
everything an event must pass estimates the number of false events where noise is symmetric: no
distribution is assumed, as p-values do. Where events have both signs, waveforms reversed in time
take this part. Of one that equals its reversal there are hardly any: what is like it was
subtracted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from orbitdl.discovery.coding import (
    Coded,
    Whitened,
    beyond_doubt,
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


def decoys_in(w: Whitened, coded: Coded, *, signed: bool) -> Coded:
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
    passes &= beyond_doubt(detector, atoms, local, w.samples) | is_typical(atoms, coded.median)
    passes &= np.abs(atoms.c) / local[sample] > detector.least[component]
    back = atoms.take(~passes)
    subtract(residual, replace(back, c=-back.c), detector.A)
    atoms, noise = atoms.take(passes), noise[passes]
    decoys = replace(coded, detector=detector, atoms=atoms, noise=noise, eta=eta, residual=residual)
    good = is_event(decoys, w.samples)
    return replace(decoys, atoms=atoms.take(good), noise=noise[good])
