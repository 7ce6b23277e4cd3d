"""Off-the-grid lasso of a chunk of a recording."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from orbitdl.arrays.blocks import Floats
from orbitdl.arrays.warnings import warn_user
from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.atoms import at_times, between, in_order, joined, outside
from orbitdl.domains.time.correlations import correlations, residual_of
from orbitdl.domains.time.oracles import ENDLESS, WaveformTables
from orbitdl.domains.time.residuals import Residual
from orbitdl.domains.time.splines import GRAM
from orbitdl.domains.time.sweeps import (
    BLOCK_MARGIN,
    END,
    FIRST,
    FULL,
    Blocks,
    make_blocks,
    sweep_until_clean,
)
from orbitdl.domains.time.waveforms import Waveforms

CAPACITY = 32
"""Initial capacity of a block in atoms; doubled when it is exceeded."""
SWEEPS = 50
"""Maximum number of sweeps before the certificate is computed."""
CROWDED = 128
"""Maximum number of atoms of an enlarged block: the cost of a Newton step is cubic."""


@dataclass(frozen=True, eq=False)
class RecordingCoder:
    """Settings of the coder of recordings.

    Attributes
    ----------
    waveforms : Waveforms
    alpha : float
        Regularisation weight.
    tol : float
        Tolerance of the relative duality gap of a recording.
    positive, integer_shifts : bool
        Whether coefficients must be positive, and times integers.
    span : int
        Factor of the size of windows. Larger windows converge faster if atoms overlap densely.
    """

    waveforms: Waveforms
    alpha: float
    tol: float = 1e-4
    positive: bool = False
    integer_shifts: bool = False
    span: int = 1

    def tighter(self, factor: float) -> RecordingCoder:
        """Return a coder with a smaller tolerance and larger windows."""
        return replace(self, tol=factor * self.tol, span=2 * self.span)

    def warn_if(self, unconverged: bool, who: str, largest: float) -> None:
        """Warn that some recordings stopped above the tolerance."""
        if unconverged:
            warn_user(
                f"{who} stopped above the gap tolerance {self.tol:.1e} (largest gap "
                f"{largest:.1e}); pass a larger tol or alpha.",
                ConvergenceWarning,
            )

    @property
    def least_block(self) -> int:
        """Smallest size of blocks in positions."""
        return self.waveforms.length + BLOCK_MARGIN

    @property
    def shapes(self) -> WaveformTables:
        """Waveforms in the form used by kernels."""
        u = np.ascontiguousarray(self.waveforms.u)
        steps = np.diff(np.pad(u, [(0, 0), (1, 1), (0, 0)]), axis=1)
        curvature = GRAM[0] * np.sum(steps**2, axis=(1, 2))
        return WaveformTables(
            ENDLESS, curvature, u, self.waveforms.products, self.positive, self.integer_shifts
        )

    def code(
        self,
        x: Floats,
        observed: NDArray[np.bool_],
        known: Atoms,
        first: float = -np.inf,
        last: float = np.inf,
        taps: Floats | None = None,
    ) -> Atoms:
        """Optimise the atoms that begin in ``[first, last)``, with the other known atoms fixed.

        Parameters
        ----------
        x : ndarray of shape (n, channels)
            Zero where nothing was observed.
        observed : ndarray of shape (n,)
        known : Atoms
            All atoms that overlap x; those between `first` and `last` are the warm start.
        taps : ndarray of shape (q, n + W - 1 + 12) or None
            Taps of a penalty field at all positions from ``-offset`` on, see
            `positions_of`; None: constant penalty alpha.

        Returns
        -------
        Atoms
            Those between `first` and `last`, sorted by time.
        """
        workspace, dirty, size = CAPACITY, None, self._block_size(len(x), len(known.time))
        own, fixed = between(known, first, last), outside(known, first, last)
        while True:
            residual = residual_for(x, observed, self, known, taps)
            blocks = blocks_of(residual, self.waveforms, own, size, workspace, dirty)
            ends = first + residual.offset, last + residual.offset
            positions = int(max(ends[0], FIRST)), int(min(ends[1], residual.e.shape[1] - END))
            ended = sweep_until_clean(residual, blocks, positions, self.alpha, self.tol, SWEEPS)
            own = atoms_in_blocks(blocks, self.waveforms)
            if ended != FULL:
                return own
            _require_duration(workspace, blocks, self)
            known, workspace = joined([own, fixed]), 2 * workspace
            dirty = blocks.dirty  # solved blocks stay solved

    def _block_size(self, samples: int, atoms: int) -> int:
        """Return the size of blocks in positions, from the density of known atoms."""
        least = self.least_block
        in_one = max(atoms * least / samples, 1.0)
        return least * max(min(self.span, int(CROWDED / in_one)), 1)


def _require_duration(workspace: int, blocks: Blocks, coder: RecordingCoder) -> None:
    """Raise ValueError if a block has more atoms than samples."""
    if workspace > blocks.size * coder.waveforms.u.shape[2]:
        raise ValueError(
            f"alpha={coder.alpha:g} is too small: codes would need as many atoms as there are "
            'samples; pass a larger alpha, or alpha="auto".'
        )


def residual_for(
    x: Floats,
    observed: NDArray[np.bool_],
    coder: RecordingCoder,
    known: Atoms,
    taps: Floats | None = None,
) -> Residual:
    """Return residual and correlations of a recording after subtraction of known atoms."""
    waveforms = coder.waveforms
    r = residual_of(x, observed, waveforms, known)
    return Residual(
        correlations(r, waveforms),
        r,
        observed.astype(np.float64),
        complete_positions(observed, waveforms),
        coder.shapes,
        waveforms.offset,
        None if taps is None else coder.alpha * (taps - 1.0),
    )


def complete_positions(observed: NDArray[np.bool_], waveforms: Waveforms) -> NDArray[np.bool_]:
    """Return for every position whether atoms there, and next to it, are completely observed."""
    width, offset = waveforms.length, waveforms.offset
    n_positions = len(observed) + width - 1 + 2 * (offset - width + 1)
    missing = np.ones(n_positions + width + 4, dtype=bool)
    missing[offset + 2 : offset + 2 + len(observed)] = ~observed
    before = np.concatenate([[0], np.cumsum(missing)])
    return np.asarray(before[width + 4 :][:n_positions] == before[:n_positions])


def blocks_of(
    residual: Residual,
    waveforms: Waveforms,
    atoms: Atoms,
    size: int,
    workspace: int,
    dirty: Floats | None = None,
) -> Blocks:
    """Return blocks with the initial atoms and spare capacity; all dirty by default."""
    position = atoms.time + waveforms.offset
    owner = (position // size).astype(np.intp)
    filled = np.bincount(owner, minlength=1)
    blocks = make_blocks(residual.e.shape[1], size, max(workspace, 2 * int(filled.max())))
    order = np.argsort(owner, kind="stable")
    at = np.arange(len(order)) - np.repeat(np.cumsum(filled) - filled, filled)
    blocks.component[owner[order], at] = atoms.component[order]
    blocks.position[owner[order], at] = position[order]
    blocks.c[owner[order], at] = atoms.coefficient[order]
    blocks.filled[: len(filled)] = filled
    if dirty is not None:
        blocks.dirty[:] = dirty
    return blocks


def atoms_in_blocks(blocks: Blocks, waveforms: Waveforms) -> Atoms:
    """Return all atoms, sorted by time."""
    used = np.arange(blocks.c.shape[1]) < blocks.filled[:, None]
    time = blocks.position[used] - waveforms.offset
    return in_order(at_times(blocks.component[used], time, blocks.c[used], len(waveforms)))
