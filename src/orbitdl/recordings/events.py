"""From codes to a table of events: what happened, when, and how strongly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import as_components
from orbitdl.coding.codes import Codes
from orbitdl.events.columns import in_column_order
from orbitdl.recordings.listing import Seen, listed
from orbitdl.recordings.positions import positions
from orbitdl.recordings.windows import Windows

if TYPE_CHECKING:
    import pandas as pd


def event_table(codes: Codes, components: ArrayLike, windows: Windows) -> pd.DataFrame:
    """List the events of a recording, each once and in the order of time.

    Parameters
    ----------
    codes : Codes
        Codes of ``windows.values``, as ``model.encode(windows.values)`` returns them.
    components : array-like of shape (q, ...)
        What the windows were coded with, such as ``model.components_``.
    windows : Windows
        As `prepare` or `prepare_for` made them.

    Returns
    -------
    DataFrame
        One row per event: the table that ``orbitdl encode`` writes. Its columns are

        - `onset`: the time of the component's peak in seconds from the start of the whole
          recording, if the sampling rate is known and a recording was split into windows;
        - `sample`: the same in samples, to a fraction of one; of windows that are not of a
          recording, from the start of the window;
        - `window`: number of the window, from 0; its certified gap is ``codes.gap[window]``;
        - `component`: number of the component, from 0;
        - the group's parameters: `shift`, in samples, for shifts;
        - `coefficient`: that of the sparse code, in the unit of the recording.

        Where signals of vectors are shifted and rotated (`orbitdl.groups.Product`), atoms at
        almost one time are one event, as `Codes.to_events` lists it: it has an `amplitude` and no
        `coefficient`, followed by `n_atoms` and `minor_share`.

    Notes
    -----
    `sample` is the position that `orbitdl.positions` returns plus the start of the window (and
    ``offset``, of an excerpt), and ``onset = sample / sfreq``. Windows that overlap show an event
    several times; it is listed by one of them: neighbours share the recording at a cut in the
    middle of their overlap, or beside it where an event lies across. Of halves of one event
    that two windows see beside their border, closer than the component tells events apart, the
    stronger is listed. What a window sees beyond the end of the recording is not listed.

    Examples
    --------
    A pulse at sample 30.25, seen by two windows of three, is listed once:

    >>> import numpy as np
    >>> from orbitdl import encode
    >>> from orbitdl.groups import ContinuousShift
    >>> from orbitdl.recordings import Preprocessing, Recording, event_table, prepare
    >>> pulse = lambda place: np.exp(-0.125 * (np.arange(64) - place) ** 2)
    >>> component = pulse(16)[:32] / np.linalg.norm(pulse(16))
    >>> recording = Recording(5 * pulse(30.25), sfreq=8.0)
    >>> windows = prepare(recording, Preprocessing(window=32, step=16), to_end=True)
    >>> codes = encode(windows.values, component[None], group=ContinuousShift(), alpha=1.0)
    >>> table = event_table(codes, component[None], windows)
    >>> table.loc[table["coefficient"] > 1, ["onset", "sample", "window"]].round(2)
       onset  sample  window
    0   3.78   30.25       1
    """
    if len(codes) != len(windows):
        raise ValueError(
            f"these are codes of {len(codes)} windows, not of {len(windows)}; pass the windows "
            "that were coded."
        )
    events, size = _events_of(codes, components)
    window = events["window"].to_numpy()
    events[size] = events[size].to_numpy() * windows.scale.reshape(len(windows))[window]
    if windows.start is None:
        return in_column_order(events)
    events["sample"] += windows.start[window]
    component, sample = events["component"].to_numpy(), events["sample"].to_numpy()
    kept = listed(
        Seen(window, component, sample, events[size].to_numpy()),
        as_components(components),
        start=windows.start,
        length=windows.values.shape[1],
        samples=len(windows.source),
        in_time=codes.representation.presentation.in_time,
    )
    events["sample"] += windows.offset
    if windows.sfreq is not None:
        events["onset"] = events["sample"] / windows.sfreq
    once: pd.DataFrame = events.loc[kept]
    return in_column_order(once.sort_values("sample", kind="stable", ignore_index=True))


def _events_of(codes: Codes, components: ArrayLike) -> tuple[pd.DataFrame, str]:
    """Return events with their positions in windows, and which column says how strong they are."""
    events = codes.to_events().rename(columns={"sample": "window"})
    if "n_atoms" not in events:  # each atom is an event
        events["sample"] = positions(codes, components)
        return events, "coefficient"
    element = np.zeros((len(events), codes.atoms.element.shape[1]))
    element[:, 0] = events["shift"]
    shapes, component = as_components(components), events["component"].to_numpy()
    events["sample"] = codes.representation.locate(element, component, shapes)
    return events, "amplitude"
