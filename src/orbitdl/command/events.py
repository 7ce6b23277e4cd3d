"""From codes to a table of events: what happened, when, and how strongly."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import fft

from orbitdl.codes import Codes
from orbitdl.command.windows import Windows
from orbitdl.groups import ContinuousShift, IntegerShift, InterpolatedShift
from orbitdl.groups.base import Floats, Integers

FINER = 32
"""Points a sample at which the peak of a component is looked for, before a parabola refines it."""
CHUNK = 4096
"""Atoms formed at a time, for groups other than shifts."""


def event_table(codes: Codes, components: Floats, windows: Windows) -> pd.DataFrame:
    """Return one row an event, in the order of time.

    Columns: `window`, `component`, `coefficient` (in the units of the data), the group's
    parameters (`shift`, in samples), `position` and, where the rate is known, `time`.

    Notes
    -----
    Where in a component its event lies is a convention. Here it is the point of largest absolute
    value: `position` is where that point of the *moved* component lies, in samples from the start
    of the recording (of the window, if windows were given), and ``time = position / rate``.

    Windows that overlap show an event several times. Each then tells only of the events in the
    middle of it, as many samples as windows are apart, and the first and the last window of those
    at the ends too: so an event is listed once.
    """
    events = codes.to_frame().rename(columns={"sample": "window"})
    window = events["window"].to_numpy()
    factor = windows.scale.reshape(len(windows))[window]
    events["coefficient"] = events["coefficient"].to_numpy() * factor
    within = positions(codes, components)
    if windows.start is None:
        return events.assign(position=within)
    position = within + windows.start[window]
    kept = listed_here(within, window, windows) & (position < len(windows.source))
    events = events.assign(position=position)
    if windows.rate is not None:
        events["time"] = position / windows.rate
    listed: pd.DataFrame = events.loc[kept]
    return listed.sort_values("position", kind="stable", ignore_index=True)


def positions(codes: Codes, components: Floats) -> Floats:
    """Return where in its window the point of largest absolute value of each moved atom lies."""
    atoms, representation = codes.atoms, codes.representation
    if isinstance(representation.group, IntegerShift | InterpolatedShift | ContinuousShift):
        finer = 1 if isinstance(representation.group, IntegerShift) else FINER
        peak = np.array([peak_of(a, finer) for a in components])
        return np.mod(peak[atoms.component] + atoms.element[:, 0], representation.shape[0])
    result = np.zeros(len(atoms.component))
    for k in range(0, len(result), CHUNK):
        part = slice(k, k + CHUNK)
        moved = representation.act(atoms.element[part], components[atoms.component[part]])
        height = np.abs(moved).reshape(*moved.shape[:2], -1).max(axis=2)
        result[part] = height.argmax(axis=1)
    return result


def peak_of(a: Floats, finer: int) -> float:
    """Return the place of the largest ``|a(t)|``, between the samples too where `finer` > 1."""
    length = len(a)
    columns = a.reshape(length, -1)
    if finer == 1:
        return float(np.abs(columns).max(axis=1).argmax())
    spectrum = fft.rfft(columns, axis=0)[: (length - 1) // 2 + 1]
    height = np.abs(finer * fft.irfft(spectrum, n=finer * length, axis=0))
    place, column = np.unravel_index(height.argmax(), height.shape)
    before, top, after = height[(place + np.array([-1, 0, 1])) % len(height), column]
    bend = before - 2 * top + after
    lean = 0.5 * (before - after) / bend if bend < 0 else 0.0
    return float((place + lean) / finer % length)


def listed_here(within: Floats, window: Integers, windows: Windows) -> NDArray[np.bool_]:
    """Tell of every event whether it lies in the part of its window that this window tells of."""
    length, last, step = windows.values.shape[1], len(windows) - 1, windows.step
    if step is None or step >= length:
        return np.ones(len(within), dtype=bool)
    first = np.where(window == 0, 0, (length - step) // 2)
    end = np.where(window == last, length, (length - step) // 2 + step)
    return np.asarray((within >= first) & (within < end))
