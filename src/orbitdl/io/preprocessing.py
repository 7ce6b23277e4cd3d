"""Settings of preprocessing, as stored in model files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import Any

from orbitdl.io.enumerations import member
from orbitdl.io.time_units import TimeUnit


@dataclass(frozen=True)
class Preprocessing:
    """Settings of preprocessing, stored in the model file and applied to new data.

    Attributes
    ----------
    window, step : int or None
        Length of windows, and distance of their starts, in samples. Windows overlap if `step` is
        below `window`; by default it equals `window`.
    normalize : bool
        Whether to normalise every window to zero mean and unit norm.
    channel : str or None
        Index or name of a column, several separated by commas, or "mean"; None: all.
    sfreq : float or None
        Sampling rate in Hz; overrides that of the recording.
    highpass : float or None
        Cutoff of a zero-phase high-pass filter applied to the recording: in Hz if `sfreq` is passed
        here, otherwise in cycles per sample. `Windows.restore` adds the removed part.
    time_column : str or None
        Time column of a file, by index or name; `read` computes the sampling rate from it and
        removes it from the signal.
    time_unit : str or None
        Unit of the numbers in that column; None: from its name, or else seconds.

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
                f"sfreq must be a positive number (sampling rate in Hz), not {self.sfreq!r}."
            )
        self._require_highpass()
        if not isinstance(self.normalize, bool):
            raise ValueError(f"normalize must be True or False, not {self.normalize!r}.")
        if self.time_unit is not None:
            member(TimeUnit, self.time_unit)
        if not isinstance(self.time_column, str | None):
            raise ValueError(
                f"time_column must be a string: an index or a name, not {self.time_column!r}."
            )
        if not isinstance(self.channel, str | None):
            raise ValueError(
                "channel must be a string: an index or a name, several separated by commas, or "
                f"mean, not {self.channel!r}."
            )

    def _require_highpass(self) -> None:
        if self.highpass is None:
            return
        if not _is_positive(self.highpass, Real):
            raise ValueError(f"highpass must be a positive number, not {self.highpass!r}.")
        if self.cycles_per_sample(self.highpass) >= 0.5:
            unit = "cycles per sample, or sfreq= for a cutoff in Hz" if not self.sfreq else "Hz"
            raise ValueError(
                f"highpass={self.highpass:g} is above the Nyquist frequency; pass less than "
                f"{0.5 * (self.sfreq or 1.0):g} {unit}."
            )

    def cycles_per_sample(self, frequency: float) -> float:
        """Return a frequency in cycles per sample; it is in Hz if `sfreq` is known."""
        return frequency / (self.sfreq or 1.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as stored in a model file."""
        return asdict(self)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Preprocessing:
        """Return the settings stored in a model file; other entries are ignored."""
        try:
            return cls(
                **{name: stored[name] for name in cls.__dataclass_fields__ if name in stored}
            )
        except ValueError as error:
            raise ValueError(
                "the preprocessing stored in the model file is not valid; write the file again "
                "with orbitdl fit."
            ) from error


def _is_positive(value: object, numbers: type[Integral] | type[Real]) -> bool:
    """Return whether a value is a positive finite number of this type."""
    if isinstance(value, bool) or not isinstance(value, numbers):
        return False
    return 0 < float(value) < math.inf
