"""The lightest combination of given vectors: a linear program."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Floats

TOLERANCES = (1e-10, 1e-9, 1e-7)
"""As strict as the solver of linear programs can be asked to be; and what it sometimes needs, to
get along with vectors that are nearly the same."""


def lightest_combination(table: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Solve ``min ||c||_1  s.t.  table @ c = target`` and return c and the multipliers.

    The multipliers p solve the dual ``max <p, target>  s.t.  |table.T @ p| <= 1``.
    """
    from scipy.optimize import linprog

    scale = float(np.abs(target).max())
    size = table.shape[1]
    if scale == 0.0:
        return np.zeros(size), np.zeros(len(target))
    signed = np.concatenate([table, -table], axis=1)
    for tol in TOLERANCES:
        strict = {"primal_feasibility_tolerance": tol, "dual_feasibility_tolerance": tol}
        result = linprog(np.ones(2 * size), A_eq=signed, b_eq=target / scale, options=strict)
        if result.x is not None:
            return scale * (result.x[:size] - result.x[size:]), result.eqlin.marginals
    raise ValueError("Z is not a combination of group elements; pass blocks in their span.")
