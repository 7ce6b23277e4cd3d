"""Data points on their way into the mathematics: checked once, analysed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orbitdl.arrays.blocks import Blocks, Floats, inner
from orbitdl.arrays.validation import as_components, as_masked_data
from orbitdl.coding.codes import Codes, Status
from orbitdl.coding.parallel import chunks_of, in_threads
from orbitdl.coding.problem import Masked
from orbitdl.groups.base import Action, Group, require_group


def blocks_of(action: Action, components: ArrayLike) -> Blocks:
    """Return components (q, ...), once checked, in block coordinates: (q, F, d, m)."""
    A, shape = as_components(components), action.shape
    if A.shape[1:] != shape:
        raise ValueError(
            f"components of shape {A.shape[1:]} cannot code data points of shape {shape}; "
            f"pass X of shape (n, {', '.join(map(str, A.shape[1:]))})."
        )
    return action.analyze(A)


@dataclass(frozen=True)
class Samples:
    """Data points and their block coordinates; what is in here needs no further check.

    Attributes
    ----------
    representation : Action
    signal : ndarray of shape (n, ...)
        Zero where nothing was observed.
    observed : bool ndarray of shape (n, ...) or None
        None: all of it.
    Y : ndarray of shape (n, F, d, m)
        The signal in block coordinates.
    """

    representation: Action
    signal: Floats
    observed: NDArray[np.bool_] | None
    Y: Blocks

    @classmethod
    def of(
        cls,
        X: ArrayLike,
        group: Group,
        mask: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> Self:
        """Check data as they come, and write them in the blocks of a group."""
        signal, observed = as_masked_data(X, mask)
        return cls.on(require_group(group).on(signal.shape[1:]), signal, observed, n_jobs)

    @classmethod
    def on(
        cls,
        representation: Action,
        signal: Floats,
        observed: NDArray[np.bool_] | None,
        n_jobs: int | None = None,
    ) -> Self:
        """Write data that were checked in the blocks of a group action."""
        return cls(representation, signal, observed, in_blocks(representation, signal, n_jobs))

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return data points of one kind one after the other."""
        observed = [part.observed for part in parts if part.observed is not None]
        return cls(
            parts[0].representation,
            np.concatenate([part.signal for part in parts]),
            np.concatenate(observed) if observed else None,
            np.concatenate([part.Y for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.signal)

    def take(self, samples: slice | NDArray[Any]) -> Self:
        """Return some of the data points."""
        observed = None if self.observed is None else self.observed[samples]
        return replace(self, signal=self.signal[samples], observed=observed, Y=self.Y[samples])

    def analyze(self, components: ArrayLike) -> Blocks:
        """Return components (q, ...), once checked, in the same blocks: (q, F, d, m)."""
        return blocks_of(self.representation, components)

    @property
    def masked(self) -> Masked | None:
        """What a coder is told of missing entries."""
        return None if self.observed is None else Masked(self.signal, self.observed)

    @cached_property
    def unseen(self) -> Floats:
        """``1/2 ||x||^2`` of the part of each data point that the group cannot move, (n,).

        Zero where entries are missing: then a residual is measured as a signal, this part included.
        """
        if self.representation.is_invertible or self.observed is not None:
            return np.zeros(len(self))
        flat = self.signal.reshape(len(self), -1)
        return np.maximum(0.5 * (inner(flat, flat, axes=1) - inner(self.Y, self.Y)), 0.0)

    def with_unseen(self, codes: Codes, tol: float) -> Codes:
        """Add to the objective of codes what no code can change; the absolute gap stays.

        The relative one is smaller then, and may be within the tolerance.
        """
        total, status = codes.objective + self.unseen, codes.status.copy()
        gap = np.divide(codes.gap * codes.objective, total, out=codes.gap.copy(), where=total > 0)
        settled = np.array([one.is_settled for one in status], dtype=bool)
        status[~settled & (gap <= tol)] = Status.CONVERGED
        return replace(codes, objective=total, gap=gap, status=status)


def in_blocks(representation: Action, signal: Floats, n_jobs: int | None = None) -> Blocks:
    """Return block coordinates (n, F, d, m) of data (n, ...), which threads take in chunks."""
    chunks = chunks_of(len(signal))
    if len(chunks) <= 1 or np.may_share_memory(representation.analyze(signal[:1]), signal):
        return representation.analyze(signal)  # a change of shape copies nothing
    Y = np.empty((len(signal), *representation.block_shape), representation.dtype)

    def fill(chunk: slice) -> None:
        Y[chunk] = representation.analyze(signal[chunk])

    in_threads(fill, chunks, n_jobs)
    return Y
