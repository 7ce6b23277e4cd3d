"""Quantisation of arrays to 16 bits in scaled blocks, encoded as base64."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats

BLOCK = 2**14
"""Rows of a block: an artefact reduces the precision of its own block only."""
MISSING = -32768
"""Code of NaN."""
MAX_CODE = 32760
"""Largest code."""


def packed(values: Floats, rounding: list[Callable[..., Any]]) -> list[dict[str, Any]]:
    """Return columns (n, m) as blocks of rows; `rounding` has a function per column.

    A block has `middle` and `scale` of each column, where ``value = middle + scale * code``, and
    the codes column by column.
    """
    return [_block(values[k : k + BLOCK], rounding) for k in range(0, len(values), BLOCK)]


def as_text(values: NDArray[Any], kind: str) -> str:
    """Return an array as base64, with a data type such as "<f4"."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def _block(values: Floats, rounding: list[Callable[..., Any]]) -> dict[str, Any]:
    low, high = (np.nan_to_num(f.reduce(values, axis=0)) for f in (np.fmin, np.fmax))
    middle, half = (low + high) / 2, (high - low) / 2
    scale = np.where(half > 0, half / (MAX_CODE - 1), 1.0)
    parts = (values - middle) / scale
    codes = np.stack([r(column) for r, column in zip(rounding, parts.T, strict=True)])
    codes = np.where(np.isnan(codes), MISSING, np.clip(codes, -MAX_CODE, MAX_CODE))
    return {
        "rows": len(values),
        "middle": middle.tolist(),
        "scale": scale.tolist(),
        "codes": as_text(codes, "<i2"),
    }
