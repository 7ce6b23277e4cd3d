"""
Digits in any direction
=======================

Handwritten digits, each turned by an angle of its own. With `orbitdl.groups.ImageRotation` a
component is a digit, whichever way up; without turns, components are what is left when all
directions are mixed.
"""

# sphinx_gallery_thumbnail_number = 2

import matplotlib.pyplot as plt

from orbitdl import OrbitDictionaryLearning
from orbitdl.datasets import make_rotated_digits
from orbitdl.groups import ImageRotation, Trivial
from orbitdl.plot import ComponentsDisplay, DecompositionDisplay

digits = make_rotated_digits(n_samples=250, size=16, digits=(2, 3, 4, 7), random_state=0)
figure, axes = plt.subplots(1, 8, figsize=(10, 1.5), layout="constrained")
for ax, image in zip(axes, digits.X, strict=False):
    ax.imshow(image, cmap="gray_r", vmin=0)
    ax.set_axis_off()

# %%
# Four components that may be turned by any angle.

model = OrbitDictionaryLearning(4, ImageRotation(), n_restarts=3, random_state=0).fit(digits.X)
ComponentsDisplay.from_estimator(model)

# %%
# Four that may not.

regular = OrbitDictionaryLearning(4, Trivial(), n_restarts=3, random_state=0).fit(digits.X)
ComponentsDisplay.from_estimator(regular)

# %%
# A digit, and the turned components that it is the sum of.

DecompositionDisplay.from_estimator(model, digits.X, sample=1)
