"""Recordings from SpikeInterface, and events as a sorting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orbitdl.arrays.optional import install_hint
from orbitdl.arrays.validation import require_positive
from orbitdl.io.lazy import ReadBy
from orbitdl.io.recording import Recording

if TYPE_CHECKING:
    import pandas as pd

MICROVOLTS = "uV"


def from_spikeinterface(recording: Any, segment: int = 0) -> Recording:
    """Return a recording of one of SpikeInterface; its samples are read when they are needed.

    Parameters
    ----------
    recording : spikeinterface.BaseRecording
        Of any format that SpikeInterface and neo read, or preprocessed.
    segment : int
        Which of its segments.

    Returns
    -------
    Recording
        In microvolts if the recording knows its gain, else as stored. Names are its channel ids.
    """
    has_unit = bool(recording.has_scaleable_traces())

    def samples(first: int, last: int) -> Any:
        keys = {"segment_index": segment, "start_frame": first, "end_frame": last}
        if not has_unit:
            return recording.get_traces(**keys)
        try:
            return recording.get_traces(**keys, return_in_uV=True)
        except TypeError:  # before SpikeInterface 0.103
            return recording.get_traces(**keys, return_scaled=True)

    channels = int(recording.get_num_channels())
    return Recording(
        ReadBy((int(recording.get_num_samples(segment)), channels), samples),
        sfreq=float(recording.get_sampling_frequency()),
        ch_names=tuple(str(name) for name in recording.get_channel_ids()),
        units=(MICROVOLTS,) * channels if has_unit else (),
    )


def to_sorting(events: pd.DataFrame, sfreq: float, n_components: int | None = None) -> Any:
    """Return events as a sorting of SpikeInterface: a unit for each component.

    Parameters
    ----------
    events : DataFrame
        With the columns `sample` and `component`. Spikes are at the nearest integer samples.
    sfreq : float
        Sampling rate in Hz.
    n_components : int, optional
        Number of units, some of which may have no spikes; by default those that have one.
    """
    try:
        from spikeinterface.core import NumpySorting
    except ImportError as error:
        hint = install_hint("sortings of SpikeInterface", "spikeinterface", "spikeinterface")
        raise ImportError(hint) from error
    rate = require_positive(sfreq, "sfreq")
    sample = np.rint(events["sample"].to_numpy()).astype(np.int64)
    component = events["component"].to_numpy()
    units = np.unique(component) if n_components is None else np.arange(n_components)
    trains = {int(j): np.sort(sample[component == j]) for j in units}
    return NumpySorting.from_unit_dict([trains], rate)
