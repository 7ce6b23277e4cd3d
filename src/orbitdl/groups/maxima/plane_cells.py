"""Bounds of a trigonometric polynomial on the torus: on a cell, or around a local maximum.

The bound (2) and its consequences are derived in `plane_largest`.
"""

from __future__ import annotations

import numpy as np

from orbitdl.kernels import internal


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
