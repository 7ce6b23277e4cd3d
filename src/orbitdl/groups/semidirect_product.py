"""Semidirect product of a phase group, such as shifts, and a finite group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import Action, Group, Representation, require_group
from orbitdl.groups.block_permutations import (
    BlockPermutations,
    find_block_permutations,
    find_conjugations,
)
from orbitdl.groups.finite_representation import FiniteRepresentation
from orbitdl.groups.presentation import ElementSlider, Presentation, Slider


@dataclass(frozen=True)
class SemidirectProduct(Group):
    """Semidirect product of a group and a finite group: the finite one acts first.

    Parameters
    ----------
    group : Group
        A group that multiplies complex blocks by phases, such as shifts of signals.
    finite : Group
        A finite group, such as `Reversal` or `Finite`, that normalises `group`: the time reversal
        of a shifted signal is a shift of the reversed signal.

    Notes
    -----
    Elements (g, f) act as ``rho(g) sigma(f)``, and ``(g, f) (h, e) = (g f h f^-1, f e)``. The orbit
    of a component is the union of the orbits of its copies ``sigma(f) a`` under `group`, so codes
    are those of `group` with ``|F|`` times as many components.

    Examples
    --------
    Waveforms at any time, forwards or backwards:

    >>> import numpy as np
    >>> from orbitdl.groups import ContinuousShift, Reversal
    >>> action = SemidirectProduct(ContinuousShift(), Reversal()).on((5,))
    >>> action.parameters
    ('shift', 'reversed')
    >>> action.act(np.array([1.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])).round(12)
    array([1., 5., 4., 3., 2.])
    """

    group: Group
    finite: Group

    def __post_init__(self) -> None:
        require_group(self.group)
        require_group(self.finite)

    def short_name(self) -> str:
        return f"SemidirectProduct({self.group.short_name()}, {self.finite.short_name()})"

    def as_code(self) -> str:
        return f"SemidirectProduct({self.group.as_code()}, {self.finite.as_code()})"

    def on(self, shape: tuple[int, ...]) -> SemidirectAction:
        return SemidirectAction(self, self.group.on(shape), self.finite.on(shape))


class SemidirectAction(Action):
    """Action of elements (g, f) by ``rho(g) sigma(f)``.

    Parameters
    ----------
    group : Group
        The semidirect product.
    base : Representation
        Representation of its normal subgroup, on complex blocks of size one.
    finite : FiniteRepresentation
        Representation of the finite group on the same data.

    Notes
    -----
    Elements f permute blocks up to phases and conjugation (`BlockPermutations`). Copy f of
    component j has the index ``j |F| + f``.
    """

    def __init__(self, group: Group, base: Action, finite: Action) -> None:
        is_complex = base.block_shape[1] == 1 and base.dtype is np.complex128
        if not (isinstance(base, Representation) and is_complex):
            raise ValueError(
                f"{group.name} needs a group that multiplies complex blocks by phases, as shifts "
                f"do; {base.group.name} does not."
            )
        if not isinstance(finite, FiniteRepresentation):
            raise ValueError(
                f"{group.name} needs a finite group, such as Reversal(); {finite.group.name} is "
                "not finite."
            )
        super().__init__(group, base.transform)
        self._base, self.finite, self.n_copies = base, finite, finite.size
        self.exchange, self.conjugation = self._find()
        self.maps = self.exchange.maps()
        self.parameters = (*base.parameters, *finite.parameters)
        self.is_integer = base.is_integer and finite.is_integer
        self.dimension = base.dimension

    @property
    def base(self) -> Representation:
        return self._base

    def copies(self, A: Blocks) -> Blocks:
        return self.exchange.copies(A)

    def to_copies(self, component: Integers, element: Floats) -> tuple[Integers, Floats]:
        g, f = self._split(element)
        return component * self.n_copies + f, g

    def from_copies(self, copy: Integers, element: Floats) -> tuple[Integers, Floats]:
        component, f = np.divmod(copy, self.n_copies)
        return component, self._join(element, f)

    def _find(self) -> tuple[BlockPermutations, Floats]:
        exchange = find_block_permutations(self.base, self.finite)
        conjugation = None if exchange is None else find_conjugations(self.base, exchange)
        if exchange is None or conjugation is None:
            raise ValueError(
                f"{self.group.name} needs a finite group that normalises {self.base.group.name} "
                f"and does not mix channels; {self.finite.group.name} does not on data of shape "
                f"{self.base.shape}."
            )
        return exchange, conjugation

    # Elements

    def _split(self, element: Floats) -> tuple[Floats, Integers]:
        """Return elements g of the base group, and indices f."""
        p = len(self.base.parameters)
        return element[..., :p], self.finite.index(element[..., p:])

    def _join(self, g: Floats, f: Integers) -> Floats:
        return np.concatenate([g, self.finite.elements[f]], axis=-1)

    def _conjugated(self, f: Integers, g: Floats) -> Floats:
        """Return ``f g f^-1``, not reduced modulo the periods."""
        return np.asarray(np.einsum("...ab,...b->...a", self.conjugation[f], g))

    def compose(self, left: Floats, right: Floats) -> Floats:
        (g, f), (h, _) = self._split(left), self._split(right)
        p = len(self.base.parameters)
        both = self.finite.compose(left[..., p:], right[..., p:])
        return np.concatenate([self.base.compose(g, self._conjugated(f, h)), both], axis=-1)

    def inverse(self, element: Floats) -> Floats:
        g, _ = self._split(element)
        back = self.finite.inverse(element[..., len(self.base.parameters) :])
        undone = self._conjugated(self.finite.index(back), self.base.inverse(g))
        return np.concatenate([self.base.compose(undone, 0.0 * undone), back], axis=-1)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return np.concatenate([self.base.sample(rng, n), self.finite.sample(rng, n)], axis=1)

    def contains(self, element: Floats) -> bool:
        p = len(self.base.parameters)
        return self.base.contains(element[..., :p]) and self.finite.contains(element[..., p:])

    def examples(self, most: int) -> Floats:
        """Return all f with g = 1; the base group has its own sliders if it is continuous."""
        base = np.zeros((1, len(self.base.parameters)))
        if self._base_is_listed:
            base = self.base.examples(max(most // self.finite.size, 1))
        return self._with_every_move(base)[:most]

    def _with_every_move(self, g: Floats) -> Floats:
        f = np.tile(np.arange(self.finite.size), len(g))
        return self._join(np.repeat(g, self.finite.size, axis=0), f)

    def principal(self, element: Floats) -> Floats:
        p = len(self.base.parameters)
        parts = self.base.principal(element[..., :p]), self.finite.principal(element[..., p:])
        return np.concatenate(parts, axis=-1)

    # Reports

    @cached_property
    def presentation(self) -> Presentation:
        own, more = self.base.presentation, self.finite.presentation
        return Presentation(
            f"{own.description}, and {more.description}",
            self._label,
            own.view,
            self._sliders,
            noun=own.noun,
            in_time=own.in_time,
        )

    @property
    def _base_is_listed(self) -> bool:
        """Whether the base group has a list of elements as its slider."""
        sliders = self.base.presentation.sliders
        return any(isinstance(slider, ElementSlider) for slider in sliders)

    @property
    def _sliders(self) -> tuple[Slider, ...]:
        if self._base_is_listed:
            return (ElementSlider(),)
        return (ElementSlider(self._finite_label), *self.base.presentation.sliders)

    def _finite_label(self, element: Floats) -> str:
        return self.finite.presentation.label(element[len(self.base.parameters) :])

    def _label(self, element: Floats) -> str:
        p = len(self.base.parameters)
        label = self.base.presentation.label(element[:p])
        if self.base.parameters == ("shift",):  # a number without a name
            label = f"shift {label}"
        return ", ".join(part for part in (label, self._finite_label(element)) if part)

    def locate(self, element: Floats, source: Integers, x: Floats) -> Floats:
        copy, g = self.to_copies(source, element)
        return self.base.locate(g, copy, self.synthesize(self.copies(self.analyze(x))))
