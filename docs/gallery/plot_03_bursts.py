"""
Bursts of any phase
===================

A worn bearing rings whenever a ball rolls over the fault, and the ringing starts at any phase.
Shifts alone need several components for one kind of burst; `orbitdl.groups.ShiftAndPhase` moves
one component to any time *and* any phase.
"""

import numpy as np

from orbitdl import OrbitDictionaryLearning
from orbitdl.groups import ContinuousShift, ShiftAndPhase
from orbitdl.plot import ComponentsDisplay, DecompositionDisplay

rng = np.random.default_rng(0)
n, length = 200, 101
t = np.arange(length)
X = 0.05 * rng.standard_normal((n, length))
for x in X:
    for _ in range(2):
        start, phase = rng.uniform(10, 75), rng.uniform(0, 2 * np.pi)
        late = np.maximum(t - start, 0.0)
        swell = late * np.exp(-late / 4) / 4
        x += rng.uniform(0.6, 1.4) * swell * np.cos(0.9 * (t - start) + phase)

# %%
# With one component each, how much of the data is explained, net of what the codes cost?

models = {}
for group in (ContinuousShift(), ShiftAndPhase()):
    model = OrbitDictionaryLearning(1, group, alpha=0.2, max_iter=15, n_restarts=2, tol=1e-3,
                                    random_state=0)  # fmt: skip
    models[group.name] = model.fit(X)
    print(f"{group.name}: score {model.score(X):.2f}, {model.codes_}")

# %%
# The burst that was learned with phases, and a data point taken apart: two copies of it at their
# own phases.

ComponentsDisplay.from_estimator(models["ShiftAndPhase"])

# %%
DecompositionDisplay.from_estimator(models["ShiftAndPhase"], X, sample=1)

# %%
# Shifts alone need more atoms, for a wave of a wrong phase must be patched with others.

DecompositionDisplay.from_estimator(models["ContinuousShift"], X, sample=1)
