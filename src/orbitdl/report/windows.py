"""Which windows the report shows, and the atoms each is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.codes import Atoms
from orbitdl.groups.base import Floats
from orbitdl.report.facts import Coded, Facts
from orbitdl.report.words import element_in_words

MOST_ATOMS = 12
"""Atoms of a window that are drawn one by one, the largest; the others are drawn as their sum."""
BUDGET = 400_000
"""Numbers in the file that windows may take: about 3 MB."""


@dataclass(frozen=True, eq=False)
class ShownAtom:
    """One atom of a window: ``coefficient`` times a moved component, and the move in words.

    `place` is where in the window its highest point lies, in samples; None where nothing shifts.
    """

    component: int
    coefficient: float
    element: Floats
    words: str
    place: float | None


@dataclass(frozen=True, eq=False)
class Window:
    """A window, its approximation and its largest atoms.

    Attributes
    ----------
    number : int
        Row of X.
    data, approximation : ndarray of shape (...)
    explained : float
        NaN for a window without energy.
    n_atoms : int
        Atoms in all; `atoms` has the largest.
    gap : float
    atoms : list of ShownAtom
        Largest first.
    """

    number: int
    data: Floats
    approximation: Floats
    explained: float
    n_atoms: int
    gap: float
    atoms: list[ShownAtom]


def choose_windows(coded: Coded, n_windows: int) -> NDArray[np.intp]:
    """Return the numbers of the worst windows and of others, evenly spread, in order.

    A quarter of them are the worst explained; windows with nothing in them count as explained.
    """
    n = len(coded.X)
    if n <= n_windows:
        return np.arange(n)
    explained = np.where(np.isnan(coded.explained), 1.0, coded.explained)
    worst = np.argsort(explained, kind="stable")[: max(1, n_windows // 4)]
    rest = np.setdiff1d(np.arange(n), worst)
    spread = np.linspace(0, len(rest) - 1, n_windows - len(worst)).round().astype(np.intp)
    return np.union1d(worst, rest[spread]).astype(np.intp)


def affordable(facts: Facts, coded: Coded, n_windows: int) -> int:
    """Return how many windows fit into the budget, one at least."""
    size = int(np.prod(facts.representation.shape))
    drawn = 0.0 if facts.is_shift else float(np.minimum(coded.atoms_a_window, MOST_ATOMS).mean())
    return int(min(n_windows, max(1, BUDGET // (size * (2 + drawn)))))


def windows_of(facts: Facts, coded: Coded, n_windows: int) -> list[Window]:
    """Take the chosen windows apart."""
    chosen = choose_windows(coded, affordable(facts, coded, n_windows))
    explained = coded.explained
    return [
        Window(
            number=int(i),
            data=coded.X[i],
            approximation=coded.approximation[i],
            explained=float(explained[i]),
            n_atoms=int(coded.atoms_a_window[i]),
            gap=float(coded.codes.gap[i]),
            atoms=_largest_atoms(facts, coded.codes.atoms, int(i)),
        )
        for i in chosen
    ]


def _largest_atoms(facts: Facts, atoms: Atoms, sample: int) -> list[ShownAtom]:
    own = np.arange(atoms.offsets[sample], atoms.offsets[sample + 1])
    order = own[np.argsort(-np.abs(atoms.coefficient[own]), kind="stable")][:MOST_ATOMS]
    places = facts.places(atoms.component[order], atoms.element[order]) if facts.is_shift else None
    return [
        ShownAtom(
            int(atoms.component[k]),
            float(atoms.coefficient[k]),
            atoms.element[k],
            element_in_words(facts.representation, atoms.element[k]),
            None if places is None else float(places[i]),
        )
        for i, k in enumerate(order)
    ]
