"""Which coder serves a group when the user names none."""

from __future__ import annotations

from orbitdl.coding.active_set import ActiveSet
from orbitdl.coding.base import Coder
from orbitdl.coding.growing.coder import Growing
from orbitdl.coding.matching import Matching
from orbitdl.coding.proximal import Proximal
from orbitdl.coding.sliding.coder import Sliding
from orbitdl.groups.base import Action


def default_coder(action: Action, tol: float = 1e-4) -> Coder:
    """Return the fastest exact coder for this group action, else `Matching`.

    Examples
    --------
    >>> from orbitdl.groups import Orthogonal
    >>> default_coder(Orthogonal().on((3, 20)))
    Proximal(tol=0.0001, max_iter=5000, check_every=10)
    """
    coders = (kind(tol=tol) for kind in (ActiveSet, Sliding, Proximal, Growing, Matching))
    return next(coder for coder in coders if coder.serves(action.base))
