"""Recordings split into windows, and their events and values put together again.

`split_recording` splits, `Windows.restore` reassembles, and `event_table` lists the events of their
codes once each. `orbitdl.preprocessing.SplitWindows` is the step that a model holds.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
