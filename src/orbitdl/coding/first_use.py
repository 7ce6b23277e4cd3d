"""Lazy values shared by threads."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Once(Generic[Made]):
    """A value computed at first use, once, whichever thread comes first.

    Examples
    --------
    >>> answer = Once(lambda: print("thinking") or 42)
    >>> answer(), answer()
    thinking
    (42, 42)
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make, self._lock, self._made = make, Lock(), list[Made]()

    def __call__(self) -> Made:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]
