from .components import ComponentsDisplay
from .convergence import ConvergenceDisplay
from .decomposition import DecompositionDisplay
from .dictionaries import DictionariesDisplay
from .events import EventsDisplay
from .selection import SelectionDisplay

__all__ = [
    "ComponentsDisplay",
    "ConvergenceDisplay",
    "DecompositionDisplay",
    "DictionariesDisplay",
    "EventsDisplay",
    "SelectionDisplay",
]
