"""The circle: turns by any amount, whatever they turn."""

from __future__ import annotations

from orbitdl.groups.base import Representation


class CircleRepresentation(Representation):
    """Action of the circle: block f is multiplied by ``exp(-2 pi i f element / period)``.

    Attributes
    ----------
    period : float
        A whole turn, in the unit of the parameter.
    cells : int
        Resolution cells of one turn, at least ``2 F - 1``.
    """

    period: float
    cells: int
