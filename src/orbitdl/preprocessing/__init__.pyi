from .artefacts import Artefact
from .base import Step
from .channels import CommonReference, Pick, Whiten
from .detrending import Detrend
from .filters import BandPass, HighPass, LowPass, Notch
from .pipeline import from_records
from .resampling import Resample
from .splitting import SplitWindows
from .suggested_mask import SuggestedMask, suggest_mask

__all__ = [
    "Artefact",
    "BandPass",
    "CommonReference",
    "Detrend",
    "HighPass",
    "LowPass",
    "Notch",
    "Pick",
    "Resample",
    "SplitWindows",
    "Step",
    "SuggestedMask",
    "Whiten",
    "from_records",
    "suggest_mask",
]
