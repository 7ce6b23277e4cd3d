"""Direct product of a group of shifts and a matrix group: multichannel signals."""

from __future__ import annotations

from dataclasses import dataclass

from orbitdl.groups.base import Group, require_group
from orbitdl.groups.vectors.product_representation import ProductRepresentation


@dataclass(frozen=True)
class Product(Group):
    """Direct product of a group of shifts and a matrix group that acts on the channels.

    Parameters
    ----------
    shift : Group
        A group of shifts: `IntegerShift`, `InterpolatedShift` or `ContinuousShift`.
    matrices : Group
        A matrix group: `Orthogonal`, `SpecialOrthogonal`, `Azimuth` or `Permutation`.

    Notes
    -----
    Acts on signals (N, d), or (N, d, r) with r vectors per sample: ``y(t) -> h y(t - tau)``. An
    element is the shift, followed by the parameters of the matrix h. Block coordinates are spectra:
    one complex (d, r) block per frequency f, on which an element acts as
    ``exp(-2 pi i f tau / N) h``. With correlations C and
    ``X(tau) = Re sum_f C_f exp(2 pi i f tau / N)`` the polar is ``max_tau polar_H(X(tau))``: for
    all orthogonal matrices, the largest nuclear norm. For an even length the Nyquist frequency
    stays in the residual, unless shifts are integers. The gauge has no closed form.

    A point of the convex hull of the matrix group is a sum of several matrices, so codes may have
    several atoms at one time: `Codes.to_events` merges them.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import Azimuth, IntegerShift
    >>> product = Product(IntegerShift(), Azimuth()).on((4, 3))
    >>> ground = np.zeros((4, 3))
    >>> ground[0] = 1.0, 0.0, 5.0
    >>> product.act(np.array([2.0, 90.0]), ground).round(12)[2]
    array([0., 1., 5.])
    """

    shift: Group
    matrices: Group

    def __post_init__(self) -> None:
        for group in (self.shift, self.matrices):
            require_group(group)

    @property
    def name(self) -> str:
        return f"Product({self.shift.name}, {self.matrices.name})"

    def on(self, shape: tuple[int, ...]) -> ProductRepresentation:
        return ProductRepresentation(self, self.shift, self.matrices, shape)
