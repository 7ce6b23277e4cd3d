"""Simulated recordings of spiking neurons with ground truth."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.arrays.validation import require_between, require_count, require_positive
from orbitdl.datasets.gaussian_waves import GaussianWaves
from orbitdl.datasets.spike_trains import draw_spike_shapes, draw_spike_times
from orbitdl.datasets.superposition import add_noise, count_samples, locate, superpose
from orbitdl.io.recording import Recording

_REACH = 3.3e-3  # support of a spike on either side of the trough, in seconds


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SpikeRecording(Recording):
    """A simulated recording of spikes with ground truth; a `Recording`.

    Attributes
    ----------
    signal : ndarray of shape (n_times,) or (n_times, n_channels)
        The signal; the trough of the smallest neuron has depth 1 in its strongest channel.
    sfreq : float
        Sampling rate in Hz.
    ch_names : tuple of str
        Names of the channels, if there are several.
    spikes : DataFrame
        One row per spike that overlaps the recording, sorted by time: `position` (in samples) and
        `seconds` (real numbers) of its reference point, the centre of its trough; `inside`, whether
        the reference point lies within the recording; `neuron`; `amplitude`, the factor of its
        waveform; `overlaps`, whether a spike of another neuron has its reference point within a
        millisecond.
    waveforms : tuple of GaussianWaves
        The waveform of each neuron: ``waveforms[j].at(t)`` are its values (..., n_channels) at `t`
        seconds after the reference point.
    noise : float
        Standard deviation of the noise.
    """

    spikes: pd.DataFrame
    waveforms: tuple[GaussianWaves, ...]
    noise: float


def make_spike_recording(
    duration: float = 60.0,
    sfreq: float = 24000.0,
    *,
    n_channels: int = 4,
    n_neurons: int = 3,
    firing_rate: float | Sequence[float] = 10.0,
    refractory: float = 0.003,
    overlaps: float = 0.1,
    snr: float = 6.0,
    amplitude_spread: float = 0.05,
    drift: float = 0.0,
    random_state: int | np.random.Generator | None = None,
) -> SpikeRecording:
    r"""Simulate a multichannel recording of spiking neurons with known spikes.

    Parameters
    ----------
    duration : float
        Length in seconds.
    sfreq : float
        Sampling rate in Hz, at least 10 000 to resolve the narrow waves.
    n_channels : int
        Number of channels of a linear probe.
    n_neurons : int
        Number of neurons, each with a waveform of its own.
    firing_rate : float or sequence of n_neurons floats
        Spikes per second of each neuron.
    refractory : float
        Refractory period in seconds, at most half of the mean interval between spikes.
    overlaps : float
        Share of spikes, up to 0.5, placed within half a millisecond of a spike of another neuron;
        others overlap at random. Those within a refractory period are dropped.
    snr : float
        Depth of the smallest neuron's trough in its strongest channel over the standard deviation
        of the white noise; `numpy.inf` for none.
    amplitude_spread : float
        Standard deviation of the logarithm of the spikes' amplitudes, at most 1.
    drift : float
        Relative slow modulation of the amplitudes of each neuron, from 0 to 0.9.
    random_state : int, Generator or None
        Seed of all random numbers. With one seed the spikes are the same for every `snr`.

    Returns
    -------
    SpikeRecording
        The `signal` with its `sfreq`, the table of `spikes` and the `waveforms`.

    Notes
    -----
    With spikes of amplitude :math:`c_k` at times :math:`\tau_k`, any real numbers, a sample at
    time :math:`t` is

    .. math::

        x(t) = \sum_k c_k\, a_{j_k}(t - \tau_k) + \epsilon(t), \qquad
        c_k = e^{\sigma z_k} \left(1 + d \sin(2 \pi \tau_k / T + \phi_{j_k})\right),

    where :math:`a_j` is a sum of three Gaussian waves (see `GaussianWaves`) whose main wave, the
    trough, has its centre at 0; :math:`T` is the duration, :math:`d` the drift, :math:`\sigma` the
    spread and :math:`z_k` standard normal. Intervals are the refractory period and an exponential
    wait.

    Examples
    --------
    >>> data = make_spike_recording(duration=2, random_state=0)
    >>> data.signal.shape, data.sfreq
    ((48000, 4), 24000.0)
    >>> list(data.spikes)
    ['position', 'seconds', 'inside', 'neuron', 'amplitude', 'overlaps']
    """
    n = count_samples(duration, sfreq)
    require_count(n_channels, "n_channels")
    require_count(n_neurons, "n_neurons")
    require_between(overlaps, "overlaps", 0, 0.5)
    firing_rates = _firing_rates(firing_rate, n_neurons, refractory)
    noise = 0.0 if snr == np.inf else 1 / require_positive(snr, "snr")
    require_between(amplitude_spread, "amplitude_spread", 0, 1)
    require_between(drift, "drift", 0, 0.9)
    rng = np.random.default_rng(random_state)

    waveforms = draw_spike_shapes(rng, n_neurons, n_channels)
    trains = draw_spike_times(
        rng,
        n / sfreq,
        firing_rates=firing_rates,
        refractory=refractory,
        overlaps=overlaps,
        reach=_REACH,
    )
    spikes = _spike_table(trains, sfreq, n)
    spikes["amplitude"] = _amplitudes(rng, spikes, n / sfreq, amplitude_spread, drift, n_neurons)
    spikes["overlaps"] = _overlapping(spikes)
    signal = np.zeros((n, n_channels))
    for j, waves in enumerate(waveforms):
        own = spikes[spikes["neuron"] == j]
        at, size = own["seconds"].to_numpy(), own["amplitude"].to_numpy()
        superpose(signal, waves, at, size, sfreq=sfreq, reach=_REACH)
    add_noise(rng, signal, noise)
    return SpikeRecording(
        signal if n_channels > 1 else signal[:, 0],
        float(sfreq),
        tuple(f"channel {k}" for k in range(n_channels)) if n_channels > 1 else (),
        spikes=spikes,
        waveforms=waveforms,
        noise=noise,
    )


def _firing_rates(
    firing_rate: float | Sequence[float], n_neurons: int, refractory: float
) -> NDArray[np.float64]:
    """Return the firing rate of each neuron, compatible with the refractory period."""
    listed = np.atleast_1d(np.asarray(firing_rate)).tolist()
    if np.ndim(firing_rate) == 0:
        listed *= n_neurons
    if len(listed) != n_neurons:
        raise ValueError(
            f"firing_rate has {len(listed)} numbers for {n_neurons} neurons: pass one number, or "
            "one per neuron."
        )
    rates = np.array([require_positive(sfreq, "firing_rate") for sfreq in listed])
    require_between(refractory, "refractory", 0)
    if refractory * rates.max() > 0.5:
        raise ValueError(
            f"refractory={refractory!r} leaves no time for {rates.max():g} spikes per second: pass "
            f"at most {0.5 / rates.max():g}, or a lower firing_rate."
        )
    return rates


def _spike_table(trains: list[NDArray[np.float64]], sfreq: float, n: int) -> pd.DataFrame:
    """List the spikes of all neurons sorted by time."""
    times = np.concatenate(trains)
    neuron = np.repeat(np.arange(len(trains)), [len(train) for train in trains])
    order = np.argsort(times, kind="stable")
    return locate(times[order], sfreq, n).assign(neuron=neuron[order])


def _amplitudes(
    rng: np.random.Generator,
    spikes: pd.DataFrame,
    duration: float,
    spread: float,
    drift: float,
    n_neurons: int,
) -> NDArray[np.float64]:
    """Draw the factor of each spike: log-normal, times the slow drift of its neuron."""
    phase = rng.uniform(0.0, 2 * np.pi, n_neurons)[spikes["neuron"]]
    slow = 1 + drift * np.sin(2 * np.pi * spikes["seconds"].to_numpy() / duration + phase)
    return np.asarray(slow * np.exp(spread * rng.standard_normal(len(spikes))))


def _overlapping(spikes: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which spikes have one of another neuron within a millisecond."""
    time, neuron = spikes["seconds"].to_numpy(), spikes["neuron"].to_numpy()
    result = np.zeros(len(time), dtype=bool)
    for j in np.unique(neuron):
        others = np.concatenate([[-np.inf], time[neuron != j], [np.inf]])
        own = time[neuron == j]
        after = np.searchsorted(others, own)
        nearest = np.minimum(own - others[after - 1], others[after] - own)
        result[neuron == j] = nearest < 1e-3
    return result
