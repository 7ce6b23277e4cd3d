"""
How many components, and which alpha
====================================

Three components are planted in sums of shifted copies, with noise. Some entries are hidden, each
number of components is learned from the others at eight alphas, and what was hidden is predicted.
"""

from textwrap import fill

from orbitdl import OrbitDictionaryLearning, dictionary_distance, select
from orbitdl.datasets import make_shift_data
from orbitdl.groups import IntegerShift
from orbitdl.plot import SelectionDisplay

data = make_shift_data(
    n_samples=150, length=32, n_components=3, n_atoms=2, noise=0.08, random_state=0
)
estimator = OrbitDictionaryLearning(n_restarts=3, random_state=0)
selection = select(estimator, data.X, n_components=(1, 2, 3, 4), rounds=3)
print(fill(selection.reason, 80))

# %%
# The error falls until there are enough components, and rises again where alpha is so small that
# noise is coded. Bands are one standard error of the difference from the best; the simplest
# candidate within it is chosen.

SelectionDisplay.from_selection(selection)

# %%
# What was planted is found with what was chosen.

model = selection.estimator.fit(data.X)
distance = dictionary_distance(data.components, model.components_, IntegerShift())
print(f"squared distance to the planted components: {distance:.4f}")
