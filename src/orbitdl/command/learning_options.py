"""Options of commands that learn: waveforms, groups and preprocessing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orbitdl.command.choices import GroupName, MatricesName, NoiseName, ReferenceName
from orbitdl.command.numbers import integer_from, positive_number, samples_per_second
from orbitdl.command.options import ReadingOptions, Span, Window
from orbitdl.io.layout import Layout

if TYPE_CHECKING:
    from orbitdl.preprocessing import Step

LEARNING = "How it learns"
LINE = "With --length only"
WINDOWS = "With windows only"
FILTERS = "Preprocessing of recordings"


@dataclass(frozen=True)
class WaveformOptions:
    """Options of waveform models of whole recordings."""

    length: Span = None
    positive: Annotated[
        bool,
        typer.Option(
            "--positive",
            help="Waveforms occur as they are, never upside down.",
            rich_help_panel=LINE,
        ),
    ] = False
    integer_shifts: Annotated[
        bool,
        typer.Option(
            "--integer-shifts",
            help="Waveforms begin at integer samples only.",
            rich_help_panel=LINE,
        ),
    ] = False
    noise: Annotated[
        NoiseName,
        typer.Option(
            help="Noise model: auto estimates its spectrum and its level over time; white takes "
            "the recording as it is.",
            rich_help_panel=LINE,
        ),
    ] = NoiseName.auto
    no_detrend: Annotated[
        bool,
        typer.Option(
            "--no-detrend",
            help="Leave in the recording what is slower than a waveform.",
            rich_help_panel=LINE,
        ),
    ] = False

    def flags(self) -> dict[str, Any]:
        """Return the arguments of the estimator."""
        return {
            "positive": self.positive,
            "integer_shifts": self.integer_shifts,
            "detrend": not self.no_detrend,
            "noise": self.noise.value,
        }


@dataclass(frozen=True)
class GroupOptions:
    """Parameters of groups."""

    subdivisions: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            parser=integer_from(1),
            help="Interpolated shifts: steps per sample; 2 by default.",
            rich_help_panel=WINDOWS,
        ),
    ] = None
    matrices: Annotated[
        MatricesName | None,
        typer.Option(
            help="Shifts: matrix group that acts on the channels of a window, as one vector, at "
            "the same time; azimuth: about the third channel.",
            rich_help_panel=WINDOWS,
        ),
    ] = None
    generators: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.npy",
            help="Finite group: permutations (k, d) or matrices (k, d, d).",
            rich_help_panel=WINDOWS,
        ),
    ] = None

    def of(self, name: GroupName | None) -> GroupOptions:
        """Return the parameters of a group of this name, or of the default group."""
        return replace(
            self,
            subdivisions=self.subdivisions if name is GroupName.interpolated_shift else None,
            generators=self.generators if name is GroupName.finite else None,
        )


@dataclass(frozen=True)
class PreprocessingOptions:
    """Preprocessing of recordings and windows."""

    window: Window = None
    normalize: Annotated[
        bool,
        typer.Option(
            "--normalize",
            help="Give every window zero mean and unit norm.",
            rich_help_panel=WINDOWS,
        ),
    ] = False
    highpass: Annotated[
        float | None,
        typer.Option(
            metavar="HZ",
            parser=positive_number,
            help="Remove drift from the recording first: all that is slower than this, in Hz, or "
            "in cycles per sample if the rate is not known. denoise and complete put it back.",
            rich_help_panel=FILTERS,
        ),
    ] = None
    lowpass: Annotated[
        float | None,
        typer.Option(
            metavar="HZ",
            parser=positive_number,
            help="Remove what is faster than this from the recording first.",
            rich_help_panel=FILTERS,
        ),
    ] = None
    notch: Annotated[
        float | None,
        typer.Option(
            metavar="HZ",
            parser=positive_number,
            help="Remove this frequency from the recording first, such as that of the mains, 50.",
            rich_help_panel=FILTERS,
        ),
    ] = None
    reference: Annotated[
        ReferenceName | None,
        typer.Option(
            help="Subtract from all channels what they have in common at every sample.",
            rich_help_panel=FILTERS,
        ),
    ] = None
    resample: Annotated[
        float | None,
        typer.Option(
            metavar="HZ",
            parser=samples_per_second,
            help="Change the sampling rate first; onsets in seconds do not change.",
            rich_help_panel=FILTERS,
        ),
    ] = None

    def steps(self, channel: str | None) -> list[Step]:
        """Return the steps of preprocessing of a recording, in the order of their application."""
        if self.highpass and self.lowpass and self.highpass >= self.lowpass:
            raise typer.BadParameter(
                f"--highpass {self.highpass:g} removes what --lowpass {self.lowpass:g} leaves; "
                "exchange them."
            )
        from orbitdl.preprocessing import CommonReference, HighPass, LowPass, Notch, Pick, Resample

        chosen: tuple[tuple[Any, Any], ...] = (
            (Pick, channel),
            (Resample, self.resample),
            (CommonReference, None if self.reference is None else self.reference.value),
            (Notch, self.notch),
            (HighPass, self.highpass),
            (LowPass, self.lowpass),
        )
        return [step(value) for step, value in chosen if value is not None]


WINDOWS_ONLY, AS_GIVEN, NO_MORE = WaveformOptions(), PreprocessingOptions(), GroupOptions()
"""Default values of a group of options."""

Seed = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=integer_from(0),
        help="Random seed.",
        rich_help_panel=LEARNING,
    ),
]
Restart = Annotated[
    bool,
    typer.Option(
        "--restart",
        help="Discard the state that an earlier run left, and begin anew.",
        rich_help_panel=LEARNING,
    ),
]


def require_one_kind(
    line: WaveformOptions,
    preparing: PreprocessingOptions,
    reading: ReadingOptions,
    moving: GroupOptions,
    group: object,
) -> None:
    """Raise on options for windows with --length, and on options of --length without it."""
    on_line = {
        "--positive": line.positive,
        "--integer-shifts": line.integer_shifts,
        "--no-detrend": line.no_detrend,
    }
    on_windows = {
        "--window": preparing.window,
        "--step": reading.step,
        "--group": group,
        "--subdivisions": moving.subdivisions,
        "--matrices": moving.matrices,
        "--generators": moving.generators,
        "--normalize": preparing.normalize,
        "--layout windows": reading.layout is Layout.windows,
    }
    others = on_windows if line.length else on_line
    given = [option for option, value in others.items() if value]
    if given and line.length:
        raise typer.BadParameter(
            f"--length learns from the whole recording, and {given[0]} is for windows; leave out "
            "one of them."
        )
    if given:
        raise typer.BadParameter(f"{given[0]} belongs to --length, how long a waveform is at most.")
