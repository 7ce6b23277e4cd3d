"""Group invariant dictionary learning: components, their places, and a proof of how good.

The names below are imported when first used, so that ``import orbitdl`` itself is quick.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"
