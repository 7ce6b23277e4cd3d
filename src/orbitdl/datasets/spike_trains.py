"""Simulation of spikes: waveforms, and times with a refractory period."""

import math

import numpy as np
from numpy.typing import NDArray

from orbitdl.datasets.gaussian_waves import GaussianWaves

_SPACING = 0.8  # decay length of amplitudes, in channels
_HEIGHTS = (1.0, 1.6)  # of the smallest and the largest neuron's troughs
_MILLISECOND = 1e-3
_CLOSE = 0.5 * _MILLISECOND  # maximum distance of a simulated overlap from its neighbour


def draw_spike_shapes(
    rng: np.random.Generator, n_neurons: int, n_channels: int
) -> tuple[GaussianWaves, ...]:
    """Draw a waveform per neuron: a hump, the trough at 0 and a slower hump, in all channels.

    Troughs in a neuron's strongest channel are from 1 to 1.6 deep; neurons differ in widths, in
    humps, and in where they lie along the row of channels.
    """
    position = _spread(rng, n_neurons) * (n_channels - 1)
    depth = rng.permutation(np.linspace(*_HEIGHTS, n_neurons))
    trough = 0.10 + 0.12 * rng.permutation(_spread(rng, n_neurons))
    after = 0.40 + 0.30 * rng.permutation(_spread(rng, n_neurons))
    shapes = []
    for j in range(n_neurons):
        gain = np.exp(-np.abs(np.arange(n_channels) - position[j]) / _SPACING)
        height = np.array([rng.uniform(0.1, 0.3), -1.0, rng.uniform(0.2, 0.5)])
        centre = np.array([-0.25 - trough[j], 0.0, trough[j] + after[j]]) * _MILLISECOND
        width = np.array([0.12, trough[j], 0.15 + 0.2 * after[j]]) * _MILLISECOND
        shapes.append(GaussianWaves(np.outer(height, depth[j] * gain / gain.max()), centre, width))
    return tuple(shapes)


def draw_spike_times(
    rng: np.random.Generator,
    duration: float,
    *,
    firing_rates: NDArray[np.float64],
    refractory: float,
    overlaps: float,
    reach: float,
) -> list[NDArray[np.float64]]:
    """Draw the sorted times of every neuron's spikes that may overlap [0, duration].

    A share `overlaps` of all spikes is placed next to a spike of another neuron.
    """
    if len(firing_rates) == 1:  # there is nobody to overlap with
        overlaps = 0.0
    trains = [
        _train(rng, duration, rate * (1 - overlaps), refractory, reach) for rate in firing_rates
    ]
    if overlaps == 0:
        return trains
    return [
        _with_overlaps(rng, trains, j, rate * overlaps * (duration + 2 * reach), refractory)
        for j, rate in enumerate(firing_rates)
    ]


def _train(
    rng: np.random.Generator, duration: float, rate: float, refractory: float, reach: float
) -> NDArray[np.float64]:
    """Draw a Poisson process in which a refractory period follows each spike."""
    times, end = [np.zeros(0)], -reach - rng.random() / rate
    while end < duration + reach:
        size = 16 + math.ceil((duration + reach - end) * rate)
        waits = refractory + rng.exponential(1 / rate - refractory, size)
        times.append(end + np.cumsum(waits))
        end = times[-1][-1]
    train = np.concatenate(times)
    return train[(train > -reach) & (train < duration + reach)]


def _with_overlaps(
    rng: np.random.Generator,
    trains: list[NDArray[np.float64]],
    own: int,
    expected: float,
    refractory: float,
) -> NDArray[np.float64]:
    """Add spikes next to spikes of other neurons; those in a refractory period are dropped."""
    others = np.concatenate([train for j, train in enumerate(trains) if j != own])
    count = min(rng.poisson(expected), len(others))
    beside = np.sort(rng.choice(others, count, replace=False) + rng.uniform(-_CLOSE, _CLOSE, count))
    beside = beside[np.diff(beside, prepend=-np.inf) >= refractory]
    edges = np.concatenate([[-np.inf], trains[own], [np.inf]])
    after = np.searchsorted(trains[own], beside)
    distance = np.minimum(beside - edges[after], edges[after + 1] - beside)
    return np.sort(np.concatenate([trains[own], beside[distance >= refractory]]))


def _spread(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Draw n numbers spread over [0, 1], one near the middle of each of n equal parts."""
    return np.asarray((np.arange(n) + rng.uniform(0.35, 0.65, n)) / n)
