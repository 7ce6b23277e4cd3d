"""Sparse coding over all shifts of given components, as benchopt asks for it.

minimise over Z: sum_i 1/2 ||x_i - sum_js Z_ijs shift_s(a_j)||^2 + alpha sum_ijs |Z_ijs|,

with circular shifts by integer samples and components of unit norm.
"""

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    """Judge anybody's coefficients by their objective and by a certified duality gap."""

    name = "Shift-invariant sparse coding"
    url = "https://github.com/orbitdl/orbitdl"
    min_benchopt_version = "1.6"
    requirements = ["numpy"]
    parameters = {"alpha": [0.2, 0.1]}

    def set_data(self, X, components):
        """Take windows X (n, d) and components (q, d) of unit norm."""
        self.X, self.components = X, components
        self.shifted = np.stack([np.roll(components, s, axis=1) for s in range(X.shape[1])], axis=1)

    def get_objective(self):
        """Return what solvers are given."""
        return {"X": self.X, "components": self.components, "alpha": self.alpha}

    def evaluate_result(self, coefficients):
        """Return objective, relative duality gap and number of atoms of coefficients (n, q, d)."""
        rows = self.shifted.reshape(-1, self.X.shape[1])
        Z = coefficients.reshape(len(self.X), -1)
        residual = self.X - Z @ rows
        primal = 0.5 * np.sum(residual**2, axis=1) + self.alpha * np.sum(np.abs(Z), axis=1)
        # The residual, scaled until no correlation exceeds alpha, is a dual point.
        largest = np.abs(residual @ rows.T).max(axis=1)
        dual = residual * np.minimum(1.0, self.alpha / np.maximum(largest, 1e-300))[:, None]
        bound = 0.5 * np.sum(self.X**2, axis=1) - 0.5 * np.sum((self.X - dual) ** 2, axis=1)
        return {
            "value": float(primal.sum()),
            "relative_gap": float((primal - bound).sum() / primal.sum()),
            "atoms_per_window": float(np.count_nonzero(Z) / len(Z)),
        }

    def get_one_result(self):
        """Return the result of no atoms."""
        return {"coefficients": np.zeros((len(self.X), *self.components.shape))}
