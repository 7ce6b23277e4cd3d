"""Translation of messages of the library to options of the command line."""

from __future__ import annotations

import re
import shlex

OPTIONS = (
    "alpha", "window", "length", "step", "channel", "sfreq", "layout", "key", "separator",
    "decimal", "highpass", "time_column", "time_unit", "max_iter", "rounds",
)  # fmt: skip
"""Options with the name of the argument of the library, with hyphens."""
ARGUMENT = re.compile(rf"\b({'|'.join(OPTIONS)})=('[^']*'|\"[^\"]*\"|[\w.,+-]*\w|)")


def in_options(sentence: str) -> str:
    """Replace names of arguments by options.

    Examples
    --------
    >>> in_options("the recording is long; cut it, for instance with window=201.")
    'the recording is long; cut it, for instance with --window 201.'
    >>> in_options("channel='a b' is not there; leave out layout=.")
    "--channel 'a b' is not there; leave out --layout."
    """
    return ARGUMENT.sub(_as_option, sentence)


def _as_option(argument: re.Match[str]) -> str:
    option, value = f"--{argument[1].replace('_', '-')}", argument[2].strip("'\"")
    return f"{option} {shlex.quote(value)}" if value else option
