"""What of a recording had better not be learned from, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from orbitdl.arrays.validation import require_between, require_count
from orbitdl.groups.base import Floats
from orbitdl.recordings.artefacts import Artefact, Stretch, artefact_table
from orbitdl.recordings.bursts import find_bursts
from orbitdl.recordings.plateaus import find_plateaus
from orbitdl.recordings.recording import Recording
from orbitdl.recordings.stretches import runs_of_true


@dataclass(frozen=True, eq=False)
class SuggestedMask:
    """Hold what `suggest_mask` found.

    Attributes
    ----------
    mask : ndarray of bool, of the shape of the signal
        True where a value is usable.
    artefacts : DataFrame
        One row per stretch, in the order of time: `start` and `end` (without it) in samples,
        `start_time` and `end_time` in seconds (NaN if the rate is unknown), `channel`, `reason`
        ("missing", "saturation", "flat line" or "burst") and `words`, a sentence that says why.
    """

    mask: NDArray[np.bool_]
    artefacts: pd.DataFrame


def suggest_mask(
    recording: Recording | ArrayLike, *, saturated: int = 5, flat: int = 30, burst: float = 16.0
) -> SuggestedMask:
    r"""Find saturation, flat lines, bursts and missing values, which would eat all atoms.

    Nothing is masked: look at the table, then set what you do not want to NaN.

    Parameters
    ----------
    recording : Recording, or array-like of shape (n_times,) or (n_times, channels)
        The recording. Channels are looked at one by one.
    saturated : int
        Fewest successive samples at the largest or the smallest value of a channel that count as
        saturation; the signal must have stepped there, not have crept as it does over a smooth top.
    flat : int
        Fewest successive samples of one value that count as a flat line, in units of the median
        run of equal values, which is 1 in most recordings: slow signals in coarse steps keep their
        values for long.
    burst : float
        How many times the energy of what recurs a burst has at least.

    Returns
    -------
    SuggestedMask
        The `mask`, True where usable, and the table of `artefacts`.

    Notes
    -----
    Energy is the mean square about the channel's median, in blocks of 8, 16, 32, ... samples. A
    recording is divided into 16 stretches or more, of at most 131 072 samples. With :math:`p_i` the
    largest energy of a block in stretch :math:`i`, a block of energy :math:`e` is in a burst if

    .. math::

        \log e > m + \max(\log \text{burst},\ 4 s), \qquad m = \mathrm{median}_i \log p_i,
        \quad s = 1.4826\, \mathrm{median}_{i:\, \log p_i \le m} (m - \log p_i),

    so that events which recur in most stretches, heartbeats or spikes, are none, however high. High
    events of which a channel has fewer than about one per stretch look like bursts: of a dozen
    spikes in all many are listed, so pass a longer recording or a larger `burst`. A burst begins
    and ends where the energy in blocks of 8 samples falls below that of the events; its edges are
    right to about 16 samples. Bursts in most stretches, or in a recording of fewer than 512
    samples, are not seen. Work and memory are linear in the length.

    Saturation and flat lines are found where values are equal to the last bit: look for them before
    filtering. Signals without noise are flat between events, and said to be.

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
    stretches = [
        stretch
        for channel, x in enumerate(channels.T)
        for stretch in _find(x.astype(np.float64), channel, saturated, flat, burst)
    ]
    mask = np.ones(channels.shape, dtype=bool)
    for stretch in stretches:
        mask[stretch.start : stretch.end, stretch.channel] = False
    return SuggestedMask(mask.reshape(signal.shape), artefact_table(stretches, known.sfreq))


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


def _find(x: Floats, channel: int, saturated: int, flat: int, burst: float) -> Iterator[Stretch]:
    """Find the spoilt stretches of a channel (n_times,)."""
    usable = np.isfinite(x)
    for start, end in runs_of_true(~usable):
        words = f"{end - start} values in a row are NaN or infinite."
        yield Stretch(start, end, channel, Artefact.missing, words)
    x[~usable] = np.nan
    for plateau in find_plateaus(x, channel, saturated, flat):
        usable[plateau.start : plateau.end] = False
        yield plateau
    yield from find_bursts(x, channel, usable, burst)
