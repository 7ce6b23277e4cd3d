"""
Sensors that stand in any direction
===================================

Forty sensors record one event, each as late as it is far away, and in the directions in which it
happens to stand; a third of the energy that they record is noise. `orbitdl.groups.Product` moves a
component in time and turns its vectors. What no sensor shows is learned from all of them, and with
it how each of them stands.
"""

# sphinx_gallery_thumbnail_number = 2

from orbitdl import OrbitDictionaryLearning
from orbitdl.datasets import make_oriented_events
from orbitdl.groups import ContinuousShift, Orthogonal, Product
from orbitdl.plot import DecompositionDisplay, DictionariesDisplay

events = make_oriented_events(n_samples=40, length=61, snr_db=3.0, random_state=0)
group = Product(ContinuousShift(), Orthogonal())
model = OrbitDictionaryLearning(1, group, max_iter=10, n_restarts=1, tol=1e-3, random_state=0)
model.fit(events.X)

# %%
# What one sensor recorded, and how the learned event is turned and moved to explain it.

DecompositionDisplay.from_estimator(model, events.X, sample=0)

# %%
# Moved and turned onto the true event (pale), what was learned from all sensors is close to it:
# an orientation of its own it cannot have.

DictionariesDisplay.from_components(
    events.event[None], model.components_, group=group, names=("the event", "learned")
)

# %%
# The same without turns, where every sensor would have to stand alike.

plain = OrbitDictionaryLearning(1, ContinuousShift(), n_restarts=1, tol=1e-3, random_state=0)
plain.fit(events.X)
DictionariesDisplay.from_components(
    events.event[None], plain.components_, group=group, names=("the event", "without turns")
)
