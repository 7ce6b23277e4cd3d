"""Preprocessing: steps that a fitted model holds and applies to new recordings.

Every step is a scikit-learn transformer of recordings: filters without delay, another sampling
rate, choice and reference of channels, windows. Pass a list of them to an estimator; the model
file holds them. What they make is computed a part at a time, as it is read.

Examples
--------
>>> from orbitdl import WaveformLearning
>>> from orbitdl.datasets import make_ecg_recording
>>> from orbitdl.preprocessing import HighPass, Pick
>>> heart = make_ecg_recording(duration=30, n_leads=2, random_state=0)
>>> model = WaveformLearning(length=200, preprocessing=[Pick("V1"), HighPass(0.5)]).fit(heart)
>>> model.components_.shape[1:], model.ch_names_, model.unit_
((200,), ('V1',), None)
>>> model.events(heart).columns[0]
'onset'
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
