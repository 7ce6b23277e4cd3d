from .alpha import alpha_max, suggest_alpha
from .alpha_path import encode_path
from .codes import Codes, Status
from .completion import Completion, complete
from .denoising import denoise, noise_level
from .encoding import decode, encode
from .estimator import OrbitDictionaryLearning
from .loading import load
from .metrics import align, dictionary_distance
from .recordings.positions import positions
from .selection.choice import Selection
from .selection.select import select
from .storage.container import ModelFileError
from .storage.stored_codes import StoredCodes
from .waveform_learning import WaveformLearning

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
    "suggest_alpha",
]
