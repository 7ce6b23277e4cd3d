"""What the approximation of a data point is the sum of: moved components, and words beside them."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np

from orbitdl.coding.codes import Atoms
from orbitdl.estimators.orbit import OrbitDictionaryLearning
from orbitdl.groups.base import Action, Floats, Integers
from orbitdl.groups.presentation import ShiftSlider
from orbitdl.plot.subject import representation_of

MOST = 8
"""Atoms that are drawn one by one, the largest; the others as their sum."""
WIDE = 26
"""Letters in a line of words beside an atom."""


@dataclass(frozen=True, eq=False)
class Part:
    """One atom, or the sum of some.

    Attributes
    ----------
    row : str
        What the row is called that it is drawn in.
    signal : ndarray of shape (...) or None
        None: nothing, in a row that stays empty.
    component : int or None
        None: of several.
    note : str
        Words beside it.
    """

    row: str
    signal: Floats | None
    component: int | None
    note: str = ""


def one_of(X: Any, sample: int) -> Any:
    """Return one data point, (1, ...), with names if X has any."""
    if sample >= len(X):
        raise ValueError(f"sample is a row of X, from 0 to {len(X) - 1}, not {sample}.")
    return X.iloc[[sample]] if hasattr(X, "iloc") else np.asarray(X[sample])[None]


def atoms_of(model: OrbitDictionaryLearning, X: Any, sample: int, codes: Any) -> Atoms:
    """Return the atoms of one data point, the largest first."""
    if codes is None:
        atoms: Atoms = model.encode(one_of(X, sample)).atoms
    elif len(codes) == len(X):
        atoms = codes.atoms.take(np.array([sample]))
    else:
        raise ValueError(
            f"codes of {len(codes)} data points do not belong to X, which has {len(X)}; leave them "
            "out, or pass what model.encode(X) returned."
        )
    order = np.argsort(-np.abs(atoms.coefficient), kind="stable")
    columns = atoms.component[order], atoms.coefficient[order], atoms.element[order]
    return Atoms(atoms.n_components, atoms.offsets, *columns)


def parts_of(
    model: OrbitDictionaryLearning, atoms: Atoms, sfreq: float | None
) -> tuple[Floats, list[Part]]:
    """Return the sum of the atoms of a data point, and what it is the sum of."""
    space, component, c = representation_of(model), atoms.component, atoms.coefficient
    if len(c) == 0:
        return np.zeros(space.shape), []
    moved = space.act(atoms.element, model.components_[component])
    signals = c.reshape(-1, *[1] * (moved.ndim - 1)) * moved
    words = _words(space, atoms.element, component, model.components_, sfreq)
    parts = [
        Part("\n".join([f"component {j} × {value:.3g}", *wrap(said, WIDE)]), signal, int(j))
        for j, value, said, signal in zip(component, c, words, signals, strict=True)
    ][:MOST]
    if len(c) > MOST:
        parts.append(Part(f"{len(c) - MOST} smaller atoms", signals[MOST:].sum(axis=0), None))
    return signals.sum(axis=0), parts


def _words(
    space: Action,
    element: Floats,
    component: Integers,
    components: Floats,
    sfreq: float | None,
) -> list[str]:
    """Say where every atom is, or how it is moved where a place does not say all."""
    presentation = space.presentation
    sliders = presentation.sliders
    if not (presentation.in_time and len(sliders) == 1 and isinstance(sliders[0], ShiftSlider)):
        return [presentation.label(g) for g in element]
    place = space.locate(element, component, components)
    return [f"at {p / sfreq:.4g} s" if sfreq else f"at {p:.1f}" for p in place]
