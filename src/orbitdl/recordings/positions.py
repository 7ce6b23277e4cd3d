"""Where atoms lie in time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import as_components
from orbitdl.coding.codes import Codes
from orbitdl.groups.base import Floats


def positions(codes: Codes, components: ArrayLike) -> Floats:
    """Return where in its data point every atom lies, in samples.

    Parameters
    ----------
    codes : Codes
        As `encode` returns them.
    components : array-like of shape (q, ...)
        What was moved, such as ``model.components_``.

    Returns
    -------
    ndarray of shape (K,)
        One number per atom, in the order of ``codes.to_frame()``.

    Notes
    -----
    Where in a component its event lies is a convention. Here it is the point of largest absolute
    value in any channel: of an atom ``c g a`` the position is ``argmax_t max_channel |(g a)(t)|``
    along the first axis. Shifts answer as finely as they move: whole samples for `IntegerShift`,
    multiples of 1/K for `InterpolatedShift`, any number for `ContinuousShift`. Where vectors are
    turned as well (`Product`), it is where all channels together are largest, in the sum of their
    squares.

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
    shapes, moves, atoms = as_components(components), codes.representation, codes.atoms
    if shapes.shape != (atoms.n_components, *moves.shape):
        raise ValueError(
            f"these codes are of {atoms.n_components} components of shape {moves.shape}, not of an "
            f"array of shape {shapes.shape}; pass the components that the data were coded with."
        )
    return np.asarray(moves.locate(atoms.element, atoms.component, shapes))
