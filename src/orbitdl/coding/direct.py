"""Which coder serves a group that is not said in terms of another one."""

from __future__ import annotations

from orbitdl.coding.active_set import ActiveSet
from orbitdl.coding.base import Coder
from orbitdl.coding.matching import Matching
from orbitdl.coding.proximal import Proximal
from orbitdl.coding.sliding import Sliding
from orbitdl.groups.base import Representation


def direct_coder(representation: Representation, tol: float) -> Coder:
    """Return the fastest exact coder for this group action, else `Matching`.

    Examples
    --------
    >>> from orbitdl.groups import ContinuousShift
    >>> direct_coder(ContinuousShift().on((20,)), 1e-6)
    Sliding(tol=1e-06, max_iter=100, max_atoms=60)
    """
    candidates: tuple[Coder, ...] = (ActiveSet(tol=tol), Sliding(tol=tol), Proximal(tol=tol))
    for coder in candidates:
        if coder.serves(representation):
            return coder
    return Matching(tol=tol)
