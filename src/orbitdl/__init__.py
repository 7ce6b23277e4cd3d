"""Group invariant dictionary learning: components, their places, and a proof of how good.

The names below are imported when first used, so that ``import orbitdl`` itself is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orbitdl.lazy import lazily

if TYPE_CHECKING:
    from orbitdl.alpha import alpha_max, suggest_alpha
    from orbitdl.alpha_path import encode_path
    from orbitdl.codes import Codes, Status
    from orbitdl.completion import Completion, complete
    from orbitdl.denoising import denoise, noise_level
    from orbitdl.encoding import decode, encode
    from orbitdl.estimator import OrbitDictionaryLearning
    from orbitdl.loading import load
    from orbitdl.metrics import align, dictionary_distance
    from orbitdl.recordings.positions import positions
    from orbitdl.selection.choice import Selection
    from orbitdl.selection.select import select
    from orbitdl.storage.container import ModelFileError
    from orbitdl.storage.stored_codes import StoredCodes
    from orbitdl.waveform_learning import WaveformLearning

__version__ = "0.1.0"

__all__ = [
    "Codes",
    "Completion",
    "ModelFileError",
    "OrbitDictionaryLearning",
    "Selection",
    "Status",
    "StoredCodes",
    "WaveformLearning",
    "align",
    "alpha_max",
    "complete",
    "decode",
    "denoise",
    "dictionary_distance",
    "encode",
    "encode_path",
    "load",
    "noise_level",
    "positions",
    "select",
    "suggest_alpha",
]

_HOME = {
    "Codes": "codes",
    "Completion": "completion",
    "ModelFileError": "storage.container",
    "OrbitDictionaryLearning": "estimator",
    "Selection": "selection.choice",
    "Status": "codes",
    "StoredCodes": "storage.stored_codes",
    "WaveformLearning": "waveform_learning",
    "align": "metrics",
    "alpha_max": "alpha",
    "complete": "completion",
    "decode": "encoding",
    "denoise": "denoising",
    "dictionary_distance": "metrics",
    "encode": "encoding",
    "encode_path": "alpha_path",
    "load": "loading",
    "noise_level": "denoising",
    "positions": "recordings.positions",
    "select": "selection.select",
    "suggest_alpha": "alpha",
}

__getattr__, __dir__ = lazily(globals(), _HOME)
