"""Selection of the windows shown, and their decomposition into atoms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats
from orbitdl.report.coded import CodedWindows
from orbitdl.report.facts import Facts

MOST_ATOMS = 12
"""Atoms of a window that are drawn one by one, the largest; the others are drawn as their sum."""
BUDGET = 400_000
"""Numbers in the file that windows may take: about 3 MB."""


@dataclass(frozen=True, eq=False)
class ShownAtom:
    """One atom of a window: ``coefficient`` times a transformed component.

    The coefficient is in the unit of the recording. `position` is the sample of
    the window at which the atom lies; None if the group does not shift. `words` describes the
    group element.
    """

    component: int
    coefficient: float
    element: Floats
    words: str
    position: float | None


@dataclass(frozen=True, eq=False)
class Window:
    """A window, its approximation and its largest atoms, in the unit of the recording.

    Attributes
    ----------
    number : int
        Row of X.
    start : int
        First sample in the recording.
    data, approximation : ndarray of shape (...)
    base : ndarray of shape (...)
        Mean that was subtracted from the window.
    explained : float
        NaN for a window without energy.
    unexplained : float
        Weighted root mean square of the residual.
    n_atoms : int
        Total number of atoms; `atoms` has the largest.
    gap : float
    atoms : list of ShownAtom
        Largest first.
    rest : ndarray of shape (...) or None
        The sum of all other atoms.
    """

    number: int
    start: int
    data: Floats
    approximation: Floats
    base: Floats
    explained: float
    unexplained: float
    n_atoms: int
    gap: float
    atoms: list[ShownAtom]
    rest: Floats | None


def choose_windows(coded: CodedWindows, n_windows: int) -> NDArray[np.intp]:
    """Return the numbers of windows with large residuals and of evenly spaced others.

    A quarter of them have the largest residuals. Numbers are sorted.
    """
    n = len(coded.X)
    if n <= n_windows:
        return np.arange(n)
    worst = worst_windows(coded, max(1, n_windows // 4))
    rest = np.setdiff1d(np.arange(n), worst)
    spread = np.linspace(0, len(rest) - 1, n_windows - len(worst)).round().astype(np.intp)
    return np.union1d(worst, rest[spread]).astype(np.intp)


def worst_windows(coded: CodedWindows, most: int) -> NDArray[np.intp]:
    """Return the windows with the largest residuals, largest first.

    Of windows that share more than half of their samples only the worst is returned: the others
    show the same signal.
    """
    length = coded.X.shape[1]
    same = (length - 1) // 2 // (coded.step or length)  # windows on either side that do
    taken: list[int] = []
    shown = np.zeros(len(coded.X) + 2 * same, dtype=bool)
    for i in np.argsort(-coded.unexplained, kind="stable"):
        if len(taken) < most and not shown[i + same]:
            taken.append(int(i))
            shown[i : i + 2 * same + 1] = True
    return np.array(taken, dtype=np.intp)


def affordable(facts: Facts, coded: CodedWindows, n_windows: int) -> int:
    """Return how many windows fit into the budget, at least one."""
    size = int(np.prod(facts.representation.shape))
    atoms = float(np.minimum(coded.atoms_per_window, MOST_ATOMS).mean())
    drawn = 0.0 if facts.only_shifts else atoms
    return int(min(n_windows, max(1, BUDGET // (size * (2 + drawn)))))


def windows_of(facts: Facts, coded: CodedWindows, n_windows: int) -> list[Window]:
    """Return the chosen windows, decomposed into atoms."""
    chosen = choose_windows(coded, affordable(facts, coded, n_windows))
    return [_window(facts, coded, int(i)) for i in chosen]


def _window(facts: Facts, coded: CodedWindows, i: int) -> Window:
    approximation = coded.in_unit(coded.approximation[i], i)
    base = np.broadcast_to(coded.scaling.mean[i], approximation.shape)
    atoms, n_atoms = _largest_atoms(facts, coded, i), int(coded.atoms_per_window[i])
    return Window(
        number=i,
        start=facts.labels.offset + int(coded.start[i]),
        data=coded.in_unit(coded.X[i], i),
        approximation=approximation,
        base=base,
        explained=float(coded.explained[i]),
        unexplained=float(coded.unexplained[i]),
        n_atoms=n_atoms,
        gap=float(coded.codes.gap[i]),
        atoms=atoms,
        rest=approximation - base - _sum_of(facts, atoms) if n_atoms > len(atoms) else None,
    )


def _largest_atoms(facts: Facts, coded: CodedWindows, window: int) -> list[ShownAtom]:
    atoms = coded.codes.atoms
    own = np.arange(atoms.offsets[window], atoms.offsets[window + 1])
    order = own[np.argsort(-np.abs(atoms.coefficient[own]), kind="stable")][:MOST_ATOMS]
    return [
        ShownAtom(
            int(atoms.component[k]),
            float(coded.coefficient[k]),
            atoms.element[k],
            facts.presentation.label(atoms.element[k]),
            float(coded.position[k]) if facts.is_shift else None,
        )
        for k in order
    ]


def _sum_of(facts: Facts, atoms: list[ShownAtom]) -> Floats:
    """Return ``sum_k c_k g_k a_k``."""
    source = facts.components[[atom.component for atom in atoms]]
    moved = facts.representation.act(np.array([atom.element for atom in atoms]), source)
    return np.tensordot(np.array([atom.coefficient for atom in atoms]), moved, 1)
