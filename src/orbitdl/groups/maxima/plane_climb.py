"""Climbing to a peak of a trigonometric polynomial on the torus by Newton's method."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.maxima.plane_values import Jet, jet_at
from orbitdl.kernels import internal

LONGEST = 0.7
"""Longest step, in radians of the last waves."""
CLOSE = 1e-8
"""Length of a Newton step after which the next one would be its square, and nothing."""
MOST_STEPS = 60
"""Steps: a handful, unless rounding or a ridge keeps them from getting small."""


@internal
def newton_step(jet, highest):  # type: ignore[no-untyped-def]
    """Return a step (x, y) that leads up; `highest` bounds the polynomial.

    Newton's where p is concave. Elsewhere along the slope by so little that p rises for certain:
    bends are at most ``highest (|x| + |y|)^2 <= 2 highest (x^2 + y^2)``.
    """
    det = jet.xx * jet.yy - jet.xy * jet.xy
    if jet.xx + jet.yy < 0.0 and det > 1e-6 * (jet.xx + jet.yy) ** 2:
        x, y = (jet.xy * jet.y - jet.yy * jet.x) / det, (jet.xy * jet.x - jet.xx * jet.y) / det
    else:
        x, y = 0.5 * jet.x / highest, 0.5 * jet.y / highest
    shrink = min(1.0, LONGEST / max(abs(x) + abs(y), 1e-300))
    return shrink * x, shrink * y


@internal
def climb_plane(table, s, t, sign, highest, last, work):  # type: ignore[no-untyped-def]
    """Return the place (s, t) of a peak of ``sign * p`` above a place to start from, and its jet.

    A step that does not lead up is shortened. Below `CLOSE` rounding decides: it is the last one.
    """
    per_s, per_t = 1.0 / max(last[0], 1.0), 1.0 / max(last[1], 1.0)
    x, y, best = 0.0, 0.0, Jet(-np.inf, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(MOST_STEPS):
        jet = jet_at(table, s + x * per_s, t + y * per_t, sign, last, work)
        short = k > 0 and abs(x) + abs(y) < CLOSE
        if jet.value >= best.value:
            s, t, best = s + x * per_s, t + y * per_t, jet
            x, y = newton_step(jet, highest)
        else:
            x, y = 0.3 * x, 0.3 * y
        if short:
            break
    return s % (2.0 * np.pi), t % (2.0 * np.pi), best
