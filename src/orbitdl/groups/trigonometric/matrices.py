"""Matrices of trigonometric polynomials, ``X(theta) = Re sum_f C_f exp(i f theta)``."""

from __future__ import annotations

import numpy as np

from orbitdl.compiled import fast
from orbitdl.groups.blocks import Blocks, Floats, Integers


def values_at(C: Blocks, row: Integers, theta: Floats) -> Floats:
    """Return X at angles (k,) of the functions C (n, F, d, d) numbered `row`, (k, d, d)."""
    value = np.empty((len(row), int(np.prod(C.shape[-2:]))))
    fill_values(as_parts(C), row, theta, value)
    return value.reshape(len(row), *C.shape[-2:])


def values_and_slopes(C: Blocks, row: Integers, theta: Floats) -> tuple[Floats, Floats]:
    """Return X and X' at angles (k,) of the functions C (n, F, d, d) numbered `row`."""
    value, slope = np.empty((2, len(row), int(np.prod(C.shape[-2:]))))
    fill_both(as_parts(C), row, theta, value, slope)
    shape = len(row), *C.shape[-2:]
    return value.reshape(shape), slope.reshape(shape)


def as_parts(C: Blocks) -> Floats:
    """Return C (n, F, d, d) as real and imaginary parts, one after the other, (n, F, 2 d d)."""
    flat = np.ascontiguousarray(C, dtype=np.complex128)
    return flat.reshape(*C.shape[:2], int(np.prod(C.shape[2:]))).view(np.float64)


@fast
def fill_values(C, row, theta, value):  # type: ignore[no-untyped-def]
    """Fill value (k, e) with ``Re sum_f C_f exp(i f theta)``; C holds parts (n, F, 2 e)."""
    _, n_blocks, width = C.shape
    for k in range(row.shape[0]):
        own = C[row[k]]
        one_re, one_im = np.cos(theta[k]), np.sin(theta[k])
        re, im = 1.0, 0.0
        for e in range(width // 2):
            value[k, e] = 0.0
        for f in range(n_blocks):
            for e in range(width // 2):
                value[k, e] += re * own[f, 2 * e] - im * own[f, 2 * e + 1]
            re, im = re * one_re - im * one_im, re * one_im + im * one_re


@fast
def fill_both(C, row, theta, value, slope):  # type: ignore[no-untyped-def]
    """Fill value and slope (k, e) likewise."""
    _, n_blocks, width = C.shape
    for k in range(row.shape[0]):
        own = C[row[k]]
        one_re, one_im = np.cos(theta[k]), np.sin(theta[k])
        re, im = 1.0, 0.0
        for e in range(width // 2):
            value[k, e], slope[k, e] = 0.0, 0.0
        for f in range(n_blocks):
            for e in range(width // 2):
                x, y = own[f, 2 * e], own[f, 2 * e + 1]
                value[k, e] += re * x - im * y
                slope[k, e] -= f * (im * x + re * y)
            re, im = re * one_re - im * one_im, re * one_im + im * one_re
