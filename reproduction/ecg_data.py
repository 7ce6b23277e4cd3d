"""The electrocardiogram of the paper, cut into its windows."""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np

from orbitdl.datasets import load_ecg, segment
from orbitdl.groups.base import Floats

Lead = Literal["lead 0", "mean of leads"]
"""Which signal: the paper leaves it open. Its figures suggest the mean of the two leads."""

LEADS: tuple[Lead, ...] = ("mean of leads", "lead 0")

LENGTH, STEP, COUNT = 201, 10, 1000
"""Section 5.2: n = 1000 windows of 201 samples; their spacing is not in the paper."""


@cache
def signal(lead: Lead) -> Floats:
    """Return record 100 in millivolts, 360 samples per second, shape (650000,)."""
    return np.asarray(load_ecg("100", channel=0 if lead == "lead 0" else "mean"))


def windows(lead: Lead, n: int = COUNT) -> Floats:
    """Return n of the 1000 windows, evenly spread, zero mean and unit norm: (n, 201)."""
    every = segment(signal(lead)[: STEP * COUNT + LENGTH], LENGTH, STEP)[:COUNT]
    return every[:: COUNT // n][:n].copy()
