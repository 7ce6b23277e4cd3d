"""What is done to data before learning, as a model file keeps it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import Any

from orbitdl.recordings.time_units import TimeUnit
from orbitdl.recordings.words import member


@dataclass(frozen=True)
class Preprocessing:
    """Say what is done to data; kept in the model file, and done again to new data.

    Attributes
    ----------
    window, step : int or None
        Samples in a window that a recording is cut into, and from the start of one window to the
        start of the next: windows overlap if `step` is below `window`, and adjoin if it is None.
    normalize : bool
        Whether every window is given zero mean and unit norm.
    channel : str or None
        A column's number or name, several with commas between, or "mean"; None takes all.
    sfreq : float or None
        Samples per second; goes before what a recording says.
    highpass : float or None
        Take off what is slower than this before cutting, by a filter that moves nothing in time:
        in Hz if `sfreq` is said here, else in cycles per sample. `Windows.restore` puts it back.
    time_column : str or None
        The column of a file that tells the time, by number or name; `read` takes the rate from it
        and leaves it out of the signal.
    time_unit : str or None
        Unit of the numbers in that column; None: its name says it, or they are seconds.

    Examples
    --------
    >>> steps = Preprocessing(window=201, step=100, channel="MLII")
    >>> steps.normalize, steps.highpass
    (False, None)
    """

    window: int | None = None
    step: int | None = None
    normalize: bool = False
    channel: str | None = None
    sfreq: float | None = None
    highpass: float | None = None
    time_column: str | None = None
    time_unit: str | None = None

    def __post_init__(self) -> None:
        for name, value in (("window", self.window), ("step", self.step)):
            if value is not None and not _is_positive(value, Integral):
                raise ValueError(f"{name} must be a positive integer of samples, not {value!r}.")
        if self.sfreq is not None and not _is_positive(self.sfreq, Real):
            raise ValueError(
                f"sfreq must be a positive number of samples per second, not {self.sfreq!r}."
            )
        self._require_highpass()
        if not isinstance(self.normalize, bool):
            raise ValueError(f"normalize must be True or False, not {self.normalize!r}.")
        if self.time_unit is not None:
            member(TimeUnit, self.time_unit)
        if not isinstance(self.time_column, str | None):
            raise ValueError(
                f"time_column must be text: a number or name, not {self.time_column!r}."
            )
        if not isinstance(self.channel, str | None):
            raise ValueError(
                "channel must be text: a number or name, several with commas between, or mean, "
                f"not {self.channel!r}."
            )

    def _require_highpass(self) -> None:
        if self.highpass is None:
            return
        if not _is_positive(self.highpass, Real):
            raise ValueError(f"highpass must be a positive number, not {self.highpass!r}.")
        if self.cycles_per_sample(self.highpass) >= 0.5:
            unit = "cycles per sample, or say sfreq= to give it in Hz" if not self.sfreq else "Hz"
            raise ValueError(
                f"highpass={self.highpass:g} takes everything off; pass less than "
                f"{0.5 * (self.sfreq or 1.0):g} {unit}."
            )

    def cycles_per_sample(self, frequency: float) -> float:
        """Return a frequency, in Hz if the rate is said, as a filter takes it."""
        return frequency / (self.sfreq or 1.0)

    def to_dict(self) -> dict[str, Any]:
        """Return what a model file keeps."""
        return asdict(self)

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Preprocessing:
        """Read what a model file kept; entries of other names are not ours and are left alone."""
        try:
            return cls(**{name: kept[name] for name in cls.__dataclass_fields__ if name in kept})
        except ValueError as error:
            raise ValueError(
                "the model file says in an unknown way how its data were prepared; write it again "
                "with orbitdl fit."
            ) from error


def _is_positive(value: object, numbers: type[Integral] | type[Real]) -> bool:
    """Tell whether a value is a positive number of this kind."""
    if isinstance(value, bool) or not isinstance(value, numbers):
        return False
    return 0 < float(value) < math.inf
