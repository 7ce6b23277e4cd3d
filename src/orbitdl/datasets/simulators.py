"""Simulators of the model: sparse sums of transformed components."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from orbitdl.datasets.transforms import draw_orthogonal, shift_signals

Seed = int | np.random.Generator | None


@dataclass(frozen=True, eq=False)
class ShiftData:
    """Sums of shifted components, with ground truth.

    Attributes
    ----------
    X : ndarray of shape (n_samples, length)
        The samples.
    components : ndarray of shape (n_components, length)
        The true components, of unit norm.
    events : DataFrame with n_samples * n_atoms rows
        One row an atom, in the order of samples: `sample`, `component`, `coefficient` and
        `shift` (in samples, to the right).
    """

    X: NDArray[np.float64]
    components: NDArray[np.float64]
    events: pd.DataFrame


@dataclass(frozen=True, eq=False)
class SynchronizationData:
    """Sums of rotated components, with ground truth.

    Attributes
    ----------
    X : ndarray of shape (n_samples, dimension, n_devices)
        The samples.
    components : ndarray of shape (n_components, dimension, n_devices)
        The true components; their columns have unit norm.
    coefficients : ndarray of shape (n_samples, n_components)
        The weight of each component in each sample.
    rotations : ndarray of shape (n_samples, n_components, dimension, dimension)
        The orthogonal matrix of each component in each sample.
    """

    X: NDArray[np.float64]
    components: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    rotations: NDArray[np.float64]


def make_shift_data(
    n_samples: int = 1000,
    length: int = 30,
    n_components: int = 3,
    n_atoms: int = 5,
    *,
    noise: float = 0.0,
    subdivisions: int | None = 1,
    random_state: Seed = None,
) -> ShiftData:
    r"""Draw samples that are sparse sums of circularly shifted components.

    Parameters
    ----------
    n_samples : int
        Number of samples.
    length : int
        Number of values in a sample.
    n_components : int
        Number of components; they are drawn uniformly from the unit sphere.
    n_atoms : int
        Number of atoms, shifted components, in each sample.
    noise : float
        Standard deviation of the white noise added to each value.
    subdivisions : int or None
        Shifts are multiples of `1 / subdivisions` of a sample; with None they are real numbers in
        [0, length).
    random_state : int, Generator or None
        Seed of all random numbers.

    Returns
    -------
    ShiftData
        Samples `X`, true `components`, and the table of `events`.

    Notes
    -----
    With :math:`N` the length, :math:`s` the number of atoms and :math:`T^\tau` the shift to the
    right,

    .. math::

        y_i = \sum_{k=1}^{s} c_{ik}\, T^{\tau_{ik}} a_{j_{ik}} + \epsilon_i,
        \qquad \widehat{T^\tau a}(f) = e^{-2 \pi i f \tau / N}\, \hat a(f),

    where coefficients are standard normal and each atom is drawn uniformly and independently
    from all pairs of a component and a shift. An integer shift `r` is `numpy.roll(a, r)`. For an
    even length, fractional shifts cannot represent the Nyquist frequency: unless `subdivisions=1`,
    components are drawn without it.

    Examples
    --------
    >>> data = make_shift_data(n_samples=100, n_atoms=2, random_state=0)
    >>> data.X.shape, data.components.shape
    ((100, 30), (3, 30))
    >>> first = data.events[data.events["sample"] == 0]
    >>> atoms = [
    ...     atom.coefficient * np.roll(data.components[int(atom.component)], int(atom.shift))
    ...     for atom in first.itertuples()
    ... ]
    >>> bool(np.allclose(sum(atoms), data.X[0]))
    True
    """
    _check_counts(n_samples=n_samples, length=length, n_components=n_components, n_atoms=n_atoms)
    check_scalar(noise, "noise", Real, min_val=0)
    if subdivisions is not None:
        _check_counts(subdivisions=subdivisions)
    rng = np.random.default_rng(random_state)

    spectrum = np.fft.rfft(rng.standard_normal((n_components, length)))
    if subdivisions != 1 and length % 2 == 0:
        spectrum[:, -1] = 0.0
    components = np.fft.irfft(spectrum, length)
    components /= np.linalg.norm(components, axis=1, keepdims=True)

    size = (n_samples, n_atoms)
    component = rng.integers(n_components, size=size)
    coefficient = rng.standard_normal(size)
    if subdivisions is None:
        shift = rng.uniform(0.0, length, size)
    else:
        shift = rng.integers(length * subdivisions, size=size) / subdivisions

    X = noise * rng.standard_normal((n_samples, length))
    for k in range(n_atoms):
        atoms = shift_signals(components[component[:, k]], shift[:, k])
        X += coefficient[:, k, None] * atoms
    events = pd.DataFrame(
        {
            "sample": np.repeat(np.arange(n_samples), n_atoms),
            "component": component.ravel(),
            "coefficient": coefficient.ravel(),
            "shift": shift.ravel(),
        }
    )
    return ShiftData(X, components, events)


def make_synchronization_data(
    n_samples: int = 1000,
    dimension: int = 3,
    n_devices: int = 20,
    n_components: int = 1,
    *,
    noise: float = 0.1,
    random_state: Seed = None,
) -> SynchronizationData:
    r"""Draw noisy sums of components multiplied by orthogonal matrices.

    Parameters
    ----------
    n_samples : int
        Number of samples.
    dimension : int
        Rows of a sample: the space the orthogonal matrices act on.
    n_devices : int
        Columns of a sample: devices with a common rotation.
    n_components : int
        Number of components. One alone always has the coefficient 1; several have
        standard normal coefficients.
    noise : float
        Standard deviation of the white noise added to each entry.
    random_state : int, Generator or None
        Seed of all random numbers.

    Returns
    -------
    SynchronizationData
        Samples `X`, true `components`, their `coefficients` and `rotations`.

    Notes
    -----
    With :math:`G_{ij}` drawn uniformly (by Haar measure) from the orthogonal group,

    .. math::

        Y_i = \sum_{j=1}^{q} c_{ij}\, G_{ij} A_j + E_i .

    Columns of :math:`A_j` are drawn uniformly from the unit sphere, so that
    :math:`\|A_j\|_F^2` is the number of devices: divide by its root to compare with learned
    components, which have unit norm.

    Examples
    --------
    >>> data = make_synchronization_data(n_samples=50, noise=0.0, random_state=0)
    >>> data.X.shape, data.components.shape
    ((50, 3, 20), (1, 3, 20))
    >>> bool(np.allclose(data.X[7], data.rotations[7, 0] @ data.components[0]))
    True
    """
    _check_counts(
        n_samples=n_samples, dimension=dimension, n_devices=n_devices, n_components=n_components
    )
    check_scalar(noise, "noise", Real, min_val=0)
    rng = np.random.default_rng(random_state)

    components = rng.standard_normal((n_components, dimension, n_devices))
    components /= np.linalg.norm(components, axis=1, keepdims=True)
    rotations = draw_orthogonal(rng, (n_samples, n_components), dimension)
    coefficients = np.ones((n_samples, 1))
    if n_components > 1:
        coefficients = rng.standard_normal((n_samples, n_components))

    X = noise * rng.standard_normal((n_samples, dimension, n_devices))
    X += np.einsum("ij,ijde,jer->idr", coefficients, rotations, components, optimize=True)
    return SynchronizationData(X, components, coefficients, rotations)


def _check_counts(**counts: int) -> None:
    """Raise ValueError for values that are not positive integers."""
    for name, value in counts.items():
        check_scalar(value, name, Integral, min_val=1)
