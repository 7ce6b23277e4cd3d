"""Detection of artefacts in recordings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from orbitdl.arrays.validation import require_between, require_count
from orbitdl.groups.base import Floats, Integers
from orbitdl.io.recording import Recording
from orbitdl.preprocessing.artefacts import Artefact, Segment, artefact_table
from orbitdl.preprocessing.bursts import detect_bursts
from orbitdl.preprocessing.runs import equal_runs, runs_of_true

STEEP = 4
"""Minimum step into saturation, in units of the smallest step; smooth peaks have a step of one."""
OUTSIDE = 0.005
"""Tail probability of values beyond which a constant segment is saturation."""


@dataclass(frozen=True, eq=False)
class SuggestedMask:
    """Result of `suggest_mask`.

    Attributes
    ----------
    mask : ndarray of bool, of the shape of the signal
        True where a value is usable.
    artefacts : DataFrame
        One row per segment, sorted by time: `start` and `end` (exclusive) in samples, `start_time`
        and `end_time` in seconds (NaN without a sampling rate), `channel`, `reason` ("missing",
        "saturation", "flat line" or "burst") and `description`.
    """

    mask: NDArray[np.bool_]
    artefacts: pd.DataFrame


def suggest_mask(
    recording: Recording | ArrayLike, *, saturated: int = 5, flat: int = 30, burst: float = 16.0
) -> SuggestedMask:
    r"""Detect saturation, flat lines, bursts and missing values.

    Artefacts would attract most atoms. Nothing is masked: inspect the table, then set artefacts to
    NaN.

    Parameters
    ----------
    recording : Recording, or array-like of shape (n_times,) or (n_times, channels)
        The recording. Channels are processed separately.
    saturated : int
        Minimum number of successive samples at the largest or smallest value of a channel that
        count as saturation. The signal must reach this value by a large step.
    flat : int
        Minimum number of successive equal samples that count as a flat line, in units of the median
        run of equal values, which is 1 in most recordings and larger for coarsely quantised ones.
    burst : float
        Minimum energy of a burst relative to recurring events.

    Returns
    -------
    SuggestedMask
        The `mask`, True where usable, and the table of `artefacts`.

    Notes
    -----
    Energy is the mean square about the channel's median, in blocks of 8, 16, 32, ... samples. A
    recording is divided into 16 or more segments of at most 131 072 samples. With :math:`p_i` the
    largest energy of a block in segment :math:`i`, a block of energy :math:`e` is in a burst if

    .. math::

        \log e > m + \max(\log \text{burst},\ 4 s), \qquad m = \mathrm{median}_i \log p_i,
        \quad s = 1.4826\, \mathrm{median}_{i:\, \log p_i \le m} (m - \log p_i),

    so that events which recur in most segments, such as heartbeats or spikes, are not bursts. Large
    events that occur less than about once per segment are listed as bursts: pass a longer recording
    or a larger `burst`. A burst begins and ends where the energy in blocks of 8 samples falls below
    that of the events, to about 16 samples. Bursts in most segments, or in a recording of fewer
    than 512 samples, are not detected. Time and memory are linear in the length.

    Saturation and flat lines are detected by exactly equal values: apply this function before
    filtering. Signals without noise are flat between events, and listed as such.

    Examples
    --------
    >>> from orbitdl.datasets import make_ecg_recording
    >>> heart = make_ecg_recording(60, saturations=1, bursts=1, random_state=0)
    >>> found = suggest_mask(heart)
    >>> found.artefacts[["start", "end", "reason"]]
       start    end      reason
    0   5912   6224       burst
    1  14715  14963  saturation
    >>> cleaned = np.where(found.mask, heart.signal, np.nan)
    """
    require_count(saturated, "saturated", least=2)
    require_count(flat, "flat", least=2)
    require_between(burst, "burst", 1)
    known = recording if isinstance(recording, Recording) else Recording(np.asarray(recording))
    signal = _require_signal(known.signal)
    channels = signal.reshape(len(signal), -1)
    segments = [
        segment
        for channel, x in enumerate(channels.T)
        for segment in _find(x.astype(np.float64), channel, saturated, flat, burst)
    ]
    mask = np.ones(channels.shape, dtype=bool)
    for segment in segments:
        mask[segment.start : segment.end, segment.channel] = False
    return SuggestedMask(mask.reshape(signal.shape), artefact_table(segments, known.sfreq))


def _require_signal(array: Floats) -> Floats:
    """Return real numbers (n_times,) or (n_times, channels), finite or not."""
    if array.ndim not in (1, 2) or array.size == 0:
        raise ValueError(
            f"recording has shape {array.shape}: pass one of shape (n_times,) or "
            "(n_times, channels)."
        )
    if array.dtype.kind not in "fiub":
        raise ValueError(f"recording holds {array.dtype}: pass an array of real numbers.")
    return array


def _find(x: Floats, channel: int, saturated: int, flat: int, burst: float) -> Iterator[Segment]:
    """Yield the artefacts of a channel (n_times,)."""
    usable = np.isfinite(x)
    for start, end in runs_of_true(~usable):
        text = f"{end - start} values in a row are NaN or infinite."
        yield Segment(start, end, channel, Artefact.missing, text)
    x[~usable] = np.nan
    for plateau in find_plateaus(x, channel, saturated, flat):
        usable[plateau.start : plateau.end] = False
        yield plateau
    yield from detect_bursts(x, channel, usable, burst)


def find_plateaus(x: Floats, channel: int, saturated: int, flat: int) -> Iterator[Segment]:
    """Detect saturation and flat lines of a channel (n_times,)."""
    start, length = equal_runs(x)
    observed = ~np.isnan(x[start])
    if np.count_nonzero(~np.isnan(x)) < 2:
        return
    start, length, value = start[observed], length[observed], x[start[observed]]
    still = length >= flat * np.median(length)
    if value.min() == value.max():  # a constant channel
        still[:] = True
    smallest, largest = _bulk_range(value, length, still)
    extreme = ((value == value.max()) | (value == value.min())) & (value.min() < value.max())
    clipped = extreme & (length >= saturated) & _is_entered_steeply(x, start, length)
    at_limit = clipped | (still & (extreme | (value < smallest) | (value > largest)))
    for k in np.flatnonzero(still | clipped):
        reason = Artefact.saturation if at_limit[k] else Artefact.flat
        text = f"{length[k]} samples in a row have the value {value[k]:.6g}"
        if at_limit[k]:
            text += ", at a limit of the channel: values were clipped"
        yield Segment(int(start[k]), int(start[k] + length[k]), channel, reason, f"{text}.")


def _bulk_range(value: Floats, length: Integers, still: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the quantiles of the values outside constant segments; infinite if there are none."""
    moving = np.repeat(value[~still], length[~still])
    if len(moving) == 0:
        return -np.inf, np.inf
    smallest, largest = np.quantile(moving, [OUTSIDE, 1 - OUTSIDE])
    return float(smallest), float(largest)


def _is_entered_steeply(x: Floats, start: Integers, length: Integers) -> NDArray[np.bool_]:
    """Return which runs the signal enters or leaves by a step far above its smallest step."""
    steps = np.abs(np.diff(x, prepend=np.nan, append=np.nan))
    nonzero = steps[steps > 0]
    if len(nonzero) == 0:
        return np.zeros(len(start), dtype=bool)
    largest = np.fmax(steps[start], steps[start + length])
    return np.asarray(largest > STEEP * nonzero.min())
