"""How an experiment tells of its progress."""

from collections.abc import Callable

Tell = Callable[[str, int, int], None]
"""Told what is being done, the steps done, and the steps in all."""


def silent(what: str, done: int, total: int) -> None:
    """Say nothing."""
