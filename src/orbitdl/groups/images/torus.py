"""Base of all groups of circular translations of images: phases of plane waves.

The transform is the discrete Fourier transform of images: one complex number per plane wave and
channel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Combination, Floats, Integers
from orbitdl.arrays.validation import require_count
from orbitdl.groups.base import Group, Representation
from orbitdl.groups.maxima.polynomials import fill_phases
from orbitdl.groups.presentation import Presentation, ShiftSlider, view_of_image
from orbitdl.groups.transforms.base import Transform
from orbitdl.kernels import allocating, internal

MANY = 4
"""Channels of an image, at most (RGB and alpha), unless `channels` is passed."""


class FourierPlane(Transform):
    """Spectra of real images (H, W) or (H, W, channels), scaled to an isometry.

    Parameters
    ----------
    shape : tuple of int
    keep_nyquist : bool
        Whether to include the Nyquist frequencies of even numbers of rows or columns.

    Attributes
    ----------
    waves : ndarray of shape (F, 2)
        Integer frequencies along the axes of rows and of columns, ``(u, v)``.
    weights : ndarray of shape (F,)
        ``s_uv^2``.

    Notes
    -----
    ``Y_uv = s_uv sum_kl y(k, l) exp(-2 pi i (u k / H + v l / W))``. Of a wave (u, v) and its
    conjugate (-u, -v) one is stored, that with ``v > 0``, or with ``u > 0`` if v and -v are equal.
    ``s_uv = sqrt(2 / (H W))``, and ``sqrt(1 / (H W))`` for a wave that is its own conjugate: the
    mean, and up to three Nyquist terms.

    Examples
    --------
    >>> import numpy as np
    >>> FourierPlane((2, 3), keep_nyquist=True).waves.tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """

    dtype = np.complex128

    def __init__(self, shape: tuple[int, ...], *, keep_nyquist: bool) -> None:
        self.shape, self.size = tuple(shape), (shape[0], shape[1])
        rows, columns = self.size
        self._stored = u, v = self._chosen(keep_nyquist)
        self.waves = np.stack([np.where(2 * u > rows, u - rows, u), v], axis=1)
        self.block_shape = (len(self.waves), 1, shape[2] if len(shape) == 3 else 1)
        own = np.all(2 * self.waves % self.size == 0, axis=1)
        self.weights = np.where(own, 1.0, 2.0) / (rows * columns)
        self.is_invertible = 2 * len(own) - int(own.sum()) == rows * columns
        self._scale = np.sqrt(self.weights)[:, None]

    def _chosen(self, keep_nyquist: bool) -> tuple[Integers, Integers]:
        """Return the indices of the stored waves in the array of `scipy.fft.rfft2`."""
        rows, columns = self.size
        u, v = np.ogrid[:rows, : columns // 2 + 1]
        stored = (2 * v % columns != 0) | (2 * u <= rows)
        if not keep_nyquist:
            stored &= (2 * u != rows) & (2 * v != columns)
        row, column = np.nonzero(stored)
        return row, column

    def analyze(self, x: Floats) -> Blocks:
        image = x if len(self.shape) == 3 else x[..., None]
        spectrum = fft.rfft2(image, axes=(-3, -2))
        result: Blocks = spectrum[..., *self._stored, :] * self._scale
        return result[..., None, :]

    def synthesize(self, blocks: Blocks) -> Floats:
        spectrum = np.moveaxis(blocks[..., 0, :] * self._scale, -1, -2)
        image = np.moveaxis(self.on_torus(spectrum, self.size), -3, -1)
        return image if len(self.shape) == 3 else image[..., 0]

    def on_torus(self, C: Blocks, size: tuple[int, int]) -> Floats:
        """Return ``Re sum_f C_f exp(2 pi i (u_f k / M_1 + v_f l / M_2))``, (..., M_1, M_2).

        At ``k = 0 .. M_1 - 1`` and ``l = 0 .. M_2 - 1``; the size is at least that of the data.
        """
        rows, columns = size
        u, v = self.waves.T
        half = np.zeros((*C.shape[:-1], rows, columns // 2 + 1), dtype=np.complex128)
        # irfft2 implies the conjugates of all waves but those with v = -v modulo the columns
        own = 2 * v % columns == 0
        half[..., u % rows, v] = np.where(own & (2 * u % rows == 0), 1.0, 0.5) * C
        twice = own & (2 * u % rows != 0)
        half[..., -u[twice] % rows, v[twice]] = 0.5 * C[..., twice].conj()
        result: Floats = fft.irfft2(half, s=size, norm="forward")
        return result


@dataclass(frozen=True)
class TranslationGroup(Group):
    """Circular translations of images with an optional number of channels."""

    channels: int | None = None

    def __post_init__(self) -> None:
        if self.channels is not None:
            require_count(self.channels, "channels")


def require_images(group: TranslationGroup, shape: tuple[int, ...]) -> None:
    """Raise ValueError for data points that are not images, or have unexpectedly many channels.

    A volume looks like such an image, and would be shifted along two of its three axes only.
    """
    if len(shape) not in (2, 3) or 0 in shape:
        raise ValueError(
            f"{group.name} acts on data points of shape (rows, columns) or (rows, columns, "
            f"channels), not {tuple(shape)}; reshape X into images."
        )
    found = shape[2] if len(shape) == 3 else 1
    read = f"data points of shape {tuple(shape)} as images of {shape[0]} x {shape[1]} pixels"
    if group.channels is None and found > MANY:
        raise ValueError(
            f"{group.name}() reads {read} with {found} channels, which it does not shift; pass "
            f"{group.name}(channels={found}) if they are, and pass volumes slice by slice."
        )
    if group.channels not in (None, found):
        raise ValueError(
            f"{group.name}(channels={group.channels}) reads {read} with {found} "
            f"channel{'s' * (found != 1)}; reshape X, or pass channels={found}."
        )


class TorusAction(Representation):
    """Circular translations of images (H, W) or (H, W, channels).

    An element is the shift (down, right) in pixels, in [0, H) x [0, W).

    Notes
    -----
    ``y(k, l) -> y(k - down, l - right)`` multiplies the wave (u, v) by
    ``exp(-2 pi i (u down / H + v right / W))``. Blocks (F, 1, channels) are complex, one per wave.
    """

    transform: FourierPlane
    parameters = ("down", "right")

    def __init__(
        self, group: TranslationGroup, shape: tuple[int, ...], *, keep_nyquist: bool
    ) -> None:
        require_images(group, shape)
        spectra = FourierPlane(shape, keep_nyquist=keep_nyquist)
        super().__init__(group, spectra, spectra.weights)
        self.periods = np.array(spectra.size, dtype=np.float64)

    def compose(self, left: Floats, right: Floats) -> Floats:
        return np.mod(left + right, self.periods)

    def inverse(self, element: Floats) -> Floats:
        return np.mod(-element, self.periods)

    def principal(self, element: Floats) -> Floats:
        return element - self.periods * np.round(element / self.periods)

    def angles(self, element: Floats) -> Floats:
        """Return elements in radians: the period in either direction is 2 pi."""
        return element * (2 * np.pi / self.periods)

    def represent(self, element: Floats) -> Blocks:
        flat = np.ascontiguousarray(self.angles(element).reshape(-1, 2))
        phase = np.empty((len(flat), self.block_shape[0]), dtype=np.complex128)
        fill_plane_phases(-flat, self.transform.waves, phase)
        return phase.reshape(*element.shape[:-1], self.block_shape[0], 1, 1)

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        result = np.zeros((n, A.shape[1], A.shape[3]), dtype=np.complex128)
        columns = np.ascontiguousarray(A[:, :, 0], dtype=np.complex128)
        angle = -self.angles(atoms.element)
        add_plane_waves(
            atoms.row, source, atoms.coefficient, angle, self.transform.waves, columns, result
        )
        return result[:, :, None]

    def act_on_blocks(self, element: Floats, B: Blocks) -> Blocks:
        batch = np.broadcast_shapes(element.shape[:-1], B.shape[:-3])
        angle = -np.broadcast_to(self.angles(element), (*batch, 2)).reshape(-1, 2)
        columns = np.broadcast_to(B, (*batch, *B.shape[-3:])).reshape(len(angle), *B.shape[-3::2])
        result = np.empty(columns.shape, dtype=np.complex128)
        rotate_plane_waves(angle, self.transform.waves, columns, result)
        return result.reshape(*batch, *B.shape[-3:])

    @cached_property
    def presentation(self) -> Presentation:
        step, amount = 0.0, "any amount, fractions of a pixel included"
        if self.is_integer:
            step, amount = 1.0, "integer pixels"
        return Presentation(
            f"may be shifted up, down, left and right by {amount}",
            self._label,
            view_of_image(self.shape),
            (ShiftSlider(step, "down"), ShiftSlider(step, "right")),
            noun="image",
        )

    def _label(self, element: Floats) -> str:
        down, right = self.principal(element)
        digits = 0 if self.is_integer else 2
        vertical = f"{abs(down):.{digits}f} {'down' if down >= 0 else 'up'}"
        return f"{vertical}, {abs(right):.{digits}f} {'right' if right >= 0 else 'left'}"


@internal
def last_wave(waves):  # type: ignore[no-untyped-def]
    """Return the largest frequency in either direction."""
    last = 0
    for f in range(waves.shape[0]):
        last = max(last, abs(waves[f, 0]), abs(waves[f, 1]))
    return last


@internal
def fill_wave(angle, waves, work, phase):  # type: ignore[no-untyped-def]
    """Fill phase (F,) with ``exp(i (u_f angle_0 + v_f angle_1))``; work has the phases of an axis.

    Those of negative u or v are conjugate to those of positive ones.
    """
    for axis in range(2):
        fill_phases(angle[axis], work[axis, 0], work[axis, 1])
    for f in range(waves.shape[0]):
        u, v = waves[f, 0], waves[f, 1]
        down = complex(work[0, 0, abs(u)], work[0, 1, abs(u)] if u > 0 else -work[0, 1, abs(u)])
        right = complex(work[1, 0, abs(v)], work[1, 1, abs(v)] if v > 0 else -work[1, 1, abs(v)])
        phase[f] = down * right


@allocating
def fill_plane_phases(angle, waves, phase):  # type: ignore[no-untyped-def]
    """Fill phase (K, F) for angles (K, 2)."""
    work = np.empty((2, 2, 8 * (last_wave(waves) // 8 + 1)))
    for k in range(angle.shape[0]):
        fill_wave(angle[k], waves, work, phase[k])


@allocating
def add_plane_waves(row, source, coefficient, angle, waves, A, out):  # type: ignore[no-untyped-def]
    """Add ``c_k exp(i (u_f angle_k0 + v_f angle_k1)) A[source_k]`` to out[row_k] for each atom."""
    _, n_blocks, n_channels = A.shape
    phase = np.empty(n_blocks, dtype=np.complex128)
    work = np.empty((2, 2, 8 * (last_wave(waves) // 8 + 1)))
    for k in range(row.shape[0]):
        fill_wave(angle[k], waves, work, phase)
        for f in range(n_blocks):
            for m in range(n_channels):
                out[row[k], f, m] += coefficient[k] * phase[f] * A[source[k], f, m]


@allocating
def rotate_plane_waves(angle, waves, B, out):  # type: ignore[no-untyped-def]
    """Fill out (K, F, m) with ``exp(i (u_f angle_k0 + v_f angle_k1)) B_k``."""
    _, n_blocks, n_channels = B.shape
    phase = np.empty(n_blocks, dtype=np.complex128)
    work = np.empty((2, 2, 8 * (last_wave(waves) // 8 + 1)))
    for k in range(angle.shape[0]):
        fill_wave(angle[k], waves, work, phase)
        for f in range(n_blocks):
            for m in range(n_channels):
                out[k, f, m] = phase[f] * B[k, f, m]
