"""A group together with finitely many other moves, said in terms of the group alone.

The orbit of a component under both is the union of the orbits of its |F| moved copies under the
group: whoever can code with the group codes with |F| times as many components, and folds the
answer back.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import CLOSE, Combination, Group, Representation
from orbitdl.groups.enumerated import ListedRepresentation
from orbitdl.groups.folded.exchanged import (
    Exchange,
    find_conjugations,
    find_exchange,
)
from orbitdl.groups.folded.matrices import FoldedMatrices
from orbitdl.groups.presentation import ListSlider, Presentation, Slider
from orbitdl.groups.transforms.gathered import Gathered


class FoldedRepresentation(Representation):
    """Elements (g, f), which act as ``rho(g) sigma(f)``: first a move f, then the group.

    Parameters
    ----------
    group : Group
        The whole, for which this is the representation.
    base : Representation
        Of the group alone, on complex blocks of size one.
    moves : ListedRepresentation
        Of the moves, on the same data.

    Notes
    -----
    Moves exchange blocks of `base`, turn and conjugate them (`Exchange`). Blocks here are the
    orbits of those, as real and imaginary parts of their s members, filled up with zeros: real
    blocks of size 2 s (`FoldedMatrices`).
    """

    transform: Gathered

    def __init__(self, group: Group, base: Representation, moves: Representation) -> None:
        if base.block_shape[1] != 1 or base.dtype is not np.complex128:
            raise ValueError(
                f"{group.name} needs a group that turns complex blocks of size one, as shifts do; "
                f"{base.group.name} does not."
            )
        if not isinstance(moves, ListedRepresentation):
            raise ValueError(
                f"{group.name} needs moves that can be listed, such as Reversal(); "
                f"{moves.group.name} is not finite."
            )
        self.base, self.moves = base, moves
        self.exchange, self.conjugation = self._find(group)
        gathered = Gathered(base.transform, self.exchange.orbits())
        weight = np.append(base.metric, np.nan)[gathered.member]
        super().__init__(group, gathered, np.nanmean(weight, axis=1))
        self.parameters = (*base.parameters, *moves.parameters)
        self.counted = base.counted and moves.counted
        self.dimension = base.dimension

    def _find(self, group: Group) -> tuple[Exchange, Floats]:
        exchange = find_exchange(self.base, self.moves)
        conjugation = None if exchange is None else find_conjugations(self.base, exchange)
        if exchange is None or conjugation is None:
            raise ValueError(
                f"{group.name} needs moves that map moved copies to moved copies; those of "
                f"{self.moves.group.name} change what {self.base.group.name} does to data of "
                f"shape {self.base.shape}, or mix the channels."
            )
        return exchange, conjugation

    # Elements

    def _split(self, element: Floats) -> tuple[Floats, Integers]:
        """Return elements g of the group alone, and the numbers of the moves."""
        p = len(self.base.parameters)
        return element[..., :p], self.moves.index(element[..., p:])

    def _join(self, g: Floats, f: Integers) -> Floats:
        return np.concatenate([g, self.moves.elements[f]], axis=-1)

    def _conjugated(self, f: Integers, g: Floats) -> Floats:
        """Return ``f g f^-1``, not reduced to a turn."""
        return np.asarray(np.einsum("...ab,...b->...a", self.conjugation[f], g))

    def compose(self, left: Floats, right: Floats) -> Floats:
        (g, f), (h, _) = self._split(left), self._split(right)
        p = len(self.base.parameters)
        both = self.moves.compose(left[..., p:], right[..., p:])
        return np.concatenate([self.base.compose(g, self._conjugated(f, h)), both], axis=-1)

    def inverse(self, element: Floats) -> Floats:
        g, _ = self._split(element)
        back = self.moves.inverse(element[..., len(self.base.parameters) :])
        undone = self._conjugated(self.moves.index(back), self.base.inverse(g))
        return np.concatenate([self.base.compose(undone, 0.0 * undone), back], axis=-1)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return np.concatenate([self.base.sample(rng, n), self.moves.sample(rng, n)], axis=1)

    def contains(self, element: Floats) -> bool:
        p = len(self.base.parameters)
        return self.base.contains(element[..., :p]) and self.moves.contains(element[..., p:])

    def cover(self) -> Floats:
        return self._with_every_move(self.base.cover())

    def examples(self, most: int) -> Floats:
        """Return all moves, before shifts and the like that have sliders of their own."""
        alone = np.zeros((1, len(self.base.parameters)))
        if self._base_is_listed:
            alone = self.base.examples(max(most // self.moves.size, 1))
        return self._with_every_move(alone)[:most]

    def _with_every_move(self, g: Floats) -> Floats:
        f = np.tile(np.arange(self.moves.size), len(g))
        return self._join(np.repeat(g, self.moves.size, axis=0), f)

    def shortest(self, element: Floats) -> Floats:
        p = len(self.base.parameters)
        parts = self.base.shortest(element[..., :p]), self.moves.shortest(element[..., p:])
        return np.concatenate(parts, axis=-1)

    # The action

    @cached_property
    def _matrices(self) -> FoldedMatrices:
        return FoldedMatrices(self.base, self.exchange, self.transform)

    def represent(self, element: Floats) -> Blocks:
        g, f = self._split(element)
        return self._matrices.represent(self.base.represent(g), f)

    def unfold(self, A: Blocks) -> Blocks:
        """Return all moved copies of components in blocks of `base`, as rows over ``j |F| + f``.

        A (q, F, d, m) to (q |F|, F_0, 1, m).
        """
        alone = self.transform.part(A)
        copies = [self.exchange.blocks(f, alone) for f in range(self.moves.size)]
        return np.stack(copies, axis=1).reshape(-1, *alone.shape[1:])

    def to_base(self, Y: Blocks) -> Blocks:
        """Return data (n, F, d, m) in blocks of `base`, (n, F_0, 1, m)."""
        return self.transform.part(Y)

    def fold(self, source: Integers, g: Floats) -> tuple[Integers, Floats]:
        """Return components and elements of atoms whose sources are rows of `unfold`."""
        component, f = np.divmod(source, self.moves.size)
        return component, self._join(g, f)

    def unfolded(self, component: Integers, element: Floats) -> tuple[Integers, Floats]:
        """Return the rows of `unfold`, and the elements of `base`, of atoms: undo `fold`."""
        g, f = self._split(element)
        return component * self.moves.size + f, g

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        rows, g = self.unfolded(source, atoms.element)
        alone = Combination(atoms.row, atoms.coefficient, g)
        result = self.transform.gather(self.base.superpose(alone, n, rows, self.unfold(A)))
        left_over = np.repeat(self.transform.member < 0, 2, axis=1)
        if A[:, left_over].any():  # such rows do not move
            weight = np.zeros((n, len(A)))
            np.add.at(weight, (atoms.row, source), atoms.coefficient)
            result[:, left_over] = np.tensordot(weight, A[:, left_over], 1)
        return result

    @property
    def has_tangents(self) -> bool:
        return self.base.has_tangents

    def tangents(self, B: Blocks) -> Blocks:
        return self.transform.gather(self.base.tangents(self.transform.part(B)))

    def move(self, element: Floats, by: Floats) -> Floats:
        p = len(self.base.parameters)
        return np.concatenate([self.base.move(element[..., :p], by), element[..., p:]], axis=-1)

    # The best element

    def polar(self, correlation: Blocks) -> Floats:
        return np.asarray(self.base.polar(self._matrices.correlations(correlation)).max(axis=-1))

    def largest_polar(self, correlation: Blocks, eps: float = CLOSE) -> Floats:
        each = self._matrices.correlations(correlation)
        n, q, moves = each.shape[:3]
        return self.base.largest_polar(each.reshape(n, q * moves, *each.shape[3:]), eps)

    def largest_product(self, Y: Blocks, A: Blocks, eps: float = CLOSE) -> Floats:
        return self.base.largest_product(self.to_base(Y), self.unfold(A), eps)

    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        value, g = self.base.match(self._matrices.correlations(correlation))
        best = np.abs(value).argmax(axis=-1)
        value = np.take_along_axis(value, best[..., None], -1)[..., 0]
        g = np.take_along_axis(g, best[..., None, None], -2)[..., 0, :]
        return value, self._join(g, best)

    def peaks(self, correlation: Blocks, level: float) -> Combination:
        each = self._matrices.correlations(correlation)
        found = self.base.peaks(each.reshape(-1, *each.shape[2:]), level)
        row, element = self.fold(found.row, found.element)
        return Combination(row, found.coefficient, element)

    # In words and pictures

    @cached_property
    def presentation(self) -> Presentation:
        own, more = self.base.presentation, self.moves.presentation
        return Presentation(
            f"{own.moves}, and {more.moves}",
            self._in_words,
            own.view,
            self._sliders,
            noun=own.noun,
            in_time=own.in_time,
        )

    @property
    def _base_is_listed(self) -> bool:
        """Whether a reader moves components by elements of the base one by one, from a list."""
        sliders = self.base.presentation.sliders
        return any(isinstance(slider, ListSlider) for slider in sliders)

    @property
    def _sliders(self) -> tuple[Slider, ...]:
        if self._base_is_listed:
            return (ListSlider(),)
        return (ListSlider(self._moves_in_words), *self.base.presentation.sliders)

    def _moves_in_words(self, element: Floats) -> str:
        return self.moves.presentation.element(element[len(self.base.parameters) :])

    def _in_words(self, element: Floats) -> str:
        p = len(self.base.parameters)
        words = self.base.presentation.element(element[:p])
        if self.base.parameters == ("shift",):  # else a number without a name
            words = f"shift {words}"
        return ", ".join(part for part in (words, self._moves_in_words(element)) if part)

    def locate(self, element: Floats, source: Integers, x: Floats) -> Floats:
        rows, g = self.unfolded(source, element)
        copies = self.base.synthesize(self.unfold(self.analyze(x)))
        return self.base.locate(g, rows, copies)
