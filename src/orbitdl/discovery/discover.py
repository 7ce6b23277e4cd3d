"""Discovery: the noise model, the waveforms that recur, and how many there are.

Waveforms as long as an event hide in a first estimate of the background: slow parts of events count
as noise. So the background is estimated twice: from the recording, and from what a first, small
dictionary leaves of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from orbitdl.discovery.background import LEAST, Background, estimate_background
from orbitdl.discovery.coding import Detector, Whitened
from orbitdl.discovery.growth import Grown, coded_by, grow, grow_exactly
from orbitdl.discovery.misfit import CHANCE
from orbitdl.discovery.occurrences import avoided_lag, fitting, smallest_isolated
from orbitdl.groups.base import Floats

PILOT = 4
"""Components of the first dictionary at most."""
PIECES, PIECE = 10, 100
"""Chunks that the first dictionary is learned from at most, and waveform lengths of one: enough for
a spectrum, and a third of the time."""
CODINGS = 2
"""Codings of a calibration after the first: each knows the misfit of the one before."""


@dataclass(frozen=True, eq=False)
class Discovery:
    """What was found in a recording.

    Attributes
    ----------
    background : Background
        The noise model.
    detector : Detector
        The waveforms, whitened, with their noise, misfit and amplitudes.
    own : int
        How many of them pass the tests: all, unless a number was requested.
    reason : str
        Why no more waveforms pass.
    """

    background: Background
    detector: Detector
    own: int
    reason: str


def background_of(
    x: Floats, observed: NDArray[np.bool_], length: int, rng: np.random.Generator
) -> Background:
    """Estimate the noise model of samples (n, channels) from what recurring events leave."""
    first = or_white(estimate_background(x, observed, length), x, observed)
    x, observed = pieces_of(x, observed, length)
    w = whitened(x, observed, first, length)
    pilot, _ = grow(w, rng, PILOT)
    if not len(pilot.detector):
        return first
    left = first.undo(pilot.coded.residual[length:-length])
    model = estimate_background(np.where(observed[:, None], left, 0.0), observed, length)
    return or_white(model, x, observed)


def pieces_of(
    x: Floats, observed: NDArray[np.bool_], length: int
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return samples, or chunks of them that are evenly spread, each after unobserved ones."""
    size = PIECE * length
    if len(x) <= PIECES * size:
        return x, observed
    begins = np.linspace(0, len(x) - size, PIECES).astype(np.intp)
    at = (begins[:, None] + np.arange(-length, size)).ravel()
    is_own = np.tile(np.arange(-length, size) >= 0, PIECES)
    return np.where(is_own[:, None], x[at], 0.0), observed[at] & is_own


def or_white(model: Background, x: Floats, observed: NDArray[np.bool_]) -> Background:
    """Return a noise model, or white noise where a recording has next to none.

    Without noise a filter would predict the events themselves.
    """
    y, known = replace(model, scale=np.ones(len(model.scale))).filtered(x, observed)
    if np.all(model.scale > 1.01 * LEAST * np.std(y[known], axis=0)):
        return model
    return Background.white(np.maximum(LEAST * np.std(x[observed], axis=0), 1e-300))


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
    """Find the waveforms that recur in samples (n, channels), zero where not observed.

    As many as there are, or a requested number of them.
    """
    w = whitened(x, observed, background, length)
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
) -> Grown:
    """Return samples coded by whitened waveforms (q, L, channels), and what that teaches."""
    w = whitened(x, observed, background, A.shape[1])
    coded = partial(coded_by, w, rng=rng, signed=signed, chance=CHANCE)
    now = coded(Detector.start(A), w.level(w.y))
    for _ in range(CODINGS):
        now = coded(now.detector, now.sigma)
    good, _, _ = fitting(now.coded)
    apart = avoided_lag(now.coded.atoms.sample[good], w.samples, w.length // 2)
    smallest = smallest_isolated(now.coded, good)
    detector = replace(now.detector, samples=w.samples, apart=apart, smallest=smallest)
    return coded(detector, now.sigma)


def whitened(
    x: Floats, observed: NDArray[np.bool_], background: Background, length: int
) -> Whitened:
    """Return samples whitened; those whose filter reaches a missing one are missing too."""
    y, there = background.filtered(x, observed)
    return Whitened.of(y, there, length)


def energies(grown: Grown) -> Floats:
    """Return the energy that every component explains, (q,)."""
    atoms = grown.coded.atoms
    return np.asarray(
        np.bincount(atoms.component, atoms.c**2, minlength=len(grown.detector)), dtype=np.float64
    )
