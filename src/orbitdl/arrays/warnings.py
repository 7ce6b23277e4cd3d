"""Warnings that point at the user's line of code."""

from __future__ import annotations

import contextlib
import sys
import warnings
from pathlib import Path

INSIDE = str(Path(__file__).parents[1]), contextlib.__file__
"""Files whose stack frames are skipped: this package, and decorators of the standard library."""


def warn_user(message: str, category: type[Warning] = RuntimeWarning) -> None:
    """Issue a warning at the innermost line of code outside this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
