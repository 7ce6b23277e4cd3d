"""
The waveforms of a heart
========================

One minute of an electrocardiogram, simulated: beats that vary in strength, some of them
premature, with noise and a wandering baseline. Noise, number of waveforms and waveforms are
estimated from all of it at once, and every beat is found to a fraction of a sample.
"""

# sphinx_gallery_thumbnail_number = 2

from orbitdl import WaveformLearning
from orbitdl.datasets import make_ecg_recording
from orbitdl.plot import ComponentsDisplay, DecompositionDisplay, EventsDisplay

heart = make_ecg_recording(duration=60, random_state=0)
model = WaveformLearning(length=252).fit(heart)
codes = model.encode(heart)
events = model.events(heart)
print(f"{heart.beats['inside'].sum()} beats are there, {len(events)} were found; {codes}")
print(model.provenance_["components"])
print(events[["onset", "component", "amplitude", "onset_sd", "q_value"]].head())

# %%
# A normal beat and a premature one. Nobody said that there are two kinds.

ComponentsDisplay.from_estimator(model)

# %%
# Six seconds decomposed: the recording (grey) and its approximation, when which waveform occurs
# and with which coefficient, and what is left. Coefficients are a little too small, for sparsity
# has its price; ``model.events`` refits them.

DecompositionDisplay.from_estimator(model, heart, start=19, stop=25, codes=codes)

# %%
# All events, and below them the time since the beat before: a premature beat comes early, and the
# next one late.

EventsDisplay.from_events(events)
