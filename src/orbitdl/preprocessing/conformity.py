"""Recordings in the unit and the order of channels that a model knows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.io.lazy import Scaled
from orbitdl.io.recording import Recording
from orbitdl.preprocessing.base import computed
from orbitdl.preprocessing.filters import replace_signal

PREFIXES = {"n": 1e-9, "u": 1e-6, "\u00b5": 1e-6, "\u03bc": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3}
"""Prefixes of units, and their factors."""
UNIT = re.compile(rf"([{''.join(PREFIXES)}]?)(V|T|A|Pa|m/s\^?2|g)")
"""Units with a prefix that are converted."""


@dataclass(frozen=True)
class Conformity:
    """What makes a recording conform with what a model learned from, and undoes it.

    Attributes
    ----------
    order : tuple of int or None
        Channels of the recording, in the order of the model.
    gain : tuple of float or None
        Factors from the units of the recording to those of the model, in the order of the model.
    """

    order: tuple[int, ...] | None = None
    gain: tuple[float, ...] | None = None

    @classmethod
    def of(cls, recording: Any, acquisition: Mapping[str, Any]) -> Conformity:
        """Return what a recording needs: nothing where names or units do not say.

        Channels are reordered where both have the same names, and converted where both units are
        known and differ by a prefix, such as V and mV.
        """
        if not isinstance(recording, Recording):
            return cls()
        names, own = tuple(acquisition.get("ch_names") or ()), recording.ch_names
        order = None
        if len(set(own)) == len(own) and own != names and sorted(own) == sorted(names):
            order = tuple(own.index(name) for name in names)
        found = recording.units
        if order and found:
            found = tuple(found[k] for k in order)
        units = tuple(acquisition.get("units") or ())
        if len(units) != len(found) or found == units:
            return cls(order)
        gain = [factor(one, two) for one, two in zip(found, units, strict=True)]
        known = [one for one in gain if one is not None]
        return cls(order, tuple(known) if len(known) == len(gain) else None)

    def apply(self, recording: Any, units: tuple[str, ...]) -> Any:
        """Return the recording in the order and the units of the model."""
        if self.order is not None:
            recording = recording.pick(self.order)
        if self.gain is None:
            return recording
        gain = self.gain[0] if recording.ndim == 1 else np.array(self.gain)
        values = computed(Scaled(recording.signal, gain), recording.signal)
        return replace_signal(recording, values, units=units)

    def undo(self, values: Floats) -> Floats:
        """Return values of the model's order and units in those of the recording."""
        if self.gain is not None:
            values = values / (self.gain[0] if values.ndim == 1 else np.array(self.gain))
        if self.order is not None:
            values = values[:, np.argsort(self.order)]
        return values


def factor(found: str, own: str) -> float | None:
    """Return what converts from one unit to another; None if only a person can tell.

    Examples
    --------
    >>> factor("V", "mV"), factor("uV", "mV"), factor("counts", "mV"), factor("T", "V")
    (1000.0, 0.001, None, None)
    """
    one, two = UNIT.fullmatch(found), UNIT.fullmatch(own)
    if found == own:
        return 1.0
    if one is None or two is None or one[2] != two[2]:
        return None
    return float(f"{PREFIXES[one[1]] / PREFIXES[two[1]]:.12g}")
