"""Errors as one sentence on stderr and an exit code, without a traceback."""

from __future__ import annotations

import os
import re
import shlex
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

import typer

FAILED, INTERRUPTED = 1, 130
OPTIONS = (
    "alpha", "window", "length", "step", "channel", "sfreq", "layout", "key", "separator",
    "decimal", "skiprows", "transpose", "highpass", "time_column", "time_unit", "max_iter",
    "rounds", "n_components",
)  # fmt: skip
"""Options with the name of the argument of the library, with hyphens."""
NAMES = {"n_components": "components"}
"""Options of another name than the argument of the library."""
ARGUMENT = re.compile(rf"\b({'|'.join(OPTIONS)})=('[^']*'|\"[^\"]*\"|[\w.,+-]*\w|)")


class Interrupted(KeyboardInterrupt):
    """Interrupt by Ctrl-C, with a sentence on the saved state."""


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Convert exceptions of a command into a sentence and an exit code, and print warnings."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _say_warning
                command(*args, **kwargs)
        except KeyboardInterrupt as interrupt:
            _leave(str(interrupt) or "Interrupted; nothing was written.", INTERRUPTED)
        except (BrokenPipeError, typer.Exit, typer.BadParameter):
            raise
        except Exception as error:
            if os.environ.get("ORBITDL_TRACEBACK"):
                raise
            _leave(sentence_of(error), FAILED)

    return run


def sentence_of(error: Exception) -> str:
    """Describe an exception in one sentence."""
    if isinstance(error, OSError) and error.strerror:
        where = f" {error.filename}" if error.filename else ""
        return f"the system refused{where}: {error.strerror}."
    if isinstance(error, MemoryError):
        return "this does not fit into memory; pass fewer windows (a larger --step) or components."
    if isinstance(error, ValueError | OSError | ImportError):
        return in_options(" ".join(str(error).split()))
    return (
        f"this should not happen ({type(error).__name__}: {' '.join(str(error).split())}); "
        "set ORBITDL_TRACEBACK=1, run again and report what it prints."
    )


def _say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    typer.echo(f"Warning: {in_options(' '.join(str(message).split()))}", err=True)


def _leave(sentence: str, code: int) -> NoReturn:
    prefix = "" if code == INTERRUPTED else "Error: "
    typer.echo(prefix + sentence, err=True)
    raise typer.Exit(code)


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
    name = NAMES.get(argument[1], argument[1])
    option, value = f"--{name.replace('_', '-')}", argument[2].strip("'\"")
    value = "" if value == "True" else value  # a flag
    return f"{option} {shlex.quote(value)}" if value else option
