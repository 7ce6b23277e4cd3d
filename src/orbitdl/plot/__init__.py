"""Plots of models, codes and events with matplotlib (extra ``[plot]``).

Displays follow scikit-learn: ``ComponentsDisplay.from_estimator(model)`` plots at once. The
attributes ``axes_`` (or ``ax_``) and ``figure_`` are matplotlib objects; ``plot(ax=...)`` plots
again in other axes.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
