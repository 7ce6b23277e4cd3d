"""Parsing of durations and times, in samples or seconds."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import typer

PATTERN = re.compile(r"(\d+|\d*\.\d+|\d+\.)\s*(s|ms|min|h)?", re.ASCII)
IN_SECONDS = {"s": 1.0, "ms": 1e-3, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Length:
    """A number of samples, or of seconds to be converted by the sampling frequency.

    Examples
    --------
    >>> parse_length("201").samples(None), parse_length("0.6s").samples(360.0)
    (201, 216)
    """

    text: str
    amount: float
    is_time: bool

    def samples(self, sfreq: float | None) -> int:
        """Return the rounded number of samples at a sampling frequency."""
        if not self.is_time:
            return int(self.amount)
        if sfreq is None:
            raise ValueError(
                f"{self.text} is a length in seconds, and how many samples make a second is not "
                "known; say it with --sfreq."
            )
        count = round(self.amount * sfreq)
        if count < 1:
            raise ValueError(
                f"{self.text} is shorter than one sample at {sfreq:g} Hz; pass a longer one."
            )
        return count


def parse_length(text: str) -> Length:
    """Parse ``201``, ``0.6s``, ``600ms``, ``2min`` or ``1h``."""
    found = PATTERN.fullmatch(text.strip())
    amount = float(found[1]) if found else 0.0
    if not found or not 0 < amount < float("inf"):
        raise typer.BadParameter(
            f"{text} is not a length; pass a positive number of samples, such as 201, or of "
            "seconds, such as 0.6s."
        )
    if found[2] is None and not found[1].isdecimal():
        raise typer.BadParameter(f"{text} is not an integer of samples; for seconds write {text}s.")
    return Length(text, amount * IN_SECONDS.get(found[2] or "", 1.0), found[2] is not None)


def parse_span(text: str) -> Length:
    """Parse a length like `parse_length`, but ``0.7`` as seconds: samples are integers."""
    bare = PATTERN.fullmatch(text.strip())
    is_seconds = bare is not None and bare[2] is None and not bare[1].isdecimal()
    read = parse_length(f"{text.strip()}s" if is_seconds else text)
    return replace(read, text=text)


def parse_time(text: str) -> Length:
    """Parse a time in a recording, such as ``0``, ``32400`` or ``90s``, from its start."""
    found = PATTERN.fullmatch(text.strip())
    is_start = found is not None and float(found[1]) == 0
    return Length(text, 0.0, False) if is_start else parse_length(text)


def in_samples(length: Length | None, sfreq: float | None) -> int | None:
    """Return a length in samples; None stays None."""
    return None if length is None else length.samples(sfreq)
