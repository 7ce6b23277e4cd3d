from .event_table import event_table
from .positions import positions
from .splitting import split_recording
from .windows import Windows

__all__ = ["Windows", "event_table", "positions", "split_recording"]
