"""What all demonstrations have in common: data, a model, figures, a report and a picture."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

from orbitdl import OrbitDictionaryLearning
from orbitdl.command.display import Screen
from orbitdl.groups.base import Floats
from orbitdl.learning.restarts import most_iterations
from orbitdl.storage.writing import write_file


class Demonstration(ABC):
    """What was learned from data that are made here. Subclasses are frozen dataclasses.

    Attributes
    ----------
    data_file, model_file, picture_file : str
        Names of what is written, beside the report.
    title : str
        Of the report.
    """

    data_file: ClassVar[str]
    model_file: ClassVar[str]
    picture_file: ClassVar[str]
    title: ClassVar[str]

    @classmethod
    @abstractmethod
    def run(cls, screen: Screen) -> Self:
        """Make data, say what they are, and learn from them."""

    @property
    @abstractmethod
    def data(self) -> Floats:
        """What was learned from, as it is written."""

    @property
    @abstractmethod
    def figures(self) -> dict[str, float]:
        """The figures that matter, by name."""

    @abstractmethod
    def describe(self) -> str:
        """Return what was found, in a few lines."""

    @abstractmethod
    def write_model(self, path: Path) -> None:
        """Write the model file."""

    @abstractmethod
    def write_report(self, path: Path) -> None:
        """Write the page."""

    @abstractmethod
    def draw(self, path: Path) -> None:
        """Draw the picture."""


ORIGIN = {"data": "orbitdl demo"}
"""What model files say of where their data come from."""


def learn(model: OrbitDictionaryLearning, X: Floats, screen: Screen) -> OrbitDictionaryLearning:
    """Fit a model under a progress bar."""
    with screen.learning(most_iterations(model.n_restarts, model.max_iter)) as show:
        model.set_params(callback=show).fit(X).set_params(callback=None)
    return model


@contextmanager
def drawing(path: Path, width: float, height: float) -> Iterator[Any]:
    """Give a figure of so many inches, and write it as a picture at the end."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(width, height), layout="constrained")
    yield figure
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=130, format="png")
    plt.close(figure)
    write_file(path, buffer.getvalue())
