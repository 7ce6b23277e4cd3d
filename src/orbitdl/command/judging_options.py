"""Options of ``orbitdl select``: candidates and validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from orbitdl.command.learning_options import Seed
from orbitdl.command.numbers import (
    Counts,
    Weights,
    counts,
    integer_from,
    number_between,
    weights,
)
from orbitdl.command.options import Jobs

JUDGING = "How candidates are judged"
ONE_TO_FOUR = Counts(range(1, 5))


@dataclass(frozen=True)
class Candidates:
    """Candidates."""

    components: Annotated[
        Counts | None,
        typer.Option(
            metavar="LIST",
            parser=counts,
            help="Numbers of components (waveforms) to try: a list, 1,2,4, or a range, 1-4.",
            show_default="1-4",
        ),
    ] = None
    alphas: Annotated[
        Weights | None,
        typer.Option(
            metavar="LIST",
            parser=weights,
            help="Weights of sparsity to try in windows, such as 0.1,0.2; if left out, eight that "
            "suit the data.",
        ),
    ] = None

    @property
    def numbers(self) -> Counts:
        """Candidate numbers of components."""
        return self.components or ONE_TO_FOUR


@dataclass(frozen=True)
class ValidationOptions:
    """Cross-validation."""

    rounds: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer_from(2),
            help="Parts of the data: in every round entries of one of them are hidden, or a "
            "recording is judged there.",
            rich_help_panel=JUDGING,
        ),
    ] = 5
    share: Annotated[
        float | None,
        typer.Option(
            metavar="FRACTION",
            parser=number_between(0.01, 0.9),
            help="Of the entries of a part, how many are hidden, in windows.",
            show_default="0.1",
            rich_help_panel=JUDGING,
        ),
    ] = None
    speckle: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=integer_from(1),
            help="Neighbouring samples of a window that are hidden together: more where neighbours "
            "are much alike. If left out, 1.",
            rich_help_panel=JUDGING,
        ),
    ] = None
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=integer_from(1),
            help="Use so many windows at most, or samples of a recording: fewer are quicker. "
            "If left out, 500 windows or 10000 waveform lengths.",
            rich_help_panel=JUDGING,
        ),
    ] = None


@dataclass(frozen=True)
class RunOptions:
    """Random state and threads."""

    seed: Seed = 0
    jobs: Jobs = -1


USUAL, AS_USUAL, FROM_SEED_0 = Candidates(), ValidationOptions(), RunOptions()
"""Default values of a group of options."""
