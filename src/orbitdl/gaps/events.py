"""Sparse coding near gaps, with missing samples eliminated by projection.

Whitened samples y near a gap depend on its missing samples x_M (`orbitdl.gaps.interpolation`). All
of them are used. The code and x_M solve one convex problem,

    min over x_M and c   1/2 ||y_0 + H x_M - sum_k c_k a_{j_k}(. - tau_k)||^2 + sum_k w_k |c_k|,

and without x_M, which is a projection by S (the rows of N^T at gaps, of the identity elsewhere),

    min over c   1/2 ||S y_0 - sum_k c_k S a_{j_k}(. - tau_k)||^2 + sum_k w_k |c_k|.

A waveform in a gap has a small norm ``||S a||``. The weights are ``w = alpha p ||S a||``: the same
number of standard deviations of the noise everywhere. They are bounded below by the weight at
``||S a|| = alpha p / median``, where the median coefficient equals the threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import nnls

from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.atoms import at_times, in_order
from orbitdl.domains.time.coder import RecordingCoder
from orbitdl.domains.time.correlations import correlations
from orbitdl.domains.time.refit import atoms_as_columns
from orbitdl.domains.time.splines import samples_of
from orbitdl.domains.time.waveforms import BEYOND, Waveforms
from orbitdl.gaps.interpolation import Gap
from orbitdl.groups.base import Floats

ROUNDS, TOL = 200, 1e-3
"""Maximum number of insertions, and relative tolerance of the optimality condition."""
RIDGE = 1e-10
"""Relative ridge that keeps the coefficients of collinear atoms finite."""


@dataclass(frozen=True, eq=False)
class Observed:
    """Whitened samples around gaps, and the projection that eliminates missing samples.

    Attributes
    ----------
    y : ndarray of shape (n, channels)
        The samples y_0 without fixed events; zero where not known.
    known : ndarray of shape (n,)
        Mask of known samples that depend on no gap.
    gaps : list of Gap
    S : sparse array of shape (rows, n channels)
        The projection.
    """

    y: Floats
    known: NDArray[np.bool_]
    gaps: list[Gap]
    S: sparse.csr_array

    @classmethod
    def of(cls, y: Floats, known: NDArray[np.bool_], gaps: list[Gap], fixed: Floats) -> Observed:
        """Return samples with the projection of their gaps, after subtraction of a fixed signal."""
        y, channels = y.copy(), y.shape[1]
        identity = sparse.eye_array(y.size, format="csr")
        parts, is_left = [identity[np.repeat(known, channels)]], known.copy()
        for gap in gaps:
            y[gap.rows], is_left[gap.rows] = gap.y, True
            for c, N in enumerate(gap.basis):
                parts.append(sparse.csr_array(N.T) @ identity[gap.rows * channels + c])
        y = np.where(is_left[:, None], y - fixed, 0.0)
        return cls(y, known, gaps, sparse.csr_array(sparse.vstack(parts)))

    def columns(self, waveforms: Waveforms, atoms: Atoms) -> sparse.csc_array:
        """Return ``S a_k`` of atoms as columns."""
        everything = np.ones(len(self.y), dtype=bool)
        return sparse.csc_array(self.S @ atoms_as_columns(everything, waveforms, atoms))

    def products(self, left: Floats, waveforms: Waveforms) -> Floats:
        """Return ``<left, S a_j(. - t)>`` of left (rows,) at integers t >= -W, (q, n + W)."""
        e = correlations((self.S.T @ left).reshape(self.y.shape), waveforms)
        at = BEYOND - 1 + np.arange(len(self.y) + waveforms.length)
        return np.asarray((e[:, at - 1] + 4.0 * e[:, at] + e[:, at + 1]) / 6.0)

    def norms(self, waveforms: Waveforms) -> Floats:
        """Return ``||S a_j(. - t)||`` at integers t >= -W, (q, n + W)."""
        n, width = len(self.y), waveforms.length
        a = samples_of(np.pad(waveforms.u, [(0, 0), (1, 1), (0, 0)]))  # from sample t - 1 on
        known = sliding_window_view(np.pad(self.known.astype(float), width + 1), width + 2)
        square = np.sum(a**2, axis=2) @ known[: n + width].T
        wide = np.pad(a, [(0, 0), (n + 1, n), (0, 0)])
        for gap in self.gaps:
            t = np.arange(max(gap.rows[0] - width, -width), gap.rows[-1] + 2)
            at = gap.rows - t[:, None] + n + 2
            for c, N in enumerate(gap.basis):
                square[:, t + width] += np.sum((wide[:, at, c] @ N) ** 2, axis=2)
        return np.asarray(np.sqrt(square))


def code_observed(
    observed: Observed, coder: RecordingCoder, weights: Floats, atoms: Atoms
) -> Atoms:
    """Return the optimal code at integer times, by column generation.

    Parameters
    ----------
    observed : Observed
    coder : RecordingCoder
    weights : ndarray of shape (q, n + W)
        w at integer times from -W on; infinite where no atom is allowed.
    atoms : Atoms
        Initial code.
    """
    waveforms, positive = coder.waveforms, coder.positive
    if not len(waveforms):
        return atoms
    width, y = waveforms.length, observed.S @ observed.y.ravel()
    first = np.clip(np.rint(atoms.time).astype(np.intp) + width, 0, weights.shape[1] - 1)
    chosen = sorted(set(zip(atoms.component.tolist(), first.tolist(), strict=True)))
    chosen = [at for at in chosen if np.isfinite(weights[at])]
    c = np.zeros(0)
    for _ in range(ROUNDS):
        component, index = np.array(chosen, dtype=np.intp).reshape(-1, 2).T
        atoms = at_times(component, index - width, np.ones(len(index)), len(waveforms))
        A = observed.columns(waveforms, atoms)
        c = small_lasso(A, y, weights[component, index], positive=positive)
        eta = observed.products(y - A @ c, waveforms)
        excess = (eta if positive else np.abs(eta)) / weights
        worst = np.unravel_index(np.argmax(excess), excess.shape)
        if excess[worst] <= 1.0 + TOL or worst in chosen:
            break
        chosen = [at for at, size in zip(chosen, c, strict=True) if size != 0.0]
        chosen.append((int(worst[0]), int(worst[1])))
    return in_order(replace(atoms, coefficient=c).select(c != 0.0))


def small_lasso(A: sparse.csc_array, y: Floats, w: Floats, *, positive: bool) -> Floats:
    """Return ``argmin_c 1/2 ||y - A c||^2 + sum_k w_k |c_k|`` for a few columns.

    Non-negative least squares of the positive and negative parts, ``||R c - R^-T (A^T y - w)||``
    with the Cholesky factor R of ``A^T A``.
    """
    if A.shape[1] == 0:
        return np.zeros(0)
    gram, b = (A.T @ A).toarray(), A.T @ y
    signs = np.array([[1.0]]) if positive else np.array([[1.0, -1.0], [-1.0, 1.0]])
    gram = np.kron(signs, gram)
    b = np.kron(signs[0], b) - np.tile(w, len(signs))
    R = np.linalg.cholesky(gram + RIDGE * np.trace(gram) * np.eye(len(gram))).T
    parts = nnls(R, np.linalg.solve(R.T, b), maxiter=100 * len(b))[0]
    return np.asarray(parts if positive else parts[: len(w)] - parts[len(w) :])
