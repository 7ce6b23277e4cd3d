"""What is tried, and how it is judged: options of ``orbitdl select``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from orbitdl.command.learning_options import Seed
from orbitdl.command.numbers import (
    Counts,
    Weights,
    counts,
    number_between,
    weights,
    whole_number,
)
from orbitdl.command.options import Jobs

JUDGING = "How candidates are judged"
ONE_TO_FOUR = Counts(range(1, 5))


@dataclass(frozen=True)
class Candidates:
    """What is tried."""

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
        """Numbers of components to try."""
        return self.components or ONE_TO_FOUR


@dataclass(frozen=True)
class Judging:
    """How candidates are judged."""

    rounds: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=whole_number(2),
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
            parser=whole_number(1),
            help="Neighbouring samples of a window that are hidden together: more where neighbours "
            "are much alike. If left out, 1.",
            rich_help_panel=JUDGING,
        ),
    ] = None
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole_number(1),
            help="Use so many windows at most, or samples of a recording: fewer are quicker. "
            "If left out, 500 windows or 10000 waveform lengths.",
            rich_help_panel=JUDGING,
        ),
    ] = None


@dataclass(frozen=True)
class Working:
    """Which chance, how many threads."""

    seed: Seed = 0
    jobs: Jobs = -1


USUAL, AS_USUAL, FROM_SEED_0 = Candidates(), Judging(), Working()
"""Nothing is said of a group of options."""
