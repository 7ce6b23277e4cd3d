"""Which coder serves a group that is not said in terms of another one."""

from __future__ import annotations

from orbitdl.coding.active_set import ActiveSet
from orbitdl.coding.base import Coder
from orbitdl.coding.growing import Growing
from orbitdl.coding.matching import Matching
from orbitdl.coding.proximal import Proximal
from orbitdl.coding.sliding import Sliding
from orbitdl.groups.base import Representation


def direct_coder(representation: Representation, tol: float, max_iter: int | None = None) -> Coder:
    """Return the fastest exact coder for this group action, else `Matching`.

    With as many iterations as it takes by default, or `max_iter`.

    Examples
    --------
    >>> from orbitdl.groups import ContinuousShift
    >>> direct_coder(ContinuousShift().on((20,)), 1e-6)
    Sliding(tol=1e-06, max_iter=100, max_atoms=60)
    """
    for kind in (ActiveSet, Sliding, Proximal, Growing, Matching):
        coder = kind(tol=tol) if max_iter is None else kind(tol=tol, max_iter=max_iter)
        if coder.serves(representation):
            return coder
    raise AssertionError("Matching serves every group")
