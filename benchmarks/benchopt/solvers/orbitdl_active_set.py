"""orbitdl: active set, with a certificate for every window."""

import numpy as np
from benchopt import BaseSolver


class Solver(BaseSolver):
    """`orbitdl.encode` under integer shifts, one thread."""

    name = "orbitdl"
    install_cmd = "conda"
    requirements = ["pip::orbitdl"]
    sampling_strategy = "tolerance"
    references = [
        "Y. S. Soh, Group Invariant Dictionary Learning, "
        "IEEE Transactions on Signal Processing, 2021"
    ]

    def set_objective(self, X, components, alpha):
        """Take the problem."""
        self.X, self.components, self.alpha = X, components, alpha

    def warm_up(self):
        """Compile, which is not timed."""
        self.run(1e-3)

    def run(self, tolerance):
        """Code all windows to a relative duality gap."""
        from orbitdl import encode
        from orbitdl.coding import ActiveSet
        from orbitdl.groups import IntegerShift

        coder = ActiveSet(tol=float(np.clip(tolerance, 1e-12, 0.5)))
        self.codes = encode(
            self.X, self.components, group=IntegerShift(), alpha=self.alpha, coder=coder
        )

    def get_result(self):
        """Return the coefficients of all shifts (n, q, d)."""
        atoms = self.codes.atoms
        Z = np.zeros((len(self.X), *self.components.shape))
        shift = np.rint(atoms.element[:, 0]).astype(int) % self.X.shape[1]
        np.add.at(Z, (atoms.sample, atoms.component, shift), atoms.coefficient)
        return {"coefficients": Z}
