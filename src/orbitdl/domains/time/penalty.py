"""Position-dependent penalties ``alpha_j(tau) = alpha p_j(tau)`` (weighted lasso).

A penalty field is a cubic B-spline with positive taps ``p_j[m]`` at integer positions m,

    p_j(m + d) = sum_{i=-1..2} w_i(d) p_j[m + i],      0 <= d < 1,

with the weights of `orbitdl.domains.time.splines`. These are positive and sum to one: the field is
twice continuously differentiable, lies between its taps, and reproduces linear functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.correlations import cubic_of, on_samples, stationary
from orbitdl.domains.time.splines import TAPS, weights_at
from orbitdl.kernels import fast, internal


class PenaltyField(Protocol):
    """Penalties of a recording, relative to alpha, as a function of the start of a waveform."""

    def taps(self, first: int, last: int) -> Floats:
        """Return positive weights at integer positions in ``[first, last)``.

        One row for all components (1, n), or one for each (q, n). Positions count from the first
        sample of the recording, and may lie outside it.
        """


@dataclass(frozen=True, eq=False)
class LevelField:
    """A penalty field with taps interpolated linearly between knots.

    Attributes
    ----------
    times : ndarray of shape (K,)
        Knots in samples, strictly ascending.
    values : ndarray of shape (1, K) or (q, K)
        Positive weights there, relative to alpha; constant extrapolation. A single row applies to
        all components.

    Examples
    --------
    >>> LevelField([0, 4], [[1.0, 3.0]]).taps(-1, 6)
    array([[1. , 1. , 1.5, 2. , 2.5, 3. , 3. ]])
    """

    times: Floats
    values: Floats

    def __post_init__(self) -> None:
        times, values = np.asarray(self.times, float), np.asarray(self.values, float)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)
        if times.ndim != 1 or values.ndim != 2 or values.shape[1:] != times.shape:
            raise ValueError(
                f"times have shape {times.shape} and values {values.shape}; pass (K,) and (1, K), "
                "or (q, K) for one row per component."
            )
        if len(times) == 0 or not np.isfinite(times).all() or np.any(np.diff(times) <= 0):
            raise ValueError("times must be finite, strictly ascending and not empty.")
        require_positive_weights(values)

    def taps(self, first: int, last: int) -> Floats:
        positions = np.arange(first, last)
        return np.stack([np.interp(positions, self.times, row) for row in self.values])


def require_positive_weights(values: Floats) -> None:
    """Raise ValueError unless all weights are positive and finite."""
    if not (np.isfinite(values).all() and np.all(values > 0)):
        raise ValueError(
            "a penalty field must be positive and finite; pass a large weight where events are "
            "unlikely and a small one where they are likely."
        )


def taps_of(field: PenaltyField, first: int, last: int, q: int) -> Floats:
    """Return the taps of a field at positions in ``[first, last)``, (q, n)."""
    taps = np.asarray(field.taps(first, last), dtype=np.float64)
    if taps.shape not in {(1, last - first), (q, last - first)}:
        raise ValueError(
            f"the penalty field has shape {taps.shape} at {last - first} positions; it must have "
            f"one row, or one for each of {q} components."
        )
    require_positive_weights(taps)
    return np.ascontiguousarray(np.broadcast_to(taps, (q, last - first)))


def field_at(field: PenaltyField, atoms: Atoms, q: int) -> Floats:
    """Return ``p_{j_k}(tau_k)`` of every atom, (K,)."""
    if len(atoms.time) == 0:
        return np.zeros(0)
    position = np.floor(atoms.time).astype(np.intp)
    first = int(position.min()) - 1
    taps = taps_of(field, first, int(position.max()) + TAPS - 1, q)
    near = position[:, None] - 1 - first + np.arange(TAPS)
    values = taps[atoms.component[:, None], near]
    return np.asarray(np.sum(weights_at(atoms.time - position) * values, axis=1))


def largest_relative(
    e: Floats,
    taps: Floats,
    alpha: float,
    first: int = 1,
    last: int | None = None,
    *,
    positive: bool = False,
    integer_shifts: bool = False,
) -> float:
    """Return an upper bound of ``max_{j, tau} |eta_j(tau)| / p_j(tau)``.

    Parameters
    ----------
    e, taps : ndarray of shape (q, places)
        Taps of eta, as `correlations` returns them, and of p.
    alpha : float
    first, last, positive, whole
        As in `orbitdl.domains.time.correlations.largest`.

    Notes
    -----
    On a cell let ``f = max (|eta| - alpha p)``, a maximum of cubics in closed form. Then

        |eta| / p <= alpha + f / p <= alpha + f / min_i p[m + i]      if f > 0,

    and the same with the largest tap if f <= 0. The bound is tight if f vanishes, as at an optimum.
    The cheaper bound ``max_i |e[m + i]| / min_i p[m + i]`` excludes most cells. At integer
    positions the ratio itself is used.
    """
    end = e.shape[1] - 2
    last = min(end if last is None else last, end)
    return float(largest_ratio(e, taps, alpha, max(first, 1), last, positive, integer_shifts))


@internal
def highest(p0, p1, p2, p3):  # type: ignore[no-untyped-def]
    """Return the maximum of a cubic on [0, 1]."""
    top = max(p0, p0 + p1 + p2 + p3)
    for d in stationary(p1, p2, p3):
        if d >= 0.0:
            top = max(top, p0 + d * (p1 + d * (p2 + d * p3)))
    return top


@internal
def highest_excess(row, taps, m, sign, alpha):  # type: ignore[no-untyped-def]
    """Return the maximum of ``sign eta - alpha p`` on the cell from m to m + 1."""
    p0, p1, p2, p3 = cubic_of(
        sign * row[m - 1] - alpha * taps[m - 1],
        sign * row[m] - alpha * taps[m],
        sign * row[m + 1] - alpha * taps[m + 1],
        sign * row[m + 2] - alpha * taps[m + 2],
    )
    return highest(p0, p1, p2, p3)


@fast
def largest_ratio(e, taps, alpha, first, last, positive, integer_shifts):  # type: ignore[no-untyped-def]
    """Return the largest bound of a cell."""
    top = 0.0
    for j in range(e.shape[0]):
        row, p = e[j], taps[j]
        for m in range(first, last):
            high = max(max(abs(row[m - 1]), abs(row[m])), max(abs(row[m + 1]), abs(row[m + 2])))
            low = min(min(p[m - 1], p[m]), min(p[m + 1], p[m + 2]))
            if high <= top * low:
                continue
            if integer_shifts:
                value = on_samples(row, m)
                top = max(top, (value if positive else abs(value)) / on_samples(p, m))
                continue
            excess = highest_excess(row, p, m, 1.0, alpha)
            if not positive:
                excess = max(excess, highest_excess(row, p, m, -1.0, alpha))
            large = max(max(p[m - 1], p[m]), max(p[m + 1], p[m + 2]))
            bound = alpha + excess / (low if excess > 0.0 else large)
            top = max(top, min(bound, high / low))
    return top
