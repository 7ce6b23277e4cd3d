"""The action of shifts and matrices at once on signals of vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import CLOSE, Combination, Group, Representation
from orbitdl.groups.presentation import ListSlider, Presentation, ShiftSlider, Slider
from orbitdl.groups.transforms.fourier import Fourier
from orbitdl.groups.vectors.merged_atoms import Events, gather_events
from orbitdl.groups.vectors.rotated_sums import add_turned_waves
from orbitdl.groups.vectors.shift_grid import Places
from orbitdl.groups.views import view_of_signals

ROOM = 2**19
"""Numbers of a table of matrices on a grid of times: a few megabytes."""
SPREAD = 4
"""Elements of the fibre that are drawn, per entry of a matrix, so that they span all of them."""


class ProductRepresentation(Representation):
    """One complex block (d, r) per frequency; an element is a shift and those of a `Fibre`.

    Parameters
    ----------
    group : Group
    shift, matrices : Group
        One that has `times`, and one that has a `fibre`.
    shape : tuple of int
        (length, d) or (length, d, r).
    """

    transform: Fourier

    def __init__(self, group: Group, shift: Group, matrices: Group, shape: tuple[int, ...]) -> None:
        if len(shape) not in (2, 3) or 0 in shape:
            raise ValueError(
                f"{group.name} acts on data points of shape (length, d) or (length, d, r), not "
                f"{tuple(shape)}; reshape X so that time is the first axis and the vectors that "
                "are moved are along the second."
            )
        self.times, self.fibre = shift.times(shape[0]), matrices.fibre(shape[1])
        spectra = Fourier(shape, keep_nyquist=self.times.keep_nyquist, vectors=True)
        super().__init__(group, spectra, spectra.weights)
        self.parameters = ("shift", *self.fibre.parameters)
        self.dimension = self.times.dimension + len(self.fibre.generators)
        self._turn = -2 * np.pi / shape[0]

    # Elements

    def represent(self, element: Floats) -> Blocks:
        angle = self._turn * element[..., :1]
        phase = np.exp(1j * angle * np.arange(self.block_shape[0]))
        h = self.fibre.matrix(element[..., 1:])
        return np.asarray(phase[..., None, None] * h[..., None, :, :])

    def compose(self, left: Floats, right: Floats) -> Floats:
        shift = np.mod(left[..., :1] + right[..., :1], self.shape[0])
        return self._with(shift, self.fibre.compose(left[..., 1:], right[..., 1:]))

    def inverse(self, element: Floats) -> Floats:
        shift = np.mod(-element[..., :1], self.shape[0])
        return self._with(shift, self.fibre.inverse(element[..., 1:]))

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return self._with(self.times.sample(rng, n)[:, None], self.fibre.sample(rng, n))

    def contains(self, element: Floats) -> bool:
        return super().contains(element) and self.fibre.contains(element[..., 1:])

    def examples(self, most: int) -> Floats:
        """Return elements that do not shift: a reader does this with a slider of its own."""
        h = self.fibre.examples(most)
        return self._with(np.zeros((len(h), 1)), h)

    def cover(self) -> Floats:
        shift = self.times.spread(2 * self.block_shape[0])
        h = self.fibre.sample(np.random.default_rng(0), SPREAD * self.fibre.d**2)
        return self._with(np.repeat(shift, len(h))[:, None], np.tile(h, (len(shift), 1)))

    def shortest(self, element: Floats) -> Floats:
        shift, length = element[..., :1], self.shape[0]
        return self._with(shift - length * np.round(shift / length), element[..., 1:])

    def _with(self, shift: Floats, h: Floats) -> Floats:
        return np.concatenate([shift, h], axis=-1)

    # The action

    def moved(self, element: Floats, B: Blocks) -> Blocks:
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
        h = atoms.coefficient[:, None, None] * self.fibre.matrix(atoms.element[:, 1:])
        columns = np.ascontiguousarray(A, dtype=np.complex128)
        add_turned_waves(atoms.row, source, angle, h, columns, result)
        return result

    @property
    def has_tangents(self) -> bool:
        return True

    def tangents(self, B: Blocks) -> Blocks:
        shape = (*B.shape[:-3], self.dimension, *B.shape[-3:])
        result, free = np.empty(shape, dtype=np.complex128), self.times.dimension
        frequency = 1j * self._turn * np.arange(self.block_shape[0])
        result[..., :free, :, :, :] = (frequency[:, None, None] * B)[..., None, :, :, :]
        result[..., free:, :, :, :] = 0.0
        self.fibre.add_tangents(B, result[..., free:, :, :, :])
        return result

    def move(self, element: Floats, by: Floats) -> Floats:
        free = self.times.dimension
        shift = element[..., :1] + by[..., :free].sum(axis=-1, keepdims=True)
        h = self.fibre.move(element[..., 1:], by[..., free:])
        return self._with(np.mod(shift, self.shape[0]), h)

    # The best elements

    def polar(self, correlation: Blocks) -> Floats:
        return np.abs(self.match(correlation)[0])

    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        shape = correlation.shape[:-3]
        C, unit = in_own_units(correlation.reshape(-1, *correlation.shape[-3:]))
        _, value, element = self._match_at(C, partial(self.times.best, self.fibre))
        return (unit * value).reshape(shape), element.reshape(*shape, len(self.parameters))

    def largest_polar(self, correlation: Blocks, eps: float = CLOSE) -> Floats:
        bounds = [np.zeros(0)]
        for part in self._parts(correlation):
            C, unit = in_own_units(correlation[part])
            bounds.append(unit * self.times.bound(self.fibre, C, eps))
        return np.concatenate(bounds)

    def peaks(self, correlation: Blocks, level: float) -> Combination:
        C, unit = in_own_units(correlation[None])
        find = partial(self.times.peaks, self.fibre, level=level / unit[0])
        row, value, element = self._match_at(C[0], find)
        value = unit[0] * value
        high = np.abs(value) > level
        return Combination(row[high], value[high], element[high])

    def _match_at(self, C: Blocks, find: Callable[[Blocks], Places]) -> Combination:
        """Return the best matrices at the times that are found for rows of C (n, F, d, d)."""
        nothing = np.zeros((0, len(self.parameters)))
        found = [Combination(np.zeros(0, dtype=np.intp), np.zeros(0), nothing)]
        for part in self._parts(C):
            row, shift, X = find(C[part])
            value, h = self.fibre.match(X)
            found.append(Combination(part.start + row, value, self._with(shift[:, None], h)))
        return Combination(*(np.concatenate(column) for column in zip(*found, strict=True)))

    def _parts(self, C: Blocks) -> Iterator[slice]:
        """Cut n correlations (n, ..., F, d, d) such that tables on grids of times stay small."""
        each = self.times.size * int(np.prod(C.shape[1:])) // C.shape[-3]
        rows = max(ROOM // max(each, 1), 1)
        return (slice(start, start + rows) for start in range(0, len(C), rows))

    # Words, pictures and events

    @cached_property
    def presentation(self) -> Presentation:
        return Presentation(
            f"may be shifted {self.times.moves}, and {self.fibre.moves}",
            self._in_words,
            view_of_signals((self.shape[0], self.transform.channels), vectors=self.fibre.d),
            (*self._sliders, ShiftSlider(self.times.step)),
            noun="window",
            in_time=True,
        )

    @property
    def _sliders(self) -> tuple[Slider, ...]:
        """Those of the fibre, whose elements follow the shift."""
        listed = ListSlider(lambda element: self.fibre.in_words(element[1:]))
        return tuple(listed if isinstance(own, ListSlider) else own for own in self.fibre.sliders)

    def _in_words(self, element: Floats) -> str:
        shift = f"{element[0]:.{self.times.decimals}f}"
        return f"shift {shift}, {self.fibre.in_words(element[1:])}"

    def locate(self, element: Floats, source: Integers, x: Floats) -> Floats:
        # the length of a vector does not change when it is turned
        longest = self.times.highest(self.transform.interpolants(x))
        moved: Floats = np.mod(longest[source] + element[:, 0], self.shape[0])
        return moved

    def describe(self, element: Floats) -> dict[str, NDArray[Any]]:
        return {"shift": element[:, 0], **self.fibre.describe(element[:, 1:])}

    def events(self, atoms: Combination, within: float) -> Events:
        shift, length = atoms.element[:, 0], self.shape[0]
        found = gather_events(atoms.row, atoms.coefficient, shift, length, within)
        M = np.zeros((len(found.main), self.fibre.d, self.fibre.d))
        h = self.fibre.matrix(atoms.element[:, 1:])
        np.add.at(M, found.event, atoms.coefficient[:, None, None] * h)
        value, nearest = self.fibre.match(M)
        largest = np.abs(atoms.coefficient[found.main])
        return Events(
            atoms.row[found.main],
            {
                "amplitude": np.where(value < 0, -found.total, found.total),
                "shift": found.time,
                **self.fibre.describe(nearest),
                "n_atoms": np.bincount(found.event, minlength=len(found.main)),
                "minor_share": 1.0 - largest / found.total,
            },
        )


def in_own_units(C: Blocks) -> tuple[Blocks, Floats]:
    """Return arrays (n, ...) over powers of two (n,) near their largest entries, and these.

    Squares of the entries then neither vanish nor overflow, whatever the units of data are.
    """
    largest = np.abs(C).max(axis=tuple(range(1, C.ndim)), initial=0.0)
    unit = np.ldexp(1.0, np.frexp(largest)[1])
    return C / unit.reshape(-1, *(1,) * (C.ndim - 1)), unit
