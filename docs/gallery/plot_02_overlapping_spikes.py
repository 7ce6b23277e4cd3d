"""
Spikes that overlap
===================

Three neurons, heard in four channels. Many of their spikes fall within a millisecond of
another neuron's, so that what is recorded looks like neither. A code is a sum: spikes that
overlap are decomposed as others are.
"""

# sphinx_gallery_thumbnail_number = 2

import numpy as np

from orbitdl import WaveformLearning
from orbitdl.datasets import make_spike_recording
from orbitdl.plot import ComponentsDisplay, DecompositionDisplay

spikes = make_spike_recording(duration=6, n_neurons=3, overlaps=0.2, snr=8, random_state=1)
model = WaveformLearning(
    n_components=3, length=48, noise="white", max_iter=10, tol=1e-3, random_state=0
).fit(spikes.signal)
codes = model.encode(spikes.signal)

# %%
# What a spike of each neuron looks like in the four channels.

ComponentsDisplay.from_estimator(model, sfreq=spikes.sfreq)

# %%
# Two spikes of different neurons, some samples apart: what was recorded is their sum.

truth = spikes.spikes[spikes.spikes["inside"]]
apart = np.diff(truth["seconds"])
differ = (np.diff(truth["neuron"]) != 0) & (apart > 2e-4)
k = int(np.argmin(np.where(differ, apart, np.inf)))
middle = truth["seconds"].iloc[k]
display = DecompositionDisplay.from_estimator(
    model, spikes, start=middle - 0.003, stop=middle + 0.004, codes=codes
)
for ax in display.axes_:
    for time in truth["seconds"].iloc[k : k + 2]:
        ax.axvline(1e3 * time, color="0.5", ls=":", lw=1)
print(f"neurons {truth['neuron'].iloc[k : k + 2].tolist()}, {1e3 * apart[k]:.2f} ms apart (dotted)")

# %%
# How many spikes were found: an event of the neuron's own component within half a millisecond. A
# neuron's component is the one whose events are nearest to its spikes. Passing alpha lists the
# events of the sparse code, which explains overlaps jointly; the calibrated detector is cautious
# next to larger spikes.

events = model.events(spikes.signal, spikes.sfreq, alpha=model.alpha_, codes=codes)
time, neuron = truth["seconds"].to_numpy(), truth["neuron"].to_numpy()
away = np.array(
    [
        np.abs(time[:, None] - events.loc[events["component"] == j, "onset"].to_numpy()).min(axis=1)
        for j in range(3)
    ]
)
own = [np.argmin(np.median(away[:, neuron == k], axis=1)) for k in range(3)]
found = away[np.array(own)[neuron], np.arange(len(truth))] < 5e-4
mixed = truth["overlaps"].to_numpy()
print(f"{found.mean():.1%} of {len(truth)} spikes")
print(f"{found[mixed].mean():.1%} of {mixed.sum()} spikes that overlap")
