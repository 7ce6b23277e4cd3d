"""
Missing pieces, filled
======================

NaN means missing, everywhere. Waveforms are learned from a recording with gaps, in which only
what was observed counts; a beat of which a part was seen is then known as a whole. Noise is white:
a whitening filter would lose the samples after every gap, and gaps are many here.
"""

import matplotlib.pyplot as plt
import numpy as np

from orbitdl import WaveformLearning
from orbitdl.datasets import make_ecg_recording

heart = make_ecg_recording(duration=60, premature=0.0, random_state=1)
gapped = heart.signal.copy()
rng = np.random.default_rng(0)
for start in rng.uniform(1, 59, 60):  # seconds
    gapped[int(360 * start) : int(360 * start) + 40] = np.nan
model = WaveformLearning(1, length=252, noise="white", n_restarts=2, random_state=0).fit(gapped)
filled = model.complete(gapped)

# %%
# Sixty gaps of a ninth of a second each; those in five of the seconds, and what they were filled
# with.

shown = slice(360 * 20, 360 * 25)
time = np.arange(len(gapped))[shown] / heart.sfreq
figure, ax = plt.subplots(figsize=(9, 3), layout="constrained")
ax.fill_between(
    time,
    0,
    1,
    where=np.isnan(gapped[shown]),
    transform=ax.get_xaxis_transform(),
    color="#d55e00",
    alpha=0.1,
    lw=0,
)
ax.plot(time, heart.signal[shown], color="0.75", lw=4, label="truth")
ax.plot(time, filled[shown], color="#d55e00", lw=1.6, label="filled")
ax.plot(time, gapped[shown], color="0.1", lw=1.6, label="observed")
ax.set(xlabel="time (s)", ylabel="mV")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, ncols=3, loc="upper right")
ax.set_ylim(top=1.45)

# %%
# The error of what was filled, beside that of a straight line from one end of a gap to the other:

missing = np.isnan(gapped)
line = np.interp(np.flatnonzero(missing), np.flatnonzero(~missing), gapped[~missing])
for name, values in (("waveforms", filled[missing]), ("straight lines", line)):
    error = np.sqrt(np.mean((values - heart.signal[missing]) ** 2))
    print(f"{name}: {error:.3f} (root mean square; of the noise: 0.020)")
