"""Simulated electrocardiograms with ground truth."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.arrays.validation import require_between, require_count, require_positive
from orbitdl.datasets.beats import add_baseline, beat_shapes, beat_times
from orbitdl.datasets.gaussian_waves import GaussianWaves
from orbitdl.datasets.superposition import add_noise, count_samples, locate, superpose
from orbitdl.io.recording import Recording
from orbitdl.preprocessing.artefacts import Artefact, Segment, artefact_table

_LEADS = ("II", "V1")
_REACH = 0.8  # support of a beat on either side of the R peak, in seconds


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EcgRecording(Recording):
    """A simulated electrocardiogram with ground truth; a `Recording`.

    Attributes
    ----------
    signal : ndarray of shape (n_times,) or (n_times, 2)
        The signal; the R peak of a normal beat of amplitude 1 has height 1 in the first lead. NaN
        where missing.
    sfreq : float
        Sampling rate in Hz.
    ch_names : tuple of str
        Names of the leads.
    beats : DataFrame
        One row per beat that overlaps the recording, sorted by time: `position` (in samples) and
        `seconds` (real numbers) of its reference point, the centre of its R wave; `inside`, whether
        the reference point lies within the recording; `kind`, "normal" or "premature";
        `amplitude`, the factor of its waveform.
    waveforms : dict of GaussianWaves
        The waveform of each kind: ``waveforms["normal"].at(t)`` are its values (..., n_leads) at
        `t` seconds after the reference point.
    artefacts : DataFrame
        The simulated artefacts: `start` and `end` (exclusive) in samples, `start_time` and
        `end_time` in seconds, `channel`, `reason` and `description`, as in `suggest_mask`.
    """

    beats: pd.DataFrame
    waveforms: dict[str, GaussianWaves]
    artefacts: pd.DataFrame


def make_ecg_recording(
    duration: float = 60.0,
    sfreq: float = 360.0,
    *,
    heart_rate: float = 75.0,
    variability: float = 0.08,
    premature: float = 0.12,
    n_leads: Literal[1, 2] = 1,
    amplitude_spread: float = 0.05,
    noise: float = 0.02,
    drift: float = 0.1,
    saturations: int = 0,
    flat_lines: int = 0,
    bursts: int = 0,
    gaps: int = 0,
    random_state: int | np.random.Generator | None = None,
) -> EcgRecording:
    r"""Simulate an electrocardiogram with known beats.

    Parameters
    ----------
    duration : float
        Length in seconds.
    sfreq : float
        Sampling rate in Hz, at least 50 to resolve the narrow waves.
    heart_rate : float
        Beats per minute, at the median interval.
    variability : float
        Standard deviation of the logarithm of the intervals, at most 0.5.
    premature : float
        Share of beats that are premature, from 0 to 1.
    n_leads : 1 or 2
        Number of leads.
    amplitude_spread : float
        Standard deviation of the logarithm of the beats' amplitudes, at most 1.
    noise : float
        Standard deviation of the white noise, where the normal R peak has height 1.
    drift : float
        Root mean square of the baseline wander, in the same unit.
    saturations, flat_lines, bursts, gaps : int
        Number of artefacts of each type, 0.5 to 2 seconds long: a lead is clipped at 3 or -3,
        constant, or has additional noise of standard deviation 2; or all leads are NaN. The
        recording must have four seconds per artefact.
    random_state : int, Generator or None
        Seed of all random numbers. With one seed the beats are the same for every noise, drift,
        number of leads and number of artefacts.

    Returns
    -------
    EcgRecording
        The `signal` with its `sfreq`, the tables of `beats` and `artefacts`, the `waveforms`.

    Notes
    -----
    With beats of amplitude :math:`c_b` at times :math:`\tau_b`, any real numbers, a sample at time
    :math:`t` is

    .. math::

        x(t) = \sum_b c_b\, a_{k_b}(t - \tau_b) + \text{drift} + \text{noise},

    where :math:`a_k` is a sum of Gaussian waves (see `GaussianWaves`), five in a normal beat and
    three, wider, in a premature one, whose main wave R has its centre at 0. Premature beats come
    early by 0.3 of an interval and a pause follows. The baseline is a sum of four sinusoids below
    0.35 Hz. Memory is that of the signal and little more: 24 hours in a lead at 360 Hz are 250 MB.

    Examples
    --------
    >>> heart = make_ecg_recording(duration=30, random_state=0)
    >>> heart.signal.shape, heart.sfreq
    ((10800,), 360.0)
    >>> list(heart.beats)
    ['position', 'seconds', 'inside', 'kind', 'amplitude']
    >>> from orbitdl.windows import split_recording
    >>> split_recording(heart, 360).values.shape
    (30, 360)
    """
    n = count_samples(duration, sfreq)
    require_positive(heart_rate, "heart_rate")
    require_between(variability, "variability", 0, 0.5)
    require_between(premature, "premature", 0, 1)
    require_between(amplitude_spread, "amplitude_spread", 0, 1)
    require_between(noise, "noise", 0)
    require_between(drift, "drift", 0)
    if n_leads not in (1, 2):
        raise ValueError(f"n_leads must be 1 or 2, not {n_leads!r}.")
    artefacts = {
        Artefact.saturation: require_count(saturations, "saturations", least=0),
        Artefact.flat: require_count(flat_lines, "flat_lines", least=0),
        Artefact.burst: require_count(bursts, "bursts", least=0),
        Artefact.missing: require_count(gaps, "gaps", least=0),
    }
    require_duration(artefacts, duration)
    rng = np.random.default_rng(random_state)

    beats = _draw_beats(rng, n, sfreq, 60 / heart_rate, variability, premature)
    beats["amplitude"] = np.exp(amplitude_spread * rng.standard_normal(len(beats)))
    waveforms = beat_shapes(n_leads)
    signal = np.zeros((n, n_leads))
    for kind, waves in waveforms.items():
        own = beats[beats["kind"] == kind]
        at, size = own["seconds"].to_numpy(), own["amplitude"].to_numpy()
        superpose(signal, waves, at, size, sfreq=sfreq, reach=_REACH)
    for lead in range(n_leads):
        add_baseline(rng, signal[:, lead], sfreq=sfreq, size=drift)
    add_noise(rng, signal, noise)
    planted = plant_artefacts(rng, signal, sfreq, artefacts)
    return EcgRecording(
        signal if n_leads > 1 else signal[:, 0],
        float(sfreq),
        _LEADS[:n_leads],
        beats=beats,
        waveforms=waveforms,
        artefacts=planted,
    )


def _draw_beats(
    rng: np.random.Generator, n: int, sfreq: float, interval: float, spread: float, premature: float
) -> pd.DataFrame:
    """Draw times and types of beats."""
    times, early = beat_times(
        rng, n / sfreq, interval=interval, spread=spread, premature=premature, reach=_REACH
    )
    return locate(times, sfreq, n).assign(kind=np.where(early, "premature", "normal"))


CEILING = 3.0
"""Absolute value at saturation."""
BURST_SIZE = 2.0
"""Standard deviation of the noise that a burst adds."""
SHORTEST, LONGEST = 0.5, 2.0
"""Duration of an artefact in seconds."""


def require_duration(counts: Mapping[Artefact, int], duration: float) -> None:
    """Raise ValueError for more artefacts than fit into a recording."""
    count = sum(counts.values())
    if duration < 2 * LONGEST * count:
        raise ValueError(
            f"{count} artefacts need a recording of at least {2 * LONGEST * count:g} seconds, but "
            f"this one has {duration:g}: pass a longer duration or fewer artefacts."
        )


def plant_artefacts(
    rng: np.random.Generator,
    signal: NDArray[np.float64],
    sfreq: float,
    counts: Mapping[Artefact, int],
) -> pd.DataFrame:
    """Add artefacts to a signal (n_times, channels), in place, and list them.

    The signal is divided into equal segments with one artefact each, so that they never overlap.
    Values are missing in all channels at once; other artefacts affect one channel.
    """
    kinds = rng.permutation([kind for kind, count in counts.items() for _ in range(count)])
    part = len(signal) / max(len(kinds), 1)
    segments: list[Segment] = []
    for k, kind in enumerate(kinds):
        length = math.ceil(rng.uniform(SHORTEST, LONGEST) * sfreq)
        start = math.floor(k * part + rng.uniform(0.1, 0.9) * (part - length))
        segments += _spoil(rng, signal, start, start + length, Artefact(kind))
    return artefact_table(segments, sfreq)


def _spoil(
    rng: np.random.Generator, signal: NDArray[np.float64], start: int, end: int, kind: Artefact
) -> Iterator[Segment]:
    """Add an artefact to a segment of one channel or all, in place."""
    n_channels = signal.shape[1]
    hit = range(n_channels) if kind is Artefact.missing else [int(rng.integers(n_channels))]
    for channel in hit:
        stretch = signal[start:end, channel]
        match kind:
            case Artefact.missing:
                stretch[:] = np.nan
            case Artefact.saturation:
                stretch[:] = rng.choice([-CEILING, CEILING])
            case Artefact.flat:
                stretch[:] = stretch[0]
            case Artefact.burst:
                stretch += BURST_SIZE * rng.standard_normal(len(stretch))
        yield Segment(start, end, channel, kind, f"planted {kind}")
