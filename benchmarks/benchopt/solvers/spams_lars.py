"""spams: LARS over the dictionary of all shifts, written out; exact, so that it is one point."""

import numpy as np
import spams
from benchopt import BaseSolver


class Solver(BaseSolver):
    """`spams.lasso`, one thread."""

    name = "spams"
    install_cmd = "conda"
    requirements = ["pip::spams-bin"]
    sampling_strategy = "run_once"

    def set_objective(self, X, components, alpha):
        """Take the problem, and write out the dictionary (d, q * d)."""
        shifted = [np.roll(components, s, axis=1) for s in range(X.shape[1])]
        rows = np.stack(shifted, axis=1).reshape(-1, X.shape[1])
        self.rows, self.X = np.asfortranarray(rows.T), np.asfortranarray(X.T)
        self.alpha, self.shape = alpha, (len(X), *components.shape)

    def run(self, _):
        """Solve all windows."""
        self.Z = spams.lasso(
            self.X, self.rows, lambda1=self.alpha, mode=2, numThreads=1, return_reg_path=False
        )

    def get_result(self):
        """Return the coefficients of all shifts (n, q, d)."""
        return {"coefficients": self.Z.toarray().T.reshape(self.shape)}
