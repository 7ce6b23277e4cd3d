"""Terms of the reconstruction of a data point, with labels."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np

from orbitdl.coding.atoms import Atoms
from orbitdl.estimators.orbit import OrbitDictionaryLearning
from orbitdl.groups.base import Action, Floats, Integers
from orbitdl.groups.presentation import ShiftSlider
from orbitdl.plot.subject import representation_of

MOST = 8
"""Number of largest atoms drawn separately; the others are summed."""
WIDE = 26
"""Characters in a line of a label."""


@dataclass(frozen=True, eq=False)
class Term:
    """A term: one atom, or a sum of atoms.

    Attributes
    ----------
    row : str
        Label of its row.
    signal : ndarray of shape (...) or None
        None: an empty row.
    component : int or None
        None for sums over components.
    note : str
        Annotation.
    """

    row: str
    signal: Floats | None
    component: int | None
    note: str = ""


def one_of(X: Any, sample: int) -> Any:
    """Return one data point, (1, ...), as a DataFrame if X is one."""
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
            "out, or pass model.encode(X)."
        )
    order = np.argsort(-np.abs(atoms.coefficient), kind="stable")
    columns = atoms.component[order], atoms.coefficient[order], atoms.element[order]
    return Atoms(atoms.n_components, atoms.offsets, *columns)


def terms_of(
    model: OrbitDictionaryLearning, atoms: Atoms, sfreq: float | None
) -> tuple[Floats, list[Term]]:
    """Return the reconstruction of a data point, and its terms."""
    space, component, c = representation_of(model), atoms.component, atoms.coefficient
    if len(c) == 0:
        return np.zeros(space.shape), []
    copies = space.act(atoms.element, model.components_[component])
    signals = c.reshape(-1, *[1] * (copies.ndim - 1)) * copies
    words = _words(space, atoms.element, component, model.components_, sfreq)
    terms = [
        Term("\n".join([f"component {j} × {value:.3g}", *wrap(said, WIDE)]), signal, int(j))
        for j, value, said, signal in zip(component, c, words, signals, strict=True)
    ][:MOST]
    if len(c) > MOST:
        terms.append(Term(f"{len(c) - MOST} smaller atoms", signals[MOST:].sum(axis=0), None))
    return signals.sum(axis=0), terms


def _words(
    space: Action,
    element: Floats,
    component: Integers,
    components: Floats,
    sfreq: float | None,
) -> list[str]:
    """Return labels of atoms: their positions, or their elements if these are not shifts only."""
    presentation = space.presentation
    sliders = presentation.sliders
    if not (presentation.in_time and len(sliders) == 1 and isinstance(sliders[0], ShiftSlider)):
        return [presentation.label(g) for g in element]
    position = space.locate(element, component, components)
    return [f"at {p / sfreq:.4g} s" if sfreq else f"at {p:.1f}" for p in position]
