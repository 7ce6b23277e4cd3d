"""Code a part of a recording: where waveforms occur in it, at any time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from orbitdl.domains.time.atoms import LineAtoms
from orbitdl.domains.time.correlations import correlations
from orbitdl.domains.time.oracles import ENDLESS, Shapes
from orbitdl.domains.time.residuals import Line
from orbitdl.domains.time.splines import GRAM
from orbitdl.domains.time.sweeps import (
    END,
    FIRST,
    FULL,
    LONGER,
    Blocks,
    make_blocks,
    sweep_until_clean,
)
from orbitdl.domains.time.waveforms import BEYOND, Waveforms
from orbitdl.groups.base import Floats

ROOM = 32
"""Atoms that a block has room for at first; twice as many where one needs more."""
SWEEPS = 50
"""Sweeps over a part at most, before the certificate is asked."""
CROWDED = 128
"""Atoms of a block up to which it may be made larger: a Newton step costs their cube."""


@dataclass(frozen=True, eq=False)
class LineCoder:
    """What recordings are coded with.

    Attributes
    ----------
    waveforms : Waveforms
    alpha : float
        Weight of sparsity.
    tol : float
        Relative gap of a recording.
    positive, whole : bool
        Whether coefficients must be positive, and times whole samples.
    span : int
        How many times larger the windows are that are solved at a time, where atoms are few enough.
        Where atoms overlap densely, small ones may depend on each other too much.
    """

    waveforms: Waveforms
    alpha: float
    tol: float = 1e-4
    positive: bool = False
    whole: bool = False
    span: int = 1

    def tighter(self, factor: float) -> LineCoder:
        """Return the same with a smaller tolerance and windows that depend less on each other."""
        return replace(self, tol=factor * self.tol, span=2 * self.span)

    @property
    def shapes(self) -> Shapes:
        """What kernels look up of the waveforms."""
        u = np.ascontiguousarray(self.waveforms.u)
        steps = np.diff(np.pad(u, [(0, 0), (1, 1), (0, 0)]), axis=1)
        bend = GRAM[0] * np.sum(steps**2, axis=(1, 2))
        return Shapes(ENDLESS, bend, u, self.waveforms.products, self.positive, self.whole)

    def code(
        self,
        x: Floats,
        observed: NDArray[np.bool_],
        known: LineAtoms,
        first: float = -np.inf,
        last: float = np.inf,
        taps: Floats | None = None,
    ) -> LineAtoms:
        """Find the best atoms that begin from `first` up to `last`, the others known held fixed.

        Parameters
        ----------
        x : ndarray of shape (n, channels)
            Zero where nothing was observed.
        observed : ndarray of shape (n,)
        known : LineAtoms
            All that touch x; those between `first` and `last` are where to start.
        taps : ndarray of shape (q, n + W - 1 + 12) or None
            Taps of a penalty field at all positions from ``-offset`` on, see
            `positions_of`; None: the penalty is alpha everywhere.

        Returns
        -------
        LineAtoms
            Those between `first` and `last`, in the order of time.
        """
        room, dirty, size = ROOM, None, self._block_size(len(x), len(known))
        own, fixed = known.between(first, last), known.outside(first, last)
        while True:
            line = line_of(x, observed, self, known, taps)
            blocks = blocks_of(line, self.waveforms, own, size, room, dirty)
            ends = first + line.offset, last + line.offset
            places = int(max(ends[0], FIRST)), int(min(ends[1], line.e.shape[1] - END))
            ended = sweep_until_clean(line, blocks, places, self.alpha, self.tol, SWEEPS)
            own = atoms_of(blocks, self.waveforms)
            if ended != FULL:
                return own
            _require_room(room, blocks, self)
            known, room = LineAtoms.concatenate([own, fixed]), 2 * room
            dirty = blocks.dirty  # what is solved stays so

    def _block_size(self, samples: int, atoms: int) -> int:
        """Return how many places a block has, given how many atoms are known of so many samples."""
        least = self.waveforms.length + LONGER
        in_one = max(atoms * least / samples, 1.0)
        return least * max(min(self.span, int(CROWDED / in_one)), 1)


def _require_room(room: int, blocks: Blocks, coder: LineCoder) -> None:
    """Refuse to go on where a stretch of a recording has more atoms than samples."""
    if room > blocks.size * coder.waveforms.u.shape[2]:
        raise ValueError(
            f"alpha={coder.alpha:g} is so small that as many atoms would be needed as there are "
            'samples; pass a larger one, or alpha="auto".'
        )


def line_of(
    x: Floats,
    observed: NDArray[np.bool_],
    coder: LineCoder,
    known: LineAtoms,
    taps: Floats | None = None,
) -> Line:
    """Return a recording at work, with the atoms at hand taken out of it."""
    waveforms = coder.waveforms
    r = residual_of(x, observed, waveforms, known)
    return Line(
        correlations(r, waveforms),
        r,
        observed.astype(np.float64),
        uncut_places(observed, waveforms),
        coder.shapes,
        waveforms.offset,
        None if taps is None else coder.alpha * (taps - 1.0),
    )


def positions_of(samples: int, waveforms: Waveforms) -> tuple[int, int]:
    """Return the first position of correlations with so many samples, and the one after the last.

    Positions count from the first sample; atoms may overhang either end.
    """
    first = -waveforms.offset
    return first, first + samples + waveforms.length - 1 + 2 * BEYOND


def residual_of(
    x: Floats, observed: NDArray[np.bool_], waveforms: Waveforms, atoms: LineAtoms
) -> Floats:
    """Return what atoms leave of x (n, channels), zero where nothing was observed."""
    fitted = waveforms.add_up(len(x), atoms.component, atoms.time, atoms.coefficient)
    return np.where(observed[:, None], x - fitted, 0.0)


def uncut_places(observed: NDArray[np.bool_], waveforms: Waveforms) -> NDArray[np.bool_]:
    """Tell for every place whether all samples of an atom there, and beside it, were observed."""
    width, offset = waveforms.length, waveforms.offset
    n_places = len(observed) + width - 1 + 2 * (offset - width + 1)
    missing = np.ones(n_places + width + 4, dtype=bool)
    missing[offset + 2 : offset + 2 + len(observed)] = ~observed
    before = np.concatenate([[0], np.cumsum(missing)])
    return np.asarray(before[width + 4 :][:n_places] == before[:n_places])


def blocks_of(
    line: Line,
    waveforms: Waveforms,
    atoms: LineAtoms,
    size: int,
    room: int,
    dirty: Floats | None = None,
) -> Blocks:
    """Return blocks with the atoms at hand, and room for more; all dirty unless it is known."""
    place = atoms.time + waveforms.offset
    owner = (place // size).astype(np.intp)
    filled = np.bincount(owner, minlength=1)
    blocks = make_blocks(line.e.shape[1], size, max(room, 2 * int(filled.max())))
    order = np.argsort(owner, kind="stable")
    at = np.arange(len(order)) - np.repeat(np.cumsum(filled) - filled, filled)
    blocks.component[owner[order], at] = atoms.component[order]
    blocks.place[owner[order], at] = place[order]
    blocks.c[owner[order], at] = atoms.coefficient[order]
    blocks.filled[: len(filled)] = filled
    if dirty is not None:
        blocks.dirty[:] = dirty
    return blocks


def atoms_of(blocks: Blocks, waveforms: Waveforms) -> LineAtoms:
    """Return all atoms, in the order of time."""
    kept = np.arange(blocks.c.shape[1]) < blocks.filled[:, None]
    time = blocks.place[kept] - waveforms.offset
    return LineAtoms(blocks.component[kept], time, blocks.c[kept]).in_order()
