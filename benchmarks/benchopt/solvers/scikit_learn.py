"""scikit-learn: coordinate descent over the dictionary of all shifts, written out."""

import warnings

import numpy as np
from benchopt import BaseSolver
from sklearn.decomposition import sparse_encode
from sklearn.exceptions import ConvergenceWarning


class Solver(BaseSolver):
    """`sklearn.decomposition.sparse_encode` by coordinate descent."""

    name = "scikit-learn"
    install_cmd = "conda"
    requirements = ["scikit-learn"]
    sampling_strategy = "iteration"

    def set_objective(self, X, components, alpha):
        """Take the problem, and write out the dictionary (q * d, d)."""
        shifted = [np.roll(components, s, axis=1) for s in range(X.shape[1])]
        self.rows = np.stack(shifted, axis=1).reshape(-1, X.shape[1])
        self.X, self.alpha, self.shape = X, alpha, (len(X), *components.shape)

    def run(self, n_iter):
        """Run sweeps of coordinate descent."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.Z = sparse_encode(
                self.X,
                self.rows,
                algorithm="lasso_cd",
                alpha=self.alpha,
                max_iter=n_iter + 1,
                check_input=False,
            )

    def get_result(self):
        """Return the coefficients of all shifts (n, q, d)."""
        return {"coefficients": self.Z.reshape(self.shape)}
