"""Validation of arguments; messages name the argument and the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

SMALLEST, LARGEST = 1e-100, 1e100
"""Range of absolute values of data whose squares and products neither underflow nor overflow."""
LARGEST_COUNT = 2**53
"""Largest integer argument; small multiples of it still fit into 64 bits."""


def as_data(X: ArrayLike, name: str = "X", row: str = "data point") -> NDArray[np.float64]:
    """Return X as float64 of shape (n, ...) with at least one row, all finite."""
    array = _as_rows(X, name, row)
    return _require_range(require_finite(array, name), name)


def as_masked_data(
    X: ArrayLike, mask: ArrayLike | None = None, name: str = "X"
) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    """Return X with missing entries set to zero, and a mask of observed entries (None: all).

    Entries are missing if they are NaN or False in `mask`.
    """
    array = _as_rows(X, name, "data point")
    observed = ~np.isnan(array)
    if mask is not None:
        observed &= _as_mask(mask, array.shape, name)
    if observed.all():
        return _require_range(require_finite(array, name), name), None
    filled = require_finite(np.where(observed, array, 0.0), name)
    return _require_range(filled, name), observed


def as_components(A: ArrayLike, name: str = "components") -> NDArray[np.float64]:
    """Return components as float64 of shape (q, ...)."""
    return as_data(A, name, row="component")


def require_finite(array: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    """Return the array unless it has NaN or infinite entries."""
    if not np.isfinite(array).all():
        if np.isnan(array).any():
            raise ValueError(
                f"{name} contains NaN, which is allowed in data only; drop or fill it first."
            )
        raise ValueError(f"{name} contains infinite values; replace them by finite ones first.")
    return array


def require_positive(value: object, name: str, what: str = "a positive number") -> float:
    """Return a positive finite number."""
    number = np.nan if isinstance(value, bool) or not isinstance(value, Real) else _as_float(value)
    if not 0 < number < np.inf:
        raise ValueError(f"{name} must be {what}, not {_shown(value)}.")
    return number


def require_between(value: object, name: str, least: float, most: float = np.inf) -> float:
    """Return a finite number from `least` to `most`."""
    number = np.nan if isinstance(value, bool) or not isinstance(value, Real) else _as_float(value)
    if not (least <= number <= most and number < np.inf):
        bounds = f"of at least {least:g}" if most == np.inf else f"from {least:g} to {most:g}"
        raise ValueError(f"{name} must be a number {bounds}, not {_shown(value)}.")
    return number


def require_positive_or(value: object, name: str, word: str) -> float | None:
    """Return a positive finite number, or None for the word that requests an automatic choice."""
    if isinstance(value, str) and value == word:
        return None
    return require_positive(value, name, f'a positive number or "{word}"')


def require_count(value: object, name: str, least: int = 1) -> int:
    """Return an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ValueError(f"{name} must be an integer of at least {least}, not {_shown(value)}.")
    if int(value) > LARGEST_COUNT:
        raise ValueError(f"{name} must be at most {LARGEST_COUNT}, not {_shown(value)}.")
    return int(value)


def as_candidates(values: Iterable[Any], name: str) -> list[Any]:
    """Return candidates of a search as a list with at least one element."""
    try:
        every = list(values)
    except TypeError:
        raise ValueError(f"{name} must be a list of candidates, not {_shown(values)}.") from None
    if not every:
        raise ValueError(f"{name} is empty; pass at least one candidate.")
    return every


def as_alphas(alphas: Iterable[float]) -> list[float]:
    """Return regularisation weights as a list of positive numbers."""
    return [require_positive(alpha, "each of alphas") for alpha in as_candidates(alphas, "alphas")]


def require_batch_size(value: object) -> int | str | None:
    """Return a number of data points, None for all of them, or "auto"."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return value
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < 1:
        raise ValueError(
            "batch_size must be a number of data points, None for all at every step, or "
            f'"auto", not {_shown(value)}.'
        )
    return int(value)


def require_jobs(n_jobs: object) -> int | None:
    """Return a number of threads in joblib's sense."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(
            f"n_jobs must be None, a number of threads, or -1 for all cores, not {_shown(n_jobs)}."
        )
    return None if n_jobs is None else int(n_jobs)


