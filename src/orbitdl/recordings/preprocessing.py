"""What is done to data before learning, as a model file keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Preprocessing:
    """Kept in the model file, and done again to new data.

    Attributes
    ----------
    window, step : int or None
        Length of the windows that a recording is cut into, and how far apart they start.
    normalize : bool
        Whether every window is given zero mean and unit norm.
    channel : str or None
        A column's number or name, several with commas between, or "mean".
    rate : float or None
        Samples a second.
    """

    window: int | None = None
    step: int | None = None
    normalize: bool = False
    channel: str | None = None
    rate: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what a model file keeps."""
        return asdict(self)

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Preprocessing:
        """Read what a model file kept; entries of other names are not ours and are left alone."""
        found = cls(**{name: kept[name] for name in cls.__dataclass_fields__ if name in kept})
        sound = (
            _is_positive(found.window, int)
            and _is_positive(found.step, int)
            and _is_positive(found.rate, float)
            and isinstance(found.normalize, bool)
            and isinstance(found.channel, str | None)
        )
        if not sound:
            raise ValueError(
                "the model file says in an unknown way how its data were prepared; write it again "
                "with orbitdl fit."
            )
        return found


def _is_positive(value: object, kind: type[int] | type[float]) -> bool:
    """Tell whether a value is missing, or a positive number of this kind."""
    if value is None:
        return True
    numbers = int if kind is int else (int, float)
    return isinstance(value, numbers) and not isinstance(value, bool) and value > 0
