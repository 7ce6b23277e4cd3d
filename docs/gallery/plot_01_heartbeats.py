"""
The waveforms of a heart
========================

One minute of an electrocardiogram, simulated: beats that vary in strength, some of them
premature, with noise and a wandering baseline. Two waveforms are learned from all of it at once,
and every beat is found to a fraction of a sample.
"""

# sphinx_gallery_thumbnail_number = 2

from orbitdl import WaveformLearning
from orbitdl.datasets import make_ecg_recording
from orbitdl.plot import ComponentsDisplay, DecompositionDisplay, EventsDisplay

heart = make_ecg_recording(duration=60, random_state=0)
model = WaveformLearning(n_components=2, length=252, n_restarts=3, random_state=0).fit(heart.signal)
codes = model.encode(heart.signal)
events = model.events(heart.signal, rate=heart.rate, codes=codes)
print(f"{heart.beats['inside'].sum()} beats are there, {len(events)} were found; {codes}")

# %%
# A normal beat and a premature one. Nobody said that there are two kinds, only that there are at
# most two.

ComponentsDisplay.from_estimator(model, rate=heart.rate)

# %%
# Six seconds taken apart: the recording (grey) and its approximation, when which waveform occurs
# and with which coefficient, and what is left. Coefficients are a little too small, for sparsity
# has its price; ``model.events`` refits them.

DecompositionDisplay.from_estimator(model, heart, start=19, stop=25, codes=codes)

# %%
# All events, and below them the time since the beat before: a premature beat comes early, and the
# next one late.

EventsDisplay.from_events(events)
