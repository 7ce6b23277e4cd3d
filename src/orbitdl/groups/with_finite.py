"""Any group of turns, such as shifts, together with finitely many other moves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import Action, Group, Representation, require_group
from orbitdl.groups.enumerated import ListedRepresentation
from orbitdl.groups.exchanged import Exchange, find_conjugations, find_exchange
from orbitdl.groups.presentation import ListSlider, Presentation, Slider


@dataclass(frozen=True)
class WithFinite(Group):
    """A group and a finite one that goes with it: first a move of the finite one, then the group's.

    Parameters
    ----------
    group : Group
        One that multiplies complex blocks by phases: shifts of signals, say.
    moves : Group
        One whose elements can be listed, such as `Reversal` or `Finite`. They must map moved copies
        to moved copies: a shift run backwards is a shift of what runs backwards.

    Notes
    -----
    Elements (g, f) act as ``rho(g) sigma(f)``, and ``(g, f) (h, e) = (g f h f^-1, f e)``. The orbit
    of a component under both is the union of the orbits of its moved copies under the group, so
    that codes are those of the group with several times as many components.

    Examples
    --------
    Waveforms at any time, forwards or backwards:

    >>> import numpy as np
    >>> from orbitdl.groups import ContinuousShift, Reversal
    >>> moves = WithFinite(ContinuousShift(), Reversal()).on((5,))
    >>> moves.parameters
    ('shift', 'reversed')
    >>> moves.act(np.array([1.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])).round(12)
    array([1., 5., 4., 3., 2.])
    """

    group: Group
    moves: Group

    def __post_init__(self) -> None:
        require_group(self.group)
        require_group(self.moves)

    def in_short(self) -> str:
        return f"WithFinite({self.group.in_short()}, {self.moves.in_short()})"

    def as_code(self) -> str:
        return f"WithFinite({self.group.as_code()}, {self.moves.as_code()})"

    def on(self, shape: tuple[int, ...]) -> Extension:
        return Extension(self, self.group.on(shape), self.moves.on(shape))


class Extension(Action):
    """Elements (g, f), which act as ``rho(g) sigma(f)``: first a move f, then the group.

    Parameters
    ----------
    group : Group
        The whole, of which this is the action.
    base : Representation
        Of the group alone, on complex blocks of size one.
    moves : ListedRepresentation
        Of the moves, on the same data.

    Notes
    -----
    Moves exchange blocks, turn and conjugate them (`Exchange`). Copy f of component j is number
    ``j |F| + f``.
    """

    def __init__(self, group: Group, base: Action, moves: Action) -> None:
        is_complex = base.block_shape[1] == 1 and base.dtype is np.complex128
        if not (isinstance(base, Representation) and is_complex):
            raise ValueError(
                f"{group.name} needs a group that turns complex blocks of size one, as shifts do; "
                f"{base.group.name} does not."
            )
        if not isinstance(moves, ListedRepresentation):
            raise ValueError(
                f"{group.name} needs moves that can be listed, such as Reversal(); "
                f"{moves.group.name} is not finite."
            )
        super().__init__(group, base.transform)
        self._alone, self.moves, self.n_copies = base, moves, moves.size
        self.exchange, self.conjugation = self._find()
        self.maps = self.exchange.maps()
        self.parameters = (*base.parameters, *moves.parameters)
        self.counted = base.counted and moves.counted
        self.dimension = base.dimension

    @property
    def alone(self) -> Representation:
        return self._alone

    def copies(self, A: Blocks) -> Blocks:
        return self.exchange.copies(A)

    def apart(self, component: Integers, element: Floats) -> tuple[Integers, Floats]:
        g, f = self._split(element)
        return component * self.n_copies + f, g

    def together(self, copy: Integers, element: Floats) -> tuple[Integers, Floats]:
        component, f = np.divmod(copy, self.n_copies)
        return component, self._join(element, f)

    def _find(self) -> tuple[Exchange, Floats]:
        exchange = find_exchange(self.alone, self.moves)
        conjugation = None if exchange is None else find_conjugations(self.alone, exchange)
        if exchange is None or conjugation is None:
            raise ValueError(
                f"{self.group.name} needs moves that map moved copies to moved copies; those of "
                f"{self.moves.group.name} change what {self.alone.group.name} does to data of "
                f"shape {self.alone.shape}, or mix the channels."
            )
        return exchange, conjugation

    # Elements

    def _split(self, element: Floats) -> tuple[Floats, Integers]:
        """Return elements g of the group alone, and the numbers of the moves."""
        p = len(self.alone.parameters)
        return element[..., :p], self.moves.index(element[..., p:])

    def _join(self, g: Floats, f: Integers) -> Floats:
        return np.concatenate([g, self.moves.elements[f]], axis=-1)

    def _conjugated(self, f: Integers, g: Floats) -> Floats:
        """Return ``f g f^-1``, not reduced to a turn."""
        return np.asarray(np.einsum("...ab,...b->...a", self.conjugation[f], g))

    def compose(self, left: Floats, right: Floats) -> Floats:
        (g, f), (h, _) = self._split(left), self._split(right)
        p = len(self.alone.parameters)
        both = self.moves.compose(left[..., p:], right[..., p:])
        return np.concatenate([self.alone.compose(g, self._conjugated(f, h)), both], axis=-1)

    def inverse(self, element: Floats) -> Floats:
        g, _ = self._split(element)
        back = self.moves.inverse(element[..., len(self.alone.parameters) :])
        undone = self._conjugated(self.moves.index(back), self.alone.inverse(g))
        return np.concatenate([self.alone.compose(undone, 0.0 * undone), back], axis=-1)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return np.concatenate([self.alone.sample(rng, n), self.moves.sample(rng, n)], axis=1)

    def contains(self, element: Floats) -> bool:
        p = len(self.alone.parameters)
        return self.alone.contains(element[..., :p]) and self.moves.contains(element[..., p:])

    def examples(self, most: int) -> Floats:
        """Return all moves, before shifts and the like that have sliders of their own."""
        alone = np.zeros((1, len(self.alone.parameters)))
        if self._alone_is_listed:
            alone = self.alone.examples(max(most // self.moves.size, 1))
        return self._with_every_move(alone)[:most]

    def _with_every_move(self, g: Floats) -> Floats:
        f = np.tile(np.arange(self.moves.size), len(g))
        return self._join(np.repeat(g, self.moves.size, axis=0), f)

    def shortest(self, element: Floats) -> Floats:
        p = len(self.alone.parameters)
        parts = self.alone.shortest(element[..., :p]), self.moves.shortest(element[..., p:])
        return np.concatenate(parts, axis=-1)

    # In words and pictures

    @cached_property
    def presentation(self) -> Presentation:
        own, more = self.alone.presentation, self.moves.presentation
        return Presentation(
            f"{own.moves}, and {more.moves}",
            self._in_words,
            own.view,
            self._sliders,
            noun=own.noun,
            in_time=own.in_time,
        )

    @property
    def _alone_is_listed(self) -> bool:
        """Whether a reader moves components by elements of the base one by one, from a list."""
        sliders = self.alone.presentation.sliders
        return any(isinstance(slider, ListSlider) for slider in sliders)

    @property
    def _sliders(self) -> tuple[Slider, ...]:
        if self._alone_is_listed:
            return (ListSlider(),)
        return (ListSlider(self._moves_in_words), *self.alone.presentation.sliders)

    def _moves_in_words(self, element: Floats) -> str:
        return self.moves.presentation.element(element[len(self.alone.parameters) :])

    def _in_words(self, element: Floats) -> str:
        p = len(self.alone.parameters)
        words = self.alone.presentation.element(element[:p])
        if self.alone.parameters == ("shift",):  # else a number without a name
            words = f"shift {words}"
        return ", ".join(part for part in (words, self._moves_in_words(element)) if part)

    def locate(self, element: Floats, source: Integers, x: Floats) -> Floats:
        copy, g = self.apart(source, element)
        return self.alone.locate(g, copy, self.synthesize(self.copies(self.analyze(x))))
