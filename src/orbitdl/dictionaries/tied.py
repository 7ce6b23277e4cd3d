"""Components tied by fixed linear maps, such as reversal, reflection or rotation by 90 degrees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.embedded import Embedded
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.groups.base import Action, Maps


def dictionary_of(action: Action, A: Blocks, *, normalize_after: bool = False) -> Dictionary:
    """Return the dictionary of components A (q, F, d, m) for an action.

    Unit balls for most groups; tied components for actions with maps.
    """
    if action.maps is None:
        return UnitBall(A, normalize_after)
    return Tied.of(A, action.maps, normalize_after=normalize_after)


@dataclass(frozen=True, eq=False)
class Tied(Embedded):
    """Copies ``L_f theta_j`` of every component under maps L_f, the identity first.

    Attributes
    ----------
    inner : Dictionary
        The dictionary of theta (q, F', D, m), in the real blocks of the maps.
    maps : Maps
        Isometries over the real numbers, which permute, conjugate and rotate complex blocks.
    shape : tuple of int
        ``(F, d)`` of components.

    Notes
    -----
    Copy f of component j has the index ``j |F| + f``. With L the stacked maps, the statistics of
    one block of theta are sums over the few blocks that it maps to, and over pairs of copies:

        N_jl = Re sum_{f,g} L_f^H H_{jf,lg} L_g,     r_j = Re sum_f L_f^H R_jf.

    Data stay in the complex blocks of the group, and coders use ``q |F|`` components.
    """

    maps: Maps
    shape: tuple[int, int]

    @classmethod
    def of(cls, A: Blocks, maps: Maps, *, normalize_after: bool = False) -> Tied:
        """Return the dictionary with identity copies A (q, F, d, m)."""
        _, n_blocks, _, _, size = maps.matrices.shape
        nothing = np.zeros((len(A), n_blocks, size, A.shape[3]))
        empty = cls(UnitBall(nothing, normalize_after), maps, (A.shape[1], A.shape[2]))
        return empty.at(empty.restrict(A))

    @property
    def copies(self) -> int:  # type: ignore[override]
        return len(self.maps.matrices)

    def embed(self, theta: Blocks) -> Blocks:
        made = np.einsum("fosdc,jocm->jfosdm", self.maps.matrices, theta)
        q, copies, _, _, _, m = made.shape
        A = np.zeros((q * copies, *self.shape, m), made.dtype)
        block, own = np.nonzero(self.maps.member >= 0)
        made = made.reshape(q * copies, *made.shape[2:])
        A[:, self.maps.member[block, own]] = made[:, block, own]
        return A

    def restrict(self, A: Blocks) -> Floats:
        members = self._gathered(A, axis=1)
        theta = np.einsum("osdc,josdm->jocm", self.maps.matrices[0].conj(), members)
        return np.ascontiguousarray(theta.real)

    def pull(self, statistics: Statistics) -> Statistics:
        matrices, (n_blocks, d) = self.maps.matrices, self.shape
        copies, n_orbits, s, _, size = matrices.shape
        q, m = len(self), statistics.cross.shape[2]
        normal = statistics.normal.reshape(n_blocks, q, copies, d, q, copies, d)
        cross = statistics.cross.reshape(n_blocks, q, copies, d, m)
        right = np.einsum("gosye,osjfxlgy->osjfxle", matrices, self._gathered(normal))
        both = np.einsum("fosxc,osjfxle->ojcle", matrices.conj(), right).real
        pulled = np.einsum("fosxc,osjfxm->ojcm", matrices.conj(), self._gathered(cross)).real
        return Statistics(
            np.ascontiguousarray(both).reshape(n_orbits, q * size, q * size),
            np.ascontiguousarray(pulled).reshape(n_orbits, q * size, m),
            self.usage(statistics),
        )

    def _gathered(self, blocks: Blocks, axis: int = 0) -> Blocks:
        """Return an array over blocks gathered by orbits, with zeros for padding."""
        nothing = np.zeros_like(np.take(blocks, [0], axis=axis))
        return np.take(np.concatenate([blocks, nothing], axis=axis), self.maps.member, axis=axis)
