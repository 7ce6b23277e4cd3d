"""Recordings: reading files, splitting into windows, event tables.

A recording is a long signal with one or more channels. `read` reads a file, `suggest_mask` detects
artefacts, `prepare` splits a recording into windows, `Windows.restore` reassembles windows, and
`event_table` lists events. ``orbitdl encode`` uses the same functions.

Names are imported on first use, which keeps the start of the command line fast.

Examples
--------
>>> from orbitdl import OrbitDictionaryLearning
>>> from orbitdl.datasets import make_ecg_like
>>> from orbitdl.groups import ContinuousShift
>>> from orbitdl.io import Preprocessing, Recording, event_table, prepare
>>> heart = make_ecg_like(n_windows=30, noise=0.0, drift=0.0, random_state=0)
>>> recording = Recording(heart.signal, heart.sfreq)
>>> windows = prepare(recording, Preprocessing(window=128, step=64))
>>> model = OrbitDictionaryLearning(2, ContinuousShift(), alpha=0.2, max_iter=5, random_state=0)
>>> codes = model.set_params(tol=0.05).fit(windows.values).encode(windows.values)
>>> list(event_table(codes, model.components_, windows))
['onset', 'sample', 'window', 'component', 'shift', 'coefficient']
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
