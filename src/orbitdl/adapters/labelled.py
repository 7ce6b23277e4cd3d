"""Recordings from and to labelled arrays of pandas and xarray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orbitdl.arrays.optional import install_hint
from orbitdl.io.recording import Recording
from orbitdl.io.time_columns import rate_in, rate_of

if TYPE_CHECKING:
    import pandas as pd


def from_pandas(table: pd.DataFrame | pd.Series, sfreq: float | None = None) -> Recording:
    """Return a recording of a table, a column a channel.

    Parameters
    ----------
    table : DataFrame or Series
        Numbers, NaN where missing.
    sfreq : float, optional
        Sampling rate in Hz. By default it is that of an index of times, timestamps or durations, or
        of an index of numbers whose name has a unit, such as ``time_ms``; else not known.

    Examples
    --------
    >>> import pandas as pd
    >>> times = pd.date_range("2024-05-01", periods=4, freq="10ms")
    >>> from_pandas(pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]}, index=times))
    <Recording: 4 samples (0.04 s) of 1 channel (x) at 100 Hz>
    """
    import pandas as pd

    frame = pd.DataFrame(table)
    values = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    names = tuple(str(name) for name in frame.columns)
    rate = sfreq or _rate_of(frame.index)
    return Recording(values[:, 0] if table.ndim == 1 else values, rate, names)


def to_pandas(recording: Recording) -> pd.DataFrame:
    """Return a recording as a table, a column a channel.

    Its index is `seconds` from the start of the whole recording, or `sample` if the rate is not
    known.
    """
    import pandas as pd

    values = np.asarray(recording, dtype=np.float64).reshape(len(recording), -1)
    names = recording.ch_names or tuple(f"channel_{k}" for k in range(values.shape[1]))
    return pd.DataFrame(values, index=_index_of(recording), columns=list(names))


def from_xarray(array: Any, time: str = "time") -> Recording:
    """Return a recording of an `xarray.DataArray` with a dimension of time, and one of channels.

    Parameters
    ----------
    array : xarray.DataArray
        Coordinates of the other dimension are names of channels; the attribute ``units`` is the
        unit of the values.
    time : str
        Name of the dimension of time. Its coordinates are seconds, timestamps or durations.
    """
    if time not in array.dims or array.ndim > 2:
        raise ValueError(
            f"the array has the dimensions {', '.join(map(str, array.dims))}; pass one of "
            f"{time!r} and at most one other, or the name of the dimension of time as time=."
        )
    placed = array.transpose(time, ...)
    others = [name for name in placed.dims if name != time]
    names: tuple[str, ...] = ()
    if others and others[0] in placed.coords:
        names = tuple(str(name) for name in placed.coords[others[0]].values)
    index = placed.coords[time].to_index() if time in placed.coords else None
    rate, first = _seconds_rate(index), None
    if rate and index is not None and index.dtype.kind in "iuf":
        first = round(float(index[0]) * rate) or None  # an excerpt
    unit = str(placed.attrs.get("units", ""))
    units = (unit,) * (placed.shape[1] if others else 1) if unit else ()
    return Recording(placed.data, rate, names, units=units, first_sample=first)


def to_xarray(recording: Recording) -> Any:
    """Return a recording as an `xarray.DataArray` of time and channels, times in seconds."""
    try:
        import xarray
    except ImportError as error:
        raise ImportError(install_hint("arrays of xarray", "xarray", "xarray")) from error
    table = to_pandas(recording)
    array = xarray.DataArray(
        table.to_numpy(),
        {"time": table.index.to_numpy(), "channel": list(table.columns)},
        ("time", "channel"),
    )
    return array.assign_attrs({"units": recording.unit} if recording.unit else {})


def _index_of(recording: Recording) -> Any:
    import pandas as pd

    sample = (recording.first_sample or 0) + np.arange(len(recording))
    if recording.sfreq is None:
        return pd.Index(sample, name="sample")
    return pd.Index(sample / recording.sfreq, name="seconds")


def _seconds_rate(index: Any) -> float | None:
    """Return the sampling rate of coordinates of time, which are seconds if they are numbers."""
    if index is None or len(index) < 2:
        return None
    if index.dtype.kind in "iuf":
        return rate_of(np.asarray(index, dtype=np.float64), str(index.name), "the array")
    return _rate_of(index)


def _rate_of(index: Any) -> float | None:
    """Return the sampling rate of an index of times, if it is one."""
    if len(index) < 2:
        return None
    if index.dtype.kind in "mM":
        seconds = (index - index[0]).total_seconds().to_numpy()
        return rate_of(seconds, str(index.name or "index"), "the table")
    from orbitdl.io.time_units import unit_of

    unit = unit_of(str(index.name)) if index.name is not None else None
    if unit is None or index.dtype.kind not in "iuf":
        return None
    return rate_in(unit, np.asarray(index, dtype=np.float64), str(index.name), "the table")[0]
