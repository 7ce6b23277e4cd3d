"""
Whole samples, or any amount
============================

Events do not wait for the clock of a recorder. Here a narrow wave occurs at any times. When it
may be moved by whole samples only (convolutional dictionary learning), a copy that is half a
sample off costs a second atom, and the learned wave is blurred; shifts by any amount need one
atom per event.
"""

import matplotlib.pyplot as plt
import numpy as np

from orbitdl import OrbitDictionaryLearning
from orbitdl.groups import ContinuousShift, IntegerShift
from orbitdl.plot import DecompositionDisplay

rng = np.random.default_rng(0)
t = np.arange(41)


def wave(place):
    """Return a wave with two phases, about three samples wide."""
    return (t - place) * np.exp(-0.5 * (t - place) ** 2)


times = rng.uniform(5, 35, (300, 2))
X = np.array([wave(a) - 0.7 * wave(b) for a, b in times]) + 0.02 * rng.standard_normal((300, 41))
models = [
    OrbitDictionaryLearning(1, group, alpha=0.1, n_restarts=2, random_state=0).fit(X)
    for group in (IntegerShift(), ContinuousShift())
]
for model in models:
    print(
        f"{model.group.name}: {len(model.codes_.atoms.coefficient) / len(X):.2f} atoms per "
        f"data point, objective {model.codes_.objective.sum():.2f}"
    )

# %%
# One data point, two waves: with whole samples, and with shifts by any amount.

figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for ax, model in zip(axes, models, strict=True):
    DecompositionDisplay.from_estimator(model, X, sample=3, ax=ax)
    ax.set_title(model.group.name)

# %%
# How many atoms the data points have. The truth is two.

figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
for k, (model, colour) in enumerate(zip(models, ("#d55e00", "#0072b2"), strict=True)):
    number, many = np.unique(model.codes_.atoms.counts, return_counts=True)
    ax.bar(number + 0.4 * k - 0.2, many, width=0.38, color=colour, label=model.group.name)
ax.set(xlabel="atoms of a data point", ylabel="data points")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
