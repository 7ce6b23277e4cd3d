"""Recordings, and readers of files that hold them.

`read` reads a file; a `Recording` holds its samples, which are read when they are needed, and what
is known of them. Estimators, plots and reports take it.

Names are imported on first use, which keeps the start of the command line fast.

Examples
--------
>>> import numpy as np
>>> from orbitdl.io import Recording
>>> Recording(np.zeros((1000, 2)), sfreq=250.0, ch_names=("I", "V1"))
<Recording: 1000 samples (4 s) of 2 channels (I, V1) at 250 Hz>
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
