"""Which coder serves a group when the user names none."""

from __future__ import annotations

from orbitdl.coding.base import Coder
from orbitdl.coding.direct import direct_coder
from orbitdl.coding.folding import Folding
from orbitdl.groups.base import Representation


def default_coder(representation: Representation, tol: float = 1e-4) -> Coder:
    """Return the fastest exact coder for this group action, else `Matching`.

    Examples
    --------
    >>> from orbitdl.groups import Orthogonal
    >>> default_coder(Orthogonal().on((3, 20)))
    Proximal(tol=0.0001, max_iter=5000, check_every=10)
    """
    folding = Folding(tol=tol)
    return folding if folding.serves(representation) else direct_coder(representation, tol)
