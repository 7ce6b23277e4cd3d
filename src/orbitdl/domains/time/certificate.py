"""Duality gap of a recording: sums and maxima over its chunks.

With the residual r and the polar ``p = max_{j,tau} <r, a_j(. - tau)>``, of absolute values unless
coefficients must be positive, weak duality gives for every recording

    P* >= s <x, r> - s^2/2 ||r||^2      for      |s| <= alpha / p,

so that the certificate of a recording of any length is accumulated chunk by chunk.

With a penalty ``alpha p_j(tau)`` that depends on position and component, the same holds for the
polar ``max_{j,tau} <r, a_j(. - tau)> / p_j(tau)`` and the weight ``sum_k p_{j_k}(tau_k) |c_k|``.
"""

from __future__ import annotations

from dataclasses import dataclass

from orbitdl.coding.certificate import ROUNDING

INEXACT = 1e-12
"""Relative rounding error of the largest correlation, at most."""


@dataclass(frozen=True)
class Certificate:
    """Terms of the duality gap of a chunk or, summed, of a recording.

    Attributes
    ----------
    energy, product, data : float
        ``||r||^2``, ``<x, r>`` and ``||x||^2`` over its samples.
    weight : float
        ``sum_k |c_k|`` over its atoms; ``sum_k p_{j_k}(tau_k) |c_k|`` with a penalty field.
    polar : float
        The largest correlation; with a penalty field an upper bound of the largest ratio to it.
    """

    energy: float
    product: float
    data: float
    weight: float
    polar: float

    def __add__(self, other: Certificate) -> Certificate:
        return Certificate(
            self.energy + other.energy,
            self.product + other.product,
            self.data + other.data,
            self.weight + other.weight,
            max(self.polar, other.polar),
        )

    @property
    def explained(self) -> float:
        """Explained fraction of the energy of the data."""
        return max(1.0 - self.energy / self.data, 0.0) if self.data > 0 else 0.0

    def objective(self, alpha: float) -> float:
        """Return ``1/2 ||r||^2 + alpha`` times the weight."""
        return 0.5 * self.energy + alpha * self.weight

    def gap(self, alpha: float, *, positive: bool = False) -> float:
        """Return the relative duality gap, rounding errors included."""
        objective, polar = self.objective(alpha), (1.0 + INEXACT) * self.polar
        limit = alpha / polar if polar > 0 else float("inf")
        best = self.product / self.energy if self.energy > 0 else 0.0
        s = min(max(best, 0.0 if positive else -limit), limit)
        excess = max(objective - s * self.product + 0.5 * s**2 * self.energy, 0.0)
        excess += ROUNDING * self.data
        return excess / objective if objective > 0 else 0.0
