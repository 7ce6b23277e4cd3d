"""Positions of atoms in time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import as_components
from orbitdl.coding.codes import Codes
from orbitdl.groups.base import Floats


def positions(codes: Codes, components: ArrayLike) -> Floats:
    """Return the position of every atom in its data point, in samples.

    Parameters
    ----------
    codes : Codes
        As returned by `encode`.
    components : array-like of shape (q, ...)
        The components of the codes, such as ``model.components_``.

    Returns
    -------
    ndarray of shape (K,)
        One number per atom, in the order of ``codes.to_frame()``.

    Notes
    -----
    By convention the position of an atom ``c g a`` is that of its largest absolute value,
    ``argmax_t max_channel |(g a)(t)|`` along the first axis. Its resolution is that of the shifts:
    integers for `IntegerShift`, multiples of 1/K for `InterpolatedShift`, real numbers for
    `ContinuousShift`. For a `Product` it is the maximum of the sum of squares over channels.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl import encode, positions
    >>> from orbitdl.groups import IntegerShift
    >>> wave = np.array([0.6, 0.8, 0.0, 0.0, 0.0])
    >>> codes = encode(3 * np.roll(wave, 2)[None], wave[None], group=IntegerShift(), alpha=0.3)
    >>> codes.to_frame().assign(position=positions(codes, wave[None])).round(6)
       sample  component  coefficient  shift  position
    0       0          0          2.7    2.0       3.0
    """
    shapes, action, atoms = as_components(components), codes.representation, codes.atoms
    if shapes.shape != (atoms.n_components, *action.shape):
        raise ValueError(
            f"these codes are of {atoms.n_components} components of shape {action.shape}, not of "
            f"an array of shape {shapes.shape}; pass the components that the data were coded with."
        )
    return np.asarray(action.locate(atoms.element, atoms.component, shapes))
