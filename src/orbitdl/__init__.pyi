from .coding.codes import Codes, Status
from .encoding.complete import Completion
from .encoding.denoise import noise_level
from .encoding.encode import decode
from .encoding.metrics import align, dictionary_distance
from .estimators.functions import complete, denoise, encode, encode_path
from .estimators.loading import load
from .estimators.orbit import OrbitDictionaryLearning
from .estimators.waveform import WaveformLearning
from .learning.alpha import alpha_max, suggest_alpha
from .selection.choice import Selection
from .selection.select import select
from .storage.container import ModelFileError
from .storage.stored_codes import StoredCodes
from .versions import show_versions
from .windows.positions import positions

__version__: str
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
    "show_versions",
    "suggest_alpha",
]
