"""Cross-validation of the number of components of recordings by events in held-out units.

The background noise is estimated once, and the recording is whitened: y. It is divided into units
of several waveform lengths. In round r components are learned without the units of fold r. An event
there is reproducible if the components learned from the complete recording detect the same
component at the same time. With noise level sigma and residual r of the reproducible events of a
unit, its error is

    sum (r / sigma)^2 - n + 2 log(q T) K',

for n whitened samples and K' detected events: each is penalised by the energy that the largest of
q T correlations with noise would explain. Relative to ``sum (y / sigma)^2 - n``, summed over units,
it is the fraction of the energy above the noise that reproducible events do not explain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.discovery.background import Background
from orbitdl.discovery.coding import Detector, Whitened, code
from orbitdl.discovery.discover import calibrated, whitened_samples
from orbitdl.discovery.occurrences import is_event
from orbitdl.discovery.pursuit import Pursued, gram_of, subtract
from orbitdl.events.model import (
    FIXED_SEED,
    Excerpt,
    noise_of,
    waveforms_in,
    white_noise_of,
)
from orbitdl.selection.held_out import Judged, Speckles

UNIT_LENGTH, UNITS = 8, 8
"""Minimum length of a unit in waveform lengths, and maximum number of units per round: gaps disturb
learning."""
SEGMENTS = 8
"""Maximum number of segments of a recording longer than `max_samples`."""
NEAR = 8
"""Events within 1 / NEAR of a waveform length are the same."""


@dataclass(frozen=True, eq=False)
class EventJudges:
    """A whitened recording, and the components learned from all of it.

    Attributes
    ----------
    excerpt : Excerpt
    background : Background
        The noise model of the complete recording.
    unit : ndarray of shape (n,)
        Unit of each sample.
    part : ndarray of shape (units,)
        Fold of each unit.
    learned : dict of Detector
        Detectors learned from the complete recording, by number of components; the largest number
        is that of "auto".
    sigma : ndarray of shape (P,)
        Noise level of the residual of the largest number of components.
    reason : str
        Reason why "auto" finds no more.
    positive : bool
        Whether coefficients must be positive if a number is passed, too.
    """

    excerpt: Excerpt
    background: Background
    unit: Integers
    part: Integers
    learned: dict[int, Detector]
    sigma: Floats
    reason: str
    positive: bool

    @classmethod
    def of(
        cls,
        excerpt: Excerpt,
        numbers: list[int],
        noise: str,
        rounds: int,
        seed: int,
        *,
        positive: bool,
    ) -> EventJudges:
        """Estimate the noise model, and learn every number of components.

        Numbers above that of "auto" are skipped: further components are duplicates.
        """
        background = noise_of(excerpt) if noise == "auto" else white_noise_of(excerpt)
        n = len(excerpt.x)
        size = max(UNIT_LENGTH * excerpt.length, n // (UNITS * rounds))
        unit = np.arange(n) // max(min(size, n // (2 * rounds)), 1)
        part = Speckles(rounds, 0.0, 1, seed).parts(int(unit[-1]) + 1)
        most, reason = learned_from(excerpt, background, None, signed=False)
        own = {
            q: learned_from(excerpt, background, q, signed=not positive)[0]
            for q in numbers
            if q < len(most)
        }
        w = whitened_samples(excerpt.x, excerpt.observed, background, excerpt.length)
        sigma = w.level(coded_events(w, most, signed=False)[1])
        own[len(most)] = most
        return cls(excerpt, background, unit, part, own, sigma, reason, positive)

    @property
    def candidates(self) -> list[int]:
        """Candidate numbers of components, the last of them that of "auto"."""
        return sorted(self.learned)

    def judge(self, number: int) -> list[Judged]:
        """Learn every number of components without fold `number`, and score them there."""
        is_held = self.part[self.unit] == number
        observed = self.excerpt.observed & ~is_held
        rest = replace(
            self.excerpt, x=np.where(observed[:, None], self.excerpt.x, 0.0), observed=observed
        )
        w = whitened_samples(
            self.excerpt.x, self.excerpt.observed, self.background, self.excerpt.length
        )
        units, result = np.flatnonzero(self.part == number), list[Judged]()
        for q in self.candidates:
            is_auto = q == self.candidates[-1]
            signed, own = not (is_auto or self.positive), self.learned[q]
            if q:  # with zero components there is nothing to learn
                own = learned_from(rest, self.background, None if is_auto else q, signed=signed)[0]
            result.append(self.judged(w, units, own, self.learned[q], signed=signed))
        return result

    def judged(
        self, w: Whitened, units: Integers, own: Detector, other: Detector, *, signed: bool
    ) -> Judged:
        """Return the error of components in units, by events that others reproduce."""
        atoms, _ = coded_events(w, own, signed=signed)
        others, _ = coded_events(w, other, signed=signed)
        partner, lag = partners(own.A, other.A)
        again, back = found_again(atoms, others, partner, lag, w.length // NEAR)
        at, at_others = (self.unit[self.sample_of(one, w)] for one in (atoms, others))
        known, left = atoms.take(again), w.y.copy()
        subtract(left, known, own.A)
        inside, count = slice(w.length, -w.length), len(self.part)
        observed = w.observed[inside]
        sigma = self.sigma[inside][observed, None]
        energy, error = (
            np.bincount(
                self.unit[observed], np.sum((z[inside][observed] / sigma) ** 2 - 1.0, axis=1), count
            ).astype(np.float64)
            for z in (w.y, left)
        )
        penalty = 2.0 * np.log(max(len(own) * w.samples, 2))
        error += penalty * np.bincount(at, minlength=count)
        here, there = np.isin(at, units), np.isin(at_others, units)
        total = int(here.sum() + there.sum())
        agreement = (again[here].sum() + back[there].sum()) / total if total else 1.0
        lengths = np.isin(self.unit, units).sum() / w.length
        return Judged(error[units], energy[units], here.sum() / lengths, float(agreement))

    def sample_of(self, atoms: Pursued, w: Whitened) -> Integers:
        """Return the samples at the centres of atoms."""
        return np.clip(atoms.sample - w.length // 2, 0, w.samples - 1)


def learned_from(
    excerpt: Excerpt, background: Background, number: int | None, *, signed: bool
) -> tuple[Detector, str]:
    """Return the calibrated components of a fit, and the reason why there are no more."""
    found = waveforms_in(excerpt, background, number, signed=signed)
    if not len(found.detector):
        return found.detector, found.reason
    every = (excerpt.x, excerpt.observed, background, found.detector.A)
    rng = np.random.default_rng(FIXED_SEED)
    return calibrated(*every, rng, signed=signed).detector, found.reason


def coded_events(w: Whitened, detector: Detector, *, signed: bool) -> tuple[Pursued, Floats]:
    """Return the events detected by components, and the residual."""
    coded = code(w, detector, w.level(w.y), signed=signed)
    coded = code(w, detector, w.level(coded.residual), signed=signed)
    return coded.atoms.take(is_event(coded, w.samples)), coded.residual


def partners(A: Floats, B: Floats) -> tuple[Integers, Integers]:
    """Return the index in B (-1: none) and the lag that match each of the waveforms A.

    Linear assignment that maximises the sum of the largest cross-correlations.
    """
    gram, length = gram_of(np.concatenate([A, B])), A.shape[1]
    tables = gram[: len(A), len(A) :]
    partner, lag = np.full(len(A), -1), np.zeros(len(A), dtype=np.intp)
    own, theirs = linear_sum_assignment(-tables.max(axis=2, initial=-1.0))
    partner[own] = theirs
    lag[own] = tables[own, theirs].argmax(axis=1) - (length - 1)
    return partner, lag


def found_again(
    atoms: Pursued, others: Pursued, partner: Integers, lag: Integers, near: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the events that two sets of components share, (K,) and (K',)."""
    again, back = np.zeros(len(atoms), dtype=bool), np.zeros(len(others), dtype=bool)
    for j, (theirs, later) in enumerate(zip(partner, lag, strict=True)):
        own, his = np.flatnonzero(atoms.component == j), np.flatnonzero(others.component == theirs)
        time, other = atoms.sample[own] + later, others.sample[his]
        again[own] = has_neighbour(time, other, near)
        back[his] = has_neighbour(other, time, near)
    return again, back


def has_neighbour(time: Integers, other: Integers, near: int) -> NDArray[np.bool_]:
    """Return whether each time has one of the others within `near` samples."""
    other = np.sort(other)
    first, last = np.searchsorted(other, time - near), np.searchsorted(other, time + near, "right")
    return np.asarray(last > first)
