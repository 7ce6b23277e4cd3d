"""
Noise, removed
==============

A recording so noisy that only the largest waves are seen. The waveforms are learned from the
noisy recording itself; what they explain is the recording without its noise, on the trend that
was taken off.
"""

import matplotlib.pyplot as plt
import numpy as np

from orbitdl import WaveformLearning
from orbitdl.datasets import make_ecg_recording

noisy, clean = (
    make_ecg_recording(duration=90, premature=0.1, noise=noise, random_state=3)
    for noise in (0.2, 0.0)
)
model = WaveformLearning(n_components=2, length=252).fit(noisy.signal)
denoised = model.denoise(noisy.signal, debias=True)

shown = slice(360 * 30, 360 * 35)
time = np.arange(len(noisy.signal))[shown] / noisy.sfreq
figure, axes = plt.subplots(2, 1, figsize=(9, 4.5), sharex=True, sharey=True, layout="constrained")
axes[0].plot(time, noisy.signal[shown], color="0.5", lw=0.8)
axes[0].set_title("what was recorded", loc="left")
axes[1].plot(time, clean.signal[shown], color="0.75", lw=4, label="truth")
axes[1].plot(time, denoised[shown], color="#0072b2", lw=1.4, label="denoised")
axes[1].set_title("what was learned from it", loc="left")
axes[1].legend(frameon=False, ncols=2)
axes[1].set_xlabel("time (s)")
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)

# %%
# How far both are from the truth, as root mean square:

for name, values in (("recorded", noisy.signal), ("denoised", denoised)):
    print(f"{name}: {np.sqrt(np.mean((values - clean.signal) ** 2)):.3f}")
