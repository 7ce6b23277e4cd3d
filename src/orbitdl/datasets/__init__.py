"""Data to learn from: seeded simulators, and recordings cut into windows."""

from orbitdl.datasets.earthquake import load_earthquake
from orbitdl.datasets.ecg_recordings import EcgRecording, make_ecg_recording
from orbitdl.datasets.gaussian_waves import GaussianWaves
from orbitdl.datasets.heartbeats import EcgLikeData, make_ecg_like
from orbitdl.datasets.mit_bih import load_ecg
from orbitdl.datasets.oriented_events import OrientedEvents, make_oriented_events
from orbitdl.datasets.segmentation import segment
from orbitdl.datasets.simulators import (
    ShiftData,
    SynchronizationData,
    make_shift_data,
    make_synchronization_data,
)
from orbitdl.datasets.spike_recordings import SpikeRecording, make_spike_recording
from orbitdl.datasets.turned_digits import TurnedDigits, make_turned_digits
from orbitdl.recordings.recording import Recording

__all__ = [
    "EcgLikeData",
    "EcgRecording",
    "GaussianWaves",
    "OrientedEvents",
    "Recording",
    "ShiftData",
    "SpikeRecording",
    "SynchronizationData",
    "TurnedDigits",
    "load_earthquake",
    "load_ecg",
    "make_ecg_like",
    "make_ecg_recording",
    "make_oriented_events",
    "make_shift_data",
    "make_spike_recording",
    "make_synchronization_data",
    "make_turned_digits",
    "segment",
]
