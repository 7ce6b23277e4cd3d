"""From codes to a table of events: what happened, when, and how strongly."""

from __future__ import annotations

import pandas as pd

from orbitdl.codes import Codes
from orbitdl.groups.base import Floats
from orbitdl.recordings.overlaps import listed_once
from orbitdl.recordings.positions import positions
from orbitdl.recordings.windows import Windows


def event_table(codes: Codes, components: Floats, windows: Windows) -> pd.DataFrame:
    """Return one row per event, in the order of time.

    Columns: `window`, `component`, `coefficient` (in the units of the data), the group's
    parameters (`shift`, in samples), `position` and, where the rate is known, `time`.

    Notes
    -----
    `position` is where `positions` says, in samples from the start of the recording (of the
    window, if windows were given), and ``time = position / rate``. Windows that overlap show an
    event several times; it is listed by one of them (`listed_once`).
    """
    events = codes.to_frame().rename(columns={"sample": "window"})
    window = events["window"].to_numpy()
    factor = windows.scale.reshape(len(windows))[window]
    events["coefficient"] = events["coefficient"].to_numpy() * factor
    events["position"] = positions(codes, components)
    if windows.start is None:
        return events
    events["position"] += windows.start[window]
    if windows.rate is not None:
        events["time"] = events["position"] / windows.rate
    kept = listed_once(
        window,
        events["position"].to_numpy(),
        events["coefficient"].abs().to_numpy(),
        start=windows.start,
        length=windows.values.shape[1],
        samples=len(windows.source),
    )
    listed: pd.DataFrame = events.loc[kept]
    return listed.sort_values("position", kind="stable", ignore_index=True)
