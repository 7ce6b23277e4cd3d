"""Discovery: the noise model, the recurring waveforms and their number.

Slow parts of events count as noise in a first estimate of the background. It is therefore estimated
twice: from the recording, and from its residual after coding with a first, small dictionary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats
from orbitdl.discovery.background import MIN_NOISE, Background, estimate_background
from orbitdl.discovery.coding import Detector, Whitened
from orbitdl.discovery.growth import GrowthState, calibrated_coding, grow, grow_exactly
from orbitdl.discovery.misfit import CHANCE
from orbitdl.discovery.occurrences import avoided_lag, fitting, smallest_isolated

PILOT = 4
"""Maximum number of components of the first dictionary."""
N_CHUNKS, CHUNK_LENGTH = 10, 100
"""Maximum number of chunks for the first dictionary, and their size in waveform lengths: enough for
a spectrum, in a third of the time."""
CODINGS = 2
"""Further codings of a calibration; each uses the misfit of the previous one."""


@dataclass(frozen=True, eq=False)
class Discovery:
    """Result of discovery.

    Attributes
    ----------
    background : Background
        The noise model.
    detector : Detector
        The waveforms, whitened, with their noise, misfit and amplitudes.
    own : int
        Number of waveforms that pass the tests: all, unless a number was requested.
    reason : str
        Reason for the end of growth.
    """

    background: Background
    detector: Detector
    own: int
    reason: str


def background_of(
    x: Floats, observed: NDArray[np.bool_], length: int, rng: np.random.Generator
) -> Background:
    """Estimate the noise model of samples (n, channels) without their recurring events."""
    first = floored_background(estimate_background(x, observed, length), x, observed)
    x, observed = spaced_chunks(x, observed, length)
    w = whitened_samples(x, observed, first, length)
    pilot, _ = grow(w, rng, PILOT)
    if not len(pilot.detector):
        return first
    left = first.undo(pilot.coded.residual[length:-length])
    model = estimate_background(np.where(observed[:, None], left, 0.0), observed, length)
    return floored_background(model, x, observed)


def spaced_chunks(
    x: Floats, observed: NDArray[np.bool_], length: int
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return samples, or evenly spaced chunks of them separated by unobserved samples."""
    size = CHUNK_LENGTH * length
    if len(x) <= N_CHUNKS * size:
        return x, observed
    begins = np.linspace(0, len(x) - size, N_CHUNKS).astype(np.intp)
    at = (begins[:, None] + np.arange(-length, size)).ravel()
    is_own = np.tile(np.arange(-length, size) >= 0, N_CHUNKS)
    return np.where(is_own[:, None], x[at], 0.0), observed[at] & is_own


def floored_background(model: Background, x: Floats, observed: NDArray[np.bool_]) -> Background:
    """Return a noise model, or white noise if the recording has almost no noise.

    Without noise a filter would predict the events themselves.
    """
    y, known = replace(model, scale=np.ones(len(model.scale))).filtered(x, observed)
    if np.all(model.scale > 1.01 * MIN_NOISE * np.std(y[known], axis=0)):
        return model
    return Background.white(np.maximum(MIN_NOISE * np.std(x[observed], axis=0), 1e-300))


def discover(
    x: Floats,
    observed: NDArray[np.bool_],
    length: int,
    background: Background,
    rng: np.random.Generator,
    number: int | None = None,
    *,
    signed: bool = False,
) -> Discovery:
    """Find the recurring waveforms in samples (n, channels), zero where not observed.

    As many as there are, or a requested number of them.
    """
    w = whitened_samples(x, observed, background, length)
    if number is None:
        grown, reason = grow(w, rng)
        own = len(grown.detector)
    else:
        grown, own, reason = grow_exactly(w, rng, number, signed=signed)
    order = np.argsort(-energies(grown), kind="stable")
    return Discovery(background, grown.detector.take(order), own, reason)


def calibrated(
    x: Floats,
    observed: NDArray[np.bool_],
    background: Background,
    A: Floats,
    rng: np.random.Generator,
    *,
    signed: bool = False,
) -> GrowthState:
    """Return samples coded by whitened waveforms (q, L, channels), and the calibrated detector."""
    w = whitened_samples(x, observed, background, A.shape[1])
    coded = partial(calibrated_coding, w, rng=rng, signed=signed, chance=CHANCE)
    now = coded(Detector.start(A), w.level(w.y))
    for _ in range(CODINGS):
        now = coded(now.detector, now.sigma)
    good, _, _ = fitting(now.coded)
    apart = avoided_lag(now.coded.atoms.take(good), w.samples, w.length // 2)
    smallest = smallest_isolated(now.coded, good)
    detector = replace(now.detector, samples=w.samples, apart=apart, smallest=smallest)
    return coded(detector, now.sigma)


def whitened_samples(
    x: Floats, observed: NDArray[np.bool_], background: Background, length: int
) -> Whitened:
    """Return whitened samples; those within the filter length of a missing one are missing too."""
    y, there = background.filtered(x, observed)
    return Whitened.of(y, there, length)


def energies(grown: GrowthState) -> Floats:
    """Return the energy explained by each component, (q,)."""
    atoms = grown.coded.atoms
    return np.asarray(
        np.bincount(atoms.component, atoms.c**2, minlength=len(grown.detector)), dtype=np.float64
    )
