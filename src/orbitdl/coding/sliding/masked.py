"""Column generation where many entries of signals are missing, on the tables of complete ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.problem import Problem
from orbitdl.coding.sliding.missing import missing_in_time, missing_workspace
from orbitdl.coding.sliding.newton import slide
from orbitdl.coding.sliding.oracle import oracle_for
from orbitdl.coding.sliding.state import append_atom, make_state
from orbitdl.coding.sliding.tables import Tables, tables_for
from orbitdl.groups.base import Floats, correlate
from orbitdl.groups.maxima.polynomials import as_real_imag
from orbitdl.groups.signals.time_shift import TimeShift
from orbitdl.kernels import ZERO, fast


@dataclass(frozen=True)
class SlidingRefinement:
    """Refine the atoms of every sample: coefficients, then coefficients and shifts together.

    Attributes
    ----------
    look_up : callable
        Returns the tables that data of such energies need, and how each of them uses these.
    accuracy : float
        First-order error at which atoms are stationary, relative to alpha.
    """

    look_up: Callable[[Floats], tuple[Tables, Floats, Floats]]
    accuracy: float

    def __call__(self, problem: Problem, atoms: Atoms) -> Atoms:
        assert isinstance(problem.representation, TimeShift)
        missing, capacity = (
            missing_in_time(problem.representation, problem),
            max(atoms.counts.max(initial=0), 1),
        )
        C, energy = as_real_imag(correlate(problem.Y, problem.A)[..., 0, 0]), problem.energy()
        component, c = atoms.component.copy(), atoms.coefficient.copy()
        shift = atoms.element[:, 0].copy()
        slide_samples(
            make_state(capacity, C.shape[-1]), missing_workspace(missing, capacity), C, energy,
            *self.look_up(energy), (atoms.offsets, component, shift, c),
            problem.alpha, self.accuracy,
        )  # fmt: skip
        return replace(atoms, component=component).updated(c, shift[:, None])


@fast
def slide_samples(st, missing, C, energy, tables, density, radius, atoms, alpha, accuracy):  # type: ignore[no-untyped-def]
    """Slide the atoms of every sample to a stationary point, in place; those removed get c = 0."""
    offsets, component, shift, c = atoms
    for i in range(len(offsets) - 1):
        own = tables_for(tables, density[i], radius[i])
        oracle = oracle_for(C[i], own, energy[i], missing, i)  # type: ignore[no-untyped-call]
        count = ZERO
        for k in range(offsets[i], offsets[i + 1]):
            count = append_atom(st, count, component[k], shift[k], c[k], np.sign(c[k]))
            c[k] = 0.0
        count = slide(st, count, oracle, alpha, accuracy, 0.1 * accuracy)
        for k in range(count):
            c[offsets[i] + k], shift[offsets[i] + k] = st.c[k], st.shift[k]
            component[offsets[i] + k] = st.component[k]
