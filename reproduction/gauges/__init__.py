"""Gauges of any representation: in closed form, by a program, or by a search between two bounds.

Nothing in `orbitdl` needs them: coders and certificates use the polar of the gauge only.
"""

from reproduction.gauges.bounds import decompose, gauge, gauge_bracket

__all__ = ["decompose", "gauge", "gauge_bracket"]
