"""Block coordinates of shifts: one complex number per frequency and channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import fft

from orbitdl.compiled import fast
from orbitdl.groups.base import Blocks, Combination, Floats, Group, Integers


class FourierBlocks:
    """Transform and group law shared by every group of circular shifts.

    Notes
    -----
    With N samples, ``Y_f = s_f sum_t y(t) exp(-2 pi i f t / N)``, ``s_f = sqrt(2/N)``, and
    ``sqrt(1/N)`` for the constant and the Nyquist term: an isometry from real signals. A shift by
    tau samples to the right, ``y(t) -> y(t - tau)``, multiplies ``Y_f`` by
    ``exp(-2 pi i f tau / N)``.

    When N is even and shifts may be fractional, the Nyquist term (the alternating signal) cannot
    be rotated: it is left out. Components have none, and the data's stays in the residual.
    """

    group: Group
    shape: tuple[int, ...]
    block_shape: tuple[int, int, int]
    metric: Floats
    moves_all: bool
    length: int
    dtype: type[np.float64] | type[np.complex128] = np.complex128
    parameters: tuple[str, ...] = ("shift",)

    if TYPE_CHECKING:

        def match(self, correlation: Blocks) -> tuple[Floats, Floats]: ...

    def set_up(self, group: Group, shape: tuple[int, ...], *, keep_nyquist: bool) -> None:
        """Fix the shape (N,) or (N, channels) and the frequencies in use."""
        if len(shape) not in (1, 2) or 0 in shape:
            raise ValueError(
                f"{group.name} acts on data points of shape (length,) or (length, channels), "
                f"not {tuple(shape)}; flatten or reshape X."
            )
        self.group, self.shape, self.length = group, tuple(shape), shape[0]
        n_blocks = self.length // 2 + 1 if keep_nyquist else (self.length - 1) // 2 + 1
        self.block_shape = (n_blocks, 1, shape[1] if len(shape) == 2 else 1)
        self.moves_all = keep_nyquist or self.length % 2 == 1
        self.metric = np.full(n_blocks, 2.0 / self.length)
        self.metric[np.arange(n_blocks) * 2 % self.length == 0] /= 2
        self._scale = np.sqrt(self.metric)[:, None, None]

    def analyze(self, x: Floats) -> Blocks:
        signal = x if len(self.shape) == 2 else x[..., None]
        spectrum = fft.rfft(signal, axis=-2)[..., : self.block_shape[0], :]
        result: Blocks = spectrum[..., None, :] * self._scale
        return result

    def synthesize(self, blocks: Blocks) -> Floats:
        signal: Floats = fft.irfft(blocks[..., 0, :] / self._scale[:, 0], n=self.length, axis=-2)
        return signal if len(self.shape) == 2 else signal[..., 0]

    def represent(self, element: Floats) -> Blocks:
        # exp(-i theta f) for f = s k + l is a product of two: far fewer exponentials
        n_blocks = self.block_shape[0]
        stride = int(np.ceil(np.sqrt(n_blocks)))
        angle = (-2j * np.pi / self.length) * element
        fine = np.exp(angle * np.arange(stride))
        coarse = np.exp(angle * (stride * np.arange(-(-n_blocks // stride))))
        both: Blocks = coarse[..., :, None] * fine[..., None, :]
        phase = both.reshape(*element.shape[:-1], stride * coarse.shape[-1])
        return phase[..., :n_blocks, None, None]

    def compose(self, left: Floats, right: Floats) -> Floats:
        return np.mod(left + right, self.length)

    def inverse(self, element: Floats) -> Floats:
        return np.mod(-element, self.length)

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        result = np.zeros((n, A.shape[1], A.shape[3]), dtype=np.complex128)
        columns = np.ascontiguousarray(A[:, :, 0], dtype=np.complex128)
        angle = (-2 * np.pi / self.length) * atoms.element[:, 0]
        add_waves(atoms.row, source, atoms.coefficient, angle, columns, result)
        return result[:, :, None]

    def locate(self, element: Floats, source: Integers, x: Floats) -> Floats:
        # x(t) is the inner product of x with an impulse moved to t, whose spectrum is the scale
        channels = np.moveaxis(self.analyze(x) * self._scale, -1, 1)[..., None]
        height, place = self.match(channels)
        largest = np.abs(height).argmax(axis=1)
        peak = place[np.arange(len(x)), largest, 0]
        moved: Floats = np.mod(peak[source] + element[:, 0], self.length)
        return moved

    def on_grid(self, C: Blocks, size: int) -> Floats:
        """Return ``<C, rho(tau)> = Re sum_f C_f exp(2 pi i f tau / N)`` at tau = k N / size."""
        spectrum = C[..., 0, 0] * (0.5 * size)
        spectrum[..., 0] *= 2
        if size == self.length and size == 2 * (self.block_shape[0] - 1):
            spectrum[..., -1] *= 2
        result: Floats = fft.irfft(spectrum, n=size, axis=-1)
        return result


def crests(values: Floats, level: float) -> tuple[Integers, Integers]:
    """Return row and column of the local maxima of ``|values|`` (n, M) on circles, from a level.

    Of a plateau one point is returned, and none if it is not the largest of its row.
    """
    height = np.abs(values)
    padded = np.concatenate([height[:, -1:], height, height[:, :1]], axis=1)
    high = (height > padded[:, :-2]) & (height > padded[:, 2:])
    high[np.arange(len(height)), height.argmax(axis=1)] = True
    high &= height >= level
    row, column = np.divmod(np.flatnonzero(high), values.shape[1])
    return row, column


@fast
def add_waves(row, source, coefficient, angle, A, out):  # type: ignore[no-untyped-def]
    """Add ``c_k exp(i f angle_k) A[source_k]`` to out[row_k] for every atom k."""
    _, n_blocks, n_channels = A.shape
    phase = np.empty(n_blocks, dtype=np.complex128)
    for k in range(row.shape[0]):
        one, turn = complex(np.cos(angle[k]), np.sin(angle[k])), 1.0 + 0.0j
        for f in range(8):
            if f < n_blocks:
                phase[f] = coefficient[k] * turn
            turn *= one
        for f in range(8, n_blocks):
            phase[f] = phase[f - 8] * turn
        for f in range(n_blocks):
            for m in range(n_channels):
                out[row[k], f, m] += phase[f] * A[source[k], f, m]
