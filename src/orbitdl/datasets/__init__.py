"""Data to learn from: seeded simulators, and recordings cut into windows."""

from orbitdl.datasets.heartbeats import EcgLikeData, make_ecg_like
from orbitdl.datasets.mit_bih import load_ecg
from orbitdl.datasets.segmentation import segment
from orbitdl.datasets.simulators import (
    ShiftData,
    SynchronizationData,
    make_shift_data,
    make_synchronization_data,
)
from orbitdl.recordings.recording import Recording

__all__ = [
    "EcgLikeData",
    "Recording",
    "ShiftData",
    "SynchronizationData",
    "load_ecg",
    "make_ecg_like",
    "make_shift_data",
    "make_synchronization_data",
    "segment",
]
