"""Recordings: cutting a long one into windows, and loading a public electrocardiogram."""

import os
import warnings
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_scalar

_SOURCE = "https://physionet.org/files/mitdb/1.0.0/"
_SHA256 = {
    "100.dat": "b2ea3c250e56e48f4b7b90697832b8ecd1afa1e0bb31f2dcfea4ed6e1075a639",
    "100.hea": "60ebc904c7bf3e04d142638d3fd5c903e8dc9f10f1ea3264e07926aa089ee75e",
}
_MISSING_EXTRA = 'load_ecg needs {}: install it with pip install "orbitdl[ecg]".'


@dataclass(frozen=True, eq=False)
class Recording:
    """Hold one recording.

    Attributes
    ----------
    signal : ndarray of shape (n_times,) or (n_times, n_leads)
        The values in millivolts.
    rate : float
        Samples a second.
    leads : tuple of str
        Names of the leads that `signal` holds or is the mean of.
    """

    signal: NDArray[np.float64]
    rate: float
    leads: tuple[str, ...]


def segment(
    signal: ArrayLike, length: int, step: int, *, normalize: bool = True
) -> NDArray[np.float64]:
    r"""Cut a long signal into windows.

    Parameters
    ----------
    signal : array-like of shape (n_times,) or (n_times, channels)
        The signal; NaN means missing, and stays.
    length : int
        Samples in a window.
    step : int
        Samples from the start of one window to the start of the next. Windows overlap when it
        is below `length`; samples after the last whole window are left out.
    normalize : bool
        Whether to give each window zero mean and unit norm.

    Returns
    -------
    ndarray of shape (n_windows, length) or (n_windows, length, channels)
        The windows, as a new array.

    Notes
    -----
    Window :math:`i` holds :math:`x_i(t) = s(i \cdot \text{step} + t)` for
    :math:`0 \le t < \text{length}`. Normalised, it is :math:`(x_i - \bar x_i) / \|x_i - \bar x_i\|`
    where the mean is taken in each channel and the norm over all of them, so that channels keep
    their proportions. A constant window becomes zero. Both are taken over what is not NaN.

    Examples
    --------
    >>> segment([0, 1, 2, 3, 4, 5, 6], length=3, step=2, normalize=False)
    array([[0., 1., 2.],
           [2., 3., 4.],
           [4., 5., 6.]])
    >>> segment([0, 1, 2, 3, 4, 5, 6], length=3, step=4).round(2)
    array([[-0.71,  0.  ,  0.71],
           [-0.71,  0.  ,  0.71]])
    """
    check_scalar(length, "length", Integral, min_val=1)
    check_scalar(step, "step", Integral, min_val=1)
    signal = _check_signal(signal)
    if len(signal) < length:
        raise ValueError(
            f"signal has {len(signal)} samples, fewer than length={length}: "
            "pass a longer signal or a smaller length."
        )
    every = np.lib.stride_tricks.sliding_window_view(signal, length, axis=0)
    windows = np.array(np.moveaxis(every[::step], -1, 1), order="C")
    return _standardize(windows) if normalize else windows


