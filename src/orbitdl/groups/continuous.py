"""Shifts by any amount: the off-grid limit of interpolated shifts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import fft

from orbitdl.groups.base import Blocks, Combination, Floats, Group, Representation, as_real
from orbitdl.groups.extrema import grid_size, lowest_fraction, maximise
from orbitdl.groups.finite_base import lightest_combination
from orbitdl.groups.fourier import FourierBlocks, crests
from orbitdl.groups.peaks import climb_from

CHUNK = 256
"""Polynomials put on a grid at a time to find all their peaks."""
FINENESS = 2.3
"""Points a sample, at least, of the grid on which maxima are looked for."""


@dataclass(frozen=True)
class ContinuousShift(Group):
    """Circular shifts by any real number of samples, by trigonometric interpolation.

    Acts on signals (length,) or (length, channels); all channels move together.

    Notes
    -----
    ``Z = sum_k c_k rho(tau_k)`` collects the Fourier coefficients of the measure
    ``sum_k c_k delta(tau_k)`` on the circle. Its gauge is the least total variation of a measure
    with these coefficients, which the paper writes as a semidefinite program (Section 4.3); its
    polar is the maximum of a trigonometric polynomial. Shifts are in samples, in [0, length).
    With an even length the Nyquist term cannot be moved and is left out.

    Examples
    --------
    >>> import numpy as np
    >>> shifts = ContinuousShift().on((5,))
    >>> wave = np.cos(2 * np.pi * np.arange(5) / 5)
    >>> moved = shifts.act(np.array([0.5]), wave)
    >>> bool(np.allclose(moved, np.cos(2 * np.pi * (np.arange(5) - 0.5) / 5)))
    True
    """

    def on(self, shape: tuple[int, ...]) -> ContinuousShiftRepresentation:
        return ContinuousShiftRepresentation(self, shape)


class ContinuousShiftRepresentation(FourierBlocks, Representation):
    """One complex number per frequency below Nyquist; an element is its shift in samples."""

    dimension = 1

    def __init__(self, group: ContinuousShift, shape: tuple[int, ...]) -> None:
        self.set_up(group, shape, keep_nyquist=False)
        self.grid_size = grid_size(self.length, FINENESS)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.uniform(0, self.length, size=(n, 1))

    def cover(self) -> Floats:
        return np.arange(float(self.length))[:, None]

    def polar(self, correlation: Blocks) -> Floats:
        return np.abs(self.match(correlation)[0])

    def largest_polar(self, correlation: Blocks) -> Floats:
        C = np.ascontiguousarray(correlation[..., 0, 0])
        return np.abs(maximise(C, self.grid_size)[0])

    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        shape = correlation.shape[:-3]
        C = np.ascontiguousarray(correlation.reshape(-1, 1, correlation.shape[-3]))
        value, theta = maximise(C, self.grid_size)
        return value.reshape(shape), (theta * self.length / (2 * np.pi)).reshape(*shape, 1)

    def peaks(self, correlation: Blocks, level: float) -> Combination:
        parts = []
        size = fft.next_fast_len(4 * self.length, real=True)
        for start in range(0, len(correlation), CHUNK):
            C = correlation[start : start + CHUNK, :, 0, 0]
            grid = self.on_grid(correlation[start : start + CHUNK], size)
            row, k = crests(grid, level * lowest_fraction(C.shape[1], size))
            value, theta = climb_from(C, grid, row, k)
            high = np.abs(value) > level
            parts.append((start + row[high], value[high], theta[high]))
        row, value, theta = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Combination(row, value, (theta * self.length / (2 * np.pi))[:, None])

    def decompose(self, Z: Blocks) -> Combination:
        parts = [self._lightest_measure(z) for z in Z]
        row = np.repeat(np.arange(len(Z)), [len(c) for c, _ in parts])
        coefficients, elements = [c for c, _ in parts], [e for _, e in parts]
        return Combination(row, np.concatenate(coefficients), np.concatenate(elements))

    def _lightest_measure(self, z: Blocks, tol: float = 1e-8) -> tuple[Floats, Floats]:
        """Solve ``min sum |c_k|  s.t.  sum_k c_k rho(tau_k) = z`` over all measures.

        A linear program over finitely many shifts, to which the peaks of the dual polynomial are
        added until it nowhere exceeds 1 + tol: then the value is the gauge, to relative tol.
        """
        shifts = self.cover()
        target = as_real(z[None])[0]
        for _ in range(30):
            c, dual = lightest_combination(as_real(self.represent(shifts)).T, target)
            used = np.abs(c) > 1e-12 * np.abs(c).max()
            support = shifts[used]
            if self.polar(self._as_blocks(dual)) <= 1 + tol:
                break
            shifts = np.concatenate([shifts, self._peaks(dual)])
        return c[used], support

    def _as_blocks(self, dual: Floats) -> Blocks:
        n = self.block_shape[0]
        return (dual[:n] + 1j * dual[n:])[:, None, None]

    def _peaks(self, dual: Floats) -> Floats:
        """Return the shifts where the dual polynomial can peak above 1, by Newton's method."""
        C = self._as_blocks(dual)
        p = np.abs(self.on_grid(C[None], self.grid_size)[0])
        f = np.arange(len(C))
        needed = lowest_fraction(len(C), self.grid_size)  # a peak of 1 cannot hide below this
        top = np.flatnonzero((p >= np.roll(p, 1)) & (p > np.roll(p, -1)) & (p >= needed))
        spacing = 2 * np.pi / self.grid_size
        theta = top * spacing
        for _ in range(8):
            waves = C[:, 0, 0] * np.exp(1j * theta[:, None] * f)
            slope, bend = -(waves.imag @ f), -(waves.real @ f**2)
            step = np.divide(-slope, bend, out=np.zeros_like(theta), where=bend != 0)
            theta = theta + np.clip(step, -spacing, spacing)
        peaks: Floats = np.mod(theta * self.length / (2 * np.pi), self.length)[:, None]
        return peaks
