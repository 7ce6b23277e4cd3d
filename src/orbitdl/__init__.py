"""Group invariant dictionary learning: components, their places, and a proof of how good.

The names below are imported when first used, so that ``import orbitdl`` itself is quick.
"""

import lazy_loader

_exported, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name == "__version__":  # reading it from the installed package takes longer than all else
        from orbitdl.versions import installed_version

        return installed_version()
    return _exported(name)
