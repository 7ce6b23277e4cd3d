"""Splitting a signal into windows."""

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_scalar

from orbitdl.io.recording import as_signal
from orbitdl.windows.splitting import normalised, split_windows


def segment(
    signal: ArrayLike, length: int, step: int, *, normalize: bool = True
) -> NDArray[np.float64]:
    r"""Split a signal into windows.

    Parameters
    ----------
    signal : array-like of shape (n_times,) or (n_times, channels)
        The signal; NaN means missing, and stays.
    length : int
        Samples in a window.
    step : int
        Samples from the start of one window to the start of the next. Windows overlap when it
        is below `length`; samples after the last complete window are dropped.
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

    See Also
    --------
    orbitdl.windows.split_recording : The same, with the way back to the recording and to its times.

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
    values = as_signal(signal)
    if values.ndim not in (1, 2) or 0 in values.shape[1:]:
        raise ValueError(
            f"signal has shape {values.shape}: pass one of shape (n_times,) or (n_times, channels)."
        )
    if len(values) < length:
        raise ValueError(
            f"signal has {len(values)} samples, fewer than length={length}: "
            "pass a longer signal or a smaller length."
        )
    windows, _ = split_windows(values, length, step, to_end=False)
    return normalised(windows, normalize)[0]
