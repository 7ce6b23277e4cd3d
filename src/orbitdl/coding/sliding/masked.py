"""Atoms that slide, where entries are missing: the atoms of all samples, to a stationary point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from orbitdl.coding.codes import Atoms
from orbitdl.coding.problem import Problem
from orbitdl.coding.sliding.newton import first_order_error, settle_known, solve_inner
from orbitdl.coding.sliding.oracle import see
from orbitdl.coding.sliding.signals import MaskedSignals, Signals
from orbitdl.coding.sliding.state import make_state, put
from orbitdl.kernels import ZERO, fast, internal
from orbitdl.kernels.linear_algebra import dot


class SlideAtoms:
    """Refine the atoms of every sample: coefficients, then coefficients and shifts together."""

    def __init__(self, tables: Signals, accuracy: float) -> None:
        self.tables, self.accuracy = tables, accuracy

    def __call__(self, problem: Problem, atoms: Atoms) -> Atoms:
        assert problem.masked is not None
        most = int(np.diff(atoms.offsets).max(initial=0))
        signal = problem.masked.signal.reshape(len(atoms), -1)
        observed = problem.masked.observed.reshape(len(atoms), -1)
        shift, c, component = (
            atoms.element[:, 0].copy(),
            atoms.coefficient.copy(),
            atoms.component.copy(),
        )
        moved, residual = np.empty((3, most, signal.shape[1])), np.empty(signal.shape[1])
        slide_all(
            make_state(most, 0), moved, residual, self.tables, atoms.offsets, component, shift, c,
            signal, observed.astype(np.float64), problem.alpha, self.accuracy,
        )  # fmt: skip
        return replace(atoms, component=component).moved(c, shift[:, None])


@internal
def slide(st, count, oracle, alpha, accuracy, merging):  # type: ignore[no-untyped-def]
    """Bring the atoms of one sample to a stationary point; return how many are left.

    Atoms that nearly coincide become one where that costs less than `merging` of the objective.
    """
    before = see(st, count, oracle, alpha).objective
    seen = see(st, settle_known(st, count, alpha), oracle, alpha)
    fall = before - seen.objective
    # merging never costs all that the new atoms have won
    allowed = min(merging * seen.objective, 0.5 * fall)
    # a tenth of the error will do while atoms are still to come: they change all the others
    wanted = max(accuracy * alpha, 0.1 * first_order_error(st, seen.n_atoms, alpha))
    return solve_inner(st, seen, oracle, alpha, wanted, allowed).n_atoms


@fast
def slide_all(  # type: ignore[no-untyped-def]
    st, moved, residual, tables, offsets, component, shift, c, Y, observed, alpha, accuracy
):
    """Move the atoms of every sample to a stationary point, in place; who leaves gets c = 0."""
    for i in range(len(offsets) - 1):
        oracle = MaskedSignals(Y[i], observed[i], tables, dot(Y[i], Y[i]), moved, residual)
        count = ZERO
        for k in range(offsets[i], offsets[i + 1]):
            count = put(st, count, component[k], shift[k], c[k], np.sign(c[k]))
            c[k] = 0.0
        count = slide(st, count, oracle, alpha, accuracy, 0.1 * accuracy)
        for k in range(count):
            c[offsets[i] + k], shift[offsets[i] + k] = st.c[k], st.shift[k]
            component[offsets[i] + k] = st.component[k]