def load_ecg(record: str = "100", *, channel: int | Literal["mean"] | None = 0) -> Recording:
    """Load a record of the MIT-BIH Arrhythmia Database.

    The files are looked for in the folder `mitdb` of `$ORBITDL_DATA`, then in the user's cache.
    Record 100 is otherwise downloaded once from PhysioNet and checked against its known hash.

    Parameters
    ----------
    record : str
        Name of the record. Records other than 100 are read where their files are present.
    channel : int, "mean" or None
        Which lead to return, their mean, or with None all of them as columns.

    Returns
    -------
    Recording
        The `signal`, its `rate` and the names of its `leads`.

    Raises
    ------
    ImportError
        If the extra `orbitdl[ecg]` is not installed.
    FileNotFoundError
        If the record is neither present nor downloadable.

    Notes
    -----
    The database [1]_ is published by PhysioNet under the Open Data Commons Attribution License
    1.0. Record 100 has two leads, MLII and V5, and 650 000 samples at 360 Hz.

    References
    ----------
    .. [1] G. B. Moody and R. G. Mark, "The impact of the MIT-BIH Arrhythmia Database", IEEE
       Engineering in Medicine and Biology 20(3), 45-50, 2001.

    Examples
    --------
    >>> recording = load_ecg("100")  # doctest: +SKIP
    >>> recording.signal.shape, recording.rate, recording.leads  # doctest: +SKIP
    ((650000,), 360.0, ('MLII',))
    >>> X = segment(recording.signal, length=201, step=10)[:1000]  # doctest: +SKIP
    """
    try:
        with warnings.catch_warnings():  # wfdb 4.3 warns at import of what pandas 4 will drop
            warnings.simplefilter("ignore", DeprecationWarning)
            import wfdb
    except ImportError as error:
        raise ImportError(_MISSING_EXTRA.format("wfdb")) from error

    content = wfdb.rdrecord(str(_folder(record) / record))
    signal = np.asarray(content.p_signal, dtype=np.float64)
    leads = tuple(content.sig_name)
    if channel == "mean":
        signal = signal.mean(axis=1)
    elif channel is not None:
        if channel not in range(len(leads)):
            raise ValueError(
                f"channel={channel!r} is not a lead of record {record}: "
                f'pass a number from 0 to {len(leads) - 1}, "mean", or None for all leads.'
            )
        signal, leads = signal[:, channel].copy(), (leads[channel],)
    return Recording(signal, float(content.fs), leads)


def _folder(record: str) -> Path:
    """Find the folder that holds a record's two files; download them if need be and possible."""
    names = {f"{record}.dat", f"{record}.hea"}
    data = os.environ.get("ORBITDL_DATA")
    if data and _holds(Path(data) / "mitdb", names):
        return Path(data) / "mitdb"
    try:
        import pooch
    except ImportError as error:
        raise ImportError(_MISSING_EXTRA.format("pooch")) from error

    cache = Path(pooch.os_cache("orbitdl")) / "mitdb"
    if _holds(cache, names):
        return cache
    remedy = f"set ORBITDL_DATA to a folder that holds mitdb/{record}.dat and mitdb/{record}.hea"
    if not names <= _SHA256.keys():
        raise FileNotFoundError(
            f"Record {record} is not on this machine and only record 100 is downloaded: {remedy}."
        )
    store = pooch.create(path=cache, base_url=_SOURCE, registry=_SHA256)
    try:
        for name in sorted(names):
            store.fetch(name)
    except OSError as error:
        raise FileNotFoundError(
            f"Record {record} could not be downloaded from {_SOURCE}: {remedy}, "
            f"or connect to the internet once to fill the cache in {cache}."
        ) from error
    return cache


def _holds(folder: Path, names: set[str]) -> bool:
    return all((folder / name).is_file() for name in names)


def _check_signal(signal: ArrayLike) -> NDArray[np.float64]:
    """Return the signal as floats, or refuse it in one sentence."""
    array = np.asarray(signal)
    if np.iscomplexobj(array):
        raise ValueError("signal is complex: pass its real and imaginary parts as two channels.")
    if array.ndim not in (1, 2) or 0 in array.shape[1:]:
        raise ValueError(
            f"signal has shape {array.shape}: pass one of shape (n_times,) or (n_times, channels)."
        )
    array = array.astype(np.float64)
    if np.isinf(array).any():
        raise ValueError("signal holds infinite values: set them to NaN, which means missing.")
    return array


def _standardize(windows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give each window zero mean in each channel and unit norm; a constant one becomes zero.

    Mean and norm are taken over what is not NaN.
    """
    others = tuple(range(1, windows.ndim))
    missing = np.isnan(windows)
    known = np.where(missing, 0.0, windows)
    count = np.maximum(np.sum(~missing, axis=1, keepdims=True), 1)
    centred = np.where(missing, 0.0, known - known.sum(axis=1, keepdims=True) / count)
    norm = np.sqrt(np.sum(centred**2, axis=others, keepdims=True))
    # A constant window leaves rounding errors behind, which must not be blown up to norm 1.
    largest = np.abs(known).max(axis=others, keepdims=True)
    rounding = 4 * np.finfo(np.float64).eps * windows[0].size * largest
    varies = norm > rounding
    unit = np.where(varies, centred / np.where(varies, norm, 1.0), 0.0)
    return np.where(missing, np.nan, unit)
