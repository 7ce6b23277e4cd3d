"""Base of the circle group and of its finite cyclic subgroups: phases that depend on frequency."""

from __future__ import annotations

import math

import numpy as np

from orbitdl.arrays.blocks import Blocks, Combination, Floats, Integers
from orbitdl.groups.base import Group, Representation
from orbitdl.groups.maxima.grids import on_grid
from orbitdl.groups.transforms.base import Transform
from orbitdl.kernels import fast

TOGETHER = 8
"""Phases multiplied by one factor at once: they fill the vector registers of the processor."""


class PhaseAction(Representation):
    """Action of tau in [0, period), which multiplies block f by ``exp(-2 pi i f tau / period)``.

    Blocks (F, 1, m) are complex, one per frequency f = 0 .. F-1; an element is the number tau.

    Attributes
    ----------
    period : float
        Period of the parameter.
    """

    period: float

    def __init__(
        self, group: Group, transform: Transform, period: float, metric: Floats | None = None
    ) -> None:
        super().__init__(group, transform, metric)
        self.period = period

    def represent(self, element: Floats) -> Blocks:
        # exp(-i theta (s k + l)) = exp(-i theta s k) exp(-i theta l) needs 2 sqrt(F) exponentials
        n_blocks = self.block_shape[0]
        stride = int(np.ceil(np.sqrt(n_blocks)))
        angle = (-2j * np.pi / self.period) * element
        fine = np.exp(angle * np.arange(stride))
        coarse = np.exp(angle * (stride * np.arange(-(-n_blocks // stride))))
        both: Blocks = coarse[..., :, None] * fine[..., None, :]
        phase = both.reshape(*element.shape[:-1], stride * coarse.shape[-1])
        return phase[..., :n_blocks, None, None]

    def compose(self, left: Floats, right: Floats) -> Floats:
        return np.mod(left + right, self.period)

    def inverse(self, element: Floats) -> Floats:
        return np.mod(-element, self.period)

    def principal(self, element: Floats) -> Floats:
        return element - self.period * np.round(element / self.period)

    def act_on_blocks(self, element: Floats, B: Blocks) -> Blocks:
        shape = np.broadcast_shapes(element.shape[:-1], B.shape[:-3])
        each, count = np.arange(math.prod(B.shape[:-3])).reshape(B.shape[:-3]), math.prod(shape)
        elements = np.broadcast_to(element, (*shape, 1)).reshape(-1, 1)
        atoms = Combination(np.arange(count), np.ones(count), elements)
        source = np.broadcast_to(each, shape).flatten()  # a copy that may be written to
        rows = self.superpose(atoms, count, source, B.reshape(-1, *B.shape[-3:]))
        return rows.reshape(*shape, *B.shape[-3:])

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        result = np.zeros((n, A.shape[1], A.shape[3]), dtype=np.complex128)
        columns = np.ascontiguousarray(A[:, :, 0], dtype=np.complex128)
        angle = (-2 * np.pi / self.period) * atoms.element[:, 0]
        phase = np.empty(columns.shape[1], dtype=np.complex128)
        add_waves(atoms.row, source, atoms.coefficient, angle, columns, phase, result)
        return result[:, :, None]

    def on_grid(self, C: Blocks, size: int) -> Floats:
        """Return ``<C, rho(tau)> = Re sum_f C_f exp(2 pi i f tau / period)``, (..., size).

        At ``tau = k period / size``; the size must be at least ``2 (F - 1)``.
        """
        return on_grid(C[..., 0, 0], size)


@fast
def add_waves(row, source, coefficient, angle, A, phase, out):  # type: ignore[no-untyped-def]
    """Add ``c_k exp(i f angle_k) A[source_k]`` to out[row_k]; `phase` (F,) is workspace."""
    _, n_blocks, n_channels = A.shape
    for k in range(row.shape[0]):
        one, turn = complex(np.cos(angle[k]), np.sin(angle[k])), 1.0 + 0.0j
        for f in range(TOGETHER):
            if f < n_blocks:
                phase[f] = coefficient[k] * turn
            turn *= one
        for f in range(TOGETHER, n_blocks):
            phase[f] = phase[f - TOGETHER] * turn
        for f in range(n_blocks):
            for m in range(n_channels):
                out[row[k], f, m] += phase[f] * A[source[k], f, m]
