"""Direct product of a group of shifts and a matrix group: multichannel signals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Combination, EventRows, Floats, Integers
from orbitdl.groups.base import CLOSE, Group, Representation, require_group
from orbitdl.groups.maxima.polynomials import fill_phases
from orbitdl.groups.presentation import (
    ElementSlider,
    Presentation,
    ShiftSlider,
    Slider,
    view_of_signals,
)
from orbitdl.groups.transforms.fourier import Fourier
from orbitdl.groups.vectors.shifts import ShiftPeaks, merge_atoms
from orbitdl.kernels import allocating

CAPACITY = 2**19
"""Numbers in a table of matrices on a grid of shifts: 4 MB."""
SPREAD = 4
"""Random matrices per entry of a matrix, which span all of them with certainty in practice."""


class ProductRepresentation(Representation):
    """One complex block (d, r) per frequency; an element is a shift and a matrix.

    Parameters
    ----------
    group : Group
    shift, matrices : Group
        Groups that implement `Group.shifts` and `Group.matrix_group`.
    shape : tuple of int
        (length, d) or (length, d, r).
    """

    transform: Fourier

    def __init__(self, group: Group, shift: Group, matrices: Group, shape: tuple[int, ...]) -> None:
        if len(shape) not in (2, 3) or 0 in shape:
            raise ValueError(
                f"{group.name} acts on data points of shape (length, d) or (length, d, r), not "
                f"{tuple(shape)}; reshape X so that time is the first axis and the matrix group "
                "acts on the second."
            )
        self.shifts, self.matrix_group = shift.shifts(shape[0]), matrices.matrix_group(shape[1])
        spectra = Fourier(shape, keep_nyquist=self.shifts.keep_nyquist, vectors=True)
        super().__init__(group, spectra, spectra.weights)
        self.parameters = ("shift", *self.matrix_group.parameters)
        self.dimension = self.shifts.dimension + len(self.matrix_group.generators)
        self._turn = -2 * np.pi / shape[0]

    # Elements

    def represent(self, element: Floats) -> Blocks:
        angle = self._turn * element[..., :1]
        phase = np.exp(1j * angle * np.arange(self.block_shape[0]))
        h = self.matrix_group.matrix(element[..., 1:])
        return np.asarray(phase[..., None, None] * h[..., None, :, :])

    def compose(self, left: Floats, right: Floats) -> Floats:
        shift = np.mod(left[..., :1] + right[..., :1], self.shape[0])
        return self._with(shift, self.matrix_group.compose(left[..., 1:], right[..., 1:]))

    def inverse(self, element: Floats) -> Floats:
        shift = np.mod(-element[..., :1], self.shape[0])
        return self._with(shift, self.matrix_group.inverse(element[..., 1:]))

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return self._with(self.shifts.sample(rng, n)[:, None], self.matrix_group.sample(rng, n))

    def contains(self, element: Floats) -> bool:
        return super().contains(element) and self.matrix_group.contains(element[..., 1:])

    def examples(self, most: int) -> Floats:
        """Return elements with shift zero; shifts have their own slider."""
        h = self.matrix_group.examples(most)
        return self._with(np.zeros((len(h), 1)), h)

    def spanning_elements(self) -> Floats:
        shift = self.shifts.spread(2 * self.block_shape[0])
        h = self.matrix_group.sample(np.random.default_rng(0), SPREAD * self.matrix_group.d**2)
        return self._with(np.repeat(shift, len(h))[:, None], np.tile(h, (len(shift), 1)))

    def principal(self, element: Floats) -> Floats:
        shift, length = element[..., :1], self.shape[0]
        return self._with(shift - length * np.round(shift / length), element[..., 1:])

    def _with(self, shift: Floats, h: Floats) -> Floats:
        return np.concatenate([shift, h], axis=-1)

    # The action

    def act_on_blocks(self, element: Floats, B: Blocks) -> Blocks:
        batch = np.broadcast_shapes(element.shape[:-1], B.shape[:-3])
        rows, source = (np.arange(int(np.prod(s))).reshape(s) for s in (batch, B.shape[:-3]))
        atoms = Combination(
            rows.ravel(),
            np.ones(rows.size),
            np.broadcast_to(element, (*batch, element.shape[-1])).reshape(
                rows.size, element.shape[-1]
            ),
        )
        which = np.broadcast_to(source, batch).ravel()
        flat = B.reshape(source.size, *B.shape[-3:])
        return self.superpose(atoms, rows.size, which, flat).reshape(*batch, *B.shape[-3:])

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        result = np.zeros((n, *A.shape[1:]), dtype=np.complex128)
        angle = self._turn * atoms.element[:, 0]
        h = atoms.coefficient[:, None, None] * self.matrix_group.matrix(atoms.element[:, 1:])
        columns = np.ascontiguousarray(A, dtype=np.complex128)
        add_rotated_waves(atoms.row, source, angle, h, columns, result)
        return result

    def tangents(self, B: Blocks) -> Blocks:
        shape = (*B.shape[:-3], self.dimension, *B.shape[-3:])
        result, free = np.empty(shape, dtype=np.complex128), self.shifts.dimension
        frequency = 1j * self._turn * np.arange(self.block_shape[0])
        result[..., :free, :, :, :] = (frequency[:, None, None] * B)[..., None, :, :, :]
        result[..., free:, :, :, :] = 0.0
        self.matrix_group.add_tangents(B, result[..., free:, :, :, :])
        return result

    def retract(self, element: Floats, by: Floats) -> Floats:
        free = self.shifts.dimension
        shift = element[..., :1] + by[..., :free].sum(axis=-1, keepdims=True)
        h = self.matrix_group.retract(element[..., 1:], by[..., free:])
        return self._with(np.mod(shift, self.shape[0]), h)

    # The best elements

    def polar(self, correlation: Blocks) -> Floats:
        return np.abs(self.match(correlation)[0])

    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        shape = correlation.shape[:-3]
        C, unit = normalise_scale(correlation.reshape(-1, *correlation.shape[-3:]))
        _, value, element = self._match_at(C, partial(self.shifts.best, self.matrix_group))
        return (unit * value).reshape(shape), element.reshape(*shape, len(self.parameters))

    def largest_polar(self, correlation: Blocks, eps: float = CLOSE) -> Floats:
        bounds = [np.zeros(0)]
        for part in self._parts(correlation):
            C, unit = normalise_scale(correlation[part])
            bounds.append(unit * self.shifts.bound(self.matrix_group, C, eps))
        return np.concatenate(bounds)

    def peaks(self, correlation: Blocks, threshold: float) -> Combination:
        C, unit = normalise_scale(correlation[None])
        find = partial(self.shifts.peaks, self.matrix_group, threshold=threshold / unit[0])
        row, value, element = self._match_at(C[0], find)
        value = unit[0] * value
        high = np.abs(value) > threshold
        return Combination(row[high], value[high], element[high])

    def _match_at(self, C: Blocks, find: Callable[[Blocks], ShiftPeaks]) -> Combination:
        """Return the best matrices at the shifts found for rows of C (n, F, d, d)."""
        nothing = np.zeros((0, len(self.parameters)))
        found = [Combination(np.zeros(0, dtype=np.intp), np.zeros(0), nothing)]
        for part in self._parts(C):
            row, shift, X = find(C[part])
            value, h = self.matrix_group.match(X)
            found.append(Combination(part.start + row, value, self._with(shift[:, None], h)))
        return Combination(*(np.concatenate(column) for column in zip(*found, strict=True)))

    def _parts(self, C: Blocks) -> Iterator[slice]:
        """Split n correlations (n, ..., F, d, d) such that tables on grids of shifts stay small."""
        each = self.shifts.size * int(np.prod(C.shape[1:])) // C.shape[-3]
        rows = max(CAPACITY // max(each, 1), 1)
        return (slice(start, start + rows) for start in range(0, len(C), rows))

    # Reports and events

    @cached_property
    def presentation(self) -> Presentation:
        return Presentation(
            f"may be shifted {self.shifts.description}, and {self.matrix_group.description}",
            self._label,
            view_of_signals((self.shape[0], self.transform.channels), vectors=self.matrix_group.d),
            (*self._sliders, ShiftSlider(self.shifts.step)),
            noun="window",
            in_time=True,
        )

    @property
    def _sliders(self) -> tuple[Slider, ...]:
        """Sliders of the matrix group, whose parameters follow the shift."""
        listed = ElementSlider(lambda element: self.matrix_group.label(element[1:]))
        return tuple(
            listed if isinstance(own, ElementSlider) else own for own in self.matrix_group.sliders
        )

    def _label(self, element: Floats) -> str:
        shift = f"{element[0]:.{self.shifts.decimals}f}"
        return f"shift {shift}, {self.matrix_group.label(element[1:])}"

    def locate(self, element: Floats, source: Integers, x: Floats) -> Floats:
        # orthogonal matrices preserve the length of vectors
        longest = self.shifts.highest(self.transform.interpolants(x))
        position: Floats = np.mod(longest[source] + element[:, 0], self.shape[0])
        return position

    def describe(self, element: Floats) -> dict[str, NDArray[Any]]:
        return {"shift": element[:, 0], **self.matrix_group.describe(element[:, 1:])}

    def events(self, atoms: Combination, within: float) -> EventRows:
        shift, length = atoms.element[:, 0], self.shape[0]
        found = merge_atoms(atoms.row, atoms.coefficient, shift, length, within)
        M = np.zeros((len(found.main), self.matrix_group.d, self.matrix_group.d))
        h = self.matrix_group.matrix(atoms.element[:, 1:])
        np.add.at(M, found.event, atoms.coefficient[:, None, None] * h)
        value, nearest = self.matrix_group.match(M)
        largest = np.abs(atoms.coefficient[found.main])
        return EventRows(
            atoms.row[found.main],
            {
                "amplitude": np.where(value < 0, -found.total, found.total),
                "shift": found.time,
                **self.matrix_group.describe(nearest),
                "n_atoms": np.bincount(found.event, minlength=len(found.main)),
                "minor_share": 1.0 - largest / found.total,
            },
        )


def normalise_scale(C: Blocks) -> tuple[Blocks, Floats]:
    """Divide arrays (n, ...) by powers of two (n,) near their largest entries; return these, too.

    Squares of the entries then neither underflow nor overflow in any unit of the data.
    """
    largest = np.abs(C).max(axis=tuple(range(1, C.ndim)), initial=0.0)
    unit = np.ldexp(1.0, np.frexp(largest)[1])
    return C / unit.reshape(-1, *(1,) * (C.ndim - 1)), unit


@allocating
def add_rotated_waves(row, source, angle, h, A, out):  # type: ignore[no-untyped-def]
    """Add ``exp(i f angle_k) h_k A[source_k, f]`` to out[row_k, f] for every atom k.

    h holds matrices (K, d, d); A and out are complex blocks (q, F, d, m) and (n, F, d, m).
    """
    _, n_blocks, d, m = A.shape
    width = -(-n_blocks // 8) * 8
    real, imag = np.empty(width), np.empty(width)
    for k in range(row.shape[0]):
        fill_phases(angle[k], real, imag)
        own, sums, turn = A[source[k]], out[row[k]], h[k]
        for f in range(n_blocks):
            phase = complex(real[f], imag[f])
            for i in range(d):
                for c in range(m):
                    value = 0.0 + 0.0j
                    for j in range(d):
                        value += turn[i, j] * own[f, j, c]
                    sums[f, i, c] += phase * value


@dataclass(frozen=True)
class Product(Group):
    """Direct product of a group of shifts and a matrix group that acts on the channels.

    Parameters
    ----------
    shift : Group
        A group of shifts: `IntegerShift`, `InterpolatedShift` or `ContinuousShift`.
    matrices : Group
        A matrix group: `Orthogonal`, `SpecialOrthogonal`, `Azimuth` or `Permutation`.

    Notes
    -----
    Acts on signals (N, d), or (N, d, r) with r vectors per sample: ``y(t) -> h y(t - tau)``. An
    element is the shift, followed by the parameters of the matrix h. Block coordinates are spectra:
    one complex (d, r) block per frequency f, on which an element acts as
    ``exp(-2 pi i f tau / N) h``. With correlations C and
    ``X(tau) = Re sum_f C_f exp(2 pi i f tau / N)`` the polar is ``max_tau polar_H(X(tau))``: for
    all orthogonal matrices, the largest nuclear norm. For an even length the Nyquist frequency
    stays in the residual, unless shifts are integers. The gauge has no closed form.

    A point of the convex hull of the matrix group is a sum of several matrices, so codes may have
    several atoms at one time: `Codes.to_events` merges them.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import Azimuth, IntegerShift
    >>> product = Product(IntegerShift(), Azimuth()).on((4, 3))
    >>> ground = np.zeros((4, 3))
    >>> ground[0] = 1.0, 0.0, 5.0
    >>> product.act(np.array([2.0, 90.0]), ground).round(12)[2]
    array([0., 1., 5.])
    """

    shift: Group
    matrices: Group

    def __post_init__(self) -> None:
        for group in (self.shift, self.matrices):
            require_group(group)

    @property
    def name(self) -> str:
        return f"Product({self.shift.name}, {self.matrices.name})"

    def on(self, shape: tuple[int, ...]) -> ProductRepresentation:
        return ProductRepresentation(self, self.shift, self.matrices, shape)
