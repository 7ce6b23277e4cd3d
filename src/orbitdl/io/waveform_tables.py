"""Tables of components: one column per waveform, one row per sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import as_components, require_positive

if TYPE_CHECKING:
    import pandas as pd


def waveform_table(components: ArrayLike, sfreq: float | None = None) -> pd.DataFrame:
    """Return the values of components over time.

    Parameters
    ----------
    components : array-like of shape (q, d) or (q, d, channels)
        Such as ``model.components_``.
    sfreq : float, optional
        Sampling rate in Hz.

    Returns
    -------
    DataFrame
        One row per sample, d in total. The first column is `sample`, from 0, or `seconds` if the
        sampling rate is passed; then one column per component, `component_0`, ..., or one per
        component and channel, `component_0_channel_0`, ....

    Examples
    --------
    >>> waveform_table([[0.0, 1.0, 0.5], [0.6, 0.8, 0.0]], sfreq=10.0)
       seconds  component_0  component_1
    0      0.0          0.0          0.6
    1      0.1          1.0          0.8
    2      0.2          0.5          0.0
    """
    import pandas as pd

    shapes = as_components(components)
    q, length = shapes.shape[:2]
    number = np.arange(length)
    table = pd.DataFrame(
        {"sample": number}
        if sfreq is None
        else {"seconds": number / require_positive(sfreq, "sfreq")}
    )
    parts = list(np.ndindex(*shapes.shape[2:]))
    for j in range(q):
        for part in parts:
            channel = "".join(f"_{k}" for k in part)
            name = f"component_{j}_channel{channel}" if part else f"component_{j}"
            table[name] = shapes[(j, slice(None), *part)]
    return table
