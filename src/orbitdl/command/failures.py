"""Errors as one sentence on stderr and an exit code, without a traceback."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

import typer

from orbitdl.command.wording import in_options

FAILED, INTERRUPTED = 1, 130


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
