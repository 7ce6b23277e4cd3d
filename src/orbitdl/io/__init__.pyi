from .dialect import Decimal, Dialect, Separator
from .layout import Kind, Layout
from .reading import read
from .recording import Recording, concatenate, is_recording
from .time_units import TimeUnit
from .unreadable import UnreadableError
from .waveform_tables import waveform_table

__all__ = [
    "Decimal",
    "Dialect",
    "Kind",
    "Layout",
    "Recording",
    "Separator",
    "TimeUnit",
    "UnreadableError",
    "concatenate",
    "is_recording",
    "read",
    "waveform_table",
]
