"""Samples are independent: cut them into chunks and let threads take them.

What the first of them needs is computed once, for all (`Once`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import Generic, TypeVar

from joblib import cpu_count, effective_n_jobs

from orbitdl.kernels.blas import limit_this_thread

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None
) -> list[Result]:
    """Return ``work`` of every item, in their order; threads take one item at a time."""
    threads = len(items)
    if threads > 1:
        threads = min(effective_n_jobs(n_jobs), cpu_count(), threads)  # more would only wait
    if threads <= 1:
        return [work(item) for item in items]
    numbers, results = iter(range(len(items))), dict[int, Result]()
    stopped, lock = Event(), Lock()

    def take_turns(_: int) -> None:
        try:
            with limit_this_thread():
                while not stopped.is_set():
                    with lock:
                        k = next(numbers, None)
                    if k is None:
                        break
                    results[k] = work(items[k])
        except BaseException:
            stopped.set()
            raise

    with ThreadPoolExecutor(threads) as pool:
        try:  # whoever waits for every item takes time from those who work
            list(pool.map(take_turns, range(threads)))
        finally:
            stopped.set()  # if this thread was interrupted
    return [results[k] for k in range(len(items))]


def chunks_of(n_samples: int, largest: int = 512) -> list[slice]:
    """Cut samples into as few chunks as can be, all of about the same size.

    Examples
    --------
    >>> chunks_of(10, largest=4)
    [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
    """
    count = -(-n_samples // largest)
    ends = [n_samples * k // count for k in range(count + 1)]
    return [slice(*span) for span in zip(ends[:-1], ends[1:], strict=True)]


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
