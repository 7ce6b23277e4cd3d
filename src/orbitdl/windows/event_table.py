"""Event tables of codes of windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import as_components
from orbitdl.coding.codes import Codes
from orbitdl.domains.time.signal import Signal
from orbitdl.events.code_events import with_intervals
from orbitdl.events.columns import in_column_order
from orbitdl.groups.base import Floats
from orbitdl.windows.deduplication import WindowEvents, deduplicated
from orbitdl.windows.positions import positions
from orbitdl.windows.windows import Windows

if TYPE_CHECKING:
    import pandas as pd


def event_table(
    codes: Codes,
    components: ArrayLike,
    windows: Windows,
    *,
    amplitude: Floats | None = None,
    sfreq: float | None = None,
) -> pd.DataFrame:
    """Return the events of a recording, without duplicates, sorted by time.

    Parameters
    ----------
    codes : Codes
        Codes of ``windows.values``, as returned by ``model.encode(windows.values)``.
    components : array-like of shape (q, ...)
        The components of the codes, such as ``model.components_``.
    windows : Windows
        As returned by `split_recording`.
    amplitude : ndarray of shape (K,), optional
        Coefficients of the atoms without the penalty.
    sfreq : float, optional
        Sampling rate in Hz; that of the windows if left out.

    Returns
    -------
    DataFrame
        One row per event: the table that ``orbitdl encode`` writes. Its columns are

        - `onset`: time of the component's peak in seconds from the start of the complete
          recording, if the sampling rate is known and a recording was split into windows;
        - `sample`: the same in samples (float); for windows that are not from a recording, from the
          start of the window;
        - `window`: index of the window; its duality gap is ``codes.gap[window]``;
        - `component`: index of the component;
        - parameters of the group: `shift`, in samples, for shifts;
        - `amplitude`: refitted without the penalty, if passed, in the unit of the recording;
        - `coefficient`: coefficient of the sparse code, in that unit;
        - `interval`, `interval_s`, `own_interval`: samples and seconds since the previous event,
          and samples since the previous one of the same component; NaN after a gap that may hide
          one.

        For shifts and rotations of vectors (`orbitdl.groups.Product`), atoms at almost one time are
        one event, as in `Codes.to_events`: it has an `amplitude` and no `coefficient`, followed by
        `n_atoms` and `minor_share`.

    Notes
    -----
    `sample` is the position returned by `orbitdl.positions` plus the start of the window (and
    ``first_sample``, of an excerpt), and ``onset = sample / sfreq``. An event in overlapping
    windows is listed once: neighbours divide the recording at the middle of their overlap, or next
    to it if an event lies there. Of two events on both sides of a border, closer than the
    resolution of the component, the stronger is listed. Events beyond the end of the recording are
    not listed.

    Examples
    --------
    A pulse at sample 30.25, observed in two of three windows, is listed once:

    >>> import numpy as np
    >>> from orbitdl import encode
    >>> from orbitdl.groups import ContinuousShift
    >>> from orbitdl.io import Recording
    >>> from orbitdl.windows import event_table, split_recording
    >>> pulse = lambda position: np.exp(-0.125 * (np.arange(64) - position) ** 2)
    >>> component = pulse(16)[:32] / np.linalg.norm(pulse(16))
    >>> recording = Recording(5 * pulse(30.25), sfreq=8.0)
    >>> windows = split_recording(recording, 32, 16, to_end=True)
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
    if amplitude is not None and size == "coefficient":
        events["amplitude"] = amplitude
    window, rate = events["window"].to_numpy(), sfreq or windows.sfreq
    for name in {"amplitude", size} & set(events):
        events[name] = events[name].to_numpy() * windows.scale.reshape(len(windows))[window]
    if windows.start is None:
        return in_column_order(events)
    events["sample"] += windows.start[window]
    component, sample = events["component"].to_numpy(), events["sample"].to_numpy()
    is_listed = deduplicated(
        WindowEvents(window, component, sample, events[size].to_numpy()),
        as_components(components),
        start=windows.start,
        length=windows.values.shape[1],
        samples=len(windows.source),
        in_time=codes.representation.presentation.in_time,
    )
    events["sample"] += windows.first_sample
    if rate is not None:
        events["onset"] = events["sample"] / rate
    once: pd.DataFrame = events.loc[is_listed]
    once = once.sort_values("sample", kind="stable", ignore_index=True)
    signal = Signal(windows.source, first_sample=windows.first_sample)
    return with_intervals(once, signal, windows.values.shape[1], rate)


def _events_of(codes: Codes, components: ArrayLike) -> tuple[pd.DataFrame, str]:
    """Return events with their positions in windows, and the name of the column of their size."""
    events = codes.to_events().rename(columns={"sample": "window"})
    if "n_atoms" not in events:  # each atom is an event
        events["sample"] = positions(codes, components)
        return events, "coefficient"
    element = np.zeros((len(events), codes.atoms.element.shape[1]))
    element[:, 0] = events["shift"]
    shapes, component = as_components(components), events["component"].to_numpy()
    events["sample"] = codes.representation.locate(element, component, shapes)
    return events, "amplitude"
