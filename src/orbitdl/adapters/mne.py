"""Recordings from MNE-Python, and events as its annotations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from orbitdl.arrays.optional import install_hint
from orbitdl.io.mne_files import from_mne

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["from_mne", "to_annotations"]


def to_annotations(events: pd.DataFrame, names: Mapping[int, str] | None = None) -> Any:
    """Return events as `mne.Annotations`, one at the time of each: ``raw.set_annotations(...)``.

    Parameters
    ----------
    events : DataFrame
        With the columns `onset`, in seconds from the start of the recording, and `component`.
    names : mapping of int to str, optional
        Descriptions of components; "component 0" and so on if left out.

    Notes
    -----
    An annotation begins at the peak of its waveform and lasts no time. Its time counts from the
    first sample of the raw data, as MNE counts annotations without a measurement date.

    Examples
    --------
    >>> import pandas as pd
    >>> to_annotations(pd.DataFrame({"onset": [0.5], "component": [0]})).description
    array(['component 0'], dtype='<U11')
    """
    try:
        import mne
    except ImportError as error:
        raise ImportError(install_hint("annotations of MNE", "mne", "mne")) from error
    if "onset" not in events:
        raise ValueError(
            "the events have no column onset, since the sampling rate is not known; pass sfreq= to "
            "events."
        )
    known = names or {}
    words = [known.get(int(j), f"component {j}") for j in events["component"]]
    return mne.Annotations(events["onset"].to_numpy(), np.zeros(len(events)), words)
