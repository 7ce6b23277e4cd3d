"""Remove noise: the proximal map of the dictionary norm, and the level of noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.arrays.validation import require_jobs
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import Coder, require_coder
from orbitdl.coding.choice import default_coder
from orbitdl.encoding.encode import decode_atoms, refit
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Action, Group
from orbitdl.kernels.blas import single_threaded_blas

DRAWS = 256
"""Draws of white noise from which its largest correlation with an atom is learned."""
LOOSE, SAMPLES = 1e-2, 200
"""Gap, and largest number, of the codes from which the level of noise is estimated."""
STEPS, FALL, PATIENCE = 40, 0.75, 6
"""Thresholds tried at most, the factor from one to the next, and how many in vain."""


@single_threaded_blas()
def noise_level(
    X: ArrayLike,
    components: ArrayLike,
    *,
    group: Group,
    coder: Coder | None = None,
    n_jobs: int | None = None,
    mask: ArrayLike | None = None,
) -> float:
    """Estimate the standard deviation of white noise in X, one for all entries.

    Notes
    -----
    At most 200 data points are coded with thresholds alpha falling from where the first atom
    enters, and the atoms found are fitted by least squares, as long as this lowers the risk
    inflation criterion (Foster and George, 1994)

        N log(S / N) + K (1 + dim G + kappa^2),

    S the sum of squares left in N observed entries, K the number of atoms, dim G the dimension of
    the group, and kappa the mean of ``max_{j,g} |<w, g a_j>|`` over white noise w of level 1: an
    atom has to explain more than the best of all atoms explains of noise. The estimate is
    ``sqrt(S / (N - K (1 + dim G)))`` at the best threshold. What the components cannot explain
    counts as noise.

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
    coder, n_jobs = require_coder(coder), require_jobs(n_jobs)
    samples = Samples.of(X, group, mask, n_jobs)
    A = samples.analyze(components)
    return _level(samples, A, noise_reach(samples.representation, A), coder, n_jobs)


def noise_threshold(samples: Samples, A: Blocks, coder: Coder | None, n_jobs: int | None) -> float:
    """Return the alpha that `denoise` takes for "noise"."""
    reach = noise_reach(samples.representation, A)
    level = _level(samples, A, reach, coder, n_jobs)
    alpha = max(level, 1e-4 * root_mean_square(samples)) * reach
    return alpha or 1.0  # nothing to code, or nothing to code it with


def _level(
    samples: Samples, A: Blocks, reach: float, coder: Coder | None, n_jobs: int | None
) -> float:
    samples = samples.take(some_of(len(samples)))
    top = float(samples.representation.largest_product(samples.Y, A).max())
    if top == 0.0:
        return root_mean_square(samples)
    coder = coder or default_coder(samples.representation, LOOSE)
    prepared, masked = coder.prepare(samples.representation, A), samples.masked
    best, level, worse = np.inf, 0.0, 0
    for alpha in top * FALL ** np.arange(STEPS):
        atoms = prepared.code(samples.Y, float(alpha), masked=masked, n_jobs=n_jobs).atoms
        criterion, sigma = _judge(samples, refit(samples, atoms, A), A, reach)
        if criterion < best:
            best, level, worse = criterion, sigma, 0
        else:
            worse += 1
        if worse == PATIENCE:
            break
    return level


def some_of(n: int) -> Integers:
    """Return the numbers of the data points that the noise level is estimated from."""
    return np.random.default_rng(0).permutation(n)[:SAMPLES]


def root_mean_square(samples: Samples) -> float:
    """Return the size of the observed entries; the others are zero."""
    signal, observed = samples.signal, samples.observed
    count = signal.size if observed is None else max(int(observed.sum()), 1)
    return float(np.sqrt(np.sum(signal**2) / count))


def noise_reach(representation: Action, A: Blocks) -> float:
    """Return the mean of ``max_{j,g} |<w, g a_j>|`` over white noise w of level 1."""
    noise = np.random.default_rng(0).standard_normal((DRAWS, *representation.shape))
    return float(representation.largest_product(representation.analyze(noise), A).mean())


def _judge(samples: Samples, atoms: Atoms, A: Blocks, reach: float) -> tuple[float, float]:
    """Return the information criterion of a fit and the level of noise it leaves."""
    energy = max(float(np.sum(left_by(samples, atoms, A) ** 2)), np.finfo(np.float64).tiny)
    total = float(samples.signal.size if samples.observed is None else samples.observed.sum())
    atom_count, numbers = len(atoms.coefficient), 1 + samples.representation.dimension
    free = total - atom_count * numbers
    if free <= 0.5 * total:
        return np.inf, np.inf
    price = atom_count * (numbers + reach**2)
    return total * np.log(energy / total) + price, float(np.sqrt(energy / free))


def left_by(samples: Samples, atoms: Atoms, A: Blocks) -> Floats:
    """Return what atoms of components A leave of the data, zero where nothing was observed."""
    left = samples.signal - decode_atoms(samples.representation, atoms, A)
    return left if samples.observed is None else np.where(samples.observed, left, 0.0)
