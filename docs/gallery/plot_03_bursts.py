"""
Bursts of any phase
===================

A worn bearing rings whenever a ball rolls over the fault, and the ringing starts at any phase.
When a burst may only be shifted, a phase that does not fit is answered by a shift, and the time
found is wrong by as much; `orbitdl.groups.ShiftAndPhase` moves a component to any time *and* any
phase.
"""

# sphinx_gallery_thumbnail_number = 3

import matplotlib.pyplot as plt
import numpy as np

from orbitdl import OrbitDictionaryLearning
from orbitdl.groups import ContinuousShift, ShiftAndPhase
from orbitdl.plot import ComponentsDisplay, DecompositionDisplay

rng = np.random.default_rng(0)
n, length = 200, 101
t = np.arange(length)
times, phases = rng.uniform(30, 70, n), rng.uniform(0, 2 * np.pi, n)
late = t - times[:, None]
X = np.exp(-0.02 * late**2) * np.cos(0.4 * late + phases[:, None])
X += 0.1 * rng.standard_normal(X.shape)

# %%
# One component each. How much of the data is explained, net of what the codes cost, and with how
# many atoms?

models = {}
for group in (ContinuousShift(), ShiftAndPhase()):
    model = OrbitDictionaryLearning(1, group, alpha=0.5, n_restarts=2, tol=1e-3, random_state=0)
    models[group.name] = model.fit(X)
    print(f"{group.name}: score {model.score(X):.3f}, {model.codes_}")

# %%
# The burst that was learned with phases, and a data point decomposed.

ComponentsDisplay.from_estimator(models["ShiftAndPhase"])

# %%
DecompositionDisplay.from_estimator(models["ShiftAndPhase"], X, sample=1)

# %%
# How far the times that were found are from the true ones. A component has no time of its own, so
# that the median is taken off.

figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for (name, model), colour in zip(models.items(), ("#d55e00", "#0072b2"), strict=True):
    atoms = model.codes_.to_frame()
    largest = atoms.loc[atoms["coefficient"].abs().groupby(atoms["sample"]).idxmax()]
    away = (largest["shift"].to_numpy() - times[largest["sample"]]) % length
    away -= np.median(away)
    ax.hist(away, bins=np.linspace(-8, 8, 65), color=colour, alpha=0.75, label=name)
    print(f"{name}: off by {np.abs(away).mean():.2f} samples on average")
ax.set(xlabel="error of the time found (samples)", ylabel="data points")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
