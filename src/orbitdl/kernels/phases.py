"""Phases ``exp(i f angle)`` of all frequencies f, by products instead of cosines."""

from __future__ import annotations

import numpy as np

from orbitdl.kernels import internal


@internal
def fill_phases(angle, real, imag):  # type: ignore[no-untyped-def]
    """Fill real and imag (F,), F a multiple of 8, with the parts of ``exp(i f angle)``.

    Eight phases are made one after the other, and all later ones from those 8 before by one
    product each, which the compiler vectorises.
    """
    one_re, one_im = np.cos(angle), np.sin(angle)
    step_re, step_im = 1.0, 0.0
    for f in range(8):
        real[f], imag[f] = step_re, step_im
        step_re, step_im = step_re * one_re - step_im * one_im, step_re * one_im + step_im * one_re
    for start in range(8, real.shape[0], 8):
        for f in range(start, start + 8):
            x, y = real[f - 8], imag[f - 8]
            real[f] = x * step_re - y * step_im
            imag[f] = x * step_im + y * step_re
