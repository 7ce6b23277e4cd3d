"""Remove noise: the proximal map of the dictionary norm, and the level of noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.codes import Atoms
from orbitdl.coding.base import Coder
from orbitdl.coding.choice import default_coder
from orbitdl.encoding import as_representation, decode_atoms, encode
from orbitdl.groups.base import Blocks, Floats, Group, Representation, correlate
from orbitdl.validation import as_masked_data

DRAWS = 256
"""Draws of white noise from which its largest correlation with an atom is learned."""
LOOSE = 1e-2
"""Gap of the codes from which the level of noise is estimated."""


def denoise(
    X: ArrayLike,
    components: ArrayLike,
    *,
    group: Group,
    alpha: float | str,
    debias: bool = False,
    coder: Coder | None = None,
    n_jobs: int | None = None,
    mask: ArrayLike | None = None,
) -> Floats:
    """Return data without noise: moved components, thresholded.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n, d, channels), or what the group acts on
        NaN means missing; the result has no gaps.
    components : array-like of shape (q, d) or (q, d, channels)
    group : Group
    alpha : float or "noise"
        The threshold; with "noise", ``sigma * kappa``, sigma the level of white noise in X and
        kappa the mean of ``max_{j,g} |<w, g a_j>|`` over white noise w of level 1: what noise
        alone reaches. Both are estimated as `noise_level` says.
    debias : bool
        Fit the atoms found to the data once more, by least squares: the penalty has shrunk their
        coefficients by up to alpha.
    coder, n_jobs, mask
        As in `encode`.

    Notes
    -----
    Without missing entries and without `debias`, this is the atomic norm soft threshold

        prox(y) = argmin_x 1/2 ||y - x||^2 + alpha ||x||,

    where ``||x||`` is the dictionary norm, the least ``sum_j ||Z_j||_G`` with
    ``x = sum_j Z_j a_j``.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import IntegerShift
    >>> wave = np.array([0.6, 0.8, 0.0, 0.0, 0.0])
    >>> x = 3 * np.roll(wave, 2)
    >>> bool(np.allclose(denoise([x], [wave], group=IntegerShift(), alpha=0.3), 0.9 * x))
    True
    >>> bool(np.allclose(denoise([x], [wave], group=IntegerShift(), alpha=0.3, debias=True), x))
    True
    """
    data, observed = as_masked_data(X, mask)
    representation, A = as_representation(group, data, components)
    if isinstance(alpha, str):
        if alpha != "noise":
            raise ValueError(f'alpha must be a positive number or "noise", not {alpha!r}.')
        level = noise_level(X, components, group=group, coder=coder, n_jobs=n_jobs, mask=mask)
        alpha = max(level, np.finfo(np.float64).tiny) * noise_reach(representation, A)
    codes = encode(
        data, components, group=group, alpha=alpha, coder=coder, n_jobs=n_jobs, mask=observed
    )
    atoms = refit(representation, codes.atoms, A, data, observed) if debias else codes.atoms
    return decode_atoms(representation, atoms, A)


def noise_level(
    X: ArrayLike,
    components: ArrayLike,
    *,
    group: Group,
    coder: Coder | None = None,
    n_jobs: int | None = None,
    mask: ArrayLike | None = None,
    max_iter: int = 20,
) -> float:
    """Estimate the standard deviation of white noise in X, one for all entries.

    Notes
    -----
    The level and the threshold that belongs to it are found together. With kappa the mean of
    ``max_{j,g} |<w, g a_j>|`` over draws of white noise w of level 1,

        alpha <- sigma kappa,      sigma^2 <- sum_i ||M_i (y_i - x_i)||^2 / sum_i (N_i - p_i),

    where x_i is the least squares fit of the atoms that coding with alpha finds, N_i the number of
    observed entries and p_i the numbers this fit was free to choose: for each atom a coefficient
    and the dimension of the group, at most half of N_i. Sigma rises from a tenth of the data's
    size until it changes by less than one per cent. What the components cannot explain counts as
    noise.

    Examples
    --------
    >>> from orbitdl.datasets import make_shift_data
    >>> from orbitdl.groups import IntegerShift
    >>> data = make_shift_data(n_samples=200, length=64, n_components=2, n_atoms=2, noise=0.05,
    ...                        random_state=0)
    >>> level = noise_level(data.X, data.components, group=IntegerShift())
    >>> 0.045 < level < 0.055
    True
    """
    data, observed = as_masked_data(X, mask)
    representation, A = as_representation(group, data, components)
    reach = noise_reach(representation, A)
    coder = default_coder(representation, LOOSE) if coder is None else coder
    seen = np.full(data.shape, True) if observed is None else observed
    size = float(np.sqrt(np.sum(data**2) / max(int(seen.sum()), 1)))
    sigma = 0.1 * size
    for _ in range(max_iter if size > 0 else 0):
        alpha = max(sigma, 1e-9 * size) * reach
        codes = encode(
            data, components, group=group, alpha=alpha, coder=coder, n_jobs=n_jobs, mask=observed
        )
        atoms = refit(representation, codes.atoms, A, data, observed)
        last, sigma = sigma, _residual_level(representation, atoms, A, data, seen)
        if abs(sigma - last) <= 0.01 * last:
            break
    return sigma


def noise_reach(representation: Representation, A: Blocks) -> float:
    """Return the mean of ``max_{j,g} |<w, g a_j>|`` over white noise w of level 1."""
    noise = np.random.default_rng(0).standard_normal((DRAWS, *representation.shape))
    return float(representation.largest_polar(correlate(representation.analyze(noise), A)).mean())


def refit(
    representation: Representation, atoms: Atoms, A: Blocks, data: Floats, observed: Any
) -> Atoms:
    """Return the same atoms with the coefficients that fit the observed entries best."""
    moved = representation.synthesize(representation.represent(atoms.element) @ A[atoms.component])
    columns, y = moved.reshape(len(moved), data[0].size), data.reshape(len(data), -1)
    if observed is not None:
        columns = columns * observed.reshape(y.shape)[atoms.sample]
    c = np.zeros(len(columns))
    for i in np.flatnonzero(np.diff(atoms.offsets)):
        own = slice(atoms.offsets[i], atoms.offsets[i + 1])
        c[own] = np.linalg.lstsq(columns[own].T, y[i], rcond=1e-10)[0]
    return atoms.moved(c, atoms.element)


def _residual_level(
    representation: Representation, atoms: Atoms, A: Blocks, data: Floats, seen: Any
) -> float:
    """Return the root of the residual's mean square, for the numbers that were free."""
    left = seen * (data - decode_atoms(representation, atoms, A))
    entries = seen.reshape(len(seen), -1).sum(axis=1)
    chosen = np.diff(atoms.offsets) * (1 + representation.dimension)
    free = np.maximum(entries - chosen, 0.5 * entries).sum()
    return float(np.sqrt(np.sum(left**2) / max(free, 1.0)))
