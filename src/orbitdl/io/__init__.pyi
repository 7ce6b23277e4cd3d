from .artefacts import Artefact
from .dialect import Decimal, Dialect, Separator
from .events import event_table
from .layout import Kind, Layout
from .new_data import prepare_for, prepare_signal_for
from .prepared_signal import PreparedSignal, prepare_signal
from .preparing import prepare
from .preprocessing import Preprocessing
from .reading import read
from .recording import Recording
from .suggested_mask import SuggestedMask, suggest_mask
from .time_units import TimeUnit
from .unreadable import UnreadableError
from .waveform_tables import waveform_table
from .wfdb_annotations import annotation_file
from .windows import Windows

__all__ = [
    "Artefact",
    "Decimal",
    "Dialect",
    "Kind",
    "Layout",
    "PreparedSignal",
    "Preprocessing",
    "Recording",
    "Separator",
    "SuggestedMask",
    "TimeUnit",
    "UnreadableError",
    "Windows",
    "annotation_file",
    "event_table",
    "prepare",
    "prepare_for",
    "prepare_signal",
    "prepare_signal_for",
    "read",
    "suggest_mask",
    "waveform_table",
]
