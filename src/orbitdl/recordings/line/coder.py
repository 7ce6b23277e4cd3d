"""Code a recording: where waveforms occur in it, at any time, with one certificate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers
from orbitdl.recordings.line.correlations import correlations, largest
from orbitdl.recordings.line.oracles import ENDLESS, Shapes
from orbitdl.recordings.line.splines import GRAM
from orbitdl.recordings.line.sweeps import Blocks, make_blocks, sweep_until_clean
from orbitdl.recordings.line.waveforms import Waveforms
from orbitdl.recordings.line.windows_at_work import Line

ROOM = 32
"""Atoms that a block has room for at first; twice as many where one needs more."""
SWEEPS = 50
"""Sweeps over a recording at most, before the certificate is asked."""
TRIES = 4
"""How often the tolerance of windows is tightened until the certificate is met."""
ROUNDING = 1e-12
"""Relative error that the largest correlation may have."""


@dataclass(frozen=True, eq=False)
class LineCodes:
    """Atoms of a recording, in the order of time, and how good they are.

    Attributes
    ----------
    component : ndarray of shape (K,)
    time : ndarray of shape (K,)
        Where a waveform begins, in samples; negative where it overhangs the start.
    coefficient : ndarray of shape (K,)
    objective : float
        ``1/2 ||M (x - sum_k c_k a_{j_k}(. - tau_k))||^2 + alpha sum_k |c_k|``.
    gap : float
        Certified relative duality gap of the whole recording.
    """

    component: Integers
    time: Floats
    coefficient: Floats
    objective: float
    gap: float

    def __len__(self) -> int:
        return len(self.time)


def code_line(
    signal: Floats,
    observed: NDArray[np.bool_],
    waveforms: Waveforms,
    alpha: float,
    tol: float = 1e-4,
    warm: LineCodes | None = None,
) -> LineCodes:
    """Code a recording (T, channels), of which `observed` (T,) says what is there.

    Notes
    -----
    Solves ``min 1/2 ||M (x - sum_k c_k a_{j_k}(. - tau_k))||^2 + alpha sum |c_k|`` over any number
    of atoms at any times, those that overhang an end included. With the residual r and the polar
    ``p = max_{j,tau} |<r, a_j(. - tau)>|``, which is known exactly, weak duality gives

        P* >= s <x, r> - s^2/2 ||r||^2      for      |s| <= alpha / p,

    maxima and sums only: one certificate for a recording of any length.
    """
    x = np.where(observed[:, None], signal, 0.0)
    codes, room = _descend(x, observed, waveforms, alpha, tol, warm, ROOM)
    for attempt in range(1, TRIES):
        if codes.gap <= tol:
            break
        codes, room = _descend(x, observed, waveforms, alpha, 0.3**attempt * tol, codes, room)
    return codes


def _descend(
    x: Floats,
    observed: NDArray[np.bool_],
    waveforms: Waveforms,
    alpha: float,
    tol: float,
    warm: LineCodes | None,
    room: int,
) -> tuple[LineCodes, int]:
    """Sweep until windows agree, with more room where a block was full; certify."""
    while True:
        line = line_of(x, observed, waveforms, warm)
        blocks = blocks_of(line, waveforms, warm, room)
        full = sweep_until_clean(line, blocks, alpha, tol, SWEEPS)
        found = atoms_of(blocks, waveforms)
        codes = certified(x, observed, waveforms, alpha, found)
        if not full:
            return codes, room
        warm, room = codes, 2 * room


def line_of(
    x: Floats, observed: NDArray[np.bool_], waveforms: Waveforms, warm: LineCodes | None
) -> Line:
    """Return a recording at work, with the atoms at hand taken out of it."""
    r = x.copy()
    if warm is not None:
        known = waveforms.add_up(len(x), warm.component, warm.time, warm.coefficient)
        r -= np.where(observed[:, None], known, 0.0)
    return Line(
        correlations(r, waveforms),
        r,
        observed.astype(np.float64),
        uncut_places(observed, waveforms),
        shapes_of(waveforms),
        waveforms.offset,
    )


def shapes_of(waveforms: Waveforms) -> Shapes:
    """Return what kernels look up of waveforms."""
    steps = np.diff(np.pad(waveforms.u, [(0, 0), (1, 1), (0, 0)]), axis=1)
    bend = GRAM[0] * np.sum(steps**2, axis=(1, 2))
    return Shapes(ENDLESS, bend, np.ascontiguousarray(waveforms.u), waveforms.products)


def uncut_places(observed: NDArray[np.bool_], waveforms: Waveforms) -> NDArray[np.bool_]:
    """Tell for every place whether all samples of an atom there, and beside it, were observed."""
    width, offset = waveforms.length, waveforms.offset
    n_places = len(observed) + width - 1 + 2 * (offset - width + 1)
    missing = np.ones(n_places + width + 4)
    missing[offset + 2 : offset + 2 + len(observed)] = ~observed
    seen = np.concatenate([[0.0], np.cumsum(missing)])
    first = np.arange(n_places)
    return np.asarray(seen[np.minimum(first + width + 4, len(missing))] - seen[first] == 0.0)


def blocks_of(line: Line, waveforms: Waveforms, warm: LineCodes | None, room: int) -> Blocks:
    """Return blocks with the atoms at hand."""
    most = room
    if warm is not None and len(warm):
        size = make_blocks(1, waveforms.length, 1).size
        place = warm.time + waveforms.offset
        most = max(room, int(np.bincount((place // size).astype(np.intp)).max()))
    blocks = make_blocks(line.e.shape[1], waveforms.length, most)
    if warm is not None:
        for j, time, c in zip(warm.component, warm.time, warm.coefficient, strict=True):
            place = time + waveforms.offset
            b = int(place // blocks.size)
            at = blocks.filled[b]
            blocks.component[b, at], blocks.place[b, at], blocks.c[b, at] = j, place, c
            blocks.filled[b] += 1
    return blocks


def atoms_of(blocks: Blocks, waveforms: Waveforms) -> LineCodes:
    """Return all atoms, in the order of time; how good they are is not known yet."""
    kept = np.arange(blocks.c.shape[1]) < blocks.filled[:, None]
    component, c = blocks.component[kept], blocks.c[kept]
    time = blocks.place[kept] - waveforms.offset
    order = np.argsort(time, kind="stable")
    return LineCodes(component[order], time[order], c[order], np.inf, np.inf)


def objective_of(
    x: Floats,
    observed: NDArray[np.bool_],
    waveforms: Waveforms,
    alpha: float,
    codes: LineCodes,
) -> float:
    """Return the objective of any atoms, without a certificate."""
    fitted = waveforms.add_up(len(x), codes.component, codes.time, codes.coefficient)
    r = np.where(observed[:, None], x - fitted, 0.0)
    return 0.5 * float(np.sum(r * r)) + alpha * float(np.abs(codes.coefficient).sum())


def certified(
    x: Floats,
    observed: NDArray[np.bool_],
    waveforms: Waveforms,
    alpha: float,
    codes: LineCodes,
) -> LineCodes:
    """Return the same atoms with objective and gap, computed from them alone."""
    atoms = codes.component, codes.time, codes.coefficient
    fitted = waveforms.add_up(len(x), *atoms)
    r = np.where(observed[:, None], x - fitted, 0.0)
    product, energy = float(np.sum(x * r)), float(np.sum(r * r))
    objective = 0.5 * energy + alpha * float(np.abs(atoms[2]).sum())
    polar = (1.0 + ROUNDING) * largest(correlations(r, waveforms))
    limit = alpha / polar if polar > 0 else np.inf
    scale = min(max(product / energy if energy > 0 else 0.0, -limit), limit)
    excess = max(objective - scale * product + 0.5 * scale**2 * energy, 0.0)
    return LineCodes(*atoms, objective, excess / objective if objective > 0 else 0.0)
