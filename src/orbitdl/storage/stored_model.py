"""Abstract base of the records of model files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from orbitdl.learning.history import History
from orbitdl.storage.plain import require_shape


class Start(Protocol):
    """Parameters of the initialisation."""

    @property
    def init(self) -> str | None:
        """The name of the method, or None for an array of components."""

    @property
    def random_state(self) -> int | None:
        """The seed, if it is a number."""


@dataclass(frozen=True, eq=False)
class StoredModel(ABC):
    """Stored form of a fitted model.

    Attributes
    ----------
    steps : list
        Fitted preprocessing steps, as text and numbers.
    acquisition, provenance : dict
        Text and numbers.
    starts : ndarray of shape (n_starts,)
    history : History
    init : ndarray or None
        Initial components, if they were passed.
    """

    steps: list[Any]
    acquisition: dict[str, Any]
    provenance: dict[str, Any]
    starts: NDArray[np.float64]
    history: History
    init: NDArray[np.float64] | None

    @abstractmethod
    def require_sound(self) -> None:
        """Raise ValueError for inconsistent content."""

    def _require_run(self, n_iter: int) -> None:
        """Raise ValueError unless the history ends with that iteration."""
        require_shape(self.starts, "starts", (self.starts.size,))
        numbers = np.array([record.number for record in self.history], dtype=np.int64)
        require_shape(numbers, "number", (n_iter + 1,), np.int64)

    def _require_start(self, start: Start, shape: tuple[int, ...]) -> None:
        """Raise ValueError for an initialisation that does not match components of this shape."""
        word, seed = start.init, start.random_state
        if (self.init is None) is (word is None):
            verb = "lacks the" if word is None else "has an unknown"
            raise ValueError(f"it {verb} array init")
        if self.init is not None:
            require_shape(self.init, "init", shape)
        elif word not in ("data", "random"):
            raise ValueError(f"there is no start of the name {str(word)[:40]!r}")
        if seed is not None and not 0 <= seed < 2**32:
            raise ValueError(f"{seed} cannot be a random_state")