def _as_float(value: Real) -> float:
    """Return a number in double precision; infinite if it overflows."""
    try:
        return float(value)
    except OverflowError:
        return np.inf


def _shown(value: object, longest: int = 60) -> str:
    """Return the repr of a value, truncated."""
    try:
        text = repr(value)
    except ValueError:  # Python does not print integers of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= longest else f"{text[:longest]}..."


def _as_rows(X: ArrayLike, name: str, row: str) -> NDArray[np.float64]:
    """Return X as float64 with at least one row and one column."""
    array = _as_numbers(X, name)
    require_rows(array.shape, name, row)
    return array


def require_rows(shape: tuple[int, ...], name: str = "X", row: str = "data point") -> None:
    """Raise ValueError for a shape without rows or columns."""
    if len(shape) < 2:
        raise ValueError(
            f"{name} must have one {row} a row, not shape {shape}. "
            f"Reshape your data: {name}[None] is a single {row}."
        )
    if 0 in shape:
        what = "sample(s)" if shape[0] == 0 else "feature(s)"
        raise ValueError(
            f"{name} has 0 {what} (shape={shape}) while a minimum of 1 is required; "
            f"pass at least one {row} with at least one value."
        )


def _as_mask(mask: ArrayLike, shape: tuple[int, ...], name: str) -> NDArray[np.bool_]:
    """Return a mask as a boolean array of the data's shape."""
    array = np.asarray(mask)
    require_mask(array.dtype, array.shape, shape, name)
    return array


def require_mask(
    dtype: np.dtype[Any], own: tuple[int, ...], shape: tuple[int, ...], name: str = "X"
) -> None:
    """Raise ValueError unless a mask is boolean and has the shape of the data."""
    if dtype != np.bool_ or own != shape:
        raise ValueError(
            f"mask must be a boolean array of {name}'s shape {shape}, True where an entry was "
            f"observed, not {dtype} of shape {own}."
        )


def _as_numbers(X: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return X as a float64 array in C order; raise ValueError unless it holds real numbers."""
    return np.asarray(as_real_array(X, name), dtype=np.float64, order="C")


def as_real_array(X: ArrayLike, name: str) -> NDArray[Any]:
    """Return X as an array of its own dtype; raise ValueError unless it holds real numbers."""
    if sparse.issparse(X):
        raise ValueError(f"{name} is sparse; pass {name}.toarray().")
    try:
        array = np.asarray(X)
    except ValueError:
        raise ValueError(
            f"{name} must be one array, but its rows differ in length; truncate or pad them to one "
            "length first."
        ) from None
    is_object = array.dtype == object
    if array.shape == () and is_object:
        raise _not_numbers(name, type(X).__name__)
    if not is_object:
        require_real(array.dtype, name)
    return array


def require_real(dtype: np.dtype[Any], name: str = "X") -> None:
    """Raise ValueError for dtypes other than real numbers."""
    if dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported: pass real {name}, for instance real and imaginary "
            "parts as two channels."
        )
    if dtype.kind not in "biuf":
        raise _not_numbers(name, "text" if dtype.kind in "SUT" else f"{dtype}")


def _not_numbers(name: str, found: str) -> ValueError:
    return ValueError(f"{name} must be an array of numbers, not {found}; convert it first.")


def _require_range(array: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    """Return the array unless its squares leave the range of float64."""
    require_in_range(float(max(array.max(), -array.min())), name)
    return array


def require_in_range(largest: float, name: str) -> None:
    """Raise ValueError if the square of the largest value leaves the range of float64."""
    if largest > LARGEST or 0 < largest < SMALLEST:
        raise ValueError(
            f"{name} has values of size {largest:.0e}, outside {SMALLEST:.0e} to {LARGEST:.0e}; "
            "change its unit, and that of alpha."
        )
