"""The dictionary step where entries are missing: the blocks are coupled by the masks.

With M_i keeping the observed entries of sample i and ``W_i = [Z_i1 .. Z_iq]``, the normal equations
of ``min_A 1/2 sum_i ||M_i (y_i - W_i A)||^2`` are

    H A = R,     H A = sum_i W_i^H M_i W_i A,     R = sum_i W_i^H y_i,

with H only ever applied: a pass over the data. Conjugate gradients solve them, preconditioned by
what H would be without missing entries, which is a small matrix a block.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from orbitdl.codes import Atoms
from orbitdl.coding.certificate import CHUNK, multiply, stack, stack_components
from orbitdl.coding.problem import Masked
from orbitdl.dictionary import Statistics, curvature, solve_blocks, unstack
from orbitdl.groups.base import Blocks, Floats, Representation, inner
from orbitdl.unit_balls import Dual, descend, maximise_dual, multipliers

ACCURACY = 1e-9
"""Relative residual at which conjugate gradients stop."""
RIDGE = 1e-8
"""Keeps the preconditioner, relatively, from blowing up what no sample can tell."""


def masked_least_squares(
    representation: Representation, masked: Masked, atoms: Atoms, statistics: Statistics, A: Blocks
) -> Blocks:
    """Return the minimiser, found from A (q, F, d, m): the paper's step 2 on observed entries."""
    normal = NormalEquations(representation, masked, atoms, statistics, A.shape)
    return normal.solve(np.zeros(len(A)), A).A


def masked_constrained_least_squares(
    representation: Representation, masked: Masked, atoms: Atoms, statistics: Statistics, A: Blocks
) -> Blocks:
    """Return the minimiser under ``||a_j|| <= 1``.

    As without missing entries, by Newton's method on the multipliers; the curvature of the dual
    function is that of complete data, corrected by how its slope is seen to change.
    """
    normal = NormalEquations(representation, masked, atoms, statistics, A.shape)
    last: list[tuple[Floats, Dual]] = []

    def dual(mu: Floats) -> Dual:
        result = normal.solve(mu, last[-1][1].A if last else A)
        if last:
            before, known = last.pop()
            bend = secant(known.bend, mu - before, known.slope - result.slope)
            result = result._replace(bend=bend)
        last.append((mu, result))
        return result

    mu = multipliers(A, normal.right - normal.apply(A))
    new, is_exact = maximise_dual(dual, mu, 1e-7)
    if is_exact:
        return new
    return descend(normal.apply, normal.right, statistics.steepest, A, new, max_iter=50)


def secant(bend: Floats, step: Floats, change: Floats) -> Floats:
    """Return the curvature nearest to `bend` that takes the step to the change seen: BFGS."""
    image, rise = bend @ step, float(change @ step)
    if rise <= 1e-12 * float(step @ image):
        return bend
    seen: Floats = np.outer(change, change) / rise - np.outer(image, image) / (step @ image)
    return bend + seen


class NormalEquations:
    """``(H + diag(mu) (x) I) A = R``, with H applied to components of shape (q, F, d, m)."""

    def __init__(
        self,
        representation: Representation,
        masked: Masked,
        atoms: Atoms,
        statistics: Statistics,
        shape: tuple[int, ...],
    ) -> None:
        self.representation, self.masked, self.atoms = representation, masked, atoms
        self.statistics, self.shape = statistics, shape
        self.right = unstack(statistics.cross, shape)

    def solve(self, mu: Floats, start: Blocks) -> Dual:
        """Return the solution A and the dual function at mu, with about its curvature.

        ``g(mu) = min_A 1/2 <A, (H + mu) A> - <R, A> - 1/2 sum mu``: with the residual r of the
        equations, ``-1/2 <R + r, A> - 1/2 sum mu`` is right to second order in the error of A.
        """
        seen = float(self.masked.observed.mean())
        fewer = Statistics(seen * self.statistics.normal, self.statistics.cross, mu)
        ridge = RIDGE * float(np.abs(fewer.normal).max())
        inverse = solve_blocks(fewer, mu + ridge, self.shape)[1]
        weight = mu[:, None, None, None]

        def precondition(V: Blocks) -> Blocks:
            return unstack(inverse @ stack_components(V), self.shape)

        A, r = conjugate_gradients(
            lambda V: self.apply(V) + weight * V, self.right, start, precondition
        )
        value = -0.5 * float(inner(self.right + r, A, axes=4)) - 0.5 * float(mu.sum())
        bend = curvature(stack_components(A), inverse, self.shape)
        return Dual(value, A, 0.5 * (inner(A, A) - 1.0), bend)

    def apply(self, V: Blocks) -> Blocks:
        """Return ``sum_i W_i^H M_i W_i V``, a chunk of samples at a time."""
        total = np.zeros(self.shape, dtype=self.representation.dtype)
        for k in range(0, len(self.atoms), CHUNK):
            chunk = slice(k, k + CHUNK)
            Z = self.atoms.take(chunk).embed(self.representation)
            signal = self.representation.synthesize(multiply(Z, V))
            back = self.representation.analyze(signal * self.masked.observed[chunk])
            total += unstack(project(Z, back), self.shape)
        return total


def project(Z: Blocks, Y: Blocks) -> Blocks:
    """Return ``sum_i W_i^H Y_i``, (n, q, F, d, d) and (n, F, d, m) to (F, q d, m)."""
    n, n_blocks, d, m = Y.shape
    rows = Y.swapaxes(0, 1).reshape(n_blocks, n * d, m)
    return np.asarray(stack(Z).conj().swapaxes(1, 2) @ rows)


def conjugate_gradients(
    apply: Callable[[Blocks], Blocks],
    right: Blocks,
    start: Blocks,
    precondition: Callable[[Blocks], Blocks],
    max_iter: int = 500,
) -> tuple[Blocks, Blocks]:
    """Solve ``apply(x) = right``, positive and symmetric, on blocks; return x and the residual."""
    x = start.copy()
    r = right - apply(x)
    z = precondition(r)
    direction, power = z, float(inner(r, z, axes=4))
    enough = ACCURACY**2 * float(inner(right, precondition(right), axes=4))
    for _ in range(max_iter):
        if power <= enough:
            break
        image = apply(direction)
        step = power / float(inner(direction, image, axes=4))
        x, r = x + step * direction, r - step * image
        z = precondition(r)
        last, power = power, float(inner(r, z, axes=4))
        direction = z + (power / last) * direction
    return x, r
