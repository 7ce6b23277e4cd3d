"""One judge for all programs: the objective and the certified gap of anybody's codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.data import Floats
from orbitdl import Codes, encode
from orbitdl.coding import ActiveSet
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import certify
from orbitdl.coding.problem import Problem
from orbitdl.groups import Group, InterpolatedShift


def every_shift(components: Floats) -> Floats:
    """Return all shifts of all components as rows, (q * d, d), row ``j * d + shift``."""
    return np.concatenate([[np.roll(a, k) for k in range(len(a))] for a in components])


def judge(X: Floats, components: Floats, group: Group, alpha: float, W: Any) -> tuple[float, float]:
    """Return the summed objective and the largest gap of coefficients W (n, q * size).

    Column ``j * size + g`` of W, dense or sparse, belongs to component j moved by element g.
    """
    representation = group.on(X.shape[1:])
    W, elements = sparse.csr_array(W), representation.elements
    component, g = np.divmod(W.indices, len(elements))
    offsets = W.indptr.astype(np.intp)
    atoms = Atoms(len(components), offsets, component, W.data.astype(float), elements[g])
    Y, A = representation.analyze(X), representation.analyze(components)
    objective, gap = certify(Problem(representation, Y, A, alpha), atoms)
    return float(objective.sum()), float(gap.max())


def learned_objective(X: Floats, components: Floats, group: Group, alpha: float) -> float:
    """Return the learning objective of components: scaled to unit norm, coded to gap 1e-6."""
    norms = np.linalg.norm(components, axis=1, keepdims=True)
    unit = components / np.where(norms > 0, norms, 1.0)
    coder = ActiveSet(tol=1e-6)
    return float(encode(X, unit, group=group, alpha=alpha, coder=coder).objective.sum())


def gap_on_dense_grid(X: Floats, components: Floats, alpha: float, codes: Codes) -> float:
    """Return the largest gap of continuous codes by brute force: 64 shifts per sample."""
    dense = InterpolatedShift(64).on(X.shape[1:])
    Y, A = dense.analyze(X), dense.analyze(components)
    parts = [slice(k, k + 100) for k in range(0, len(X), 100)]  # dense grids are large
    problem = Problem(dense, Y, A, alpha)
    gaps = [certify(problem.take(part), codes.atoms.take(part))[1].max() for part in parts]
    return float(max(gaps))


def both(ours: float, theirs: float, what: str = "objective") -> str:
    """Write two objectives beside each other."""
    return f"{what} {ours:.6g} / {theirs:.6g}"
