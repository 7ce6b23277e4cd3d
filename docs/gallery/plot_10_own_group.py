"""
A group of your own
===================

Two microphones, and nobody wrote down which of the two was left: every data point may have its
two signals exchanged. That is a group of two elements, and about thirty lines. Coding,
certificates, learning, files, reports and pictures follow from them.
"""

from dataclasses import dataclass

import numpy as np

from orbitdl import OrbitDictionaryLearning
from orbitdl.groups import FiniteRepresentation, Group, Trivial
from orbitdl.groups.presentation import ElementSlider, Presentation, View
from orbitdl.groups.transforms.reshape import Reshape
from orbitdl.plot import ComponentsDisplay, DecompositionDisplay


@dataclass(frozen=True)
class Swap(Group):
    """Pairs of signals (2, length), as they are and exchanged."""

    def on(self, shape):
        return SwapRepresentation(self, shape)


class SwapRepresentation(FiniteRepresentation):
    """One block of size two; element 1 acts as the matrix that exchanges the rows."""

    parameters = ("swapped",)
    is_integer = True
    size = 2

    def __init__(self, group, shape):
        super().__init__(group, Reshape(shape, (1, 2, int(np.prod(shape[1:])))))
        self.matrices = np.stack([np.eye(2), np.eye(2)[::-1]])

    @property
    def elements(self):
        return np.array([[0.0], [1.0]])

    def index(self, element):
        return np.rint(element[..., 0]).astype(np.intp)

    def represent(self, element):
        return self.matrices[self.index(element)][..., None, :, :]

    def compose(self, left, right):
        return np.mod(left + right, 2.0)

    def inverse(self, element):
        return element

    def correlations(self, C):
        return np.einsum("...kl,gkl->...g", C[..., 0, :, :], self.matrices)

    @property
    def presentation(self):
        """Labels and views for reports (optional)."""
        view = View("lines", 2, self.shape[1], along="sample", across="microphone")
        return Presentation("may be exchanged", label, view, (ElementSlider(),))


def label(element):
    """Return a label of an element."""
    return "exchanged" if element[0] else "as it is"


# %%
# Clicks from the left and hums from the right, half of them with the microphones exchanged.

rng = np.random.default_rng(0)
t = np.arange(60)
click = np.exp(-0.3 * (t - 20) ** 2)
hum = np.sin(0.5 * t) * np.exp(-0.003 * (t - 35) ** 2)
sounds = np.array([[click, 0.3 * click], [0.2 * hum, hum]])
kind, order = rng.integers(2, size=200), rng.choice([-1, 1], 200)
X = np.array([sounds[k, ::s] for k, s in zip(kind, order, strict=True)])
X += 0.1 * rng.standard_normal(X.shape)
model = OrbitDictionaryLearning(2, Swap(), alpha=0.3, random_state=0).fit(X)
ComponentsDisplay.from_estimator(model)

# %%
# One recording decomposed. The words beside the atom are those of the group.

DecompositionDisplay.from_estimator(model, X, sample=1)

# %%
# Without the group there are four sounds, not two: a score at the same price says what the
# symmetry is worth.

for group in (Swap(), Trivial()):
    model = OrbitDictionaryLearning(2, group, alpha=0.3, random_state=0).fit(X)
    print(f"{group.name}: score {model.score(X):.3f}")
