"""Datasets: seeded simulators, and loaders of recordings."""

from orbitdl.datasets.earthquake import load_earthquake
from orbitdl.datasets.ecg_recordings import EcgRecording, make_ecg_recording
from orbitdl.datasets.gaussian_waves import GaussianWaves
from orbitdl.datasets.heartbeats import EcgLikeData, make_ecg_like
from orbitdl.datasets.mit_bih import load_ecg
from orbitdl.datasets.oriented_events import OrientedEvents, make_oriented_events
from orbitdl.datasets.rotated_digits import RotatedDigits, make_rotated_digits
from orbitdl.datasets.segmentation import segment
from orbitdl.datasets.simulators import (
    ShiftData,
    SynchronizationData,
    make_shift_data,
    make_synchronization_data,
)
from orbitdl.datasets.spike_recordings import SpikeRecording, make_spike_recording
from orbitdl.io.recording import Recording

__all__ = [
    "EcgLikeData",
    "EcgRecording",
    "GaussianWaves",
    "OrientedEvents",
    "Recording",
    "ShiftData",
    "SpikeRecording",
    "SynchronizationData",
    "RotatedDigits",
    "load_earthquake",
    "load_ecg",
    "make_ecg_like",
    "make_ecg_recording",
    "make_oriented_events",
    "make_shift_data",
    "make_spike_recording",
    "make_synchronization_data",
    "make_rotated_digits",
    "segment",
]
