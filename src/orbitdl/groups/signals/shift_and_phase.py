"""Shifts and phase rotations: oscillatory bursts with a free phase."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Combination, Floats, Integers
from orbitdl.groups.base import CLOSE, Group, Representation
from orbitdl.groups.maxima.peaks import largest_modulus, modulus_peaks
from orbitdl.groups.phase_action import add_waves
from orbitdl.groups.presentation import PhaseSlider, Presentation, ShiftSlider, view_of_signals
from orbitdl.groups.transforms.base import Transform
from orbitdl.groups.transforms.fourier import Fourier

DEGREES = 360.0
"""Degrees; the period of the phase."""


@dataclass(frozen=True)
class ShiftAndPhase(Group):
    """Continuous circular shifts, and phase shifts common to all frequencies.

    For oscillatory bursts whose envelope has a fixed shape while the phase of the carrier is free.
    Acts on signals (length,) or (length, channels) of at least 3 samples; all channels are
    transformed alike.

    Notes
    -----
    A shift by tau samples and a phase phi multiply the spectrum at frequency f by
    ``exp(-i (2 pi f tau / length + phi))``, for f above zero and below Nyquist; the mean and the
    Nyquist term have no phase and stay in the residual. Shifts are in samples, in [0, length),
    phases in degrees, in [0, 360); the sign is the phase of 180 degrees. The polar is
    ``max_tau |sum_f C_f exp(2 pi i f tau / length)|``, the largest modulus of a complex
    trigonometric polynomial: its square is a real one.

    Examples
    --------
    A phase shift by 90 degrees maps a cosine to a sine:

    >>> group, t = ShiftAndPhase().on((8,)), np.arange(8)
    >>> shifted = group.act(np.array([0.0, 90.0]), np.cos(2 * np.pi * t / 8))
    >>> bool(np.allclose(shifted, np.sin(2 * np.pi * t / 8)))
    True
    """

    def on(self, shape: tuple[int, ...]) -> ShiftAndPhaseRepresentation:
        return ShiftAndPhaseRepresentation(self, shape)


class Oscillations(Transform):
    """Spectra of real signals (N,) or (N, channels) at frequencies f = 1 .. F below Nyquist.

    The mean, and the Nyquist term of an even length N, have no phase and are excluded.

    Examples
    --------
    >>> Oscillations((5,)).analyze(np.ones(5)).round(12).ravel()
    array([0.+0.j, 0.+0.j])
    """

    dtype = np.complex128
    is_invertible = False

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.spectrum = Fourier(shape, keep_nyquist=False)
        n_blocks, d, m = self.spectrum.block_shape
        self.shape, self.block_shape = tuple(shape), (n_blocks - 1, d, m)

    def analyze(self, x: Floats) -> Blocks:
        return self.spectrum.analyze(x)[..., 1:, :, :]

    def synthesize(self, blocks: Blocks) -> Floats:
        constant = np.zeros_like(blocks[..., :1, :, :])
        return self.spectrum.synthesize(np.concatenate([constant, blocks], axis=-3))

    def envelopes(self, x: Floats) -> Blocks:
        """Return C (..., channels, F) of the analytic signals ``sum_f C_f exp(i f theta)``.

        Their real part at ``theta = 2 pi t / N`` is ``x(t)`` without these two terms.
        """
        return self.spectrum.interpolants(x)[..., 1:]


class ShiftAndPhaseRepresentation(Representation):
    """One complex number per frequency f = 1 .. F; elements are (shift, phase)."""

    transform: Oscillations
    parameters = ("shift", "phase")
    dimension = 2

    def __init__(self, group: ShiftAndPhase, shape: tuple[int, ...]) -> None:
        if len(shape) not in (1, 2) or 0 in shape or shape[0] < 3:
            raise ValueError(
                f"{group.name} acts on data points of shape (length,) or (length, channels) with "
                f"at least 3 samples, not {tuple(shape)}; flatten or reshape X."
            )
        transform = Oscillations(shape)
        super().__init__(group, transform, transform.spectrum.weights[1:])
        self.periods: Floats = np.array([shape[0], DEGREES])
        self.frequency = np.arange(1, self.block_shape[0] + 1)

    def _angles(self, element: Floats) -> Floats:
        """Return ``2 pi tau / length`` and phi in radians, (..., 2)."""
        return element * (2 * np.pi / self.periods)

    def _elements(self, angle: Floats, value: Blocks) -> Floats:
        """Return the elements at angles (...) that make the values P (...) real and positive."""
        both = np.stack([angle, -np.angle(value)], axis=-1) * (self.periods / (2 * np.pi))
        return np.asarray(np.mod(both, self.periods))

    def _values(self, C: Blocks, angle: Floats) -> Blocks:
        """Return ``P = sum_f C_f exp(i f angle)`` for C (..., F) and angles (...)."""
        return np.asarray(np.sum(C * np.exp(1j * self.frequency * angle[..., None]), axis=-1))

    def represent(self, element: Floats) -> Blocks:
        angle, phase = np.moveaxis(self._angles(element), -1, 0)
        angle = self.frequency * angle[..., None] + phase[..., None]
        return np.asarray(np.exp(-1j * angle)[..., None, None])

    def compose(self, left: Floats, right: Floats) -> Floats:
        return np.asarray(np.mod(left + right, self.periods))

    def inverse(self, element: Floats) -> Floats:
        return np.asarray(np.mod(-element, self.periods))

    def principal(self, element: Floats) -> Floats:
        return np.asarray(element - self.periods * np.round(element / self.periods))

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.uniform(0, self.periods, size=(n, 2))

    def spanning_elements(self) -> Floats:
        shift, phase = np.meshgrid(np.arange(self.shape[0]), [0.0, DEGREES / 4])
        return np.stack([shift.ravel(), phase.ravel()], axis=1)

    def tangents(self, B: Blocks) -> Blocks:
        powers = np.stack([self.frequency, np.ones_like(self.frequency)])
        rates = powers * (-2j * np.pi / self.periods)[:, None]
        return np.asarray(rates[:, :, None, None] * B[..., None, :, :, :])

    def retract(self, element: Floats, by: Floats) -> Floats:
        return self.compose(element, by)

    def polar(self, correlation: Blocks) -> Floats:
        flat = correlation.reshape(-1, 1, self.block_shape[0])
        return largest_modulus(flat)[0].reshape(correlation.shape[:-3])

    def largest_polar(self, correlation: Blocks, eps: float = CLOSE) -> Floats:
        return largest_modulus(correlation[..., 0, 0])[0]

    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        C = correlation.reshape(-1, self.block_shape[0])
        _, angle = largest_modulus(C[:, None])
        value = self._values(C, angle)
        shape = correlation.shape[:-3]
        return np.abs(value).reshape(shape), self._elements(angle, value).reshape(*shape, 2)

    def peaks(self, correlation: Blocks, threshold: float) -> Combination:
        C = correlation[..., 0, 0]
        row, value, angle = modulus_peaks(C, threshold)
        return Combination(row, value, self._elements(angle, self._values(C[row], angle)))

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        result = np.zeros((n, A.shape[1], A.shape[3]), dtype=np.complex128)
        columns = np.ascontiguousarray(A[:, :, 0], dtype=np.complex128)
        angle, phase = -self._angles(atoms.element).T
        coefficient = atoms.coefficient * np.exp(1j * (angle + phase))  # waves begin with f = 0
        phase = np.empty(columns.shape[1], dtype=np.complex128)
        angle = np.ascontiguousarray(angle)
        add_waves(atoms.row, source, coefficient, angle, columns, phase, result)
        return result[:, :, None]

    @cached_property
    def presentation(self) -> Presentation:
        return Presentation(
            "may be shifted by any amount, with any phase",
            shift_and_phase_label,
            view_of_signals(self.shape),
            (ShiftSlider(0.0), PhaseSlider()),
            noun="window",
            in_time=True,
        )

    def locate(self, element: Floats, source: Integers, x: Floats) -> Floats:
        # the peak of the envelope, which does not depend on the phase
        C = self.transform.envelopes(x)
        peak = largest_modulus(C)[1] * (self.shape[0] / (2 * np.pi))
        return np.asarray(np.mod(peak[source] + element[:, 0], self.shape[0]))


def shift_and_phase_label(element: Floats) -> str:
    """Return a label of an element: its shift and phase."""
    return f"shift {element[0]:.2f}, phase {element[1]:.0f}°"
