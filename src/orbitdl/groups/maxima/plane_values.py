"""Real trigonometric polynomials on the torus: value, gradient, Hessian and bounds.

    p(s, t) = Re sum_{u,v} C_uv exp(i (u s + v t)),      u = -U .. U,  v = 0 .. V.

C is stored as its real and imaginary parts, (2, 2 U + 1, V + 1). Sums over v come first, row by
row, then sums over rows u.

The bound (2) on a cell, or around a local maximum, is derived in `plane_largest`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.kernels import internal, internal_allocating


class Jet(NamedTuple):
    """Value, gradient and Hessian of ``sign * p`` at a point, in scaled coordinates.

    These are ``x = U s`` and ``y = V t``, radians of the highest frequency in either direction:
    derivatives of order k along (x, y) are at most ``(|x| + |y|)^k max |p|`` (Bernstein).
    """

    value: float
    x: float
    y: float
    xx: float
    xy: float
    yy: float


def as_table(C: Blocks, waves: Integers) -> Floats:
    """Return coefficients (..., F) of plane waves (F, 2) as tables (..., 2, 2 U + 1, V + 1)."""
    last_u, last_v = (int(last) for last in np.abs(waves).max(axis=0))
    table = np.zeros((*C.shape[:-1], 2, 2 * last_u + 1, last_v + 1))
    index = waves[:, 0] + last_u, waves[:, 1]
    table[..., 0, *index], table[..., 1, *index] = C.real, C.imag
    return table


@internal_allocating
def make_work(table):  # type: ignore[no-untyped-def]
    """Return the workspace of `jet_at`: exponentials in both directions, and times v and v^2."""
    return np.empty((6, table.shape[2])), np.empty((2, table.shape[1]))


@internal
def fill_exponentials(s, t, work):  # type: ignore[no-untyped-def]
    """Fill the workspace with ``exp(i v t)``, v and v^2 times it, and ``exp(i u s)``."""
    across, along = work
    one_real, one_imag, real, imag = np.cos(t), np.sin(t), 1.0, 0.0
    for v in range(across.shape[1]):
        across[0, v], across[1, v] = real, imag
        across[2, v], across[3, v] = v * real, v * imag
        across[4, v], across[5, v] = v * v * real, v * v * imag
        real, imag = real * one_real - imag * one_imag, real * one_imag + imag * one_real
    one_real, one_imag, real, imag = np.cos(s), np.sin(s), 1.0, 0.0
    middle = along.shape[1] // 2
    for u in range(middle + 1):
        along[0, middle + u], along[1, middle + u] = real, imag
        along[0, middle - u], along[1, middle - u] = real, -imag
        real, imag = real * one_real - imag * one_imag, real * one_imag + imag * one_real


@internal
def row_sums(real, imag, across):  # type: ignore[no-untyped-def]
    """Return ``sum_v v^k C_v exp(i v t)`` for k = 0, 1, 2, real and imaginary parts."""
    a0, b0, a1, b1, a2, b2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for v in range(real.shape[0]):
        x, y = real[v], imag[v]
        a0 += x * across[0, v] - y * across[1, v]
        b0 += x * across[1, v] + y * across[0, v]
        a1 += x * across[2, v] - y * across[3, v]
        b1 += x * across[3, v] + y * across[2, v]
        a2 += x * across[4, v] - y * across[5, v]
        b2 += x * across[5, v] + y * across[4, v]
    return a0, b0, a1, b1, a2, b2


@internal
def jet_at(table, s, t, sign, last, work):  # type: ignore[no-untyped-def]
    """Return the `Jet` at (s, t), scaled by the highest frequencies (U', V'), at least 1."""
    across, along = work
    fill_exponentials(s, t, work)
    middle = table.shape[1] // 2
    p, ps, pt, pss, pst, ptt = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(table.shape[1]):
        a0, b0, a1, b1, a2, b2 = row_sums(table[0, k], table[1, k], across)
        u, real, imag = k - middle, along[0, k], along[1, k]
        value, quadrature = a0 * real - b0 * imag, a0 * imag + b0 * real
        p += value
        ps -= u * quadrature
        pss -= u * u * value
        pt -= a1 * imag + b1 * real
        pst -= u * (a1 * real - b1 * imag)
        ptt -= a2 * real - b2 * imag
    x, y = 1.0 / max(last[0], 1.0), 1.0 / max(last[1], 1.0)
    return Jet(
        sign * p,
        sign * x * ps,
        sign * y * pt,
        sign * x * x * pss,
        sign * x * y * pst,
        sign * y * y * ptt,
    )


@internal
def last_waves(table, tiny):  # type: ignore[no-untyped-def]
    """Return the highest frequencies (U', V') with a coefficient above a tiny size.

    Frequencies beyond are removed from the table; the sum of their sizes is returned, too.
    """
    middle, tiny = table.shape[1] // 2, tiny * tiny
    last_u, last_v, beyond = 0, 0, 0.0
    for k in range(table.shape[1]):
        for v in range(table.shape[2]):
            if table[0, k, v] ** 2 + table[1, k, v] ** 2 > tiny:
                last_u, last_v = max(last_u, abs(k - middle)), max(last_v, v)
    for k in range(table.shape[1]):
        for v in range(table.shape[2]):
            if abs(k - middle) > last_u or v > last_v:
                beyond += abs(table[0, k, v]) + abs(table[1, k, v])
                table[0, k, v] = table[1, k, v] = 0.0
    return last_u, last_v, beyond


@internal
def top_of_edge(value, slope, curvature, radius):  # type: ignore[no-untyped-def]
    """Return the maximum of ``value + slope x + curvature x^2 / 2`` for |x| <= radius."""
    top = value + abs(slope) * radius + 0.5 * curvature * radius * radius
    if curvature < 0.0 and abs(slope) < -curvature * radius:
        top = value - 0.5 * slope * slope / curvature
    return top


@internal
def top_of_box(jet, extra, a, b):  # type: ignore[no-untyped-def]
    """Return the maximum of (2), R = extra I, for |x| <= a, |y| <= b.

    It is attained on an edge or, if the quadratic is concave, where the gradient vanishes.
    """
    xx, yy, xy = jet.xx + extra, jet.yy + extra, jet.xy
    top = -np.inf
    for sign in (-1.0, 1.0):
        x, y = sign * a, sign * b
        top = max(top, top_of_edge(jet.value + jet.x * x + 0.5 * xx * x * x, jet.y + xy * x, yy, b))
        top = max(top, top_of_edge(jet.value + jet.y * y + 0.5 * yy * y * y, jet.x + xy * y, xx, a))
    det = xx * yy - xy * xy
    if xx < 0.0 and det > 0.0:
        x, y = (xy * jet.y - yy * jet.x) / det, (xy * jet.x - xx * jet.y) / det
        if abs(x) <= a and abs(y) <= b:
            top = max(top, jet.value + 0.5 * (jet.x * x + jet.y * y))
    return top


@internal
def cap_of(jet, mu, third, eps):  # type: ignore[no-untyped-def]
    """Return the radius around a local maximum on which (2) is concave, and the bound there.

    The radius is 0 if the bound exceeds the maximum by more than a fraction eps. `third` bounds
    third derivatives.
    """
    spread = np.sqrt((0.5 * (jet.xx - jet.yy)) ** 2 + jet.xy * jet.xy)
    least = -0.5 * (jet.xx + jet.yy) - spread
    if least <= 1e-9 * mu:
        return 0.0, np.inf
    bound = jet.value + 2.0 * (jet.x * jet.x + jet.y * jet.y) / least
    return (1.125 * least / third if bound <= (1.0 + eps) * jet.value else 0.0), bound


@internal
def circle_distance(angle, other):  # type: ignore[no-untyped-def]
    """Return the distance of two angles on the circle, in radians."""
    away = abs(angle - other) % (2.0 * np.pi)
    return min(away, 2.0 * np.pi - away)


@internal
def bound_of_caps(caps, n_caps, which, sign, cell, last):  # type: ignore[no-untyped-def]
    """Return the bound of a cap of ``sign * p_which`` that contains a cell, or infinity."""
    s, t, a, b = cell
    for k in range(n_caps):
        if caps[k, 4] == which and caps[k, 5] == sign:
            x, y = (
                last[0] * circle_distance(s, caps[k, 0]) + a,
                last[1] * circle_distance(t, caps[k, 1]) + b,
            )
            if x + y <= caps[k, 2]:
                return caps[k, 3]
    return np.inf


@internal
def third_derivative(last, mu):  # type: ignore[no-untyped-def]
    """Return a positive bound of the third derivatives in (2)."""
    return min(mu, max(last[2], 1e-12 * mu))


@internal
def sum_of_cubes(table, last_u, last_v):  # type: ignore[no-untyped-def]
    """Return ``sum |C_uv| max(|u| / U, |v| / V')^3``."""
    middle, total = table.shape[1] // 2, 0.0
    for k in range(table.shape[1]):
        for v in range(table.shape[2]):
            wave = max(abs(k - middle) / max(last_u, 1.0), v / max(last_v, 1.0))
            total += np.sqrt(table[0, k, v] ** 2 + table[1, k, v] ** 2) * wave**3
    return total
