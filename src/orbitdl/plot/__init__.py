"""Pictures of models, codes and events, by matplotlib: the extra ``[plot]``.

A display is made from what it shows, ``ComponentsDisplay.from_estimator(model)``, which draws it
at once. Its ``axes_`` (or ``ax_``, where there is one) and ``figure_`` are matplotlib's, to be
changed and saved; ``plot(ax=...)`` draws again, in axes of your own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orbitdl.lazy import lazily

if TYPE_CHECKING:
    from orbitdl.plot.components import ComponentsDisplay
    from orbitdl.plot.convergence import ConvergenceDisplay
    from orbitdl.plot.decomposition import DecompositionDisplay
    from orbitdl.plot.dictionaries import DictionariesDisplay
    from orbitdl.plot.events import EventsDisplay
    from orbitdl.plot.selection import SelectionDisplay

__all__ = [
    "ComponentsDisplay",
    "ConvergenceDisplay",
    "DecompositionDisplay",
    "DictionariesDisplay",
    "EventsDisplay",
    "SelectionDisplay",
]

_HOME = {
    "ComponentsDisplay": "components",
    "ConvergenceDisplay": "convergence",
    "DecompositionDisplay": "decomposition",
    "DictionariesDisplay": "dictionaries",
    "EventsDisplay": "events",
    "SelectionDisplay": "selection",
}

__getattr__, __dir__ = lazily(globals(), _HOME)
