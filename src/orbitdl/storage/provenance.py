"""Provenance of a model: fingerprint of the data, and versions of the software."""

from __future__ import annotations

import hashlib
import platform
from datetime import UTC, datetime
from typing import Any

import numba
import numpy
import scipy
import sklearn
from numpy.typing import ArrayLike, NDArray

import orbitdl
from orbitdl.arrays.validation import as_masked_data
from orbitdl.data.fingerprint import Digest, digest_of
from orbitdl.data.opening import as_source


def fingerprint(*arrays: NDArray[Any] | None) -> str:
    """Return the SHA-256 of shape, type and values of arrays, in hexadecimal; None is left out.

    Examples
    --------
    >>> fingerprint(numpy.zeros((2, 3)))[:16]
    'c1a6e26515766d41'
    """
    digest = hashlib.sha256()
    for array in (array for array in arrays if array is not None):
        digest.update(f"{array.shape} {array.dtype.str} ".encode())
        digest.update(numpy.ascontiguousarray(array).data)
    return digest.hexdigest()


def data_fingerprint(X: ArrayLike, mask: ArrayLike | None = None) -> str:
    """Return the fingerprint of data points, as stored in models; NaN means missing.

    It does not depend on whether entries are missing by NaN or by a mask (True: observed), nor on
    whether data are in memory, on disk or in chunks.

    Examples
    --------
    >>> by_nan = data_fingerprint([[1.0, numpy.nan]])
    >>> by_nan == data_fingerprint([[1.0, 2.0]], mask=[[True, False]])
    True
    """
    source = as_source(X, mask)
    if source is not None:
        return digest_of(source).hexdigest(source.shape)
    values, observed = as_masked_data(X, mask)
    return Digest.of(values, observed, 0).hexdigest(values.shape[1:])


def provenance(n_samples: int, data: str) -> dict[str, Any]:
    """Return versions, the date, the number of samples and the fingerprint of the data."""
    return {
        "orbitdl": orbitdl.__version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
        "scikit-learn": sklearn.__version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "samples": n_samples,
        "fingerprint": data,
    }
