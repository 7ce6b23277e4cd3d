"""The columns of event tables, and their order: one schema for recordings and for windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

IDENTITY = ("recording", "onset", "sample", "window", "component")
"""Columns of time and component; the parameters of the group follow."""
MEASURES = (
    "amplitude",
    "coefficient",
    "onset_sd",
    "sample_sd",
    "amplitude_sd",
    "p_value",
    "q_value",
    "runner_up",
    "evidence",
    "n_atoms",
    "minor_share",
    "explained",
    "similarity",
    "overlapping",
    "truncated",
    "interval",
    "interval_s",
    "own_interval",
)
"""How large an event is, how certain, how well it is explained, and how long after another."""


def in_column_order(events: pd.DataFrame) -> pd.DataFrame:
    """Return a table of events with its columns in the order of the schema.

    Columns that a table lacks are left out. Those that the schema does not name are parameters of
    the group, such as `shift` and `angle`, and keep their order after `component`.

    Examples
    --------
    >>> import pandas as pd
    >>> events = pd.DataFrame({"coefficient": [1.5], "shift": [2.0], "component": [0]})
    >>> list(in_column_order(events.assign(sample=9.0, onset=0.9)))
    ['onset', 'sample', 'component', 'shift', 'coefficient']
    """
    parameters = [name for name in events if name not in IDENTITY + MEASURES]
    order = (*IDENTITY, *parameters, *MEASURES)
    return events.reindex(columns=[name for name in order if name in events])
