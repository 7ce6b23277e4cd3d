"""What a fitted model does with data: validation and glue."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from orbitdl import completion, denoising, encoding
from orbitdl.codes import Codes
from orbitdl.coding.base import Coder
from orbitdl.coding.choice import default_coder
from orbitdl.groups import Group, IntegerShift
from orbitdl.groups.base import Floats
from orbitdl.validation import as_masked_data


class Settings(TypedDict):
    """Arguments that `encode`, `complete` and `denoise` share."""

    components: Floats
    group: Group
    coder: Coder
    n_jobs: int | None


class FittedMixin(TransformerMixin):
    """Codes, and what follows from them, with the components of a fitted model."""

    group: Group | None
    alpha: float
    tol: float
    coder: Coder | None
    n_jobs: int | None
    components_: Floats

    def encode(self, X: ArrayLike, *, mask: ArrayLike | None = None) -> Codes:
        """Write every data point as a sparse sum of moved components; NaN means missing."""
        data, observed = self._check_fitted_data(X, mask)
        return encoding.encode(data, alpha=self.alpha, mask=observed, **self._settings())

    def decode(self, codes: Codes) -> Floats:
        """Return the data that codes describe, shape (n, ...)."""
        check_is_fitted(self)
        return encoding.decode(codes, self.components_)

    def reconstruct(self, X: ArrayLike, *, mask: ArrayLike | None = None) -> Floats:
        """Return the sparse approximation of every data point, in the shape of X."""
        return self.decode(self.encode(X, mask=mask))

    def complete(
        self,
        X: ArrayLike,
        *,
        mask: ArrayLike | None = None,
        exact: bool = False,
        debias: bool = False,
    ) -> Floats:
        """Fill missing entries (NaN, or False in the mask); observed ones stay as they are.

        Missing entries are taken from the sparse code of the observed ones at this model's alpha;
        `debias` refits its atoms by least squares, which mostly fills better.
        With ``exact=True`` the filling has the least dictionary norm ``sum_j ||Z_j||_G`` among all
        that agree with the observed entries exactly (the paper's program; for data without noise).
        `orbitdl.complete` returns value and bound of either program beside the data.
        """
        data, observed = self._check_fitted_data(X, mask)
        alpha = None if exact else self.alpha
        found = completion.complete(
            data, alpha=alpha, mask=observed, debias=debias, **self._settings()
        )
        return found.X

    def denoise(
        self,
        X: ArrayLike,
        *,
        mask: ArrayLike | None = None,
        alpha: float | str | None = None,
        debias: bool = False,
    ) -> Floats:
        """Remove noise: the proximal map of ``alpha`` times the dictionary norm.

        Without `alpha` this model's is used; "noise" chooses one from the level of noise in X, as
        `orbitdl.noise_level` estimates it. `debias` refits the atoms found by least squares, which
        undoes the shrinkage. See `orbitdl.denoise`.
        """
        data, observed = self._check_fitted_data(X, mask)
        chosen = self.alpha if alpha is None else alpha
        return denoising.denoise(
            data, alpha=chosen, mask=observed, debias=debias, **self._settings()
        )

    def transform(self, X: ArrayLike, *, mask: ArrayLike | None = None) -> Floats:
        """Return ``||Z_ij||_G``, how much each component is used: (n, q), unmoved by the group."""
        return self.encode(X, mask=mask).invariants()

    def score(self, X: ArrayLike, y: None = None, *, mask: ArrayLike | None = None) -> float:
        """Return ``1 - sum_i objective_i / sum_i 1/2 ||M_i y_i||^2``, M_i what was observed.

        The fraction of the energy explained, net of the cost of the codes: 0 when nothing is
        explained, below 1 always. It compares numbers of components, groups and starts at one
        alpha; it grows as alpha falls, so it cannot choose alpha.
        """
        data, observed = self._check_fitted_data(X, mask)
        energy = 0.5 * float(np.sum(data**2))
        lost = float(self.encode(data, mask=observed).objective.sum())
        return 1.0 - lost / energy if energy > 0 else 0.0

    def _settings(self) -> Settings:
        """Return what every way of coding with this model has in common."""
        group = self._group()
        coder = self.coder or default_coder(group.on(self.components_.shape[1:]), self.tol)
        return {
            "components": self.components_,
            "group": group,
            "coder": coder,
            "n_jobs": self.n_jobs,
        }

    def _group(self) -> Group:
        return IntegerShift() if self.group is None else self.group

    def _check_data(
        self, X: ArrayLike, mask: ArrayLike | None, *, reset: bool
    ) -> tuple[Floats, NDArray[np.bool_] | None]:
        """Return X with zeros where entries are missing, and which were observed (None: all)."""
        data, observed = as_masked_data(X, mask)
        named = X if hasattr(X, "columns") else data
        validate_data(self, named, reset=reset, skip_check_array=True)
        return data, observed

    def _check_fitted_data(
        self, X: ArrayLike, mask: ArrayLike | None
    ) -> tuple[Floats, NDArray[np.bool_] | None]:
        check_is_fitted(self)
        data, observed = self._check_data(X, mask, reset=False)
        if data.shape[1:] != self.components_.shape[1:]:
            raise ValueError(
                f"X has data points of shape {data.shape[1:]}, but this model was fitted on shape "
                f"{self.components_.shape[1:]}; reshape X."
            )
        return data, observed
