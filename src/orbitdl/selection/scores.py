"""Held-out errors of all candidates in all units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from orbitdl.arrays.blocks import Floats
from orbitdl.selection.held_out import Judged

Candidate = tuple[int, int]
"""Index of a group, and a number of components."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Prediction errors of all candidates at all alphas.

    Attributes
    ----------
    groups : tuple of str
    candidates : list of Candidate
    alphas : list of float
        From the largest to the smallest.
    error : ndarray of shape (candidates, alphas, units)
        Squared errors over held-out entries, relative to the energy of all held-out entries.
    atoms : ndarray of shape (candidates, alphas)
    agreement : ndarray of shape (candidates, alphas)
        Mean F1 score of events; NaN for data points.
    """

    groups: tuple[str, ...]
    candidates: list[Candidate]
    alphas: list[float]
    error: Floats
    atoms: Floats
    agreement: Floats

    @classmethod
    def of(
        cls,
        groups: tuple[str, ...],
        candidates: list[Candidate],
        alphas: list[float],
        judged: list[list[list[Judged]]],
    ) -> Scores:
        """Collect the scores of all rounds, ordered by candidate, round and alpha."""
        every = range(len(alphas))
        error = np.array(
            [[np.concatenate([one[k].error for one in own]) for k in every] for own in judged]
        )
        energy = sum(float(one[0].energy.sum()) for one in judged[0])
        atoms, agreement = (
            np.array([[np.mean([getattr(one[k], name) for one in own]) for k in every]
                      for own in judged])
            for name in ("atoms", "agreement")
        )  # fmt: skip
        return cls(groups, candidates, alphas, error / (energy or 1.0), atoms, agreement)

    @property
    def mean(self) -> Floats:
        """The held-out error of every candidate at every alpha, relative to the energy."""
        total: Floats = self.error.sum(axis=2)
        return total

    @property
    def best(self) -> tuple[int, int]:
        """The candidate and the alpha of the least error."""
        candidate, alpha = np.unravel_index(np.argmin(self.mean), self.mean.shape)
        return int(candidate), int(alpha)

    def difference(self, one: tuple[int, int], other: tuple[int, int]) -> tuple[float, float]:
        """Return the difference of two errors, and its standard error.

        With paired differences d_i in n independent units: their sum, and ``sqrt(n) std(d)``.
        """
        own = self.error[one] - self.error[other]
        spread = float(np.sqrt(len(own)) * own.std(ddof=1)) if len(own) > 1 else 0.0
        return float(own.sum()), spread

    def near_best(self, one: tuple[int, int]) -> bool:
        """Return whether an error is within one standard error of the minimum."""
        excess, spread = self.difference(one, self.best)
        return excess <= spread

    def of_recordings(self) -> pd.DataFrame:
        """Return one row per number of components."""
        table = self.to_frame().drop(columns=["group", "alpha"])
        return table.assign(agreement=self.agreement[:, 0])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per candidate and alpha."""
        rows = []
        for c, (group, q) in enumerate(self.candidates):
            for k, alpha in enumerate(self.alphas):
                rows.append(
                    {
                        "group": self.groups[group],
                        "n_components": q,
                        "alpha": alpha,
                        "error": float(self.mean[c, k]),
                        "standard_error": self.difference((c, k), self.best)[1],
                        "atoms": float(self.atoms[c, k]),
                    }
                )
        return pd.DataFrame(rows)
