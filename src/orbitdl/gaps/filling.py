"""Imputation of gaps: conditional mean and standard deviation given events and observed samples.

The events are those of the joint code below, refitted without the penalty. Their
amplitudes b and times tau minimise

    ||S y_0 - sum_k b_k S a_{j_k}(. - tau_k)||^2 / sigma^2
        + sum_k (b_k - mu_{j_k})^2 / s_{j_k}^2 + (tau_k - tau_k^0)^2 / d^2

by Gauss-Newton steps. The second term is a prior for events of which a gap hides more than half of
the energy, ``||S a||^2 < 1/2``: median mu and spread s of the amplitudes of their component. Hidden
events below half the median are removed. The third term is a weak prior on times.

The variance of an imputed sample is the sum of the variances of the noise, of amplitudes and times
(the inverse of the normal matrix), and of events about their waveform, ``v b_k^2 a(t - tau_k)^2``
at a whitened sample, with v the median over events of their residual energy above the noise,
relative to their energy.

For the code near gaps, missing samples are eliminated by projection. Whitened samples y near a gap
depend on its missing samples x_M (`orbitdl.gaps.interpolation`). All of them are used. The code and
x_M solve one convex problem,

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

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.coding.atoms import Atoms
from orbitdl.discovery.background import Background
from orbitdl.domains.time.atoms import at_times, between, in_order, later, outside, range_of
from orbitdl.domains.time.coder import RecordingCoder
from orbitdl.domains.time.correlations import correlations
from orbitdl.domains.time.penalty import PenaltyField, taps_of
from orbitdl.domains.time.refit import LONGEST, atoms_as_columns
from orbitdl.domains.time.splines import TAPS, samples_of
from orbitdl.domains.time.waveforms import BEYOND, Waveforms
from orbitdl.events.code_events import merged, resolution_of
from orbitdl.events.population import Population
from orbitdl.gaps.interpolation import Gap

MARGIN, LONG = 2, 8
"""In waveform lengths: margin of a window around its gaps, and maximum length of a window with
several gaps."""
STEPS, LOOSE = 4, 2.0
"""Gauss-Newton steps, and the prior standard deviation d of times, in samples."""
HIDDEN = 0.5
"""Observed fraction of the energy below which an event counts as hidden."""


Runs = list[tuple[int, int]]


ROUNDS, TOL = 200, 1e-3
"""Maximum number of insertions, and relative tolerance of the optimality condition."""
RIDGE = 1e-10
"""Relative ridge that keeps the coefficients of collinear atoms finite."""


def windows_of(gaps: Runs, width: int, samples: int) -> list[tuple[int, int, Runs]]:
    """Return start, end and gaps of windows; neighbouring gaps share a window."""
    result = list[tuple[int, int, Runs]]()
    for gap in gaps:
        first, last = max(gap[0] - MARGIN * width, 0), min(gap[1] + MARGIN * width, samples)
        if result and first < result[-1][1] and last - result[-1][0] <= LONG * width:
            result[-1] = result[-1][0], last, [*result[-1][2], gap]
        else:
            result.append((first, last, [gap]))
    return result


@dataclass(frozen=True, eq=False)
class Filler:
    """Imputes the gaps of a recording in autoregressive noise, window by window.

    Attributes
    ----------
    coder : RecordingCoder
        Of whitened recordings.
    background : Background
    penalty : PenaltyField
    population : Population
    x : ndarray of shape (T, channels)
        The detrended recording, zero where a sample is missing.
    missing : ndarray of shape (T,)
    atoms : Atoms
        Its code, sorted by time.
    debias : bool
        Whether events are refitted without the penalty.
    """

    coder: RecordingCoder
    background: Background
    penalty: PenaltyField
    population: Population
    x: Floats
    missing: NDArray[np.bool_]
    atoms: Atoms
    debias: bool

    def __call__(self, window: tuple[int, int, Runs]) -> tuple[Integers, Floats, Floats]:
        """Return missing samples (m,), their means and standard deviations (m, channels)."""
        first, last, _ = window
        width = self.coder.waveforms.length
        begin = 0.0 if first > 0 else -np.inf
        end = last - first - width if last < len(self.x) else np.inf
        near = range_of(self.atoms, first - width - TAPS, last + TAPS)
        atoms = later(self.atoms.select(near), -first)
        observed = self.observed(window, outside(atoms, begin, end))
        level = self.level(first, last)
        time = np.arange(-width, last - first)
        is_free = (time >= begin) & (time < end)
        weights = np.where(is_free, self.weights(observed, level), np.inf)
        atoms = code_observed(observed, self.coder, weights, between(atoms, begin, end))
        root = np.zeros((self.jacobian(atoms, 1).shape[1], 0))
        if self.debias and len(atoms.time):
            atoms, root = self.refitted(observed, atoms, float(np.mean(level)))
        parts = [self.filled(observed, gap, atoms, root) for gap in observed.gaps]
        mean, sd = (np.concatenate(own) for own in zip(*parts, strict=True))
        return np.concatenate([gap.samples for gap in observed.gaps]) + first, mean, sd

    def observed(self, window: tuple[int, int, Runs], fixed: Atoms) -> Observed:
        """Return the whitened samples of a window after subtraction of fixed atoms."""
        first, last, runs = window
        before = min(self.background.order, first)
        x, missing = self.x[first - before : last], self.missing[first - before : last]
        y, known = self.background.filtered(x, ~missing)
        y, known, x, missing = y[before:], known[before:], x[before:], missing[before:]
        gaps = [Gap.of(x, missing, a - first, b - first, self.background) for a, b in runs]
        return Observed.of(y, known, gaps, added_up(fixed, self.coder.waveforms, len(x)))

    def level(self, first: int, last: int) -> Floats:
        """Return the noise standard deviation of waveforms at ``t >= first - W``, (q, n)."""
        begin, q = first - self.coder.waveforms.length, len(self.coder.waveforms)
        taps = taps_of(self.penalty, begin - 1, last + 1, q)
        return np.asarray((taps[:, :-2] + 4.0 * taps[:, 1:-1] + taps[:, 2:]) / 6.0)

    def weights(self, observed: Observed, level: Floats) -> Floats:
        """Return the weights of atoms at integer times, (q, n)."""
        weight, median = self.coder.alpha * level, self.population.median[:, None]
        least = np.minimum(weight / np.maximum(median, 1e-300), 1.0)
        return np.asarray(weight * np.maximum(observed.norms(self.coder.waveforms), least))

    def refitted(self, observed: Observed, atoms: Atoms, sigma: float) -> tuple[Atoms, Floats]:
        """Return refitted events, and a square root of the covariance of ``[b, tau]``."""
        waveforms = self.coder.waveforms
        start, _ = merged(atoms, resolution_of(waveforms))
        hidden = np.sum(observed.columns(waveforms, start).toarray() ** 2, axis=0) < HIDDEN
        events, _ = self.stepped(observed, start, start.time, hidden & False, sigma)
        chosen = ~hidden | self.population.is_typical(events)
        events, time, hidden = events.select(chosen), start.time[chosen], hidden[chosen]
        normal = np.zeros((0, 0))
        for _ in range(STEPS):
            events, normal = self.stepped(observed, events, time, hidden, sigma)
        values, vectors = np.linalg.eigh(normal)
        return events, vectors / np.sqrt(values)

    def stepped(
        self,
        observed: Observed,
        events: Atoms,
        time: Floats,
        hidden: NDArray[np.bool_],
        sigma: float,
    ) -> tuple[Atoms, Floats]:
        """Return events after a Gauss-Newton step, and its normal matrix."""
        b, own, population = events.coefficient, events.component, self.population
        J = (observed.S @ self.jacobian(events, len(observed.y))).toarray() / sigma
        r = observed.S @ observed.y.ravel() / sigma - J[:, : len(b)] @ b
        spread = np.where(hidden & (population.median[own] > 0), population.spread[own], np.inf)
        size = J.shape[1]
        precision = np.concatenate([spread**-2.0, np.full(len(b), LOOSE**-2.0)])[:size]
        prior = np.concatenate([population.median[own] - b, time - events.time])[:size]
        normal = J.T @ J + np.diag(precision + 1e-9 * np.sum(J**2))
        step = np.linalg.solve(normal, J.T @ r + precision * prior)
        times = events.time.copy()
        if not self.coder.integer_shifts:
            times += np.clip(step[len(b) :], -LONGEST, LONGEST)
        return replace(events, coefficient=b + step[: len(b)], element=times[:, None]), normal

    def jacobian(self, events: Atoms, n: int) -> sparse.csc_array:
        """Return ``[a_1 .. a_K, d b_1 a_1 / d tau_1 .. d b_K a_K / d tau_K]`` at n samples.

        Without the second half if times are integers.
        """
        everything, orders = np.ones(n, dtype=bool), (0,) if self.coder.integer_shifts else (0, 1)
        a, *slopes = (
            atoms_as_columns(everything, self.coder.waveforms, events, order) for order in orders
        )
        slopes = [slope * events.coefficient for slope in slopes]
        return sparse.csc_array(sparse.hstack([a, *slopes]))

    def filled(
        self, observed: Observed, gap: Gap, events: Atoms, root: Floats
    ) -> tuple[Floats, Floats]:
        """Return means and standard deviations (m, channels) of the samples of a gap."""
        waveforms, (n, channels) = self.coder.waveforms, observed.y.shape
        m = added_up(events, waveforms, n)
        near = slice(max(gap.rows[0] - waveforms.length, 0), gap.rows[-1] + waveforms.length)
        left = (observed.y - m)[near][observed.known[near]]
        squares = np.sum(left**2, axis=0) / max(len(left), 1)
        noise = np.sqrt(np.maximum(squares, 1.0))
        J = self.jacobian(events, n).tocsr()
        share = self.population.variability[events.component]
        sd = np.zeros((len(gap.samples), channels))
        for c in range(channels):
            own = J[gap.rows * channels + c].toarray()
            misfit = own[:, : len(events.time)] ** 2 @ (share * events.coefficient**2)
            sd[:, c] = gap.sd(c, noise[c], np.hstack([own @ root, np.diag(np.sqrt(misfit))]))
        return gap.mean(m[gap.rows]), sd


def added_up(atoms: Atoms, waveforms: Waveforms, n: int) -> Floats:
    """Return the sum of atoms at n samples, (n, channels)."""
    return waveforms.add_up(n, atoms.component, atoms.time, atoms.coefficient)


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
