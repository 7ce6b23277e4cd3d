"""Pictures of models, codes and events, by matplotlib: the extra ``[plot]``.

A display is made from what it shows, ``ComponentsDisplay.from_estimator(model)``, which draws it
at once. Its ``axes_`` (or ``ax_``, where there is one) and ``figure_`` are matplotlib's, to be
changed and saved; ``plot(ax=...)`` draws again, in axes of your own.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
