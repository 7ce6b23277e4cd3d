"""HTML representation of fitted models: components, summary and parameters."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr

from orbitdl.display.sparklines import sparklines
from orbitdl.groups.base import Floats
from orbitdl.groups.views import View
from orbitdl.learning.history import History
from orbitdl.markup.html import box, counted, facts_table, folded


class ShownMixin:
    """Adds the fitted components to scikit-learn's HTML representation.

    ``sklearn.set_config(display="text")`` disables both.
    """

    components_: Floats

    def _repr_html_inner(self) -> str:
        """Return the HTML representation."""
        diagram = str(estimator_html_repr(self))
        return self._learned_in_html(diagram) if hasattr(self, "components_") else diagram

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def _learned_in_html(self, diagram: str) -> str:
        q, codes = len(self.components_), getattr(self, "codes_", None)
        captions = [f"component {j}" for j in range(q)]
        if codes is not None:
            many = np.bincount(codes.atoms.component, minlength=q)
            captions = [f"{j}: {counted(int(n), 'atom')}" for j, n in enumerate(many)]
        pictures = sparklines(np.asarray(self.components_), self._view_of_components(), captions)
        parameters = folded("parameters", diagram)
        facts = facts_table(facts_of(self, self._noun, self._moves()))
        return box(type(self).__name__, pictures, facts, parameters)

    _noun: str = "data point"
    """Name of a data point."""

    @abstractmethod
    def _view_of_components(self) -> View:
        """Return the view of a component."""

    @abstractmethod
    def _moves(self) -> str:
        """Describe how components are transformed: the end of a sentence that begins "They"."""


def facts_of(model: Any, noun: str, description: str) -> dict[str, str]:
    """Return a summary of a fitted model; empty for unknown entries.

    A data point is called `noun`; `description` ends a sentence that begins with "They".
    """
    origin = getattr(model, "provenance_", {})
    history = getattr(model, "history_", None) or History()
    shape = " × ".join(map(str, model.components_.shape[1:]))
    facts = {
        "learned from": counted(int(origin["samples"]), noun) if "samples" in origin else "",
        "components": f"{len(model.components_)} of {shape} values, which {description}",
        "alpha": _alpha(model, origin),
        "learning": _ending(model),
    }
    if history:
        facts["objective"] = f"{history[-1].objective:.6g}"
        facts["largest gap"] = f"{history[-1].gap:.1e} (certified, relative)"
    starts = np.asarray(getattr(model, "starts_", ()))
    if len(starts) > 1 and starts.min() > 0:
        spread = 100 * (starts.max() / starts.min() - 1)
        facts["starts"] = f"{len(starts)}, of which the worst was {spread:.2f} % above the best"
    return facts


def _alpha(model: Any, origin: dict[str, Any]) -> str:
    """Return alpha, and the reason if it was chosen automatically."""
    value = getattr(model, "alpha_", None)
    if value is None:
        return ""
    return str(origin["alpha"]) if "alpha" in origin else f"{value:.4g}, as given"


def _ending(model: Any) -> str:
    """Describe how learning ended."""
    if getattr(model, "n_steps_", 0):
        return f"{counted(model.n_steps_, 'batch', 'batches')}, one step each"
    if not hasattr(model, "converged_"):
        return ""
    steps = counted(int(model.n_iter_), "iteration")
    if model.converged_:
        return f"converged after {steps}"
    return f"not converged after {steps}: raise max_iter or tol"
