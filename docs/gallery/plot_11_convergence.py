"""
How learning went
=================

Components are a local optimum, as in all dictionary learning. What can be known is drawn here:
that the objective stands still, how exactly it is known, what other starts came to, and whether
another seed finds the same components.
"""

from orbitdl import OrbitDictionaryLearning
from orbitdl.datasets import make_ecg_like
from orbitdl.groups import ContinuousShift
from orbitdl.plot import ConvergenceDisplay, DictionariesDisplay

X = make_ecg_like(n_windows=200, random_state=0).X
model = OrbitDictionaryLearning(2, ContinuousShift(), n_restarts=8, random_state=0).fit(X)

# %%
# Left: how far the objective was above its last value, and the certified gap of the codes it was
# computed with, which are made more exact as learning goes on. Right: what eight starts had come
# to after a few iterations each.

ConvergenceDisplay.from_estimator(model)

# %%
# Another seed. Its components, laid onto those of the first whatever their order, places and
# signs:

other = OrbitDictionaryLearning(2, ContinuousShift(), n_restarts=8, random_state=1).fit(X)
DictionariesDisplay.from_estimators(model, other, names=("seed 0", "seed 1"), sfreq=64.0)

# %%
# A single start that is unlucky stands still elsewhere. Its objective says that it is worse:

unlucky = max(
    (
        OrbitDictionaryLearning(
            2, ContinuousShift(), alpha=model.alpha_, n_restarts=1, random_state=seed
        ).fit(X)
        for seed in range(5)
    ),
    key=lambda one: one.history_[-1].objective,
)
print(f"{unlucky.history_[-1].objective:.2f} instead of {model.history_[-1].objective:.2f}")
DictionariesDisplay.from_estimators(model, unlucky, names=("best of 8", "unlucky"), sfreq=64.0)
